// Owns the reading of what people wrote on a thread below its first post; the gate and the task read the same. Judges nothing.
import type { RunPlan } from '../schema/gate.ts';
import type { Account, RepositoryApi } from './api.ts';
import { loadDiscussionComments } from './discussion.ts';
import { type Newest, pageSize, readNewest } from './read-newest.ts';

/** Where in the diff a review comment stands. `root`: the id of the comment that began its review thread. */
export interface ReviewPlace {
  readonly path: string;
  /** null: outdated, or the whole file. */
  readonly line: number | null;
  readonly startLine: number | null;
  readonly hunk: string;
  readonly root: number;
  /** The review that it was submitted with; GitHub makes one for a lone comment, too. */
  readonly review: number | null;
}

export interface ThreadText {
  readonly kind: 'comment' | 'review' | 'review_comment';
  readonly id: number;
  /** null: the account is gone (G1-05). */
  readonly user: Account | null;
  /** ISO times; empty for a review that was not submitted. */
  readonly createdAt: string;
  /** Of a review GitHub's REST API does not say when it was edited: then it is `createdAt`. */
  readonly updatedAt: string;
  readonly body: string;
  readonly place: ReviewPlace | null;
  /** In a discussion: by which GraphQL knows it. */
  readonly nodeId: string | null;
  /** In a discussion: the node id of the comment at the top of its branch. */
  readonly branch: string | null;
  /** In a word, what else is to be said of it: what a review decided, that a comment is the discussion's answer. */
  readonly remark: string | null;
  /** How many there are of each reaction, where the answer says so. */
  readonly reactions: Readonly<Record<string, unknown>>;
}

export interface ThreadTexts {
  /** The newest of each kind, each kind in its order. */
  readonly texts: readonly ThreadText[];
  /** How many older ones were not read, by kind. */
  readonly unread: Readonly<Record<ThreadText['kind'], number>>;
}

type ThreadRef = Pick<NonNullable<RunPlan['thread']>, 'kind' | 'number'>;

/** Of each kind: 300 texts fill every budget many times over, and who wrote more than that ago has no part in what is asked. */
const maxPages = 3;

/**
 * The newest comments, and on a pull request its reviews and review comments too. What is not read here is shown to nobody, so that its
 * authors count for nothing. Rejects where GitHub does not answer.
 */
export async function loadThreadTexts(thread: ThreadRef, access: RepositoryApi, signal: AbortSignal): Promise<ThreadTexts> {
  if (thread.kind === 'discussion') return only(await loadDiscussion(thread.number, access, signal));
  const comments = loadComments(thread.number, access, signal);
  if (thread.kind === 'issue') return only(await comments);
  const [comment, review, reviewComment] = await Promise.all([
    comments,
    loadReviews(thread.number, access, signal),
    loadReviewComments(thread.number, access, signal),
  ]);
  return {
    texts: [...comment.items, ...review.items, ...reviewComment.items],
    unread: { comment: comment.unread, review: review.unread, review_comment: reviewComment.unread },
  };
}

function only({ items, unread }: Newest<ThreadText>): ThreadTexts {
  return { texts: items, unread: { comment: unread, review: 0, review_comment: 0 } };
}

async function loadDiscussion(number: number, access: RepositoryApi, signal: AbortSignal): Promise<Newest<ThreadText>> {
  const read = await loadDiscussionComments(number, access, signal);
  const items = read.items.map(({ isAnswer, isReply, isPerson: _isPerson, ...comment }): ThreadText => {
    const remarks = [...(isReply ? ['a reply'] : []), ...(isAnswer ? ['marked as the answer'] : [])];
    return { ...comment, kind: 'comment', place: null, remark: remarks.join(', ') || null, reactions: {} };
  });
  return { items, unread: 0 };
}

async function loadComments(issue_number: number, { api, repository }: RepositoryApi, signal: AbortSignal) {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const parameters = { ...repository, issue_number, per_page: pageSize };
  const read = await readNewest((page) => api.rest(route, { ...parameters, page }, signal), maxPages);
  return { ...read, items: read.items.map((comment) => toText('comment', comment)) };
}

async function loadReviews(pull_number: number, { api, repository }: RepositoryApi, signal: AbortSignal) {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const parameters = { ...repository, pull_number, per_page: pageSize };
  const read = await readNewest((page) => api.rest(route, { ...parameters, page }, signal), maxPages);
  const items = read.items.map((review) =>
    toText('review', { ...review, created_at: review.submitted_at }, { remark: remarkOf(review.state) }),
  );
  return { ...read, items };
}

/** A review that only comments needs no word. */
function remarkOf(state: string): string | null {
  return state === 'COMMENTED' || state === 'PENDING' ? null : state.toLowerCase().replaceAll('_', ' ');
}

async function loadReviewComments(pull_number: number, { api, repository }: RepositoryApi, signal: AbortSignal) {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments';
  const parameters = { ...repository, pull_number, per_page: pageSize };
  const read = await readNewest((page) => api.rest(route, { ...parameters, page }, signal), maxPages);
  const items = read.items.map((item) => {
    const root = Number(item.in_reply_to_id ?? item.id);
    const lines = { line: item.line ?? null, startLine: item.start_line ?? null };
    const review = item.pull_request_review_id === null ? null : Number(item.pull_request_review_id);
    return toText('review_comment', item, { place: { path: item.path, ...lines, hunk: item.diff_hunk, root, review } });
  });
  return { ...read, items };
}

/** What the answers have in common. */
interface Answered {
  readonly id: number | bigint;
  readonly user?: Account | null;
  readonly body?: string | null | undefined;
  readonly created_at?: string | undefined;
  readonly updated_at?: string | undefined;
  readonly reactions?: object | null | undefined;
}

function toText(
  kind: ThreadText['kind'],
  item: Answered,
  { place = null, remark = null }: Partial<Pick<ThreadText, 'place' | 'remark'>> = {},
): ThreadText {
  const createdAt = item.created_at ?? '';
  const updatedAt = item.updated_at ?? createdAt;
  const { id, user = null, body, reactions } = item;
  const written = { createdAt, updatedAt, body: body ?? '' };
  return { kind, id: Number(id), user, ...written, place, nodeId: null, branch: null, remark, reactions: { ...reactions } };
}
