// Every route by itself: closed to a token that has everything but what opens it, and open to one that has nothing else.
import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../../src/simulator/github/contract.ts';
import type { Route } from '../../../../src/simulator/github/http/router.ts';
import { restRoutes } from '../../../../src/simulator/github/rest/rest-routes.ts';
import type { Level } from '../../../../src/simulator/github/state.ts';
import { BOT, withGitHub } from '../world.ts';

const FAMILIES = ['actions', 'checks', 'contents', 'discussions', 'issues', 'metadata', 'pull_requests', 'statuses'] as const;
const guarded = restRoutes.filter(({ needs, template }) => needs.length > 0 && template.startsWith('/repos/'));

function openings(route: Route) {
  return route.needs.map((need) => ({ route, need }));
}

function nameOf({ method, template }: Route): string {
  return `${method} ${template}`;
}

// What opens the route, left out; write includes read, so a route to be read is closed by leaving the whole family out.
function withoutNeeds({ needs }: Route): Readonly<Record<string, Level>> {
  const closed = new Map(needs.map((need) => [need.split(':')[0], need.split(':')[1]]));
  const levels = FAMILIES.map((family): [string, Level | undefined] => {
    if (!closed.has(family)) return [family, 'write'];
    return [family, closed.get(family) === 'write' ? 'read' : undefined];
  });
  return Object.fromEntries(levels.filter((entry): entry is [string, Level] => entry[1] !== undefined));
}

/** A request with something in each place of the path; what is there is not asked for. */
async function statusOf(github: SimulatedGitHub, route: Route, permissions: Readonly<Record<string, Level>>) {
  const path = route.template
    .replace('{owner}', github.owner)
    .replace('{repo}', github.repo)
    .replaceAll(/\{\w+\}/g, '1');
  const answer = await fetch(`${github.apiUrl}${path}`, {
    method: route.method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${github.issueToken(BOT, permissions)}` },
    ...(route.method === 'GET' ? {} : { body: '{}' }),
  });
  const accepted = answer.headers.get('x-accepted-github-permissions');
  return { status: answer.status, accepted, text: await answer.text() };
}

describe('permissions', () => {
  test('there are routes of every family that the Action needs', () => {
    const families = new Set(guarded.flatMap(({ needs }) => needs.map((need) => need.split(':')[0])));
    expect([...families].sort()).toEqual(['actions', 'checks', 'contents', 'issues', 'pull_requests', 'statuses']);
    expect(guarded.length).toBeGreaterThan(80);
  });

  test('no route that changes something goes without', () => {
    const free = restRoutes.filter(
      ({ method, needs, template }) => method !== 'GET' && needs.length === 0 && template.startsWith('/repos/'),
    );
    expect(free.map(nameOf)).toEqual([]);
  });

  test('every route of a private repository is closed to a token with all but what opens it, and says what would', () =>
    withGitHub({ private: true, limits: { contentPerMinute: 1000 } }, async (github) => {
      const open: string[] = [];
      for (const route of guarded) {
        const { status, accepted, text } = await statusOf(github, route, withoutNeeds(route));
        const says = route.needs.map((need) => need.replace(':', '=')).join('; ');
        const isRefused = status === 403 && text.includes('Resource not accessible by integration') && accepted === says;
        if (!isRefused) open.push(`${nameOf(route)}: ${status}`);
      }
      expect(open).toEqual([]);
      expect(github.snapshot().comments).toEqual([]);
    }));

  test('each permission that is said to open a route opens it', () =>
    withGitHub({ private: true, limits: { contentPerMinute: 1000 } }, async (github) => {
      const closed: string[] = [];
      for (const { route, need } of guarded.flatMap(openings)) {
        const [family = '', level] = need.split(':');
        const { status } = await statusOf(github, route, { [family]: level === 'write' ? 'write' : 'read' });
        if (status === 403) closed.push(`${nameOf(route)} with ${need}`);
      }
      expect(closed).toEqual([]);
    }));

  test('what changes is closed on a public repository, too, to who has no token at all', () =>
    withGitHub({}, async (github) => {
      const open: string[] = [];
      for (const { method, template } of guarded.filter((route) => route.method !== 'GET')) {
        const path = template
          .replace('{owner}', github.owner)
          .replace('{repo}', github.repo)
          .replaceAll(/\{\w+\}/g, '1');
        const { status } = await fetch(`${github.apiUrl}${path}`, { method, body: '{}' });
        if (status !== 401) open.push(`${method} ${template}: ${status}`);
      }
      expect(open).toEqual([]);
    }));
});
