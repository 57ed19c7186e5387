/** Changes of discussions and their comments. */
import { Refusal } from '../http/reply.ts';
import type { Hub } from '../hub.ts';
import { type Discussion, type DiscussionComment, nextThreadNumber } from '../state.ts';
import { checkCommentBody } from './comments.ts';
import { createLabel, findLabel } from './threads.ts';

export interface NewDiscussion {
  readonly author: string;
  readonly title: string;
  readonly body: string;
  readonly category: string;
  readonly labels: readonly string[];
}

export function createDiscussion(hub: Hub, draft: NewDiscussion): Discussion {
  for (const name of draft.labels) findLabel(hub, name) ?? createLabel(hub, { name });
  const time = hub.now();
  const discussion: Discussion = {
    number: nextThreadNumber(hub.state),
    id: hub.state.nextId(),
    ...draft,
    createdAt: time,
    reactions: [],
    lastEditedAt: null,
    updatedAt: time,
    isLocked: false,
  };
  hub.state.discussions.set(discussion.number, discussion);
  return discussion;
}

/** Adds a comment, or with `replyTo` an answer under one; an answer has no answers of its own. */
export function addDiscussionComment(
  hub: Hub,
  discussion: Discussion,
  draft: { author: string; body: string; replyTo: DiscussionComment | null },
): DiscussionComment {
  checkCommentBody('DiscussionComment', draft.body);
  if (draft.replyTo !== null && draft.replyTo.replyTo !== null) {
    throw new Refusal(422, 'Parent comment is already in a thread, cannot reply to it');
  }
  const time = hub.now();
  const comment: DiscussionComment = {
    id: hub.state.nextId(),
    issue: discussion.number,
    author: draft.author,
    createdAt: time,
    reactions: [],
    replyTo: draft.replyTo?.id ?? null,
    body: draft.body,
    updatedAt: time,
    isEdited: false,
  };
  hub.state.discussionComments.set(comment.id, comment);
  discussion.updatedAt = time;
  return comment;
}

/** Takes a comment and the answers under it away. */
export function deleteDiscussionComment(hub: Hub, comment: DiscussionComment): void {
  const { discussionComments } = hub.state;
  for (const { id, replyTo } of [...discussionComments.values()]) {
    if (id === comment.id || replyTo === comment.id) discussionComments.delete(id);
  }
}
