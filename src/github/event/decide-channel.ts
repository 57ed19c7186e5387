// Owns where a run speaks: the place that it was asked in, and nothing later turns to another one (H8). Pure.
import type { Channel, GateFacts, RunPlan } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { GateSettings } from '../../schema/settings.ts';

/** The event's thread, or the pull request whose check failed; null: there is none. */
export function threadOf(event: GitHubEvent, { check }: Pick<GateFacts, 'check'>): RunPlan['thread'] {
  if ('thread' in event) return { ...event.thread, title: event.title };
  return check?.pull ? { kind: 'pull_request', ...check.pull } : null;
}

/**
 * A review comment is answered in its review thread, a discussion in the branch of the comment, everything else of a thread in its
 * conversation. What has no thread speaks in the report issue where the workflow names one, and else in the job summary alone (null).
 */
export function decideChannel(
  event: GitHubEvent,
  facts: Pick<GateFacts, 'check' | 'thread'>,
  { reportIssue }: Pick<GateSettings, 'reportIssue'>,
): Channel | null {
  const number = threadOf(event, facts)?.number;
  if (number === undefined) return reportIssue === null ? null : { kind: 'report', title: reportIssue };
  switch (event.kind) {
    case 'pull_request_review_comment':
      return { kind: 'review_thread', pull: number, commentId: event.rootId };
    case 'discussion':
      return { kind: 'discussion', number, id: event.nodeId, replyTo: null };
    case 'discussion_comment':
      return { kind: 'discussion', number, id: event.nodeId, replyTo: facts.thread?.topComment ?? null };
    default:
      return { kind: 'thread', number };
  }
}
