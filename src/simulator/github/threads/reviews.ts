/** Changes of reviews and of comments on a diff. */
import { diffFiles } from '../git/diff.ts';
import { invalid } from '../http/reply.ts';
import type { Hub } from '../hub.ts';
import type { PullThread } from '../render/render-pull.ts';
import type { Review, ReviewComment } from '../state.ts';
import { checkCommentBody } from './comments.ts';

export interface NewReviewComment {
  readonly author: string;
  readonly body: string;
  readonly path: string;
  /** Null for a comment on the whole file. */
  readonly line: number | null;
  readonly startLine?: number | null;
  readonly side?: 'LEFT' | 'RIGHT';
  readonly commitId?: string | undefined;
  readonly inReplyTo?: number | null;
  readonly reviewId?: number;
}

/** Adds a review; `PENDING` until it is submitted. */
export function addReview(
  hub: Hub,
  thread: PullThread,
  draft: Pick<Review, 'author' | 'body' | 'state'> & { commitId?: string | undefined },
): Review {
  const time = hub.now();
  const review: Review = {
    id: hub.state.nextId(),
    issue: thread.number,
    author: draft.author,
    commitId: draft.commitId ?? thread.pull.headSha,
    createdAt: time,
    body: draft.body,
    state: draft.state,
    submittedAt: draft.state === 'PENDING' ? null : time,
  };
  hub.state.reviews.set(review.id, review);
  thread.updatedAt = time;
  return review;
}

/** Adds a comment on a line that the diff shows; refuses any other place as GitHub does. */
export async function addReviewComment(hub: Hub, thread: PullThread, draft: NewReviewComment): Promise<ReviewComment> {
  checkCommentBody('PullRequestReviewComment', draft.body);
  const side = draft.side ?? 'RIGHT';
  const diffHunk = await findHunk(hub, thread, { path: draft.path, line: draft.line, side });
  const time = hub.now();
  const comment: ReviewComment = {
    id: hub.state.nextId(),
    issue: thread.number,
    author: draft.author,
    createdAt: time,
    reactions: [],
    reviewId: draft.reviewId ?? addReview(hub, thread, { author: draft.author, body: '', state: 'COMMENTED' }).id,
    path: draft.path,
    line: draft.line,
    startLine: draft.startLine ?? null,
    side,
    commitId: draft.commitId ?? thread.pull.headSha,
    diffHunk,
    inReplyTo: draft.inReplyTo ?? null,
    body: draft.body,
    updatedAt: time,
    isEdited: false,
  };
  hub.state.reviewComments.set(comment.id, comment);
  thread.updatedAt = time;
  return comment;
}

/** Adds an answer under a comment on a diff. */
export async function addReply(
  hub: Hub,
  thread: PullThread,
  to: ReviewComment,
  reply: { author: string; body: string },
): Promise<ReviewComment> {
  const { path, line, startLine, side, commitId } = to;
  return addReviewComment(hub, thread, { ...reply, path, line, startLine, side, commitId, inReplyTo: to.inReplyTo ?? to.id });
}

// The part of the diff above the commented line, which GitHub shows with the comment.
async function findHunk(
  hub: Hub,
  thread: PullThread,
  place: { path: string; line: number | null; side: 'LEFT' | 'RIGHT' },
): Promise<string> {
  const { baseSha, headSha } = thread.pull;
  const from = (await hub.git.mergeBase(baseSha, headSha)) ?? baseSha;
  const file = (await diffFiles(hub.git, from, headSha)).find(({ path }) => path === place.path);
  if (file === undefined)
    throw invalid({
      resource: 'PullRequestReviewComment',
      code: 'custom',
      field: 'pull_request_review_thread.path',
      message: 'pull_request_review_thread.path is invalid',
    });
  if (place.line === null) return '';
  const hunk = hunkUpTo(file.patch ?? '', place.line, place.side);
  if (hunk === undefined)
    throw invalid({
      resource: 'PullRequestReviewComment',
      code: 'custom',
      field: 'pull_request_review_thread.line',
      message: 'pull_request_review_thread.line must be part of the diff',
    });
  return hunk;
}

// The hunk that shows a line, from its header to that line; undefined when no hunk shows it.
function hunkUpTo(patch: string, line: number, side: 'LEFT' | 'RIGHT'): string | undefined {
  let hunk: string[] = [];
  let at = 0;
  for (const text of patch.split('\n')) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text);
    if (header !== null) {
      hunk = [text];
      at = Number(side === 'LEFT' ? header[1] : header[2]);
      continue;
    }
    hunk.push(text);
    const isOnSide = text.startsWith(' ') || text.startsWith(side === 'LEFT' ? '-' : '+');
    if (isOnSide && at === line) return hunk.join('\n');
    if (isOnSide) at += 1;
  }
  return undefined;
}
