import { createSign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { AppHandle } from '../../../src/simulator/github/contract.ts';
import { clientFor, clientWith, createClock, refusalOf, withGitHub } from './world.ts';

const START_SECONDS = Date.parse('2026-01-01T00:00:00Z') / 1000;

interface Claims {
  readonly iss?: unknown;
  readonly iat?: unknown;
  readonly exp?: unknown;
}

/** A web token of the app; times are seconds from the start of the clock. */
function webToken(app: AppHandle, change: Claims = {}, alg = 'RS256'): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: String(app.appId), iat: START_SECONDS - 60, exp: START_SECONDS + 300, ...change };
  const text = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(app.privateKey).toString('base64url')}`;
}

describe('apps', () => {
  test('an app gets a token by its key and acts as its bot', () =>
    withGitHub({}, async (github, repo) => {
      const app = github.registerApp({ slug: 'harness9' });
      github.openIssue({ author: 'bob', title: 'x' });
      const { rest } = clientWith(github, webToken(app));
      expect((await rest.apps.getAuthenticated()).data?.slug).toBe('harness9');
      const installation = await rest.apps.getRepoInstallation(repo);
      const { data } = await rest.apps.createInstallationAccessToken({
        installation_id: installation.data.id,
        permissions: { issues: 'write' },
      });
      expect([data.expires_at, data.permissions]).toEqual(['2026-01-01T01:00:00Z', { issues: 'write', metadata: 'read' }]);
      const bot = clientWith(github, data.token).rest;
      const comment = await bot.issues.createComment({ ...repo, issue_number: 1, body: 'hello' });
      expect(comment.data.user?.login).toBe('harness9[bot]');
      expect((await refusalOf(bot.git.createBlob({ ...repo, content: 'x' }))).status).toBe(403);
      await bot.apps.revokeInstallationAccessToken();
      expect(await refusalOf(bot.repos.get(repo))).toEqual({ status: 401, message: 'Bad credentials' });
    }));

  test('more rights than the app has, another’s installation and an old token are refused', async () => {
    const clock = createClock();
    await withGitHub({ now: clock.now }, async (github, repo) => {
      const app = github.registerApp({ slug: 'harness9', permissions: { issues: 'write' } });
      const other = github.registerApp({ slug: 'other' });
      const { rest } = clientWith(github, webToken(app));
      const tooMuch = { installation_id: app.installationId, permissions: { contents: 'write' } } as const;
      expect((await refusalOf(rest.apps.createInstallationAccessToken(tooMuch))).status).toBe(422);
      const foreign = rest.apps.createInstallationAccessToken({ installation_id: other.installationId });
      expect((await refusalOf(foreign)).status).toBe(404);
      const { data } = await rest.apps.createInstallationAccessToken({ installation_id: app.installationId });
      clock.advance(3600);
      expect(await refusalOf(clientWith(github, data.token).rest.repos.get(repo))).toEqual({
        status: 401,
        message: 'Bad credentials',
      });
    });
  });

  test.each<readonly [string, Claims, number, string]>([
    ['issued a second from now', { iat: START_SECONDS + 1 }, 401, "'Issued at' claim ('iat') must be an Integer"],
    ['without a time of issue', { iat: undefined }, 401, "'Issued at' claim ('iat') must be an Integer"],
    ['issued at a fraction of a second', { iat: START_SECONDS - 0.5 }, 401, "'Issued at' claim ('iat') must be an Integer"],
    ['that ends now', { exp: START_SECONDS }, 401, "'Expiration time' claim ('exp') must be a numeric value"],
    ['without an end', { exp: undefined }, 401, "'Expiration time' claim ('exp') must be a numeric value"],
    [
      'that ends in more than ten minutes',
      { exp: START_SECONDS + 601 },
      401,
      "'Expiration time' claim ('exp') is too far in the future",
    ],
    ['of no app', { iss: '7' }, 404, 'Integration not found'],
    ['without an issuer', { iss: undefined }, 404, 'Integration not found'],
  ])('a web token %s is refused', (_what, claims, status, message) =>
    withGitHub({}, async (github) => {
      const app = github.registerApp({ slug: 'harness9' });
      const call = clientWith(github, webToken(app, claims)).rest.apps.getAuthenticated();
      expect(await refusalOf(call)).toEqual({ status, message: expect.stringContaining(message) });
    }),
  );

  test('ten minutes are not too far, and a number is an issuer, too', () =>
    withGitHub({}, async (github) => {
      const app = github.registerApp({ slug: 'harness9' });
      const token = webToken(app, { iss: app.appId, iat: START_SECONDS, exp: START_SECONDS + 600 });
      expect((await clientWith(github, token).rest.apps.getAuthenticated()).data?.slug).toBe('harness9');
    }));

  test('a web token by another key, by no key, changed after signing or of another algorithm could not be decoded', () =>
    withGitHub({}, async (github) => {
      const app = github.registerApp({ slug: 'harness9' });
      const other = github.registerApp({ slug: 'other' });
      const [head, , sign] = webToken(app).split('.');
      const [, claims] = webToken(app, { exp: START_SECONDS + 301 }).split('.');
      const tokens = [
        webToken({ ...app, privateKey: other.privateKey }),
        webToken({ ...app, appId: other.appId }),
        `${head}.${claims}.${sign}`,
        `${head}.${claims}.`,
        `${head}.e30x.${sign}`,
        webToken(app, {}, 'none'),
        webToken(app, {}, 'HS256'),
      ];
      for (const token of tokens) {
        const refused = await refusalOf(clientWith(github, token).rest.apps.getAuthenticated());
        expect(refused).toEqual({ status: 401, message: 'A JSON web token could not be decoded' });
      }
    }));

  test('a token is for the repositories that were asked for, of those of the installation', () =>
    withGitHub({}, async (github, repo) => {
      const app = github.registerApp({ slug: 'harness9' });
      const { rest } = clientWith(github, webToken(app));
      const ask = (repositories: string[]) =>
        rest.apps.createInstallationAccessToken({ installation_id: app.installationId, repositories });
      const { data } = await ask([repo.repo]);
      expect([data.repository_selection, data.repositories?.map(({ full_name }) => full_name)]).toEqual([
        'selected',
        ['octo-org/shop'],
      ]);
      expect(await refusalOf(ask([repo.repo, 'none']))).toEqual({
        status: 422,
        message: expect.stringContaining('There is at least one repository that does not exist'),
      });
    }));

  test('a token has the permissions that were asked for and no others, and ends when it is revoked', () =>
    withGitHub({}, async (github, repo) => {
      const app = github.registerApp({ slug: 'harness9' });
      github.openIssue({ author: 'bob', title: 'x' });
      const { rest } = clientWith(github, webToken(app));
      const { data } = await rest.apps.createInstallationAccessToken({
        installation_id: app.installationId,
        permissions: { issues: 'write' },
      });
      const bot = clientWith(github, data.token).rest;
      await bot.issues.createComment({ ...repo, issue_number: 1, body: 'x' });
      expect((await refusalOf(bot.git.createBlob({ ...repo, content: 'x' }))).status).toBe(403);
      expect((await refusalOf(bot.apps.getAuthenticated())).status).toBe(401);
      await bot.apps.revokeInstallationAccessToken();
      expect((await refusalOf(bot.apps.revokeInstallationAccessToken())).status).toBe(401);
    }));

  test('an app that is not installed has no installation here', () =>
    withGitHub({}, async (github, repo) => {
      const app = github.registerApp({ slug: 'harness9', isInstalled: false });
      const { rest } = clientWith(github, webToken(app));
      expect((await rest.apps.getAuthenticated()).data?.slug).toBe('harness9');
      const missing = { status: 404, message: 'Not Found' };
      expect(await refusalOf(rest.apps.getRepoInstallation(repo))).toEqual(missing);
      expect(await refusalOf(rest.apps.createInstallationAccessToken({ installation_id: app.installationId }))).toEqual(missing);
    }));

  test('a token that was revoked is refused from then on', () =>
    withGitHub({}, async (github, repo) => {
      const token = github.issueToken('github-actions[bot]');
      const { rest } = clientWith(github, token);
      await rest.repos.get(repo);
      github.revokeToken(token);
      expect((await refusalOf(rest.repos.get(repo))).status).toBe(401);
    }));

  test('a refusal says which permission would have opened the route', () =>
    withGitHub({}, async (github, repo) => {
      const call = clientFor(github, 'github-actions[bot]', {}).rest.git.createBlob({ ...repo, content: 'x' });
      await expect(call).rejects.toMatchObject({ response: { headers: { 'x-accepted-github-permissions': 'contents=write' } } });
    }));
});
