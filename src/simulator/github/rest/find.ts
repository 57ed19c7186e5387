/** Finds what a request's path names, or answers 404. */

import { type Call, numberParam } from '../http/call.ts';
import { notFound } from '../http/reply.ts';
import type { Hub } from '../hub.ts';
import { isPull, type PullThread } from '../render/render-pull.ts';
import type { Comment, ReviewComment, Thread } from '../state.ts';

/** The issue or pull request of `{issue_number}`. */
export function findThread(hub: Hub, call: Call): Thread {
  const thread = hub.state.threads.get(numberParam(call, 'issue_number'));
  if (thread === undefined) throw notFound();
  return thread;
}

/** The pull request of `{pull_number}`. */
export function findPull(hub: Hub, call: Call): PullThread {
  const thread = hub.state.threads.get(numberParam(call, 'pull_number'));
  if (!isPull(thread)) throw notFound();
  return thread;
}

/** The comment of `{comment_id}` in a conversation. */
export function findComment(hub: Hub, call: Call): Comment {
  const comment = hub.state.comments.get(numberParam(call, 'comment_id'));
  if (comment === undefined) throw notFound();
  return comment;
}

/** The comment of `{comment_id}` on a diff. */
export function findReviewComment(hub: Hub, call: Call): ReviewComment {
  const comment = hub.state.reviewComments.get(numberParam(call, 'comment_id'));
  if (comment === undefined) throw notFound();
  return comment;
}
