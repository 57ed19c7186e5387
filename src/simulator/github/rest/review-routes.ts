/** REST: reviews and comments on a pull request's diff. */

import { isShutOut } from '../guards.ts';
import {
  actorOf,
  type Call,
  numberParam,
  optionalList,
  optionalNumber,
  optionalText,
  optionalWord,
  requiredText,
} from '../http/call.ts';
import { isSince, paged } from '../http/paging.ts';
import { json, noContent, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { withHtml } from '../render/render-html.ts';
import { isPull, type PullThread, renderReview, renderReviewComment } from '../render/render-pull.ts';
import type { Review } from '../state.ts';
import { commentsOf, editComment } from '../threads/comments.ts';
import { addReply, addReview, addReviewComment, editReview, type NewReviewComment, submitReview } from '../threads/reviews.ts';
import { findPull, findReviewComment } from './find.ts';

const READ = ['pull_requests:read'] as const;
const WRITE = ['pull_requests:write'] as const;
const PULL = '/repos/{owner}/{repo}/pulls/{pull_number}';
const COMMENT = '/repos/{owner}/{repo}/pulls/comments/{comment_id}';
const SIDES = ['LEFT', 'RIGHT'] as const;
const EVENTS = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const;

export const reviewRoutes: readonly Route[] = [
  route(`GET ${PULL}/comments`, READ, listComments),
  route(`POST ${PULL}/comments`, WRITE, createComment),
  route(`POST ${PULL}/comments/{comment_id}/replies`, WRITE, createReply),
  route(`GET ${COMMENT}`, READ, (hub, call) => json(withHtml(hub, call, renderReviewComment(hub, findReviewComment(hub, call))))),
  route(`PATCH ${COMMENT}`, WRITE, updateComment),
  route(`DELETE ${COMMENT}`, WRITE, deleteComment),
  route(`GET ${PULL}/reviews`, READ, listReviews),
  route(`GET ${PULL}/reviews/{review_id}`, READ, (hub, call) =>
    json(withHtml(hub, call, renderReview(hub, findReview(hub, call)))),
  ),
  route(`POST ${PULL}/reviews`, WRITE, createReview),
  route(`PUT ${PULL}/reviews/{review_id}`, WRITE, updateReview),
  route(`POST ${PULL}/reviews/{review_id}/events`, WRITE, submitPending),
  route(`GET ${PULL}/reviews/{review_id}/comments`, READ, listReviewComments),
  route(`PUT ${PULL}/reviews/{review_id}/dismissals`, WRITE, dismissReview),
];

function listComments(hub: Hub, call: Call): Reply {
  const found = commentsOf(hub.state.reviewComments, findPull(hub, call).number).filter((comment) =>
    isSince(call.query, comment.updatedAt),
  );
  const ordered = call.query.get('direction') === 'desc' ? found.toReversed() : found;
  return paged(hub, call, ordered, (comment) => withHtml(hub, call, renderReviewComment(hub, comment)));
}

/** 422 on a locked pull request for who may not write: reviews and their comments are refused as people report it. */
function findUnlocked(hub: Hub, call: Call): PullThread {
  const thread = findPull(hub, call);
  if (isShutOut(hub, actorOf(call), thread)) throw new Refusal(422, 'Unprocessable Entity', ['lock prevents review']);
  return thread;
}

async function createComment(hub: Hub, call: Call): Promise<Reply> {
  const thread = findUnlocked(hub, call);
  const parentId = optionalNumber(call.body, 'in_reply_to');
  if (parentId !== undefined) return replyTo(hub, call, thread, parentId);
  const draft = readDraft(call.body, actorOf(call));
  const comment = await addReviewComment(hub, thread, { ...draft, commitId: requiredText(call.body, 'commit_id') });
  return json(renderReviewComment(hub, comment), 201);
}

function readDraft(body: unknown, author: string): NewReviewComment {
  return {
    author,
    body: requiredText(body, 'body'),
    path: requiredText(body, 'path'),
    line: optionalNumber(body, 'line') ?? null,
    startLine: optionalNumber(body, 'start_line') ?? null,
    side: optionalWord(body, 'side', SIDES) ?? 'RIGHT',
  };
}

function createReply(hub: Hub, call: Call): Promise<Reply> {
  return replyTo(hub, call, findUnlocked(hub, call), numberParam(call, 'comment_id'));
}

async function replyTo(hub: Hub, call: Call, thread: PullThread, parentId: number): Promise<Reply> {
  const parent = hub.state.reviewComments.get(parentId);
  if (parent === undefined || parent.issue !== thread.number) throw notFound();
  const comment = await addReply(hub, thread, parent, { author: actorOf(call), body: requiredText(call.body, 'body') });
  return json(renderReviewComment(hub, comment), 201);
}

function updateComment(hub: Hub, call: Call): Reply {
  const comment = findReviewComment(hub, call);
  editComment(hub, comment, requiredText(call.body, 'body'));
  return json(renderReviewComment(hub, comment));
}

function deleteComment(hub: Hub, call: Call): Reply {
  hub.state.reviewComments.delete(findReviewComment(hub, call).id);
  return noContent();
}

function reviewsOf(hub: Hub, thread: PullThread): readonly Review[] {
  return [...hub.state.reviews.values()].filter((review) => review.issue === thread.number);
}

function findReview(hub: Hub, call: Call): Review {
  const review = hub.state.reviews.get(numberParam(call, 'review_id'));
  if (review === undefined || review.issue !== findPull(hub, call).number) throw notFound();
  return review;
}

function listReviews(hub: Hub, call: Call): Reply {
  return paged(hub, call, reviewsOf(hub, findPull(hub, call)), (review) => withHtml(hub, call, renderReview(hub, review)));
}

function stateOf(event: (typeof EVENTS)[number] | undefined): Review['state'] {
  if (event === undefined) return 'PENDING';
  if (event === 'COMMENT') return 'COMMENTED';
  return event === 'APPROVE' ? 'APPROVED' : 'CHANGES_REQUESTED';
}

async function createReview(hub: Hub, call: Call): Promise<Reply> {
  const thread = findUnlocked(hub, call);
  const author = actorOf(call);
  const event = optionalWord(call.body, 'event', EVENTS);
  const body = optionalText(call.body, 'body') ?? '';
  const drafts = (optionalList(call.body, 'comments') ?? []).map((item) => readDraft(item, author));
  checkReview(thread, { author, event, body, hasComments: drafts.length > 0 });
  // Comments on wrong places refuse the whole review, so the review comes last.
  const review = addReview(hub, thread, {
    author,
    body,
    state: stateOf(event),
    commitId: optionalText(call.body, 'commit_id') ?? undefined,
  });
  try {
    for (const draft of drafts) await addReviewComment(hub, thread, { ...draft, reviewId: review.id, commitId: review.commitId });
  } catch (error) {
    hub.state.reviews.delete(review.id);
    for (const comment of commentsOf(hub.state.reviewComments, thread.number)) {
      if (comment.reviewId === review.id) hub.state.reviewComments.delete(comment.id);
    }
    if (error instanceof Refusal) throw new Refusal(422, 'Unprocessable Entity', [asSentence(error.texts)]);
    throw error;
  }
  return json(renderReview(hub, review));
}

// This route words the problems of a comment as one sentence, which does not say which comment it is.
function asSentence(texts: readonly string[]): string {
  const words = texts.map((text) =>
    text.replace(
      /^pull_request_review_thread\.(\w+)/,
      (_all, name: string) => `Pull request review thread ${name.replaceAll('_', ' ')}`,
    ),
  );
  const [first = '', second] = words;
  if (words.length < 2) return first;
  return words.length === 2 ? `${first} and ${second}` : `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`;
}

function checkReview(
  thread: PullThread,
  draft: { author: string; event: (typeof EVENTS)[number] | undefined; body: string; hasComments: boolean },
) {
  const { author, event, body, hasComments } = draft;
  const isOwn = author === thread.author;
  if (isOwn && event === 'APPROVE')
    throw new Refusal(422, 'Unprocessable Entity', ['Review Can not approve your own pull request']);
  if (isOwn && event === 'REQUEST_CHANGES') {
    throw new Refusal(422, 'Unprocessable Entity', ['Review Can not request changes on your own pull request']);
  }
  const needsText = event === 'REQUEST_CHANGES' || (event === 'COMMENT' && !hasComments);
  if (needsText && body === '') throw new Refusal(422, 'Unprocessable Entity', ['Review Body is required']);
}

function updateReview(hub: Hub, call: Call): Reply {
  const review = findReview(hub, call);
  editReview(hub, review, requiredText(call.body, 'body'));
  return json(renderReview(hub, review));
}

function submitPending(hub: Hub, call: Call): Reply {
  const review = findReview(hub, call);
  if (review.state !== 'PENDING') throw new Refusal(422, 'Unprocessable Entity', ['Review has already been submitted']);
  const event = optionalWord(call.body, 'event', EVENTS) ?? 'COMMENT';
  review.body = optionalText(call.body, 'body') ?? review.body;
  checkReview(findPull(hub, call), { author: review.author, event, body: review.body, hasComments: true });
  submitReview(hub, review, stateOf(event));
  return json(renderReview(hub, review));
}

function listReviewComments(hub: Hub, call: Call): Reply {
  const review = findReview(hub, call);
  const found = commentsOf(hub.state.reviewComments, review.issue).filter((comment) => comment.reviewId === review.id);
  return paged(hub, call, found, (comment) => renderReviewComment(hub, comment));
}

function dismissReview(hub: Hub, call: Call): Reply {
  const review = findReview(hub, call);
  requiredText(call.body, 'message');
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
    throw new Refusal(422, 'Can not dismiss a commented pull request review');
  review.state = 'DISMISSED';
  if (!isPull(hub.state.threads.get(review.issue))) throw notFound();
  return json(renderReview(hub, review));
}
