/** Changes of reviews and of comments on a diff. */
import { diffFiles } from '../git/diff.ts';
import { Refusal } from '../http/reply.ts';
import type { Hub } from '../hub.ts';
import type { PullThread } from '../render/render-pull.ts';
import type { Review, ReviewComment } from '../state.ts';
import { checkCommentBody, commentsOf } from './comments.ts';

export interface NewReviewComment {
  readonly author: string;
  readonly body: string;
  readonly path: string;
  /** Null for a comment on the whole file. */
  readonly line: number | null;
  readonly startLine?: number | null;
  readonly side?: 'LEFT' | 'RIGHT';
  readonly commitId?: string | undefined;
  /** The comment that it answers. */
  readonly parent?: ReviewComment;
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
    reactions: [],
    lastEditedAt: null,
    body: draft.body,
    state: draft.state,
    submittedAt: draft.state === 'PENDING' ? null : time,
  };
  hub.state.reviews.set(review.id, review);
  thread.updatedAt = time;
  return review;
}

/** What was pending is there for everybody; its comments were written before, and their time of change is that of now. */
export function submitReview(hub: Hub, review: Review, state: Review['state']): void {
  const time = hub.now();
  review.state = state;
  review.submittedAt = time;
  for (const comment of commentsOf(hub.state.reviewComments, review.issue)) {
    if (comment.reviewId === review.id) comment.updatedAt = time;
  }
}

/** Replaces a review's text. */
export function editReview(hub: Hub, review: Review, body: string): void {
  if (body !== review.body) review.lastEditedAt = hub.now();
  review.body = body;
}

/** Adds a comment on a line that the diff shows; refuses any other place as GitHub does. */
export async function addReviewComment(hub: Hub, thread: PullThread, draft: NewReviewComment): Promise<ReviewComment> {
  checkCommentBody('PullRequestReviewComment', draft.body);
  const side = draft.side ?? 'RIGHT';
  const { path, line, startLine = null } = draft;
  // An answer stands where its thread does, whatever the diff shows by now.
  const diffHunk = draft.parent?.diffHunk ?? (await findHunk(hub, thread, { path, line, startLine, side }));
  const time = hub.now();
  const comment: ReviewComment = {
    id: hub.state.nextId(),
    issue: thread.number,
    author: draft.author,
    createdAt: time,
    reactions: [],
    reviewId: draft.reviewId ?? addReview(hub, thread, { author: draft.author, body: '', state: 'COMMENTED' }).id,
    path,
    line,
    startLine,
    side,
    commitId: draft.commitId ?? thread.pull.headSha,
    diffHunk,
    inReplyTo: draft.parent === undefined ? null : (draft.parent.inReplyTo ?? draft.parent.id),
    currentLine: draft.parent === undefined ? line : draft.parent.currentLine,
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
  return addReviewComment(hub, thread, { ...reply, path, line, startLine, side, commitId, parent: to });
}

interface Place {
  readonly path: string;
  readonly line: number | null;
  readonly startLine: number | null;
  readonly side: 'LEFT' | 'RIGHT';
}

// The part of the diff above the commented line, which GitHub shows with the comment.
async function findHunk(hub: Hub, thread: PullThread, place: Place): Promise<string> {
  const { baseSha, headSha } = thread.pull;
  const from = (await hub.git.mergeBase(baseSha, headSha)) ?? baseSha;
  const file = (await diffFiles(hub.git, from, headSha)).find(({ path }) => path === place.path);
  if (file === undefined) throw wrongPlace(['path', 'is invalid']);
  if (place.line === null) return '';
  if (place.startLine !== null && place.startLine >= place.line) throw wrongPlace(['start_line', 'must precede the end line.']);
  const hunk = hunkUpTo(file.patch ?? '', place.line, place.side);
  const isStartSeen = place.startLine === null || isWithin(hunk ?? '', place.startLine, place.side);
  const start = isStartSeen ? [] : [['start_line', 'must be part of the same hunk as the line.'] as const];
  if (hunk === undefined) throw wrongPlace(['line', 'must be part of the diff'], ...start);
  if (!isStartSeen) throw wrongPlace(...start);
  return hunk;
}

// GitHub names the fields of its own thread, and says that without a place there is no hunk either.
function wrongPlace(...problems: readonly (readonly [field: string, text: string])[]): Refusal {
  const all = [...problems, ['diff_hunk', "can't be blank"] as const];
  const errors = all.map(([name, text]) => {
    const field = `pull_request_review_thread.${name}`;
    return { resource: 'PullRequestReviewComment', code: 'custom', field, message: `${field} ${text}` };
  });
  return new Refusal(422, 'Validation Failed', errors);
}

// Whether a part of a hunk, which begins with its header, shows a line.
function isWithin(hunk: string, line: number, side: Place['side']): boolean {
  return hunkUpTo(hunk, line, side) !== undefined;
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
