import { describe, expect, test } from '@jest/globals';
import { GitHubApiError, isRefusal } from '../../src/github/api.ts';
import { createOctokitApi, type OctokitApiOptions } from '../../src/github/octokit-api.ts';
import { countingClock, type Reply, startLoopback } from './loopback-server.ts';

const never = new AbortController().signal;
const repo = { owner: 'o', repo: 'r' };
const comment = { ...repo, issue_number: 12, body: 'hello' };
const createComment = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

function apiOn(apiUrl: string, changes: Partial<OctokitApiOptions> = {}) {
  const clock = countingClock();
  const logged: string[] = [];
  const api = createOctokitApi({
    token: 'ghs_token',
    apiUrl,
    egress: (text) => text.replaceAll('s3cret', '***'),
    fetch: globalThis.fetch,
    clock,
    random: () => 0.5,
    log: (line) => logged.push(line),
    ...changes,
  });
  return { api, clock, logged };
}

async function faultOf(promise: Promise<unknown>): Promise<GitHubApiError> {
  const error = await promise.then(
    () => null,
    (fault: unknown) => fault,
  );
  if (error instanceof GitHubApiError) return error;
  throw new Error(`expected a GitHubApiError, got ${error}`);
}

/** The replies one after the other, the last one for ever. */
const inTurn = (replies: readonly Reply[]) => (_asked: unknown, count: number) =>
  replies[Math.min(count, replies.length) - 1] ?? {};

describe('rest', () => {
  test('sends the route with the token and hands out the answer', async () => {
    await using server = await startLoopback(() => ({ json: { id: 9 } }));
    const answer = await apiOn(server.url).api.rest('GET /repos/{owner}/{repo}', repo, never);
    expect([answer.status, answer.data]).toEqual([200, { id: 9 }]);
    expect(server.asked).toMatchObject([{ method: 'GET', url: '/repos/o/r', headers: { authorization: 'token ghs_token' } }]);
  });

  test('a diff comes as text', async () => {
    await using server = await startLoopback(() => ({ text: 'diff --git a b' }));
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    const parameters = { ...repo, pull_number: 7, mediaType: { format: 'diff' } };
    const answer = await apiOn(server.url).api.rest(route, parameters, never);
    expect(answer.data).toBe('diff --git a b');
    expect(server.asked[0]?.headers.accept).toBe('application/vnd.github.v3.diff');
  });

  test('C12 prose that is written passes the egress, whatever its depth and its key; structure and the path do not', async () => {
    await using server = await startLoopback(() => ({ status: 201, json: {} }));
    const { api } = apiOn(server.url);
    await api.rest(createComment, { ...comment, owner: 's3cret', body: 'my s3cret' }, never);
    await api.rest('POST /repos/{owner}/{repo}/git/blobs', { ...repo, content: 'my s3cret', encoding: 'utf-8' }, never);
    const tree = [{ path: 's3cret.txt', mode: '100644', type: 'blob', content: 'my s3cret' } as const];
    await api.rest('POST /repos/{owner}/{repo}/git/trees', { ...repo, tree, base_tree: 's3cret' }, never);
    await api.rest(
      'POST /repos/{owner}/{repo}/git/commits',
      { ...repo, message: 's3cret', tree: 's3cret', parents: ['s3cret'] },
      never,
    );
    await api.rest('POST /repos/{owner}/{repo}/git/refs', { ...repo, ref: 'refs/heads/s3cret', sha: 's3cret' }, never);
    const pull = { ...repo, head: 's3cret', base: 's3cret', title: 's3cret', body: 's3cret' };
    await api.rest('POST /repos/{owner}/{repo}/pulls', pull, never);
    await api.rest(
      'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      { ...repo, pull_number: 7, event: 'COMMENT', comments: [{ path: 's3cret.ts', position: 1, body: 's3cret' }] },
      never,
    );
    await api.rest(
      'POST /repos/{owner}/{repo}/check-runs',
      { ...repo, name: 's3cret', head_sha: 's3cret', output: { title: 's3cret', summary: 's3cret' } },
      never,
    );
    expect(server.asked.map(({ url, body }) => [url, body])).toEqual([
      ['/repos/s3cret/r/issues/12/comments', { body: 'my ***' }],
      ['/repos/o/r/git/blobs', { content: 'my s3cret', encoding: 'utf-8' }],
      ['/repos/o/r/git/trees', { tree, base_tree: 's3cret' }],
      ['/repos/o/r/git/commits', { message: '***', tree: 's3cret', parents: ['s3cret'] }],
      ['/repos/o/r/git/refs', { ref: 'refs/heads/s3cret', sha: 's3cret' }],
      ['/repos/o/r/pulls', { head: 's3cret', base: 's3cret', title: '***', body: '***' }],
      ['/repos/o/r/pulls/7/reviews', { event: 'COMMENT', comments: [{ path: 's3cret.ts', position: 1, body: '***' }] }],
      ['/repos/o/r/check-runs', { name: '***', head_sha: 's3cret', output: { title: '***', summary: '***' } }],
    ]);
  });

  test('C12 a mutation’s variables pass the egress by the same rule, a query’s only say what is asked', async () => {
    await using server = await startLoopback(() => ({ json: { data: 1 } }));
    const { api } = apiOn(server.url);
    await api.graphql('mutation { x }', { input: { body: ['s3cret'], path: 's3cret' } }, never);
    await api.graphql('query { x }', { owner: 's3cret' }, never);
    expect(server.asked.map(({ body }) => body)).toEqual([
      { query: 'mutation { x }', variables: { input: { body: ['***'], path: 's3cret' } } },
      { query: 'query { x }', variables: { owner: 's3cret' } },
    ]);
  });
});

