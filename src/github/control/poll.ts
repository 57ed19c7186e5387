// Asks GitHub what was said on a thread since the run's request, by conditional requests that cost nothing while there is nothing new.
import type { RunPlan } from '../../schema/gate.ts';
import { type Account, GitHubApiError, type RepositoryApi, type Response } from '../api.ts';

/** A comment as far as it may be a word to a running run. */
export interface HeardComment {
  /** As the gate would call the trigger that it is. */
  readonly triggerId: string;
  readonly user: (Account & { readonly type: string }) | null;
  readonly body: string;
  readonly isEdited: boolean;
  /** The comment that its review thread began with; null: it stands in the conversation. */
  readonly root: number | null;
}

const conversation = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
const reviewComments = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments';
type PollRoute = typeof conversation | typeof reviewComments;

/** Where people may speak to the run; a discussion, which REST has not, is not listened to. */
export function pollRoutesOf({ thread }: Pick<RunPlan, 'thread'>): readonly PollRoute[] {
  if (thread === null || thread.kind === 'discussion') return [];
  return thread.kind === 'issue' ? [conversation] : [conversation, reviewComments];
}

export interface Poll {
  /** What is new or changed, none where GitHub says so. Rejects with a GitHubApiError, without waiting for another try. */
  ask(signal: AbortSignal): Promise<readonly HeardComment[]>;
}

const pageSize = 100;

export function createPoll(
  route: PollRoute,
  { thread, trigger }: Pick<RunPlan, 'thread' | 'trigger'>,
  place: RepositoryApi,
): Poll {
  let since = Number.isNaN(Date.parse(trigger.at)) ? new Date(0).toISOString() : trigger.at;
  let etag: string | undefined;
  return {
    async ask(signal) {
      const answer = await unlessSame(askOnce(route, { number: thread?.number ?? 0, since, etag }, place, signal));
      if (answer === null) return [];
      etag = answer.headers.etag;
      const { data } = answer;
      const last = data.at(-1);
      // The list begins with the oldest, so a full page may hide the newest.
      if (data.length === pageSize && last !== undefined && last.updated_at !== since) {
        since = last.updated_at;
        etag = undefined;
      }
      return data.filter(({ created_at }) => Date.parse(created_at) >= Date.parse(trigger.at)).map(toHeard);
    },
  };
}

interface Question {
  readonly number: number;
  readonly since: string;
  readonly etag: string | undefined;
}

async function askOnce(
  route: PollRoute,
  { number, since, etag }: Question,
  { api, repository }: RepositoryApi,
  signal: AbortSignal,
): Promise<Response<PollRoute>> {
  const headers = etag === undefined ? {} : { 'if-none-match': etag };
  const parameters = { ...repository, since, per_page: pageSize, headers, request: { retries: 0 } };
  return route === conversation
    ? api.rest(conversation, { ...parameters, issue_number: number }, signal)
    : api.rest(reviewComments, { ...parameters, pull_number: number, sort: 'updated', direction: 'asc' }, signal);
}

/** Octokit takes "not modified" for an error. */
async function unlessSame<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof GitHubApiError && error.status === 304) return null;
    throw error;
  }
}

type Listed = Response<PollRoute>['data'][number];

function toHeard(comment: Listed): HeardComment {
  const { id, user, body, created_at, updated_at } = comment;
  const isReview = 'diff_hunk' in comment;
  return {
    triggerId: `${isReview ? 'pull_request_review_comment' : 'issue_comment'}-${id}`,
    user: user ?? null,
    body: body ?? '',
    isEdited: created_at !== updated_at,
    root: isReview ? Number(comment.in_reply_to_id ?? id) : null,
  };
}
