import { describe, expect, test } from '@jest/globals';
import { GitHubApiError } from '../../src/github/api.ts';
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
  const linked = (server: { url: string }, to: string | null, json: unknown): Reply => ({
    json,
    headers: to === null ? {} : { link: `<${server.url}${to}>; rel="next", <x>; rel="last"` },
  });

  async function collect(pages: AsyncIterable<readonly unknown[]>) {
    const all: unknown[] = [];
    for await (const page of pages) all.push(page);
    return all;
  }

  test('G1-22 follows every page by the link, 100 an answer', async () => {
    const server: { url: string } & AsyncDisposable & { asked: readonly { url: string }[] } = await startLoopback((asked) => {
      const page = Number(/[?&]page=(\d+)/.exec(asked.url)?.[1] ?? 1);
      return linked(server, page < 3 ? `/next?page=${page + 1}` : null, [{ id: page }]);
    });
    await using _server = server;
    const pages = await collect(apiOn(server.url).api.pages(list, { ...repo, issue_number: 12 }, never));
    expect(pages).toEqual([[{ id: 1 }], [{ id: 2 }], [{ id: 3 }]]);
    expect(server.asked.map(({ url }) => url)).toEqual([
      '/repos/o/r/issues/12/comments?per_page=100',
      '/next?page=2',
      '/next?page=3',
    ]);
  });

  test('whoever stops reading stops the asking, and a link to another host is not followed', async () => {
    const server: { url: string } & AsyncDisposable & { asked: readonly unknown[] } = await startLoopback(() =>
      linked(server, '/next', [1]),
    );
    await using _server = server;
    for await (const _page of apiOn(server.url).api.pages(list, { ...repo, issue_number: 12 }, never)) break;
    expect(server.asked.length).toBe(1);
    await using other = await startLoopback(() => linked({ url: 'http://localhost:1' }, '/next', [1]));
    expect(await collect(apiOn(other.url).api.pages(list, { ...repo, issue_number: 12 }, never))).toEqual([[1]]);
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

  test('errors in an answer of 200 are refusals', async () => {
    await using server = await startLoopback(() => ({ json: { data: null, errors: [{ message: 'no', type: 'FORBIDDEN' }] } }));
    const fault = await faultOf(apiOn(server.url).api.graphql('query { a }', {}, never));
    expect([fault.answer, fault.isMissingPermission, fault.isRateLimit]).toEqual(['no', true, false]);
  });

  test('an Enterprise Server’s GraphQL stands beside its REST', async () => {
    await using server = await startLoopback(() => ({ json: { data: 1 } }));
    await apiOn(`${server.url}/api/v3/`).api.graphql('query { a }', {}, never);
    expect(server.asked[0]?.url).toBe('/api/graphql');
  });
});