describe('retries', () => {
  test('a read after 500, 502 and a broken connection is answered, and each retry is logged', async () => {
    await using server = await startLoopback(inTurn([{ status: 500 }, { status: 502 }, { cut: true }, { json: { id: 9 } }]));
    const { api, clock, logged } = apiOn(server.url);
    const answer = await api.rest('GET /repos/{owner}/{repo}', repo, never);
    expect([answer.data, clock.slept]).toEqual([{ id: 9 }, [500, 1000, 2000]]);
    expect(logged).toEqual([
      '[github] retry=1 status=500 wait_ms=500 route=GET /repos/{owner}/{repo}',
      '[github] retry=2 status=502 wait_ms=1000 route=GET /repos/{owner}/{repo}',
      '[github] retry=3 status=none wait_ms=2000 route=GET /repos/{owner}/{repo}',
    ]);
  });

  test('an answer that is cut off or does not come is no answer', async () => {
    await using server = await startLoopback(
      inTurn([{ cut: true, json: { id: 9, more: 'x'.repeat(99) } }, { hang: true }, { json: { id: 9 } }]),
    );
    const answer = await apiOn(server.url, { attemptTimeoutMs: 300 }).api.rest('GET /repos/{owner}/{repo}', repo, never);
    expect([answer.data, server.asked.length]).toEqual([{ id: 9 }, 3]);
  });

  test('six attempts are enough, and the error says where to look', async () => {
    await using server = await startLoopback(() => ({ status: 503, json: { message: 'down' } }));
    const fault = await faultOf(apiOn(server.url).api.rest('GET /repos/{owner}/{repo}', repo, never));
    expect([fault.status, fault.answer, server.asked.length]).toEqual([503, 'down', 6]);
    expect(fault.hint).toContain('githubstatus.com');
  });

  test('R4 a POST that creates is sent once when its answer is lost, a PATCH is sent again', async () => {
    await using server = await startLoopback(inTurn([{ cut: true }, { cut: true }, { json: {} }]));
    const { api } = apiOn(server.url);
    expect((await faultOf(api.rest(createComment, comment, never))).status).toBe(0);
    expect(server.asked.length).toBe(1);
    await api.rest('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { ...repo, comment_id: 1, body: 'x' }, never);
    expect(server.asked.length).toBe(3);
  });

  test.each([
    [301, 'GET', ['GET', 'GET']],
    [302, 'GET', ['GET', 'GET']],
    [307, 'POST', ['POST', 'POST']],
    [308, 'POST', ['POST', 'POST']],
    [307, 'PATCH', ['PATCH', 'PATCH']],
  ] as const)('a redirect with %i of a %s is followed, with all that was sent', async (status, method, methods) => {
    await using server = await startLoopback((_asked, count) =>
      count === 1 ? { status, headers: { location: '/repositories/1/issues/12' } } : { json: { id: 5 } },
    );
    const parameters = { ...repo, issue_number: 12 };
    const { api } = apiOn(server.url);
    const answer =
      method === 'GET'
        ? await api.rest('GET /repos/{owner}/{repo}/issues/{issue_number}', parameters, never)
        : await (method === 'POST'
            ? api.rest(createComment, comment, never)
            : api.rest('PATCH /repos/{owner}/{repo}/issues/{issue_number}', { ...parameters, body: 'hello' }, never));
    expect(answer.data).toEqual({ id: 5 });
    expect(server.asked.map((asked) => asked.method)).toEqual(methods);
    expect(server.asked[1]).toMatchObject({ url: '/repositories/1/issues/12', headers: { authorization: 'token ghs_token' } });
    expect(server.asked[1]?.body).toEqual(method === 'GET' ? undefined : { body: 'hello' });
  });

  test.each([
    ['301, which would turn it into a GET', 301, '/repositories/2/issues/1/comments'],
    ['302', 302, '/elsewhere'],
    ['303', 303, '/elsewhere'],
    ['307 without an address', 307, undefined],
    ['307 to what is no address', 307, 'http://['],
  ])('a redirect of a POST with %s is a refusal, and is not followed', async (_what, status, location) => {
    const json = { message: 'Moved Permanently' };
    await using server = await startLoopback(() => ({ status, json, headers: location === undefined ? {} : { location } }));
    const fault = await faultOf(apiOn(server.url).api.rest(createComment, comment, never));
    expect([fault.status, fault.answer, isRefusal(fault), server.asked.length]).toEqual([status, 'Moved Permanently', true, 1]);
  });

  test('C13 neither token nor text of a write follows a redirect to another server, and no circle is without end', async () => {
    await using other = await startLoopback(() => ({ json: {} }));
    await using server = await startLoopback(() => ({ status: 307, headers: { location: `${other.url}/repos` } }));
    expect((await faultOf(apiOn(server.url).api.rest(createComment, comment, never))).status).toBe(307);
    expect(other.asked).toEqual([]);
    await using round = await startLoopback(() => ({ status: 307, headers: { location: '/again' } }));
    expect((await faultOf(apiOn(round.url).api.rest(createComment, comment, never))).status).toBe(307);
    expect(round.asked.length).toBeLessThan(10);
  });

  test.each([
    [
      { message: 'Validation Failed', errors: [{ resource: 'PullRequest', code: 'custom', message: 'No commits' }] },
      'Validation Failed: No commits',
    ],
    [
      { message: 'Validation Failed', errors: [{ field: 'base', code: 'missing_field' }] },
      'Validation Failed: base: missing field',
    ],
    [
      { message: 'Unprocessable Entity', errors: ['Line could not be resolved', 'Line could not be resolved'] },
      'Unprocessable Entity: Line could not be resolved',
    ],
    [{ message: 'Bad: a\nb', errors: ['x\ny'] }, 'Bad: a\nb: x y'],
    [{ message: 'No', errors: ['1', '2', '3', '4'] }, 'No: 1; 2; 3'],
    [{ message: 'No', errors: [7, null, {}] }, 'No'],
    [{ message: 'No', errors: 'nonsense' }, 'No'],
  ])('a refusal %j says "%s"', async (json, answer) => {
    await using server = await startLoopback(() => ({ status: 422, json }));
    expect((await faultOf(apiOn(server.url).api.rest(createComment, comment, never))).answer).toBe(answer);
  });

  test.each([
    ['Unable to create comment because issue is locked.', false],
    ['Resource not accessible by integration', true],
  ])('G1-30 a 403 "%s" with the header that every answer has: a permission is missing: %s', async (message, isMissing) => {
    const headers = { 'x-accepted-github-permissions': 'issues=write' };
    await using server = await startLoopback(() => ({ status: 403, json: { message }, headers }));
    expect((await faultOf(apiOn(server.url).api.rest(createComment, comment, never))).isMissingPermission).toBe(isMissing);
  });

  test.each([
    ['with retry-after', { 'retry-after': '3' }, {}, 3500],
    ['by GitHub’s words, for a minute', {}, { message: 'You have exceeded a secondary rate limit' }, 60_500],
    [
      'until the reset',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.parse('2026-01-02T03:04:15Z') / 1000) },
      {},
      10_500,
    ],
  ])('G1-31 a POST that a limit refuses %s waits and is sent again', async (_name, headers, json, waited) => {
    await using server = await startLoopback(
      inTurn([
        { status: 403, headers, json },
        { status: 201, json: { id: 5 } },
      ]),
    );
    const { api, clock } = apiOn(server.url);
    const answer = await api.rest(createComment, comment, never);
    expect([answer.data, clock.slept, server.asked.length]).toEqual([{ id: 5 }, [waited], 2]);
  });

  test('G1-31 a wait beyond the budget is not begun, and the hint says until when', async () => {
    await using server = await startLoopback(() => ({ status: 429, headers: { 'retry-after': '600' } }));
    const { api, clock } = apiOn(server.url);
    const fault = await faultOf(api.rest(createComment, comment, never));
    expect([fault.isRateLimit, clock.slept, server.asked.length]).toEqual([true, [], 1]);
    expect(fault.hint).toContain('after 2026-01-02T03:14:05');
  });

  test.each([403, 429])('G1-31 a primary limit that is used up for half an hour (%d) is said with its time', async (status) => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.parse('2026-01-02T03:34:05Z') / 1000) };
    await using server = await startLoopback(() => ({ status, headers, json: { message: 'API rate limit exceeded' } }));
    const { api, clock } = apiOn(server.url);
    const fault = await faultOf(api.rest('GET /repos/{owner}/{repo}', repo, never));
    expect([fault.isRateLimit, fault.isMissingPermission, clock.slept, server.asked.length]).toEqual([true, false, [], 1]);
    expect(fault.hint).toContain('run again after 2026-01-02T03:34:05');
  });

  test('G1-31 GraphQL’s limit, which comes with the status 200, is waited for like REST’s, also by a mutation', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.parse('2026-01-02T03:04:15Z') / 1000) };
    const limited = { headers, json: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] } };
    await using server = await startLoopback(inTurn([limited, { json: { data: { a: 1 } } }]));
    const { api, clock } = apiOn(server.url);
    expect(await api.graphql('mutation { a }', {}, never)).toEqual({ a: 1 });
    expect([clock.slept, server.asked.length]).toEqual([[10_500], 2]);
  });

  test('an abort ends the waiting with its own reason', async () => {
    await using server = await startLoopback(() => ({ hang: true }));
    const controller = new AbortController();
    const asked = apiOn(server.url).api.rest('GET /repos/{owner}/{repo}', repo, controller.signal);
    const reason = new Error('stopped by the user');
    setTimeout(() => controller.abort(reason), 20);
    await expect(asked).rejects.toBe(reason);
  });
});

