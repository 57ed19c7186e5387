// The one port to GitHub: REST by route, pages, GraphQL. Everything in github/ talks through it; octokit-api.ts implements it.
import type { Endpoints } from '@octokit/types';
import { Harness9Error } from '../schema/error.ts';

/** Routes as GitHub documents them, such as `GET /repos/{owner}/{repo}/issues/{issue_number}`. */
export type Route = keyof Endpoints;
export type Parameters<R extends Route> = Endpoints[R]['parameters'];
export type Response<R extends Route> = Endpoints[R]['response'];
/** The routes that answer with a list. */
export type ListRoute = { [R in Route]: Response<R>['data'] extends readonly unknown[] ? R : never }[Route];
export type Item<R extends ListRoute> = Response<R>['data'] extends readonly (infer T)[] ? T : never;

/**
 * Rejects with a GitHubApiError, after the retries of threats.md §4 (reads and idempotent writes; a POST that creates is never
 * retried here, because its answer may have been lost). Bodies of writes pass the egress before they leave.
 */
export interface GitHubApi {
  rest<R extends Route>(route: R, parameters: Parameters<R>, signal: AbortSignal): Promise<Response<R>>;
  /** All pages, 100 an answer, one list a step; stop reading to stop asking. */
  pages<R extends ListRoute>(route: R, parameters: Parameters<R>, signal: AbortSignal): AsyncIterable<readonly Item<R>[]>;
  graphql(query: string, variables: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
}

/** What GitHub refused, as flags. `permission`: the workflow permission that is missing, when GitHub's answer says that one is. */
export class GitHubApiError extends Harness9Error {
  readonly status: number;
  readonly route: string;
  readonly isRateLimit: boolean;
  readonly isMissingPermission: boolean;
  /** GitHub's own message, for people. */
  readonly answer: string;

  constructor(details: {
    readonly status: number;
    readonly route: string;
    readonly answer: string;
    readonly isRateLimit: boolean;
    readonly isMissingPermission: boolean;
    readonly hint?: string | undefined;
    readonly cause?: unknown;
  }) {
    super({
      code: 'GITHUB_API',
      message: `GitHub answered ${details.status} to ${details.route}: ${details.answer}`,
      hint: details.hint,
      cause: details.cause,
    });
    this.name = 'GitHubApiError';
    this.status = details.status;
    this.route = details.route;
    this.answer = details.answer;
    this.isRateLimit = details.isRateLimit;
    this.isMissingPermission = details.isMissingPermission;
  }
}

/** Text on its way out, with secrets taken out; injected by compose/. */
export type Egress = (text: string) => string;

/** owner and repo as every route wants them. */
export interface RepositoryRef {
  readonly owner: string;
  readonly repo: string;
}

/** The port, and the repository that is asked about. */
export interface RepositoryApi {
  readonly api: GitHubApi;
  readonly repository: RepositoryRef;
}

/** An account as GitHub's answers name it. */
export interface Account {
  readonly login: string;
  readonly id: number | bigint;
}

/** The repository of a plan or an event. */
export function repositoryOf(of: { readonly repository: { readonly owner: string; readonly name: string } }): RepositoryRef {
  return { owner: of.repository.owner, repo: of.repository.name };
}

/** What was asked for is not there, or not any more. */
export function isGone(error: unknown): boolean {
  return error instanceof GitHubApiError && (error.status === 404 || error.status === 410);
}

/** GitHub understood and said no, or sent us elsewhere; asking again changes nothing. Everything else may have happened with its answer lost. */
export function isRefusal(error: unknown): error is GitHubApiError {
  return error instanceof GitHubApiError && !error.isRateLimit && error.status >= 300 && error.status < 500;
}
