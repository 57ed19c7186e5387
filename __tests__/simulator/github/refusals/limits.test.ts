import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../../src/simulator/github/contract.ts';
import { QUERIES } from '../graphql/queries.ts';
import { BOT, clientFor, clientWith, createClock, withGitHub } from '../world.ts';

interface Answered {
  readonly status: number;
  readonly message: string;
  readonly retryAfter: string | null;
  readonly remaining: string | null;
}

/** One request without a client that would wait and try again. */
async function send(github: SimulatedGitHub, token: string, line: string, body?: unknown): Promise<Answered> {
  const [method = '', path = ''] = line.split(' ');
  const answer = await fetch(`${github.apiUrl}/repos/${github.owner}/${github.repo}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    message: text === '' ? '' : String(JSON.parse(text).message ?? ''),
    retryAfter: answer.headers.get('retry-after'),
    remaining: answer.headers.get('x-ratelimit-remaining'),
  };
}

async function times(count: number, act: () => Promise<{ status: number }>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await act()).status);
  return [...new Set(statuses)];
}

describe('the secondary limits', () => {
  test('80 contents a minute and 500 an hour for one actor; reads, labels and other actors go on', async () => {
    const clock = createClock();
    await withGitHub({ now: clock.now }, async (github) => {
      github.openIssue({ author: 'bob', title: 'x' });
      const token = github.issueToken(BOT);
      const comment = () => send(github, token, 'POST /issues/1/comments', { body: 'x' });
      expect(await times(80, comment)).toEqual([201]);
      expect(await comment()).toEqual({
        status: 403,
        message: expect.stringContaining('temporarily blocked from content creation'),
        retryAfter: '60',
        remaining: '920',
      });
      expect(github.snapshot().comments).toHaveLength(80);
      expect((await send(github, token, 'GET /issues/1')).status).toBe(200);
      expect((await send(github, token, 'POST /issues/1/labels', { labels: ['x'] })).status).toBe(200);
      expect((await send(github, github.issueToken('alice'), 'POST /issues/1/comments', { body: 'x' })).status).toBe(201);
      for (let minute = 1; minute <= 5; minute += 1) {
        clock.advance(60);
        expect(await times(80, comment)).toEqual([201]);
      }
      clock.advance(60);
      expect(await times(20, comment)).toEqual([201]);
      expect(await comment()).toMatchObject({ status: 403, retryAfter: String(3600 - 6 * 60) });
      clock.advance(3600 - 6 * 60);
      expect((await comment()).status).toBe(201);
    });
  });

  test('900 points a minute on one route: five for a write, one for a read', async () => {
    const clock = createClock();
    await withGitHub({ now: clock.now }, async (github) => {
      const token = github.issueToken('alice');
      const blob = () => send(github, token, 'POST /git/blobs', { content: 'x' });
      expect(await times(180, blob)).toEqual([201]);
      expect(await blob()).toMatchObject({
        status: 429,
        retryAfter: '60',
        message: expect.stringContaining('secondary rate limit'),
      });
      const read = () => send(github, token, 'GET ');
      expect(await times(900, read)).toEqual([200]);
      expect((await read()).status).toBe(429);
      clock.advance(60);
      expect([(await blob()).status, (await read()).status]).toEqual([201, 200]);
    });
  });

  test('no more than 100 requests at once, without a word of when to come again', () =>
    withGitHub({ limits: { concurrent: 3 } }, async (github) => {
      const token = github.issueToken(BOT);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => send(github, token, `PUT /contents/f${index}`, { message: 'x', content: '' })),
      );
      const refused = answers.filter(({ status }) => status === 403);
      expect([answers.length > refused.length, refused.length > 0]).toEqual([true, true]);
      expect(new Set(refused.map(({ message, retryAfter }) => `${retryAfter} ${message}`))).toEqual(
        new Set(['null You have exceeded a secondary rate limit. Please wait a few minutes before you try again.']),
      );
      expect((await send(github, token, 'GET ')).status).toBe(200);
    }));
});

describe('the primary limit', () => {
  test('1,000 requests an hour for a workflow’s token, 5,000 for others; REST answers 403 with nothing left, GraphQL 200 with an error', async () => {
    const clock = createClock();
    await withGitHub({ now: clock.now, limits: { requestsPerHour: 3 } }, async (github, repo) => {
      const token = github.issueToken(BOT);
      expect(await times(3, () => send(github, token, 'GET '))).toEqual([200]);
      expect(await send(github, token, 'GET ')).toEqual({
        status: 403,
        message: `API rate limit exceeded for ${BOT}.`,
        retryAfter: null,
        remaining: '0',
      });
      const client = clientWith(github, token);
      for (let index = 0; index < 3; index += 1) await client.graphql(QUERIES.Viewer);
      await expect(client.graphql(QUERIES.Viewer)).rejects.toMatchObject({
        errors: [{ type: 'RATE_LIMITED' }],
        headers: { 'x-ratelimit-resource': 'graphql' },
      });
      clock.advance(3600);
      expect((await client.rest.repos.get(repo)).headers['x-ratelimit-used']).toBe('1');
      expect(await client.graphql(QUERIES.Viewer)).toMatchObject({ viewer: { login: BOT } });
    });
    await withGitHub({}, async (github, repo) => {
      const limitOf = async (login: string) => (await clientFor(github, login).rest.repos.get(repo)).headers['x-ratelimit-limit'];
      expect([await limitOf(BOT), await limitOf('harness9[bot]')]).toEqual(['1000', '5000']);
    });
  });

  test('a conditional request that is answered 304 does not count', () =>
    withGitHub({}, async (github, repo) => {
      const client = clientFor(github);
      const first = await client.rest.repos.get(repo);
      const again = client.request('GET /repos/{owner}/{repo}', { ...repo, headers: { 'if-none-match': first.headers.etag } });
      await expect(again).rejects.toMatchObject({ status: 304, response: { headers: { 'x-ratelimit-used': '1' } } });
      expect((await client.rest.repos.get(repo)).headers['x-ratelimit-used']).toBe('2');
    }));
});
