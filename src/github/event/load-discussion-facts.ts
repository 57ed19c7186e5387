// Owns what the gate is told of a discussion: its state, and the comment at the top of the branch that a comment stands in. Decides nothing.
import { z } from 'zod';
import type { ThreadFacts } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { Account, RepositoryApi } from '../api.ts';
import type { ThreadText } from '../thread-texts.ts';

export interface DiscussionFacts {
  readonly user: Account | null;
  readonly state: ThreadFacts['state'];
  readonly isLocked: boolean;
}

const discussionSchema = z.object({
  repository: z.object({
    discussion: z.object({
      closed: z.boolean().nullish(),
      locked: z.boolean().nullish(),
      author: z.object({ login: z.string(), databaseId: z.number().nullish() }).nullish(),
    }),
  }),
});
const discussionQuery = `query Discussion($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    discussion(number: $number) {
      closed locked author { login ... on User { databaseId } ... on Bot { databaseId } ... on Mannequin { databaseId } }
    }
  }
}`;

/** Rejects where GitHub does not answer. */
export async function loadDiscussionFacts(number: number, place: RepositoryApi, signal: AbortSignal): Promise<DiscussionFacts> {
  const answer = await place.api.graphql(discussionQuery, variablesOf(number, place), signal);
  const { closed, locked, author } = discussionSchema.parse(answer).repository.discussion;
  const user = author ? { login: author.login, id: author.databaseId ?? 0 } : null;
  return { user, state: closed === true ? 'closed' : 'open', isLocked: locked === true };
}

/** The node id of what a comment of a discussion answers, its own where it answers none; null for every other event, and where it is not among `texts`. The webhook names the answered one by its number alone. */
export function findTopComment(event: GitHubEvent, texts: readonly ThreadText[]): string | null {
  if (event.kind !== 'discussion_comment') return null;
  const { nodeId, parentId } = event.comment;
  if (parentId === null) return nodeId;
  return texts.find(({ id, branch }) => branch !== null && id === parentId)?.branch ?? null;
}

function variablesOf(number: number, { repository }: RepositoryApi) {
  return { owner: repository.owner, name: repository.repo, number };
}