describe('refusals', () => {
  const refused = { status: 403, json: { message: 'Resource not accessible by integration' } };

  test('G1-30 a missing permission is not retried, and the hint names the line of YAML', async () => {
    await using server = await startLoopback(() => refused);
    const { api } = apiOn(server.url);
    const hints = [
      (await faultOf(api.rest(createComment, comment, never))).hint,
      (await faultOf(api.rest('POST /repos/{owner}/{repo}/pulls', { ...repo, title: 't', head: 'h', base: 'b' }, never))).hint,
      (await faultOf(api.rest('POST /repos/{owner}/{repo}/git/refs', { ...repo, ref: 'r', sha: 's' }, never))).hint,
      (await faultOf(api.rest('GET /repos/{owner}/{repo}/actions/artifacts', repo, never))).hint,
    ];
    expect(hints).toEqual(
      ['issues: write', 'pull-requests: write', 'contents: write', 'actions: read'].map(
        (line) => `Add "${line}" to the permissions of the workflow's job.`,
      ),
    );
    expect(server.asked.length).toBe(4);
  });

  test('flags say what it was; 404 and 422 are not retried', async () => {
    await using server = await startLoopback(inTurn([{ status: 404, json: { message: 'Not Found' } }, { status: 422 }]));
    const { api, clock } = apiOn(server.url);
    const fault = await faultOf(api.rest('GET /repos/{owner}/{repo}', repo, never));
    expect({ ...fault, cause: undefined }).toMatchObject({
      code: 'GITHUB_API',
      status: 404,
      route: 'GET /repos/{owner}/{repo}',
      answer: 'Not Found',
      isRateLimit: false,
      isMissingPermission: false,
    });
    expect((await faultOf(api.rest('GET /repos/{owner}/{repo}', repo, never))).status).toBe(422);
    expect(clock.slept).toEqual([]);
  });

  test('C13 the error never carries the token', async () => {
    await using server = await startLoopback(() => ({ status: 401, json: { message: 'Bad credentials' } }));
    const fault = await faultOf(apiOn(server.url).api.rest('GET /repos/{owner}/{repo}', repo, never));
    expect(`${fault.stack} ${fault.message} ${fault.hint}`).not.toContain('ghs_token');
    expect(fault.hint).toContain('github_token');
  });
});

