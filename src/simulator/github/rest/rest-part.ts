/** The REST API as a part of the server: token, route, permissions, handler, conditional requests. */
import { createHash } from 'node:crypto';
import { authorize, readGrant } from '../auth.ts';
import type { Call } from '../http/call.ts';
import { notFound, Refusal, type Reply } from '../http/reply.ts';
import { findRoute, type Match } from '../http/router.ts';
import type { Answer, Part, RawRequest } from '../http/server.ts';
import type { Hub } from '../hub.ts';
import { restRoutes } from './rest-routes.ts';

const LIMIT_PER_HOUR = 5000;

/** Changes run one after the other, as if each were one transaction; reads run at once. */
export function createRestPart(hub: Hub): Part {
  let lastChange: Promise<unknown> = Promise.resolve();
  let requestCount = 0;
  const handle = (match: Match, call: Call): Promise<Reply> => {
    const run = async (): Promise<Reply> => match.route.handler(hub, call);
    if (call.method === 'GET') return run();
    const change = lastChange.then(run);
    lastChange = change.catch(() => undefined);
    return change;
  };
  const answer = async (request: RawRequest): Promise<Answer> => {
    requestCount += 1;
    const match = findRoute(restRoutes, request.method, request.path);
    const known = { route: match?.route.template ?? null, body: undefined, grant: undefined };
    const headers = { ...limitHeaders(hub, requestCount), ...acceptedHeader(match) };
    let partial: Pick<Answer, 'grant' | 'body'> = {};
    try {
      const grant = readGrant(hub, request.headers.authorization);
      partial = { grant };
      const body = readBody(request);
      partial = { grant, body };
      if (match === undefined) throw notFound();
      const reply = await handle(match, openCall(hub, request, match, { grant, body }));
      return { ...known, ...partial, reply: withHeaders(conditional(request, reply), headers) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ...known, ...partial, reply: withHeaders(error.reply, headers) };
    }
  };
  return { kind: 'rest', prefix: '/api/', strip: '/api', answer };
}

function openCall(hub: Hub, request: RawRequest, match: Match, sent: Pick<Call, 'grant' | 'body'>): Call {
  const { owner, repo } = match.params;
  const { repository } = hub.state;
  const isOurs = owner?.toLowerCase() === repository.owner.toLowerCase() && repo?.toLowerCase() === repository.name.toLowerCase();
  if (owner !== undefined && !isOurs) throw notFound();
  if (owner !== undefined) authorize(hub.state, request.method, sent.grant, match.route.needs);
  const { method, path, query } = request;
  return { method, path, query, params: match.params, accept: request.headers.accept ?? '', ...sent };
}

function readBody(request: RawRequest): unknown {
  if (request.body.length === 0) return undefined;
  try {
    return JSON.parse(request.body.toString());
  } catch {
    throw new Refusal(400, 'Problems parsing JSON');
  }
}

// A client that has the newest answer gets 304 without a body, as GitHub does it.
function conditional(request: RawRequest, reply: Reply): Reply {
  if (request.method !== 'GET' || reply.status !== 200) return reply;
  const bytes = reply.body instanceof Uint8Array || typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  const etag = `W/"${createHash('sha256').update(bytes).digest('hex')}"`;
  if (request.headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
  return withHeaders(reply, { etag });
}

function limitHeaders(hub: Hub, used: number): Readonly<Record<string, string>> {
  return {
    'x-github-request-id': used.toString(16).toUpperCase().padStart(4, '0'),
    'x-github-media-type': 'github.v3; format=json',
    'x-ratelimit-limit': String(LIMIT_PER_HOUR),
    'x-ratelimit-remaining': String(Math.max(LIMIT_PER_HOUR - used, 0)),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(Math.floor(Date.parse(hub.now()) / 1000) + 3600),
    'x-ratelimit-resource': 'core',
  };
}

// What would have opened the route: clients show it beside a 403.
function acceptedHeader(match: Match | undefined): Readonly<Record<string, string>> {
  const needs = match?.route.needs ?? [];
  return needs.length === 0 ? {} : { 'x-accepted-github-permissions': needs.map((need) => need.replace(':', '=')).join('; ') };
}

function withHeaders(reply: Reply, headers: Readonly<Record<string, string>>): Reply {
  return { ...reply, headers: { ...headers, ...reply.headers } };
}
