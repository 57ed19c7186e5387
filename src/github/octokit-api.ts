// Owns the GitHubApi over @octokit/rest: sending, pages, GraphQL, egress of what is written; retries are decided in retry.ts.
import { z } from 'zod';
import { messageOf } from '../schema/error.ts';
import type { Clock, Log } from '../schema/world.ts';
import type { Egress, GitHubApi, Item, ListRoute, Parameters, Response, Route } from './api.ts';
import { GitHubApiError } from './api.ts';
import { cleanBody, cleanVariables, isMutation, type Values } from './clean-body.ts';
import { type ApiAnswer, toApiError, toFailure } from './describe-failure.ts';
import { retry } from './retry.ts';

export interface OctokitApiOptions {
  readonly token: string;
  /** Such as `https://api.github.com` or `https://ghe.example.com/api/v3`. */
  readonly apiUrl: string;
  readonly graphqlUrl?: string | undefined;
  readonly egress: Egress;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly log: Log;
  /** How long one attempt may take; a server that hangs is then asked again. */
  readonly attemptTimeoutMs?: number | undefined;
}

/** How errors and the log name GraphQL's one address. */
const graphqlRoute = 'POST /graphql';
/** Large diffs take GitHub several seconds; its own limit is 10 s. */
const defaultAttemptTimeoutMs = 30_000;

interface Answer {
  readonly status: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}
type Send = (route: string, parameters: Values) => Promise<Answer>;

/** The octokit implementation of the port; octokit itself is loaded with the first call. */
export function createOctokitApi(options: OctokitApiOptions): GitHubApi {
  const apiUrl = options.apiUrl.replace(/\/+$/, '');
  let client: Promise<Send> | undefined;
  const connect = (): Promise<Send> => {
    client ??= loadOctokit(options, apiUrl);
    return client;
  };

  async function call(route: string, parameters: Values, signal: AbortSignal, name = route): Promise<Answer> {
    const send = await connect();
    const isQuery = name === graphqlRoute && !isMutation(String(parameters.query));
    const isRepeatable = !route.startsWith('POST ') || isQuery;
    // A caller may say how redirects are to be met.
    const own = typeof parameters.request === 'object' ? parameters.request : {};
    const attempt = async () => {
      const timeout = AbortSignal.timeout(options.attemptTimeoutMs ?? defaultAttemptTimeoutMs);
      const answer = await send(route, {
        ...parameters,
        request: { ...own, signal: AbortSignal.any([signal, timeout]) },
      });
      return requireWhole(answer);
    };
    const failureOf = (error: unknown) => toFailure(readAnswer(error));
    const result = await retry(attempt, { name, isRepeatable, failureOf }, options, signal);
    if (result.kind === 'done') return result.value;
    throw toApiError(name, readAnswer(result.error), result);
  }

  return {
    async rest<R extends Route>(route: R, parameters: Parameters<R>, signal: AbortSignal): Promise<Response<R>> {
      const answer = await call(route, cleanBody(route, parameters, options.egress), signal);
      // The route names its answer's type (@octokit/types, made from GitHub's own description of the API).
      return answer as Response<R>;
    },

    async *pages<R extends ListRoute>(
      route: R,
      parameters: Parameters<R>,
      signal: AbortSignal,
    ): AsyncIterable<readonly Item<R>[]> {
      let answer = await call(route, { per_page: 100, ...(parameters as Values) }, signal);
      for (;;) {
        yield answer.data as readonly Item<R>[];
        const next = nextPage(answer, apiUrl);
        if (next === null) return;
        answer = await call(`GET ${next}`, {}, signal, route);
      }
    },

    async graphql(query: string, variables: Values, signal: AbortSignal): Promise<unknown> {
      const url = options.graphqlUrl ?? `${apiUrl.replace(/\/api\/v3$/, '/api')}/graphql`;
      const body = { query, variables: cleanVariables(query, variables, options.egress) };
      const { status, data } = await call(`POST ${url}`, body, signal, graphqlRoute);
      return readGraphqlData(status, data);
    },
  };
}

async function loadOctokit(options: OctokitApiOptions, apiUrl: string): Promise<Send> {
  const { Octokit } = await import('@octokit/rest');
  const silent = () => undefined;
  const octokit = new Octokit({
    auth: options.token,
    baseUrl: apiUrl,
    userAgent: 'harness9',
    request: { fetch: options.fetch, log: { debug: silent, info: silent, warn: silent, error: silent } },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  return (route, parameters) => octokit.request(route, { ...parameters });
}

/** Octokit hands out JSON that was cut off as a string; then there was no answer that one may believe. */
function requireWhole(answer: Answer): Answer {
  const isJson = String(answer.headers['content-type'] ?? '').includes('application/json');
  if (isJson && typeof answer.data === 'string') throw new TypeError('the answer was cut off');
  return answer;
}

const errorSchema = z.object({
  response: z.object({
    status: z.number(),
    headers: z.record(z.string(), z.union([z.string(), z.number(), z.undefined()])),
    data: z.unknown(),
  }),
});
const errorBodySchema = z.object({ message: z.string().catch(''), documentation_url: z.string().catch('') });

/** An error without a response is an answer that never came: octokit gives those the status 500. */
function readAnswer(error: unknown): ApiAnswer {
  const message = messageOf(error);
  const read = errorSchema.safeParse(error);
  if (!read.success) return { status: null, headers: {}, answer: message, documentationUrl: '' };
  const { status, headers, data } = read.data.response;
  const body = errorBodySchema.safeParse(data).data;
  return { status, headers, answer: body?.message || message, documentationUrl: body?.documentation_url ?? '' };
}

/** The next page's address, which must be of the same API: our token goes with it. */
function nextPage(answer: Answer, apiUrl: string): string | null {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
  if (next === undefined) return null;
  return new URL(next).origin === new URL(apiUrl).origin ? next : null;
}

const graphqlSchema = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ message: z.string(), type: z.string().optional() })).optional(),
});

/** GraphQL says its errors with the status 200. */
function readGraphqlData(status: number, body: unknown): unknown {
  const { data, errors } = graphqlSchema.catch({ errors: [{ message: 'an answer that is no GraphQL' }] }).parse(body);
  if (errors === undefined || errors.length === 0) return data;
  throw new GitHubApiError({
    status,
    route: graphqlRoute,
    answer: errors.map((error) => error.message).join('; '),
    isRateLimit: errors.some((error) => error.type === 'RATE_LIMITED'),
    isMissingPermission: errors.some((error) => error.type === 'FORBIDDEN'),
  });
}
