// Listens to a conversation, or to the lines of a pull request's diff, by conditional requests that cost nothing while there is nothing new.
import type { RunPlan } from '../../schema/gate.ts';
import { GitHubApiError, type RepositoryApi, type Response } from '../api.ts';
import { askedAt, type HeardComment, type Poll } from './poll.ts';

const conversation = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
const reviewComments = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments';
export type PollRoute = typeof conversation | typeof reviewComments;

/** DESIGN.md, Trust: conditional requests, at most one in 15 s. */
const pauseMs = 15_000;
const pageSize = 100;

/** Where people may speak to the run on an issue, and on a pull request. */
export const pollRoutes = { issue: [conversation], pull_request: [conversation, reviewComments] } as const;

/** Asks once and waits for no other try. */
export function pollComments(
  route: PollRoute,
  { number, trigger }: Pick<RunPlan, 'trigger'> & { readonly number: number },
  place: RepositoryApi,
): Poll {
  const from = askedAt(trigger);
  let since = new Date(from).toISOString();
  let etag: string | undefined;
  return {
    pauseMs: () => pauseMs,
    async ask(signal) {
      const answer = await unlessSame(askOnce(route, { number, since, etag }, place, signal));
      if (answer === null) return [];
      etag = answer.headers.etag;
      const { data } = answer;
      const last = data.at(-1);
      // The list begins with the oldest, so a full page may hide the newest.
      if (data.length === pageSize && last !== undefined && last.updated_at !== since) {
        since = last.updated_at;
        etag = undefined;
      }
      return data.filter(({ created_at }) => Date.parse(created_at) >= from).map((comment) => toHeard(comment, number));
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

function toHeard(comment: Listed, number: number): HeardComment {
  const { id, user, body, created_at, updated_at } = comment;
  const isReview = 'diff_hunk' in comment;
  return {
    triggerId: `${isReview ? 'pull_request_review_comment' : 'issue_comment'}-${id}`,
    user: user ?? null,
    body: body ?? '',
    isEdited: created_at !== updated_at,
    channel: isReview
      ? { kind: 'review_thread', pull: number, commentId: Number(comment.in_reply_to_id ?? id) }
      : { kind: 'thread', number },
  };
}
