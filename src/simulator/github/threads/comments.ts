/** Changes of comments and reactions. */

import { invalid } from '../http/reply.ts';
import type { Hub } from '../hub.ts';
import type { Comment, Reaction, ReactionContent, Thread } from '../state.ts';
import { MAX_BODY_CHARACTERS } from './threads.ts';

/** Refuses a body that GitHub would refuse. */
export function checkCommentBody(resource: string, body: string): void {
  if (body.trim() === '') throw invalid({ resource, code: 'unprocessable', field: 'data', message: "Body can't be blank" });
  if (body.length > MAX_BODY_CHARACTERS) {
    throw invalid({
      resource,
      code: 'unprocessable',
      field: 'data',
      message: `Body is too long (maximum is ${MAX_BODY_CHARACTERS} characters)`,
    });
  }
}

/** Adds a comment to the conversation of an issue or a pull request. */
export function addComment(hub: Hub, thread: Thread, author: string, body: string): Comment {
  checkCommentBody('IssueComment', body);
  const time = hub.now();
  const id = hub.state.nextId();
  const comment: Comment = {
    id,
    issue: thread.number,
    author,
    createdAt: time,
    reactions: [],
    body,
    updatedAt: time,
    isEdited: false,
  };
  hub.state.comments.set(id, comment);
  thread.updatedAt = time;
  return comment;
}

/** Replaces a comment's text. */
export function editComment(hub: Hub, comment: Comment, body: string): void {
  checkCommentBody('IssueComment', body);
  if (body !== comment.body) comment.isEdited = true;
  comment.body = body;
  comment.updatedAt = hub.now();
}

/** The comments of one thread, oldest first. */
export function commentsOf<C extends Comment>(comments: ReadonlyMap<number, C>, number: number): readonly C[] {
  return [...comments.values()].filter((comment) => comment.issue === number);
}

/** Adds a reaction; the one that is there already comes back with `isNew: false`. */
export function addReaction(
  hub: Hub,
  on: Reaction[],
  user: string,
  content: ReactionContent,
): { reaction: Reaction; isNew: boolean } {
  const present = on.find((reaction) => reaction.user === user && reaction.content === content);
  if (present !== undefined) return { reaction: present, isNew: false };
  const reaction = { id: hub.state.nextId(), user, content, createdAt: hub.now() };
  on.push(reaction);
  return { reaction, isNew: true };
}

/** Takes a reaction away; false when there is none with that id. */
export function removeReaction(from: Reaction[], id: number): boolean {
  const at = from.findIndex((reaction) => reaction.id === id);
  if (at >= 0) from.splice(at, 1);
  return at >= 0;
}
