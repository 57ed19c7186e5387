import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type AppAccessOptions, createAppAccess, givenAccess } from '../../../src/github/app-token/access.ts';
import { type Credentials, createOctokitApi } from '../../../src/github/octokit-api.ts';
import { Harness9Error } from '../../../src/schema/error.ts';
import { startGitHub } from '../../../src/simulator/github/simulated-github.ts';
import { countingClock, startLoopback } from '../loopback-server.ts';

const never = new AbortController().signal;
const viewer = 'query Viewer { viewer { login databaseId } }';

/** An app's access to one server; `now` is what the run takes for the time. */
function accessOn(apiUrl: string, app: AppAccessOptions['app'], now: () => number = Date.now) {
  const clock = { ...countingClock(), now: () => new Date(now()) };
  const told: string[] = [];
  const logged: string[] = [];
  const openApi = (token: Credentials) =>
    createOctokitApi({
      token,
      apiUrl,
      egress: (text) => text,
      fetch: globalThis.fetch,
      clock,
      random: () => 0,
      log: (line) => logged.push(line),
    });
  const log = (line: string) => logged.push(line);
  const repository = { owner: 'octo', repo: 'cart' };
  const access = createAppAccess({ app, repository, openApi, clock, onToken: (token) => told.push(token), log });
  return { access, api: openApi(access.credentials), openApi, told, logged };
}

async function startScene(options: { readonly isInstalled?: boolean } = {}) {
  const hub = await startGitHub({ owner: 'octo', repo: 'cart', files: { 'README.md': 'hello\n' } });
  const { appId, privateKey } = hub.registerApp({ slug: 'fixer', ...options });
  const asked = () => hub.requests.map(({ method, path }) => `${method} ${path}`);
  return { hub, asked, app: { id: String(appId), privateKey }, [Symbol.asyncDispose]: () => hub.close() };
}

async function refusalOf(promise: Promise<unknown>): Promise<Harness9Error> {
  const error = await promise.catch((fault: unknown) => fault);
  if (error instanceof Harness9Error) return error;
  throw new Error(`expected a refusal, got ${error}`);
}

