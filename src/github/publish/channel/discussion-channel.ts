// Speaking in a discussion, which GraphQL alone writes on: below the comment that is answered, or below the first post.
import { z } from 'zod';
import type { Channel as ChannelRef } from '../../../schema/gate.ts';
import { connectionOf, readConnection } from '../../read-connection.ts';
import { orGone, type Place } from './place.ts';
import type { Channel, ChannelComment } from './port.ts';

type Discussion = Extract<ChannelRef, { kind: 'discussion' }>;

const commentSchema = z.object({
  id: z.string(),
  databaseId: z.number().nullish(),
  url: z.string(),
  body: z.string(),
  author: z.object({ databaseId: z.number().nullish() }).nullish(),
});
const commentFields = `id databaseId url body author { ... on User { databaseId } ... on Bot { databaseId } }`;

const listSchema = z.object({
  repository: z.object({
    discussion: z.object({
      comments: connectionOf(commentSchema.extend({ replies: z.object({ nodes: z.array(commentSchema) }) })),
    }),
  }),
});
const discussionCommentsQuery = `query DiscussionComments($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussion(number: $number) {
      comments(first: 50, after: $after) {
        nodes { ${commentFields} replies(last: 100) { nodes { ${commentFields} } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;
const addSchema = z.object({ addDiscussionComment: z.object({ comment: commentSchema }) });
const addDiscussionCommentMutation = `mutation AddDiscussionComment($discussionId: ID!, $replyToId: ID, $body: String!) {
  addDiscussionComment(input: { discussionId: $discussionId, replyToId: $replyToId, body: $body }) {
    comment { ${commentFields} }
  }
}`;
const updateSchema = z.object({ updateDiscussionComment: z.object({ comment: commentSchema }) });
const updateDiscussionCommentMutation = `mutation UpdateDiscussionComment($id: ID!, $body: String!) {
  updateDiscussionComment(input: { commentId: $id, body: $body }) { comment { ${commentFields} } }
}`;
const deleteDiscussionCommentMutation = `mutation DeleteDiscussionComment($id: ID!) {
  deleteDiscussionComment(input: { id: $id }) { comment { id } }
}`;

/** More pages than a discussion with an end has. */
const maxPages = 20;

export function openDiscussion({ number, id: discussionId, replyTo }: Discussion, { api, repository, egress }: Place): Channel {
  return {
    replyKind: 'reply',
    async list(_since, signal) {
      const nodes = await readConnection(async (after) => {
        const variables = { owner: repository.owner, name: repository.repo, number, after };
        return listSchema.parse(await api.graphql(discussionCommentsQuery, variables, signal)).repository.discussion.comments;
      }, maxPages);
      return nodes.flatMap(({ replies, ...comment }) => [comment, ...replies.nodes].map(toComment));
    },
    async create(body, signal) {
      const variables = { discussionId, replyToId: replyTo, body: egress(body) };
      const answer = await api.graphql(addDiscussionCommentMutation, variables, signal);
      return toComment(addSchema.parse(answer).addDiscussionComment.comment);
    },
    async change(id, body, signal) {
      const answer = await orGone(api.graphql(updateDiscussionCommentMutation, { id, body: egress(body) }, signal));
      return answer === null ? null : toComment(updateSchema.parse(answer).updateDiscussionComment.comment);
    },
    async remove(id, signal) {
      await orGone(api.graphql(deleteDiscussionCommentMutation, { id }, signal));
    },
  };
}

function toComment({ id, databaseId, url, body, author }: z.infer<typeof commentSchema>): ChannelComment {
  return { id, number: databaseId ?? 0, nodeId: id, url, body, authorId: author?.databaseId ?? null };
}
