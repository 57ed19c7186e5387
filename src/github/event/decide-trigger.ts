// Owns the part of the gate that needs no facts: does this event ask us for anything, and by whom; pure, asks nobody.
import type { Instruction, Skip, Trigger } from '../../schema/gate.ts';
import type { Actor, GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { carriesMarker } from '../marker.ts';
import { findMention } from './mention.ts';

/** The workflow run that the gate decides for; `path` as in `.github/workflows/x.yml`, `ref` as in `refs/heads/main`. */
export interface RunIdentity {
  readonly id: number;
  readonly attempt: number;
  readonly url: string;
  readonly workflowPath: string;
  readonly job: string;
  readonly ref: string;
  readonly sha: string;
}

export type TriggerDecision =
  | { readonly kind: 'trigger'; readonly trigger: Trigger; readonly instruction: Instruction; readonly sender: Actor }
  | SkipDecision;

/** A decision to start nothing, with its reason. */
export interface SkipDecision {
  readonly kind: 'skip';
  readonly skip: Skip;
}

/** Where the workflow names no handle, nobody can be told to use one; ours is the least wrong. */
const defaultHandle = '@harness9';

/** What a bare mention, a label or an assignment asks for. */
const defaultInstruction = 'Read this thread and do what it asks for. When it asks for nothing that can be done, answer it.';

/**
 * Whether `event` asks for a run. `run` names triggers that have no id of their own. The Action calls this before it loads
 * facts, so that an ordinary comment costs no API call; decideGate calls it again.
 */
export function decideTrigger(
  event: GitHubEvent,
  settings: GateSettings,
  run: Pick<RunIdentity, 'id'>,
  observedAt = '',
): TriggerDecision {
  const request = findRequest(event, settings, run, observedAt);
  if (request.kind === 'skip') return request;
  const { sender } = event;
  if (sender === null) return skip('requester_unknown', 'the account that raised the event is gone, so nobody asks', 'denied');
  const refusal = refuseSender(event, sender, settings);
  return refusal ?? { ...request, sender };
}

/** A skip with nothing said on the thread; `notice` is for those few that the requester hears of. */
export function skip(
  reason: Skip['reason'],
  detail: string,
  conclusion: Skip['conclusion'] = 'skipped',
  notice: Skip['notice'] = null,
): SkipDecision {
  return { kind: 'skip', skip: { version: 1, reason, detail, conclusion, notice } };
}

/** What a notice is an answer to, and who gives it. */
export type NoticeOrigin = Omit<NonNullable<Skip['notice']>, 'thread'>;

/** Where a skip is told, or null where nothing is to be said; only for who passed the permission check. */
export function noticeOn(event: GitHubEvent, settings: GateSettings, { triggerId, selfId }: NoticeOrigin): Skip['notice'] {
  return settings.comment === 'auto' && 'thread' in event ? { thread: event.thread.number, triggerId, selfId } : null;
}

/** How we are called here, for the words of a reply. */
export function handleOf({ triggerPhrases }: GateSettings): string {
  return triggerPhrases[0] ?? defaultHandle;
}

/** Logins are compared as GitHub does, without case. A bot's listed name never lets a user of that name in, and the reverse (A4). */
export function isListed(actor: Actor, names: readonly string[]): boolean {
  return names.some((name) => name.toLowerCase() === actor.login.toLowerCase());
}

function refuseSender(event: GitHubEvent, sender: Actor, settings: GateSettings): SkipDecision | null {
  if (sender.type === 'User') return null;
  const body = 'comment' in event ? event.comment.body : '';
  // Whichever harness9 wrote it (A5).
  if (carriesMarker(body)) return skip('own_comment', `${sender.login} wrote it with our marker`);
  if (sender.type === 'Bot' && isListed(sender, settings.allowedBots)) return null;
  return skip('bot', `${sender.login} is a ${sender.type} and not listed in allowed_bots`, 'denied');
}

type Request = { readonly kind: 'trigger'; readonly trigger: Trigger; readonly instruction: Instruction } | SkipDecision;

function findRequest(event: GitHubEvent, settings: GateSettings, run: Pick<RunIdentity, 'id'>, observedAt: string): Request {
  switch (event.kind) {
    case 'issue_comment':
    case 'pull_request_review_comment':
      return requestOfComment(event, settings);
    case 'issues':
      return requestOfIssue(event, settings, run);
    case 'workflow_dispatch':
    case 'schedule': {
      if (settings.prompt === null) return skip('no_task', `${event.kind} needs the input prompt`);
      const trigger: Trigger = { kind: 'prompt', id: `${event.kind}-run-${run.id}`, at: observedAt, target: null };
      return { kind: 'trigger', trigger, instruction: { text: settings.prompt, command: null } };
    }
    case 'other':
      return skip('unsupported_event', `the event ${event.name} carries no task for harness9`);
  }
}

type CommentEvent = Extract<GitHubEvent, { kind: 'issue_comment' | 'pull_request_review_comment' }>;

function requestOfComment(event: CommentEvent, settings: GateSettings): Request {
  if (event.action !== 'created')
    return skip('no_task', `a comment that was ${event.action} starts nothing, only a new one does`);
  const mention = findMention(event.comment.body, settings.triggerPhrases);
  if (mention.kind === 'none') return skip('no_mention', mention.why);
  const { id, createdAt } = event.comment;
  const isReview = event.kind === 'pull_request_review_comment';
  const trigger: Trigger = {
    kind: 'mention',
    id: `${event.kind}-${id}`,
    at: createdAt,
    target: { kind: isReview ? 'review_comment' : 'issue_comment', id },
    ...(isReview ? { location: { path: event.path, line: event.line, diffHunk: event.diffHunk } } : {}),
  };
  return { kind: 'trigger', trigger, instruction: completeInstruction(mention.instruction, settings.prompt) };
}

type IssueEvent = Extract<GitHubEvent, { kind: 'issues' }>;

function requestOfIssue(event: IssueEvent, settings: GateSettings, run: Pick<RunIdentity, 'id'>): Request {
  const { number } = event.thread;
  const found = (kind: Trigger['kind'], id: string, instruction: Instruction): Request => {
    const target = { kind: 'issue', number } as const;
    const label = kind === 'label' && event.label !== undefined ? { label: event.label } : {};
    return { kind: 'trigger', trigger: { kind, id, at: event.createdAt, target, ...label }, instruction };
  };
  const bare = completeInstruction({ text: '', command: null }, settings.prompt);
  if (event.action === 'labeled' && isName(event.label, settings.labelTrigger))
    return found('label', `label-${number}-run-${run.id}`, bare);
  if (event.action === 'assigned' && isName(event.assignee, settings.assigneeTrigger)) {
    return found('assignment', `assignment-${number}-run-${run.id}`, bare);
  }
  if (settings.prompt !== null) return found('prompt', `issue-${number}-run-${run.id}`, bare);
  if (event.action !== 'opened') return skip('no_task', `an issue that was ${event.action} asks for nothing here`);
  const inBody = findMention(event.body, settings.triggerPhrases);
  const mention = inBody.kind === 'mention' ? inBody : findMention(event.title, settings.triggerPhrases);
  if (mention.kind === 'none') return skip('no_mention', inBody.kind === 'none' ? inBody.why : mention.why);
  return found('mention', `issue-${number}-opened`, completeInstruction(mention.instruction, null));
}

function isName(seen: string | undefined, wanted: string | null): boolean {
  return wanted !== null && wanted !== '' && seen?.toLowerCase() === wanted.toLowerCase();
}

/** The workflow's prompt comes first, then what the comment adds; neither → the default. */
function completeInstruction(instruction: Instruction, prompt: string | null): Instruction {
  const texts = [prompt ?? '', instruction.text].filter((text) => text !== '');
  const isBare = texts.length === 0 && instruction.command === null;
  return { ...instruction, text: isBare ? defaultInstruction : texts.join('\n\n') };
}
