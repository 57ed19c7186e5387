// Owns the reading of a discussion, which GraphQL alone gives: its first post, and its comments with their replies. Judges nothing.
import { z } from 'zod';
import type { Account, RepositoryApi } from './api.ts';
import { connectionOf, readConnection } from './read-connection.ts';

const actor = z.object({ login: z.string(), databaseId: z.number().nullish(), __typename: z.string().nullish() }).nullish();
const post = {
  author: actor,
  body: z.string(),
  createdAt: z.string(),
  lastEditedAt: z.string().nullish(),
};
const commentSchema = z.object({ ...post, id: z.string(), databaseId: z.number().nullish(), isAnswer: z.boolean().nullish() });

const discussionSchema = z.object({
  repository: z.object({
    discussion: z.object({
      ...post,
      id: z.string(),
      title: z.string(),
      url: z.string(),
      closed: z.boolean().nullish(),
      locked: z.boolean().nullish(),
    }),
  }),
});
const discussionQuery = `query Discussion($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    discussion(number: $number) {
      id title url closed locked body createdAt lastEditedAt
      author { __typename login ... on User { databaseId } ... on Bot { databaseId } ... on Mannequin { databaseId } }
    }
  }
}`;

const commentsSchema = z.object({
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
        nodes {
          id databaseId body createdAt lastEditedAt isAnswer
          author { __typename login ... on User { databaseId } ... on Bot { databaseId } ... on Mannequin { databaseId } }
          replies(last: 50) {
            nodes {
              id databaseId body createdAt lastEditedAt isAnswer
              author { __typename login ... on User { databaseId } ... on Bot { databaseId } ... on Mannequin { databaseId } }
            }
          }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;

/** A discussion without its comments. `lastEditedAt` null: it never was edited. */
export interface Discussion {
  readonly nodeId: string;
  readonly user: Account | null;
  readonly title: string;
  readonly url: string;
  readonly state: 'open' | 'closed';
  readonly isLocked: boolean;
  readonly body: string;
  readonly createdAt: string;
  readonly lastEditedAt: string | null;
}

/** A comment, or a reply to one. */
export interface DiscussionComment {
  readonly id: number;
  readonly nodeId: string;
  /** null: the account is gone (G1-05). */
  readonly user: Account | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly body: string;
  readonly isAnswer: boolean;
  readonly isReply: boolean;
  /** Not a bot's, nor an organisation's. */
  readonly isPerson: boolean;
  /** The node id of the comment that it answers; its own where it answers none. */
  readonly branch: string;
}

/** The first post. Rejects where GitHub does not answer, and with a ZodError for an answer that is none. */
export async function loadDiscussion(number: number, access: RepositoryApi, signal: AbortSignal): Promise<Discussion> {
  const answer = await access.api.graphql(discussionQuery, variablesOf(number, access), signal);
  const { id, author, lastEditedAt, closed, locked, ...discussion } = discussionSchema.parse(answer).repository.discussion;
  const state = closed === true ? 'closed' : 'open';
  const user = accountOf(author);
  return { ...discussion, nodeId: id, user, state, isLocked: locked === true, lastEditedAt: lastEditedAt ?? null };
}

export interface DiscussionComments {
  readonly items: readonly DiscussionComment[];
  /** How many pages were read; 1 where there are no comments. */
  readonly pages: number;
}

/** More pages than a discussion with an end has; what is behind them is not read. */
const maxPages = 10;

/** The comments, each with its replies behind it. Of very long discussions the first 500 comments, with the last 50 replies to each. */
export async function loadDiscussionComments(
  number: number,
  access: RepositoryApi,
  signal: AbortSignal,
): Promise<DiscussionComments> {
  const variables = variablesOf(number, access);
  let pages = 0;
  const nodes = await readConnection(async (after) => {
    pages += 1;
    const answer = await access.api.graphql(discussionCommentsQuery, { ...variables, after }, signal);
    return commentsSchema.parse(answer).repository.discussion.comments;
  }, maxPages);
  const items = nodes.flatMap(({ replies, ...top }) => [top, ...replies.nodes].map((comment) => toComment(comment, top.id)));
  return { items, pages };
}

function variablesOf(number: number, { repository }: RepositoryApi) {
  return { owner: repository.owner, name: repository.repo, number };
}

function toComment(comment: z.infer<typeof commentSchema>, branch: string): DiscussionComment {
  const { id, databaseId, author, body, createdAt, lastEditedAt, isAnswer } = comment;
  const times = { createdAt, updatedAt: lastEditedAt ?? createdAt };
  const isPerson = author?.__typename === 'User';
  const place = { branch, isReply: id !== branch, isAnswer: isAnswer === true, isPerson };
  return { id: databaseId ?? 0, nodeId: id, user: accountOf(author), ...times, body, ...place };
}

/** GraphQL names an app's account without the ending that REST and people know it by. One without an id is nobody whom we know. */
function accountOf(author: z.infer<typeof actor>): Account | null {
  if (typeof author?.databaseId !== 'number') return null;
  const isBot = author.__typename === 'Bot' && !author.login.endsWith('[bot]');
  return { login: isBot ? `${author.login}[bot]` : author.login, id: author.databaseId };
}
