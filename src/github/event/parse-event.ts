// Owns the way from a webhook's unknown JSON to the GitHubEvent union; decides nothing about it and asks nobody.
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import { parseDiscussionComment, parseIssueComment, parseReview, parseReviewComment } from './parse-comment-events.ts';
import {
  parseCheckSuite,
  parsePush,
  parseRepositoryDispatch,
  parseSchedule,
  parseWorkflowDispatch,
  parseWorkflowRun,
} from './parse-run-events.ts';
import { parseDiscussion, parseIssues, parsePullRequest } from './parse-thread-events.ts';
import { repositoryPayload, userSchema } from './payload-parts.ts';

/** What the runner knows beside the payload. */
export interface EventOrigin {
  /** GITHUB_ACTOR and GITHUB_ACTOR_ID: who a `schedule` runs as, whose payload names no sender. */
  readonly actor?: { readonly login: string; readonly id: number } | undefined;
  /** GITHUB_REPOSITORY_ID; a payload of another repository is refused (A10). */
  readonly repositoryId?: number | undefined;
}

const parsers: ReadonlyMap<string, (payload: unknown, origin: EventOrigin) => GitHubEvent> = new Map([
  ['issue_comment', parseIssueComment],
  ['pull_request_review_comment', parseReviewComment],
  ['pull_request_review', parseReview],
  ['issues', parseIssues],
  ['pull_request', (payload: unknown) => parsePullRequest('pull_request', payload)],
  ['pull_request_target', (payload: unknown) => parsePullRequest('pull_request_target', payload)],
  ['discussion', parseDiscussion],
  ['discussion_comment', parseDiscussionComment],
  ['workflow_run', parseWorkflowRun],
  ['check_suite', parseCheckSuite],
  ['workflow_dispatch', parseWorkflowDispatch],
  ['repository_dispatch', parseRepositoryDispatch],
  ['push', parsePush],
  ['schedule', (payload: unknown, { actor }: EventOrigin) => parseSchedule(payload, actor)],
]);

/**
 * The event named `name` (GITHUB_EVENT_NAME) out of its payload. Names that carry no task become `other`, never a crash; a workflow that
 * was called (`workflow_call`) sees the event of its caller. Throws EVENT_MALFORMED (which field, what was seen) and EVENT_FOREIGN (a
 * payload of another repository).
 */
export function parseEvent(name: string, payload: unknown, origin: EventOrigin = {}): GitHubEvent {
  const event = (parsers.get(name) ?? otherNamed(name))(payload, origin);
  const isForeign = origin.repositoryId !== undefined && event.kind !== 'other' && event.repository.id !== origin.repositoryId;
  if (isForeign) {
    throw new Harness9Error({
      code: 'EVENT_FOREIGN',
      message: `The event belongs to repository ${event.repository.id}, this run to repository ${origin.repositoryId}.`,
      hint: 'Run harness9 in a workflow of the repository that raised the event.',
    });
  }
  return event;
}

const otherPayload = z.object({
  action: z.string().catch(''),
  sender: userSchema.catch(null),
  repository: repositoryPayload.catch({ id: 0, owner: '', name: '', defaultBranch: '', isPrivate: true }),
});

function otherNamed(name: string): (payload: unknown) => GitHubEvent {
  return (payload) => ({ version: 1, kind: 'other', name, ...otherPayload.catch(otherPayload.parse({})).parse(payload) });
}
