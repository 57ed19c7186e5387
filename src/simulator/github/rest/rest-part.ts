/** The REST API as a part of the server: token, route, permissions, handler, conditional requests. */
import { createHash } from 'node:crypto';
import { authorize, readGrant } from '../auth.ts';
import type { Call } from '../http/call.ts';
import type { LimitedRequest, Limits } from '../http/limits.ts';
import { notFound, Refusal, type Reply } from '../http/reply.ts';
import { findRoute, type Match } from '../http/router.ts';
import type { Answer, Part, RawRequest } from '../http/server.ts';
import type { Hub } from '../hub.ts';
import { byName, redirectOf } from './moved.ts';
import { restRoutes } from './rest-routes.ts';

// What people are told about when it is written.
const CONTENT = /\/(?:issues|pulls|comments|replies|reviews)$/;

/** Changes run one after the other, as if each were one transaction; reads run at once. */
export function createRestPart(hub: Hub, limits: Limits): Part {
  let lastChange: Promise<unknown> = Promise.resolve();
  let requestCount = 0;
  const handle = (match: Match, call: Call): Promise<Reply> => {
    const run = async (): Promise<Reply> => match.route.handler(hub, call);
    if (call.method === 'GET') return run();
    const change = lastChange.then(run);
    lastChange = change.catch(() => undefined);
    return change;
  };
  const perform = async (request: RawRequest, match: Match, sent: Pick<Call, 'grant' | 'body'>): Promise<Reply> =>
    conditional(request, await handle(match, openCall(hub, request, match, sent)));
  const answer = async (asked: RawRequest): Promise<Answer> => {
    const request = byName(hub, asked);
    requestCount += 1;
    const match = findRoute(restRoutes, request.method, request.path);
    const known = { route: match?.route.template ?? null, body: undefined, grant: undefined };
    const common = { ...identifyingHeaders(requestCount), ...acceptedHeader(match) };
    let partial: Pick<Answer, 'grant' | 'body'> = {};
    let headers: Readonly<Record<string, string>> = common;
    try {
      const grant = readGrant(hub, request.headers.authorization);
      partial = { grant };
      const limited = describeRequest(request, match, grant?.actor ?? '');
      const refused = limits.take(limited);
      headers = { ...common, ...limits.headers(limited) };
      if (refused !== undefined) return { ...known, ...partial, reply: withHeaders(refused, headers) };
      const body = readBody(request);
      partial = { grant, body };
      if (match === undefined) throw notFound();
      const reply = await (redirectOf(hub, request) ?? perform(request, match, { grant, body }));
      // What has not changed is free for who says who it is.
      if (reply.status === 304 && grant !== undefined) limits.giveBack(limited);
      return { ...known, ...partial, reply: withHeaders(reply, { ...common, ...limits.headers(limited) }) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ...known, ...partial, reply: withHeaders(error.reply, headers) };
    }
  };
  return { kind: 'rest', prefix: '/api/', strip: '/api', answer: (request) => limits.run(() => answer(request)) };
}

function describeRequest(request: RawRequest, match: Match | undefined, actor: string): LimitedRequest {
  const route = `${request.method} ${match?.route.template ?? request.path}`;
  const isContent = request.method === 'POST' && CONTENT.test(route);
  return { actor, resource: 'core', route, isWrite: request.method !== 'GET', isContent };
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

function identifyingHeaders(count: number): Readonly<Record<string, string>> {
  const id = count.toString(16).toUpperCase().padStart(4, '0');
  return { 'x-github-request-id': id, 'x-github-media-type': 'github.v3; format=json' };
}

// What would have opened the route: clients show it beside a 403.
function acceptedHeader(match: Match | undefined): Readonly<Record<string, string>> {
  const needs = match?.route.needs ?? [];
  return needs.length === 0 ? {} : { 'x-accepted-github-permissions': needs.map((need) => need.replace(':', '=')).join('; ') };
}

function withHeaders(reply: Reply, headers: Readonly<Record<string, string>>): Reply {
  return { ...reply, headers: { ...headers, ...reply.headers } };
}
