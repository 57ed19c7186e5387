import { createSign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { AppHandle } from '../../../src/simulator/github/contract.ts';
import { clientFor, clientWith, createClock, refusalOf, withGitHub } from './world.ts';

const START_SECONDS = Date.parse('2026-01-01T00:00:00Z') / 1000;

function webToken(app: AppHandle, lifeSeconds = 300): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iss: String(app.appId), iat: START_SECONDS, exp: START_SECONDS + lifeSeconds })}`;
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

  test('a wrong key, an old or too long web token, more rights than the app has, and an old token are refused', async () => {
    const clock = createClock();
    await withGitHub({ now: clock.now }, async (github, repo) => {
      const app = github.registerApp({ slug: 'harness9', permissions: { issues: 'write' } });
      const other = github.registerApp({ slug: 'other' });
      const ask = (token: string) => clientWith(github, token).rest.apps.getAuthenticated();
      expect((await refusalOf(ask(webToken({ ...app, privateKey: other.privateKey })))).status).toBe(401);
      expect((await refusalOf(ask(webToken(app, -1)))).status).toBe(401);
      expect((await refusalOf(ask(webToken(app, 3600)))).status).toBe(401);
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
