// Owns the part of the gate that needs no facts: does this event ask us for anything, and by whom; pure, asks nobody.
import type { GateFacts } from '../../schema/gate.ts';
import type { Actor, GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';
import { carriesMarker } from '../marker.ts';
import { findRequest, type Request } from './find-request.ts';
import { type SkipDecision, skip } from './skip.ts';

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

export interface TriggerFound extends Request {
  /** In whose name the run is. */
  readonly sender: Actor;
}

export type TriggerDecision = TriggerFound | SkipDecision;

/** Where the workflow names no handle, nobody can be told to use one; ours is the least wrong. */
const defaultHandle = '@harness9';

/**
 * Whether `event` asks for a run. `run` names triggers that have no id of their own. The Action calls this before it loads
 * facts, so that an ordinary comment costs no API call; decideGate calls it again, with the facts.
 */
export function decideTrigger(
  event: GitHubEvent,
  settings: GateSettings,
  run: Pick<RunIdentity, 'id' | 'job'>,
  known: Pick<GateFacts, 'observedAt' | 'check'> | null = null,
): TriggerDecision {
  const request = findRequest(event, { settings, run, known });
  if (request.kind === 'skip') return request;
  if (comesFromFork(event)) return skip('fork', forkDetail(event));
  const [sender] = requestersOf(event);
  if (sender === undefined)
    return skip('requester_unknown', 'the account that raised the event is gone, so nobody asks', 'denied');
  return refuseSender(event, sender, settings) ?? { ...request, sender };
}

/**
 * Who has to be let in, the first in whose name the run is: the sender, and for a check also who started it and who ran it again (A9).
 * People come before bots.
 */
export function requestersOf(event: GitHubEvent): readonly Actor[] {
  const actors = [...('check' in event ? event.check.actors : []), ...(event.sender === null ? [] : [event.sender])];
  const distinct = [...new Map(actors.map((actor) => [actor.id, actor])).values()];
  return [...distinct.filter(({ type }) => type === 'User'), ...distinct.filter(({ type }) => type !== 'User')];
}

/**
 * These events run the workflow as the fork has it, with a token that only reads and without secrets; where a repository hands them out all
 * the same, the fork's workflow could do anything with them (I5).
 */
function comesFromFork(event: GitHubEvent): boolean {
  return 'isFork' in event && event.isFork && event.kind !== 'pull_request_target';
}

function forkDetail({ kind }: GitHubEvent): string {
  const why = `${kind} of a pull request from a fork starts a job without secrets and with a token that only reads`;
  if (kind === 'workflow_run') return 'the check is of a fork’s commit, and nothing is mended there';
  return `${why}; a comment in the conversation (\`issue_comment\`), or \`pull_request_target\`, is answered`;
}

/** How we are called here, for the words of a reply. */
export function handleOf({ triggerPhrases }: GateSettings): string {
  return triggerPhrases[0] ?? defaultHandle;
}

/** Logins are compared as GitHub does, without case. A bot's listed name never lets a user of that name in, and the reverse (A4). */
export function isListed(actor: Actor, names: readonly string[]): boolean {
  return names.some((name) => name.toLowerCase() === actor.login.toLowerCase());
}

/** What the sender wrote with this event; a label on an issue is nothing written. */
export function textOf(event: GitHubEvent): string {
  if ('comment' in event) return event.comment.body;
  return 'body' in event && (event.action === 'opened' || event.action === 'created') ? event.body : '';
}

/** For a check this is decided when it is known who we are: what we pushed was asked for by somebody who may. */
function refuseSender(event: GitHubEvent, sender: Actor, settings: GateSettings): SkipDecision | null {
  if (sender.type === 'User' || 'check' in event) return null;
  // Whichever harness9 wrote it (A5).
  if (carriesMarker(textOf(event))) return skip('own_comment', `${sender.login} wrote it with our marker`);
  return refuseBot(sender, settings);
}

/** Bots, organisations and mannequins ask only where they are listed; only bots can be. */
export function refuseBot(actor: Actor, settings: GateSettings): SkipDecision | null {
  if (actor.type === 'User' || (actor.type === 'Bot' && isListed(actor, settings.allowedBots))) return null;
  return skip('bot', `${actor.login} is a ${actor.type} and not listed in allowed_bots`, 'denied');
}
