// Owns the reading of a text's HTML as GitHub renders it now: it holds addresses of the text's pictures that open without a token.
import type { RepositoryApi } from '../api.ts';

/** Where a text of a thread is asked for alone. `body`: the thread's own; the others by their id. */
export interface TextSource {
  readonly kind: 'body' | 'comment' | 'review' | 'review_comment';
  readonly id: number;
  readonly thread: number;
}

/** Texts come with `body_html`. */
const full = { mediaType: { format: 'full+json' } };

/** The HTML of one text. It may have been changed since the text was read. Rejects where GitHub does not answer. */
export async function loadHtml(source: TextSource, access: RepositoryApi, signal: AbortSignal): Promise<string> {
  const { data } = await ask(source, access, signal);
  return data.body_html ?? '';
}

function ask({ kind, id, thread }: TextSource, { api, repository }: RepositoryApi, signal: AbortSignal) {
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
