// Owns the search for requests whose own runs never came (a queue of one drops the second in it): by whom they are, whether they may ask. Answers none.
import type { GateFacts, ThreadFacts, Waiting } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import type { RepositoryApi } from '../api.ts';
import { carriesMarker } from '../marker.ts';
import type { ThreadText } from '../thread-texts.ts';
import { hasAtLeast, refuseRequester } from './decide-requester.ts';
import { loadPermission } from './load-permission.ts';
import { findMention } from './mention.ts';

export interface WaitingQuestion extends Pick<ThreadFacts, 'answered' | 'announced'> {
  /** The request that takes them up, when it was asked, and on which thread. */
  readonly event: GitHubEvent;
  readonly askedAt: string;
  readonly thread: { readonly kind: string };
  readonly observedAt: string;
  readonly self: GateFacts['self'];
  readonly settings: GateSettings;
}

const dayMs = 86_400_000;
/** A run that has just begun has not spoken yet. */
const graceMs = 60_000;
/** One reply answers no more than this, and no more people are asked about. */
const maxWaiting = 5;

/** What is over with the run that it was said to, and what only its own author may have done. */
const ownRunWords: readonly (string | null)[] = ['stop', 'status', 'help', 'undo', 'approve'];

/** The event that brought a text, which its trigger is named by. */
function eventOf({ kind }: ThreadText, { thread }: WaitingQuestion): GitHubEvent['kind'] {
  if (kind === 'comment') return thread.kind === 'discussion' ? 'discussion_comment' : 'issue_comment';
  return kind === 'review' ? 'pull_request_review' : 'pull_request_review_comment';
}

/**
 * Mentions of the last 24 hours, older than the request and unchanged since it, by people who may write and ask here: whoever asks for them
 * now has no less right to what they ask. The newest five, in their order.
 */
export async function loadWaiting(
  texts: readonly ThreadText[],
  question: WaitingQuestion,
  place: RepositoryApi,
  signal: AbortSignal,
): Promise<readonly Waiting[]> {
  const found = texts.flatMap((text) => toWaiting(text, question)).slice(-maxWaiting);
  const logins = [...new Set(found.map(({ login }) => login))];
  const allowed = await Promise.all(logins.map((login) => mayAsk(login, question.settings, place, signal)));
  return found.filter(({ login }) => allowed[logins.indexOf(login)]);
}

function toWaiting(text: ThreadText, question: WaitingQuestion): readonly Waiting[] {
  const { user, body, id } = text;
  const triggerId = `${eventOf(text, question)}-${id}`;
  const { answered, announced, self, settings } = question;
  if (user === null || Number(user.id) === self.id || carriesMarker(body) || !isInTime(text, question)) return [];
  if (answered.includes(triggerId) || announced.includes(triggerId) || isSeen(text, settings)) return [];
  const mention = findMention(body, settings.triggerPhrases);
  if (mention.kind === 'none' || ownRunWords.includes(mention.instruction.command)) return [];
  const { command, text: words } = mention.instruction;
  const asked = [command, words].filter((part) => part !== null && part !== '').join(' ');
  return asked === '' ? [] : [{ triggerId, login: user.login, text: asked }];
}

/** A run that took it up reacted on it; its reply may have been edited or deleted by a person since. */
function isSeen({ reactions }: ThreadText, { reaction }: GateSettings): boolean {
  return Number(reactions[reaction] ?? 0) > 0;
}

function isInTime(text: ThreadText, question: WaitingQuestion): boolean {
  const { createdAt, updatedAt } = text;
  const { askedAt, observedAt } = question;
  const [created, changed, asked, now] = [createdAt, updatedAt, askedAt, observedAt].map(Date.parse);
  if (created === undefined || changed === undefined || asked === undefined || now === undefined) return false;
  const isOlder = created < asked || (created === asked && isBefore(text, question));
  return created >= now - dayMs && created <= now - graceMs && isOlder && (changed === created || changed < asked);
}

/** GitHub's times are whole seconds: within one, comments of a kind are in the order of their numbers, and others in none. */
function isBefore(text: ThreadText, question: WaitingQuestion): boolean {
  const { event } = question;
  return 'comment' in event && (eventOf(text, question) !== event.kind || text.id < event.comment.id);
}

async function mayAsk(login: string, settings: GateSettings, place: RepositoryApi, signal: AbortSignal): Promise<boolean> {
  const fact = await loadPermission(place, login, signal);
  const refusal = refuseRequester({ login, id: 0, type: 'User' }, fact, { ...settings, allowedNonWriteUsers: [] });
  return refusal === null && fact.kind === 'known' && hasAtLeast(fact.permission, 'write');
}
