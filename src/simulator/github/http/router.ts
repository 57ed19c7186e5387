/** Finds the route of a request. Routes are data: a template as GitHub's documentation writes it, what it needs, a handler. */

import type { Need } from '../auth.ts';
import type { Hub } from '../hub.ts';
import type { Call } from './call.ts';
import type { Reply } from './reply.ts';

export type Handler = (hub: Hub, call: Call) => Reply | Promise<Reply>;

export interface Route {
  readonly method: string;
  /** e.g. `/repos/{owner}/{repo}/issues/{issue_number}`. */
  readonly template: string;
  /** Any one of these permissions opens the route; none: any valid token. */
  readonly needs: readonly Need[];
  readonly handler: Handler;
  readonly segments: readonly string[];
}

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

// These parameters may hold slashes, and clients send them both encoded and plain.
const OPEN_ENDED = new Set(['{ref}', '{path}', '{branch}', '{basehead}']);

/** Declares a route, e.g. `route('POST /repos/{owner}/{repo}/issues', ['issues:write'], createIssue)`. */
export function route(line: string, needs: readonly Need[], handler: Handler): Route {
  const [method = '', template = ''] = line.split(' ');
  return { method, template, needs, handler, segments: template.split('/').slice(1) };
}

/** The route for a method and a path that is still percent-encoded. Routes with fixed words go before those with parameters. */
export function findRoute(routes: readonly Route[], method: string, path: string): Match | undefined {
  const parts = path.replace(/\/$/, '').split('/').slice(1);
  const matches = routes.flatMap((candidate) => {
    const params = candidate.method === method ? matchSegments(candidate.segments, parts) : undefined;
    return params === undefined ? [] : [{ route: candidate, params }];
  });
  const fixedWords = (match: Match): number => match.route.segments.filter((segment) => !isParameter(segment)).length;
  return matches.sort((left, right) => fixedWords(right) - fixedWords(left))[0];
}

function matchSegments(segments: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  const isOpenEnded = OPEN_ENDED.has(segments.at(-1) ?? '');
  if (parts.length < segments.length || (parts.length > segments.length && !isOpenEnded)) return undefined;
  const last = segments.length - 1;
  const values = [...parts.slice(0, last), parts.slice(last).join('/')];
  const isMatch = segments.every((segment, index) => (isParameter(segment) ? values[index] !== '' : segment === values[index]));
  if (!isMatch) return undefined;
  const pairs = segments.map(
    (segment, index) => [segment.slice(1, -1), decode(values[index] ?? ''), isParameter(segment)] as const,
  );
  return Object.fromEntries(pairs.filter(([, , isWanted]) => isWanted));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
