// A simulated GitHub with a clock of its own and the real client, for the tests of the simulator.
import { Octokit } from '@octokit/rest';
import type { GitHubOptions, SimulatedGitHub } from '../../../src/simulator/github/contract.ts';
import { startGitHub } from '../../../src/simulator/github/simulated-github.ts';
import type { Level } from '../../../src/simulator/github/state.ts';
import { checkExchange } from '../../contracts/openapi.ts';

export const FILES = {
  'README.md': '# Shop\n',
  'src/cart.ts': 'export const total = 1;\n',
  '.github/workflows/ci.yml': 'on: push\n',
};

export const BOT = 'github-actions[bot]';
const START = Date.parse('2026-01-01T00:00:00Z');

/** Seconds that pass only when a test says so. */
export function createClock(): { now: () => Date; advance: (seconds: number) => void } {
  let time = START;
  return {
    now: () => new Date(time),
    advance: (seconds) => {
      time += seconds * 1000;
    },
  };
}

/** Starts a GitHub for one test and closes it after; every REST exchange of the test is held against GitHub's description. */
export async function withGitHub(
  options: Partial<GitHubOptions>,
  body: (github: SimulatedGitHub, repo: { owner: string; repo: string }) => Promise<void>,
): Promise<void> {
  const github = await startGitHub({ files: FILES, now: createClock().now, ...options });
  try {
    await body(github, { owner: github.owner, repo: github.repo });
    const problems = contractProblems(github);
    if (problems.length > 0) throw new Error(`not as GitHub describes it:\n${problems.join('\n')}`);
  } finally {
    await github.close();
  }
}

// Routes of GitHub that the copy of its description leaves out, in whole or for one of their methods.
const UNDESCRIBED = [
  'GET /contents',
  'GET /actions/runs/{run_id}/attempts/{attempt_number}',
  'GET /actions/runs/{run_id}/attempts/{attempt_number}/jobs',
  'POST /actions/runs/{run_id}/rerun',
  'GET /check-suites/{check_suite_id}',
  'GET /check-suites/{check_suite_id}/check-runs',
  'POST /check-suites/{check_suite_id}/rerequest',
  'GET /commits/{ref}/check-suites',
  'GET /issues/{issue_number}/reactions',
  'GET /pulls/comments/{comment_id}/reactions',
  'PUT /pulls/{pull_number}/reviews/{review_id}',
  'PUT /pulls/{pull_number}/merge',
  'POST /merges',
];

/**
 * What in the recorded exchanges is not as GitHub's description says. Left out: routes that nobody knows; 304, which GitHub answers
 * to every conditional request but describes for few; the request of a refusal, which may be wrong on purpose; answers that are
 * no JSON; a 409 or 422, whose description fits twice where it must fit once; `created`, which takes ranges although its description says that it is one time; the `position` of an outdated review comment, which is null on GitHub (its webhooks' schema says so).
 */
export function contractProblems(github: SimulatedGitHub): readonly string[] {
  return github.requests
    .filter(
      (request) =>
        request.kind === 'rest' &&
        request.route !== null &&
        !UNDESCRIBED.includes(`${request.method} ${request.route.replace('/repos/{owner}/{repo}', '')}`) &&
        ![0, 304].includes(request.status),
    )
    .flatMap(({ method, path, query, body, status, responseBody }) => {
      const isText = typeof responseBody === 'string';
      const exchange = { method, path, query, requestBody: body, status, responseBody: isText ? undefined : responseBody };
      return checkExchange(exchange)
        .filter((problem) => !problem.includes(': query created '))
        .filter((problem) => !problem.includes('/position must be integer'))
        .filter((problem) => ![409, 422].includes(status) || !problem.includes('exactly one schema'))
        .filter((problem) => status < 400 || !problem.includes(': request '))
        .filter((problem) => !isText || !problem.endsWith('has no JSON body'));
    });
}

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The real client with a new token for a login. */
export function clientFor(github: SimulatedGitHub, login = BOT, permissions?: Readonly<Record<string, Level>>): Octokit {
  return clientWith(github, github.issueToken(login, permissions));
}

/** The real client with a given token, or with none. */
export function clientWith(github: SimulatedGitHub, token?: string): Octokit {
  return new Octokit({ baseUrl: github.apiUrl, log: QUIET, ...(token === undefined ? {} : { auth: token }) });
}

/** Status and message of the refusal that a call ends with; throws when it is not refused. */
export async function refusalOf(call: Promise<unknown>): Promise<{ status: unknown; message: unknown }> {
  try {
    await call;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'status' in error && 'message' in error) {
      // octokit puts the address of the documentation behind GitHub's text.
      return { status: error.status, message: String(error.message).replace(/ - https?:\S+$/, '') };
    }
    throw error;
  }
  throw new Error('the call was not refused');
}