describe('an app’s access', () => {
  test('asks nothing before it is needed, and once for many requests at a time', async () => {
    await using scene = await startScene();
    const { access, api, told } = accessOn(scene.hub.apiUrl, scene.app);
    expect(scene.asked()).toEqual([]);
    const answers = await Promise.all([1, 2, 3].map(() => api.graphql(viewer, {}, never)));
    expect(answers).toMatchObject(Array(3).fill({ viewer: { login: 'fixer[bot]' } }));
    expect(told).toEqual([await access.token()]);
    expect(scene.asked().filter((line) => line.includes('access_tokens'))).toHaveLength(1);
  });

  test('is for this repository alone', async () => {
    await using scene = await startScene();
    await accessOn(scene.hub.apiUrl, scene.app).access.token();
    const request = scene.hub.requests.find(({ path }) => path.includes('access_tokens'));
    expect(request?.body).toEqual({ repositories: ['cart'] });
  });

  test('is revoked at the end, and again is no fault', async () => {
    await using scene = await startScene();
    const { access, openApi, logged } = accessOn(scene.hub.apiUrl, scene.app);
    const token = await access.token();
    await access.end();
    const refused = await refusalOf(openApi(token).rest('GET /repos/{owner}/{repo}', { owner: 'octo', repo: 'cart' }, never));
    expect(refused).toMatchObject({ status: 401 });
    await access.end();
    expect(logged.filter((line) => line.includes('revoked'))).toEqual([]);
  });

  test('that was never used is not asked for to be revoked', async () => {
    await using scene = await startScene();
    await accessOn(scene.hub.apiUrl, scene.app).access.end();
    expect(scene.asked()).toEqual([]);
  });

  test('is renewed before it ends, for a run that is longer than a token’s hour; both are revoked', async () => {
    await using scene = await startScene();
    let later = 0;
    const { access, api, told } = accessOn(scene.hub.apiUrl, scene.app, () => Date.now() + later);
    await api.graphql(viewer, {}, never);
    later = 56 * 60_000;
    await Promise.all([api.graphql(viewer, {}, never), api.graphql(viewer, {}, never)]);
    expect(new Set(told).size).toBe(2);
    await access.end();
    expect(scene.asked().filter((line) => line === 'DELETE /installation/token')).toHaveLength(2);
  });

  test('with another app’s key is refused by name', async () => {
    await using scene = await startScene();
    const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs1', format: 'pem' })
      .toString();
    const { api } = accessOn(scene.hub.apiUrl, { ...scene.app, privateKey });
    const error = await refusalOf(api.graphql(viewer, {}, never));
    expect(error.code).toBe('APP_REFUSED');
    expect(error.message).toContain(`app_id "${scene.app.id}" on octo/cart (401`);
    // A wrong key stays wrong: nothing is tried again.
    expect(scene.asked()).toHaveLength(1);
  });

  test('that is not installed here is told so, with what to do', async () => {
    await using scene = await startScene({ isInstalled: false });
    const error = await refusalOf(accessOn(scene.hub.apiUrl, scene.app).access.token());
    expect([error.code, error.message]).toEqual([
      'APP_NOT_INSTALLED',
      `the GitHub App of app_id "${scene.app.id}" is not installed on octo/cart`,
    ]);
    expect(error.hint).toContain('choose octo/cart');
  });

  test('asks anew after a failure', async () => {
    await using scene = await startScene();
    let isDown = true;
    await using front = await startLoopback((request) =>
      isDown
        ? { status: 404, json: { message: 'Not Found' } }
        : request.url.includes('access_tokens')
          ? { status: 201, json: { token: 'ghs_late', expires_at: '2999-01-01T00:00:00Z', permissions: {} } }
          : { json: { id: 7, app_slug: 'fixer', suspended_at: null } },
    );
    const { access } = accessOn(front.url, scene.app);
    await refusalOf(access.token());
    isDown = false;
    expect(await access.token()).toBe('ghs_late');
  });

  test('that is suspended is told where that ends', async () => {
    await using scene = await startScene();
    const page = 'https://ghe.example/settings/installations/7';
    await using front = await startLoopback(() => ({
      json: { id: 7, app_slug: 'fixer', html_url: page, suspended_at: '2026-01-01T00:00:00Z' },
    }));
    const error = await refusalOf(accessOn(front.url, scene.app).access.token());
    expect([error.code, error.hint]).toEqual(['APP_SUSPENDED', `An owner can end that at ${page}.`]);
  });

  test('survives a server that fails for a moment, and a clock that is wrong', async () => {
    await using scene = await startScene();
    const skewed = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    const replies = [
      { status: 502, json: {} },
      { status: 401, json: { message: skewed }, headers: { date } },
      { json: { id: 7, app_slug: 'fixer', suspended_at: null } },
      { status: 503, json: {} },
      { status: 201, json: { token: 'ghs_x', expires_at: '2999-01-01T00:00:00Z', permissions: { contents: 'write' } } },
    ];
    await using front = await startLoopback((_request, count) => replies[count - 1] ?? {});
    const { access, logged } = accessOn(front.url, scene.app);
    expect(await access.token()).toBe('ghs_x');
    expect(front.asked).toHaveLength(5);
    expect(logged).toContain('[github] app=fixer permissions=contents:write');
  });

  test('names the permission that the app lacks, and where it is given', async () => {
    await using scene = await startScene();
    await using front = await startLoopback((request) =>
      request.url.includes('access_tokens')
        ? { status: 201, json: { token: 'ghs_x', expires_at: '2999-01-01T00:00:00Z', permissions: {} } }
        : request.url.endsWith('/installation')
          ? { json: { id: 7, app_slug: 'fixer', suspended_at: null } }
          : { status: 403, json: { message: 'Resource not accessible by integration' } },
    );
    const comment = { owner: 'octo', repo: 'cart', issue_number: 1, body: 'hi' };
    const { api } = accessOn(front.url, scene.app);
    const error = await refusalOf(api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', comment, never));
    expect(error.hint).toBe(
      'Give the app the permission "issues: write" in its settings, and accept the change where it is installed.',
    );
  });
});

test('a token that was given is used as it is and is not ended', async () => {
  const access = givenAccess('ghp_x');
  expect([access.credentials, await access.token(), await access.end()]).toEqual(['ghp_x', 'ghp_x', undefined]);
});