describe('pages', () => {
  const list = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const ofIssue = { ...repo, issue_number: 12 };
  const linked = (to: string | null, json: unknown): Reply => ({
    json,
    headers: to === null ? {} : { link: `<${to}>; rel="next", <x>; rel="last"` },
  });

  async function collect(pages: AsyncIterable<readonly unknown[]>) {
    const all: unknown[] = [];
    for await (const page of pages) all.push(page);
    return all;
  }

  /** Three pages, whose next one is named by `at`. */
  const threePages = (at: (page: number) => string) =>
    startLoopback(({ url }) => {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
      return linked(page < 3 ? at(page + 1) : null, [{ id: page }]);
    });

  test.each([
    ['of its own name', (query: string) => `https://api.github.com/repositories/7/issues/12/comments?${query}`],
    ['of a name that is known inside only', (query: string) => `http://ghe-internal:8080/api/v3/repos/o/r?${query}`],
    ['by a path alone', (query: string) => `/somewhere?${query}`],
  ])('G1-22 follows every page of a server that speaks %s, and nowhere else', async (_name, linkTo) => {
    await using server = await threePages((page) => linkTo(`since=2020&per_page=100&page=${page}`));
    const pages = await collect(apiOn(`${server.url}/ghe/api/v3`).api.pages(list, { ...ofIssue, since: '2020' }, never));
    expect(pages).toEqual([[{ id: 1 }], [{ id: 2 }], [{ id: 3 }]]);
    expect(server.asked.map(({ url, headers }) => [url, headers.authorization])).toEqual(
      ['per_page=100&since=2020', 'since=2020&per_page=100&page=2', 'since=2020&per_page=100&page=3'].map((query) => [
        `/ghe/api/v3/repos/o/r/issues/12/comments?${query}`,
        'token ghs_token',
      ]),
    );
  });

  test('a page that is named by a cursor is asked for by it, and a cursor is no template', async () => {
    await using server = await startLoopback(({ url }) =>
      linked(url.includes('after') ? null : 'https://elsewhere/x?after=a%2B{owner}%3D&per_page=100', [url.includes('after')]),
    );
    expect(await collect(apiOn(server.url).api.pages(list, ofIssue, never))).toEqual([[false], [true]]);
    expect(new URL(`${server.url}${server.asked[1]?.url}`).searchParams.get('after')).toBe('a+{owner}=');
  });

  test('whoever stops reading stops the asking', async () => {
    await using server = await threePages((page) => `/next?page=${page}`);
    for await (const _page of apiOn(server.url).api.pages(list, ofIssue, never)) break;
    expect(server.asked.length).toBe(1);
  });
});

