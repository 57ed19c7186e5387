// Owns what REST does not tell of reviews: which threads are resolved or outdated, and when a text was edited. Where GraphQL does not answer it is unknown.
import { z } from 'zod';
import { GitHubApiError } from '../api.ts';
import { connectionOf, readConnection } from '../read-connection.ts';
import type { ThreadText } from '../thread-texts.ts';
import { unknown } from './load-body.ts';
import type { Source, Thread } from './section.ts';

/**
 * What REST does not tell of reviews. `threads`: by the id of the first comment. `edits` and `commentEdits`: by id, when a review or a
 * comment in the diff was edited last; null: never.
 */
export interface ReviewStates {
  readonly threads: ReadonlyMap<number, readonly string[]> | typeof unknown;
  readonly edits: ReadonlyMap<number, string | null> | typeof unknown;
  /** REST’s own time moves with other things, too, such as the submission of the review that the comment came with. */
  readonly commentEdits: ReadonlyMap<number, string | null>;
}

const editedSchema = z.object({ databaseId: z.number().nullish(), lastEditedAt: z.string().nullish() });
const threadsSchema = z.object({
  repository: z.object({
    pullRequest: z.object({
      reviewThreads: connectionOf(
        z.object({ isResolved: z.boolean(), isOutdated: z.boolean(), comments: z.object({ nodes: z.array(editedSchema) }) }),
      ),
    }),
  }),
});
const reviewThreadsQuery = `query ReviewThreads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { isResolved isOutdated comments(first: 100) { nodes { databaseId lastEditedAt } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;

const editsSchema = z.object({
  repository: z.object({
    pullRequest: z.object({
      reviews: z.object({
        nodes: z.array(editedSchema),
      }),
    }),
  }),
});
const reviewEditsQuery = `query ReviewEdits($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { reviews(last: 100) { nodes { databaseId lastEditedAt } } }
  }
}`;

/** A pull request with more threads than that is not looked at to its end. */
const maxThreadPages = 5;

/** Of those kinds of text that there are; what is not told is unknown. */
export async function loadReviewStates(
  thread: Thread,
  texts: readonly ThreadText[],
  source: Source,
  signal: AbortSignal,
): Promise<ReviewStates> {
  const has = (kind: ThreadText['kind']) => texts.some((text) => text.kind === kind);
  const [threads, edits] = await Promise.all([
    has('review_comment') ? orUnknown(loadThreadStates(thread, source, signal)) : unknown,
    has('review') ? orUnknown(loadEdits(thread, source, signal)) : unknown,
  ]);
  const told = threads === unknown ? { threads, commentEdits: new Map<number, null>() } : threads;
  return { ...told, edits };
}

/** Not every token is answered by GraphQL; REST says the rest. */
async function orUnknown<T>(loaded: Promise<T>): Promise<T | typeof unknown> {
  try {
    return await loaded;
  } catch (error) {
    if (error instanceof GitHubApiError || error instanceof z.ZodError) return unknown;
    throw error;
  }
}

async function loadThreadStates(thread: Thread, { api, repository }: Source, signal: AbortSignal) {
  const variables = { owner: repository.owner, name: repository.repo, number: thread.number };
  const nodes = await readConnection(async (after) => {
    const answer = await api.graphql(reviewThreadsQuery, { ...variables, after }, signal);
    return threadsSchema.parse(answer).repository.pullRequest.reviewThreads;
  }, maxThreadPages);
  return {
    threads: new Map(nodes.map((node) => [node.comments.nodes[0]?.databaseId ?? 0, stateOf(node)])),
    commentEdits: new Map(nodes.flatMap(({ comments }) => comments.nodes.map(toEdit))),
  };
}

function stateOf({ isResolved, isOutdated }: { readonly isResolved: boolean; readonly isOutdated: boolean }): readonly string[] {
  return [...(isResolved ? ['resolved'] : []), ...(isOutdated ? ['outdated'] : [])];
}

async function loadEdits(thread: Thread, { api, repository }: Source, signal: AbortSignal) {
  const variables = { owner: repository.owner, name: repository.repo, number: thread.number };
  const { nodes } = editsSchema.parse(await api.graphql(reviewEditsQuery, variables, signal)).repository.pullRequest.reviews;
  return new Map(nodes.map(toEdit));
}

function toEdit({ databaseId, lastEditedAt }: z.infer<typeof editedSchema>): readonly [number, string | null] {
  return [databaseId ?? 0, lastEditedAt ?? null];
}
