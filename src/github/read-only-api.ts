// A dry run's door to GitHub: it asks, and whatever would write is refused here, whoever calls.
import { type GitHubApi, GitHubApiError } from './api.ts';

/** `api` without its writes: each rejects as GitHub's own refusal would, so that everybody knows what to do with it. */
export function createReadOnlyApi(api: GitHubApi): GitHubApi {
  return {
    ...api,
    pages: (route, parameters, signal) => api.pages(route, parameters, signal),
    rest: (route, parameters, signal) =>
      route.startsWith('GET ') ? api.rest(route, parameters, signal) : Promise.reject(refuse(route)),
    graphql: (query, variables, signal) =>
      /^\s*query\b/.test(query) ? api.graphql(query, variables, signal) : Promise.reject(refuse('POST /graphql')),
  };
}

function refuse(route: string): GitHubApiError {
  const answer = 'the input `dry_run` is true, so nothing is written';
  return new GitHubApiError({ status: 403, route, answer, isRateLimit: false, isMissingPermission: false });
}
