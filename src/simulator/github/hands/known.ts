/** What a hand is told by number or name, found or refused. */
import type { ThreadHandle } from '../contract.ts';
import type { Hub } from '../hub.ts';
import { putAccount } from '../people.ts';
import { isPull, type PullThread } from '../render/render-pull.ts';
import { threadPage } from '../render/render-thread.ts';
import type { Comment, Review, ReviewComment, Thread } from '../state.ts';

/** The login as it was first written; an unknown one becomes an account. */
export function known(hub: Hub, login: string): string {
  return putAccount(hub.state, login).login;
}

export function threadOf(hub: Hub, number: number): Thread {
  const thread = hub.state.threads.get(number);
  if (thread === undefined) throw new Error(`there is no issue or pull request #${number}`);
  return thread;
}

export function pullOf(hub: Hub, number: number): PullThread {
  const thread = threadOf(hub, number);
  if (!isPull(thread)) throw new Error(`#${number} is an issue, not a pull request`);
  return thread;
}

export function reviewCommentOf(hub: Hub, id: number): ReviewComment {
  const comment = hub.state.reviewComments.get(id);
  if (comment === undefined) throw new Error(`there is no comment ${id} on a diff`);
  return comment;
}

export function reviewOf(hub: Hub, id: number): Review {
  const review = hub.state.reviews.get(id);
  if (review === undefined) throw new Error(`there is no review ${id}`);
  return review;
}

/** A comment of any kind but a review. */
export function anyCommentOf(hub: Hub, id: number): Comment {
  const { comments, reviewComments, discussionComments } = hub.state;
  const comment = comments.get(id) ?? reviewComments.get(id) ?? discussionComments.get(id);
  if (comment === undefined) throw new Error(`there is no comment ${id}`);
  return comment;
}

export function handleOf(hub: Hub, thread: Thread): ThreadHandle {
  return { number: thread.number, id: thread.id, url: threadPage(hub, thread) };
}
