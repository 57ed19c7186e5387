/** Who a request comes from and whether its token opens the route. Refuses with GitHub's words. */
import { readAppToken } from './apps.ts';
import { Refusal } from './http/reply.ts';
import type { Hub } from './hub.ts';
import type { Grant, Level, State } from './state.ts';

/** A permission of a token, e.g. `issues:write`. */
export type Need = `${string}:${Level}`;

/** What INTERFACE asks of a workflow's job. */
export const DEFAULT_PERMISSIONS: Readonly<Record<string, Level>> = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  actions: 'read',
  metadata: 'read',
};

const JSON_WEB_TOKEN_PARTS = 3;
const BASIC = /^basic (.+)$/i;
const BEARER = /^(?:bearer|token) (.+)$/i;

/** The grant behind an `Authorization` header: undefined without one, 401 for a token that nobody issued or that has ended. */
export function readGrant(hub: Pick<Hub, 'state' | 'now'>, header: string | undefined): Grant | undefined {
  if (header === undefined) return undefined;
  const basic = BASIC.exec(header)?.[1];
  const token = (basic === undefined ? BEARER.exec(header)?.[1] : passwordOf(basic))?.trim() ?? '';
  if (token.split('.').length === JSON_WEB_TOKEN_PARTS) return readAppToken(hub.state, token, hub.now());
  const grant = hub.state.grants.get(token);
  if (grant === undefined) throw new Refusal(401, 'Bad credentials');
  if (grant.expiresAt !== undefined && grant.expiresAt <= hub.now()) throw new Refusal(401, 'Bad credentials');
  return grant;
}

function passwordOf(basic: string): string {
  const pair = Buffer.from(basic, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}

/** Whether the token has one of these permissions; write includes read. */
export function hasOneOf(grant: Grant, needs: readonly Need[]): boolean {
  return needs.some((need) => {
    const [name = '', level] = need.split(':');
    const granted = grant.permissions[name];
    return granted === 'write' || (granted === 'read' && level === 'read');
  });
}

/** Refuses unless the token has one of these permissions. */
export function demandOneOf(state: State, grant: Grant | undefined, needs: readonly Need[]): void {
  if (grant === undefined) throw new Refusal(401, 'Requires authentication');
  if (!hasOneOf(grant, needs)) throw notAccessible(state, grant);
}

/** 403 as an app's or a person's token gets it. */
export function notAccessible(state: State, grant: Grant): Refusal {
  const isApp = state.accounts.get(grant.actor.toLowerCase())?.type === 'Bot';
  return new Refusal(403, `Resource not accessible by ${isApp ? 'integration' : 'personal access token'}`);
}

/** Applies a route's needs: anybody reads a public repository, and a private one does not exist for a stranger. */
export function authorize(state: State, method: string, grant: Grant | undefined, needs: readonly Need[]): void {
  const isRead = method === 'GET';
  if (grant === undefined && isRead && state.repository.isPrivate) throw new Refusal(404, 'Not Found');
  if (isRead && !state.repository.isPrivate) return;
  if (grant === undefined) throw new Refusal(401, 'Requires authentication');
  if (needs.length > 0) demandOneOf(state, grant, needs);
}
