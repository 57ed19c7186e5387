// Owns the GitHubApi over @octokit/rest: sending, pages, GraphQL, egress of what is written; retries are decided in retry.ts.
import { z } from 'zod';
import { Harness9Error, messageOf } from '../schema/error.ts';
import type { Clock, Log } from '../schema/world.ts';
import type { Egress, GitHubApi, Item, ListRoute, Parameters, Response, Route } from './api.ts';
import { GitHubApiError } from './api.ts';
import { cleanBody, cleanVariables, isMutation, type Values } from './clean-body.ts';
import { type ApiAnswer, describeBody, namesPermission, toApiError, toFailure } from './describe-failure.ts';
import { followWrites } from './follow-writes.ts';
import { retry } from './retry.ts';

/** Octokit's own extension point for requests that are signed in another way than by one token for all of them. */
export interface Signing {
  readonly authStrategy: unknown;
  readonly auth: Readonly<Record<string, unknown>>;
}

/** A token, or what is loaded with the first request. */
export type Credentials = string | (() => Promise<Signing>);

export interface OctokitApiOptions {
  readonly token: Credentials;
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
/** A token whose answer was lost opens nothing to anybody and ends by itself. */
const harmlessPosts: ReadonlySet<string> = new Set(['POST /app/installations/{installation_id}/access_tokens']);

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
    const isRepeatable = !route.startsWith('POST ') || isQuery || harmlessPosts.has(route);
    // A caller may say how redirects are to be met, and that it would rather come back later than wait here.
    const own = requestSchema.parse(parameters.request);
    const attempt = async () => {
      const timeout = AbortSignal.timeout(options.attemptTimeoutMs ?? defaultAttemptTimeoutMs);
      const answer = await send(route, {
        ...parameters,
        request: { ...own, signal: AbortSignal.any([signal, timeout]) },
      });
      return requireUnlimited(requireWhole(route.startsWith('GET ') ? answer : requireHere(answer)));
    };
    // What signs the requests has told its own trouble already, and has tried again where that helps.
    const failureOf = (error: unknown) => (error instanceof Harness9Error ? null : toFailure(readAnswer(error)));
    const result = await retry(attempt, { name, isRepeatable, failureOf, isOnce: own.retries === 0 }, options, signal);
    if (result.kind === 'done') return result.value;
    throw toApiError(name, readAnswer(result.error), { ...result, isApp: typeof options.token !== 'string' });
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
      const first = { per_page: 100, ...(parameters as Values) };
      let answer = await call(route, first, signal);
      for (;;) {
        yield answer.data as readonly Item<R>[];
        const next = queryOfNext(answer, apiUrl);
        if (next === null) return;
        answer = await call(`${route}?${next}`, without(first, next), signal, route);
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
    ...(typeof options.token === 'string' ? { auth: options.token } : await options.token()),
    baseUrl: apiUrl,
    userAgent: 'harness9',
    request: { fetch: followWrites(options.fetch), log: { debug: silent, info: silent, warn: silent, error: silent } },
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

/** A write that was sent elsewhere has done nothing. */
function requireHere(answer: Answer): Answer {
  if (answer.status < 300) return answer;
  throw Object.assign(new Error('moved'), { response: answer });
}

/** GraphQL refuses by its rate limit with the status 200; what it refuses has done nothing, and is met as REST's refusal is. */
function requireUnlimited(answer: Answer): Answer {
  const { errors = [] } = graphqlSchema.catch({}).parse(answer.data);
  const limit = errors.find(({ type }) => type === 'RATE_LIMITED');
  if (limit === undefined) return answer;
  throw Object.assign(new Error(limit.message), { response: { ...answer, status: 429, data: { message: limit.message } } });
}

const requestSchema = z.looseObject({ retries: z.number().optional() }).catch({});

const errorSchema = z.object({
  response: z.object({
    status: z.number(),
    headers: z.record(z.string(), z.union([z.string(), z.number(), z.undefined()])),
    data: z.unknown(),
  }),
});
const errorBodySchema = z.object({ documentation_url: z.string().catch('') });

/** An error without a response is an answer that never came: octokit gives those the status 500. */
function readAnswer(error: unknown): ApiAnswer {
  const message = messageOf(error);
  const read = errorSchema.safeParse(error);
  if (!read.success) return { status: null, headers: {}, answer: message, documentationUrl: '' };
  const { status, headers, data } = read.data.response;
  const documentationUrl = errorBodySchema.safeParse(data).data?.documentation_url ?? '';
  return { status, headers, answer: describeBody(data) || message, documentationUrl };
}

/**
 * What the next page is asked with. Of its address only the query counts: behind a proxy, and on a server that knows itself by another name
 * or under another path, the link leads elsewhere, and our token goes nowhere but where the first page came from.
 */
function queryOfNext(answer: Answer, apiUrl: string): URLSearchParams | null {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
  return next === undefined ? null : new URL(next, apiUrl).searchParams;
}

/** The query says these already. */
function without(parameters: Values, query: URLSearchParams): Values {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !query.has(name)));
}

const graphqlSchema = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ message: z.string(), type: z.string().optional(), extensions: z.unknown().optional() })).optional(),
});

/** Of an error that was found before anything was done, such as a field that an older server does not know. */
const refusedQuerySchema = z.object({ code: z.string() });
/** What REST would answer. */
const graphqlStatuses: Readonly<Record<string, number>> = { FORBIDDEN: 403, NOT_FOUND: 404, UNPROCESSABLE: 422 };

/** GraphQL says its errors with the status 200. */
function readGraphqlData(status: number, body: unknown): unknown {
  const { data, errors } = graphqlSchema.catch({ errors: [{ message: 'an answer that is no GraphQL' }] }).parse(body);
  if (errors === undefined || errors.length === 0) return data;
  const refused = refusedQuerySchema.safeParse(errors[0]?.extensions).success ? 422 : status;
  throw new GitHubApiError({
    status: graphqlStatuses[errors[0]?.type ?? ''] ?? refused,
    route: graphqlRoute,
    answer: errors.map((error) => error.message).join('; '),
    isRateLimit: false,
    isMissingPermission: errors.some(({ type, message }) => type === 'FORBIDDEN' && namesPermission(message)),
  });
}
