// Owns the reading of GitHub's refusals: flags off the answer, the workflow permission that is missing, our error for it.
import { z } from 'zod';
import { oneLine } from '../schema/one-line.ts';
import { GitHubApiError } from './api.ts';
import type { Failure, GaveUp } from './retry.ts';

/** An answer that is no success, or the lack of one (`status` null). */
export interface ApiAnswer {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  /** GitHub's own message, for people. */
  readonly answer: string;
  readonly documentationUrl: string;
}

const problemSchema = z.union([
  z.string(),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ field: z.string(), code: z.string() }).transform(({ field, code }) => `${field}: ${code.replaceAll('_', ' ')}`),
]);
const bodySchema = z.object({ message: z.string().catch(''), errors: z.array(z.unknown()).catch([]) });
/** Problems that are named: more say nothing new. */
const maxProblems = 3;
const maxProblemChars = 200;

/** The message of a refusal and, since "Validation Failed" says nothing alone, what was wrong; '' where the body has no message. */
export function describeBody(body: unknown): string {
  const { message, errors } = bodySchema.catch({ message: '', errors: [] }).parse(body);
  const problems = errors.slice(0, maxProblems).map((error) => problemSchema.catch('').parse(error));
  const news = [...new Set(problems)].filter((problem) => problem !== '' && !message.includes(problem));
  return news.length === 0 ? message : `${message}: ${news.map((problem) => oneLine(problem, maxProblemChars)).join('; ')}`;
}

/** What the retry policy needs to know of a refused. */
export function toFailure(refused: ApiAnswer): Failure {
  const reset = Number(refused.headers['x-ratelimit-reset'] ?? Number.NaN);
  const isUsedUp = String(refused.headers['x-ratelimit-remaining'] ?? '') === '0';
  return {
    status: refused.status,
    isRateLimit: isRateLimit(refused),
    retryAfter: refused.headers['retry-after'] === undefined ? undefined : String(refused.headers['retry-after']),
    resetAtMs: isUsedUp && Number.isFinite(reset) ? reset * 1_000 : undefined,
  };
}

/** A 403 may be a limit or a missing permission, and a secondary limit has no mark but GitHub's own words. */
function isRateLimit({ status, headers, answer, documentationUrl }: ApiAnswer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  const isMarked = headers['retry-after'] !== undefined || String(headers['x-ratelimit-remaining'] ?? '') === '0';
  return isMarked || documentationUrl.includes('rate-limit') || /rate limit/i.test(answer);
}

/** What GitHub says to a token that lacks a permission; what it forbids in other words, such as a locked conversation, no permission opens. */
export function namesPermission(answer: string): boolean {
  return /not accessible by/i.test(answer);
}

/** Our error for a call that gave up; the hint names the permission, the token or the time. */
export function toApiError(
  route: string,
  refused: ApiAnswer,
  { failure, untilMs, error, isApp }: GaveUp & { readonly isApp: boolean },
): GitHubApiError {
  // The header that names the permissions of a route comes with every answer, also with a refusal for another reason, such as a locked thread.
  const isMissingPermission = refused.status === 403 && !failure.isRateLimit && namesPermission(refused.answer);
  return new GitHubApiError({
    status: refused.status ?? 0,
    route,
    answer: refused.status === null ? `no answer (${refused.answer})` : refused.answer,
    isRateLimit: failure.isRateLimit,
    isMissingPermission,
    hint: hintFor(route, refused.status, { isMissingPermission, isRateLimit: failure.isRateLimit, untilMs, isApp }),
    cause: error,
  });
}

interface HintInput {
  readonly isMissingPermission: boolean;
  readonly isRateLimit: boolean;
  readonly untilMs: number | null;
  /** The token is an app's. */
  readonly isApp: boolean;
}

function hintFor(route: string, status: number | null, input: HintInput): string | undefined {
  if (input.isRateLimit) {
    const until = input.untilMs === null ? 'later' : `after ${new Date(input.untilMs).toISOString()}`;
    return `GitHub limits how often it may be asked; run again ${until}.`;
  }
  if (input.isMissingPermission) {
    const permission = permissionFor(route);
    return input.isApp
      ? `Give the app the permission "${permission}" in its settings, and accept the change where it is installed.`
      : `Add "${permission}" to the permissions of the workflow's job.`;
  }
  if (status === 401 && !input.isApp) return 'The input github_token is not accepted; leave it out or give a valid token.';
  if (status === null || status >= 500)
    return 'GitHub could not be reached or failed; see https://www.githubstatus.com and run again.';
  return undefined;
}

/** The line that a workflow's `permissions` needs for `route`. */
function permissionFor(route: string): string {
  const [method = 'GET', path = ''] = route.split(' ');
  const access = method === 'GET' ? 'read' : 'write';
  const scopes: readonly (readonly [part: RegExp, scope: string])[] = [
    [/\/pulls(?:\/|$)/, 'pull-requests'],
    [/\/(?:issues|labels|assignees)(?:\/|$)/, 'issues'],
    [/\/actions(?:\/|$)/, 'actions'],
    [/\/check-(?:runs|suites)/, 'checks'],
    [/\/statuses/, 'statuses'],
  ];
  const scope = scopes.find(([part]) => part.test(path))?.[1] ?? 'contents';
  return `${scope}: ${access}`;
}
