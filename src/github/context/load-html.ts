// Owns the reading of a text's HTML as GitHub renders it now: it holds addresses of the text's pictures that open without a token.
import { z } from 'zod';
import type { RepositoryApi } from '../api.ts';

/** Where a text of a thread is asked for alone. `body`: the thread's own. `node`: by the identifier by which GraphQL knows texts of every kind. */
export type TextSource =
  | { readonly kind: 'body' | 'comment' | 'review' | 'review_comment'; readonly id: number; readonly thread: number }
  | { readonly kind: 'node'; readonly id: string };

/** Texts come with `body_html`. */
const full = { mediaType: { format: 'full+json' } };

/** The HTML of one text. It may have been changed since the text was read. Rejects where GitHub does not answer. */
export async function loadHtml(source: TextSource, access: RepositoryApi, signal: AbortSignal): Promise<string> {
  if (source.kind === 'node') return loadHtmlOfNode(source.id, access, signal);
  const { data } = await ask(source, access, signal);
  return data.body_html ?? '';
}

const nodeSchema = z.object({ node: z.object({ bodyHTML: z.string().optional() }).nullish() });
/** What REST has not, a discussion and its comments, and a review, which REST gives by the number of its pull request only. */
const bodyHtmlQuery = `query BodyHtml($id: ID!) {
  node(id: $id) {
    ... on Discussion { bodyHTML }
    ... on DiscussionComment { bodyHTML }
    ... on PullRequestReview { bodyHTML }
  }
}`;

async function loadHtmlOfNode(id: string, { api }: RepositoryApi, signal: AbortSignal): Promise<string> {
  const { node } = nodeSchema.catch({ node: null }).parse(await api.graphql(bodyHtmlQuery, { id }, signal));
  return node?.bodyHTML ?? '';
}

function ask(
  { kind, id, thread }: Exclude<TextSource, { readonly kind: 'node' }>,
  { api, repository }: RepositoryApi,
  signal: AbortSignal,
) {
  const parameters = { ...repository, ...full };
  switch (kind) {
    case 'body':
      return api.rest('GET /repos/{owner}/{repo}/issues/{issue_number}', { ...parameters, issue_number: thread }, signal);
    case 'comment':
      return api.rest('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', { ...parameters, comment_id: id }, signal);
    case 'review_comment':
      return api.rest('GET /repos/{owner}/{repo}/pulls/comments/{comment_id}', { ...parameters, comment_id: id }, signal);
    case 'review':
      return api.rest(
        'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
        { ...parameters, pull_number: thread, review_id: id },
        signal,
      );
  }
}