describe('graphql', () => {
  test('hands out the data, retries a query, not a mutation', async () => {
    await using server = await startLoopback(inTurn([{ status: 502 }, { json: { data: { a: 1 } } }, { status: 502 }]));
    const { api } = apiOn(server.url);
    expect(await api.graphql('query { a }', {}, never)).toEqual({ a: 1 });
    expect((await faultOf(api.graphql('mutation { b }', {}, never))).status).toBe(502);
    expect(server.asked.length).toBe(3);
  });

  test.each([
    ['Resource not accessible by integration', true],
    ['Unable to create comment because discussion is locked.', false],
  ])('an error "%s" in an answer of 200 is a refusal; a permission is missing: %s', async (message, isMissing) => {
    await using server = await startLoopback(() => ({ json: { data: null, errors: [{ message, type: 'FORBIDDEN' }] } }));
    const fault = await faultOf(apiOn(server.url).api.graphql('query { a }', {}, never));
    expect([fault.status, fault.answer, fault.isMissingPermission, fault.isRateLimit]).toEqual([403, message, isMissing, false]);
  });

  test('what an older server does not know is a refusal, and what went wrong in it is none', async () => {
    const unknownField = {
      message: "Field 'isMinimized' doesn't exist on type 'IssueComment'",
      path: ['query', 'node', 'isMinimized'],
      extensions: { code: 'undefinedField', typeName: 'IssueComment', fieldName: 'isMinimized' },
    };
    await using server = await startLoopback(
      inTurn([{ json: { errors: [unknownField] } }, { json: { data: null, errors: [{ message: 'Something went wrong' }] } }]),
    );
    const { api } = apiOn(server.url);
    const faults = [await faultOf(api.graphql('query { a }', {}, never)), await faultOf(api.graphql('query { a }', {}, never))];
    expect(faults.map(isRefusal)).toEqual([true, false]);
    expect(faults[0]?.answer).toBe(unknownField.message);
  });

  test('an Enterprise Server’s GraphQL stands beside its REST', async () => {
    await using server = await startLoopback(() => ({ json: { data: 1 } }));
    await apiOn(`${server.url}/api/v3/`).api.graphql('query { a }', {}, never);
    expect(server.asked[0]?.url).toBe('/api/graphql');
  });
});
