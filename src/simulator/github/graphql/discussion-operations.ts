/** GraphQL: discussions, which REST has not. */
import { isShutOut } from '../guards.ts';
import type { Hub } from '../hub.ts';
import type { Discussion, DiscussionComment } from '../state.ts';
import { commentsOf, editComment } from '../threads/comments.ts';
import { addDiscussionComment, deleteDiscussionComment } from '../threads/discussions.ts';
import { connection } from './connection.ts';
import { findDiscussion, findDiscussionComment } from './nodes.ts';
import {
  demand,
  demandRepository,
  type GraphqlCall,
  GraphqlError,
  type GraphqlOperation,
  numberOf,
  optionalTextOf,
  textOf,
} from './operation.ts';
import { renderDiscussionCommentNode, renderDiscussionNode, renderRepositoryNode } from './render-node.ts';
import { missing } from './thread-operations.ts';

const WRITE = ['discussions:write'] as const;

export const discussionOperations: Readonly<Record<string, GraphqlOperation>> = {
  Discussion: (hub, call) => ({
    repository: { ...renderRepositoryNode(hub), discussion: renderDiscussionNode(hub, discussionOf(hub, call)) },
  }),
  DiscussionComments: listComments,
  AddDiscussionComment: addComment,
  UpdateDiscussionComment: updateComment,
  DeleteDiscussionComment: deleteComment,
};

function discussionOf(hub: Hub, call: GraphqlCall): Discussion {
  demandRepository(hub, call);
  const number = numberOf(call, 'number');
  const discussion = hub.state.discussions.get(number);
  if (discussion === undefined) throw missing('a Discussion', number, 'discussion');
  return discussion;
}

function listComments(hub: Hub, call: GraphqlCall) {
  const discussion = discussionOf(hub, call);
  const all = commentsOf(hub.state.discussionComments, discussion.number);
  const nodes = all.filter(({ replyTo }) => replyTo === null).map((comment) => renderWithReplies(hub, call, comment));
  const rendered = { ...renderDiscussionNode(hub, discussion), comments: connection(call, 'comments', nodes) };
  return { repository: { ...renderRepositoryNode(hub), discussion: rendered } };
}

function renderWithReplies(hub: Hub, call: GraphqlCall, comment: DiscussionComment) {
  const replies = commentsOf(hub.state.discussionComments, comment.issue).filter(({ replyTo }) => replyTo === comment.id);
  const nodes = replies.map((reply) => renderDiscussionCommentNode(hub, reply));
  return { ...renderDiscussionCommentNode(hub, comment), replies: connection(call, 'replies', nodes) };
}

function addComment(hub: Hub, call: GraphqlCall) {
  const path = 'addDiscussionComment';
  const discussion = findDiscussion(hub, textOf(call, 'discussionId'), path);
  demand(call, path, WRITE);
  // That it refuses is documented, its words are not.
  if (isShutOut(hub, call.grant.actor, discussion))
    throw new GraphqlError('Unable to create comment because discussion is locked.', { type: 'FORBIDDEN', path: [path] });
  const parent = optionalTextOf(call, 'replyToId');
  const replyTo = parent === null ? null : findDiscussionComment(hub, parent, path);
  const comment = addDiscussionComment(hub, discussion, { author: call.grant.actor, body: textOf(call, 'body'), replyTo });
  return { addDiscussionComment: { clientMutationId: null, comment: renderDiscussionCommentNode(hub, comment) } };
}

function updateComment(hub: Hub, call: GraphqlCall) {
  const path = 'updateDiscussionComment';
  const comment = findDiscussionComment(hub, textOf(call, 'id'), path);
  demand(call, path, WRITE);
  editComment(hub, comment, textOf(call, 'body'));
  return { updateDiscussionComment: { clientMutationId: null, comment: renderDiscussionCommentNode(hub, comment) } };
}

function deleteComment(hub: Hub, call: GraphqlCall) {
  const path = 'deleteDiscussionComment';
  const comment = findDiscussionComment(hub, textOf(call, 'id'), path);
  demand(call, path, WRITE);
  deleteDiscussionComment(hub, comment);
  return { deleteDiscussionComment: { clientMutationId: null, comment: renderDiscussionCommentNode(hub, comment) } };
}
