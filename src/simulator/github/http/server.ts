/** The one HTTP server: reads requests, injects faults, hands them to the part that answers, writes replies, keeps the journal. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Grant } from '../state.ts';
import type { Faults } from './faults.ts';
import type { Journal, RecordedRequest } from './journal.ts';
import { Refusal, type Reply } from './reply.ts';

/** A request with its body read. `path` is without the part's prefix and still percent-encoded. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly search: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** An answer with what the journal wants to know about it. */
export interface Answer {
  readonly reply: Reply;
  readonly route: string | null;
  readonly grant?: Grant | undefined;
  readonly body?: unknown;
}

/** A part of the service that answers for all paths under a prefix. The first that fits gets the request. */
export interface Part {
  readonly kind: RecordedRequest['kind'];
  readonly prefix: string;
  /** Taken off the path before the part and the journal see it. */
  readonly strip: string;
  answer(request: RawRequest): Promise<Answer>;
}

const LOOPBACK = '127.0.0.1';

/** Starts to listen on a free port of the loopback interface. */
export async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`a port was expected, not ${address}`);
  return { server, port: address.port };
}

/** Answers the server's requests from now on. */
export function serve(server: Server, parts: readonly Part[], world: { journal: Journal; faults: Faults }): void {
  server.on('request', (request, response) => {
    void answerRequest(request, response, parts, world).catch((error: unknown) => {
      // A handler broke: 500 keeps the client from waiting, and the text tells the test what happened.
      if (!response.headersSent) send(response, { status: 500, body: { message: String(error) } });
      else response.destroy();
    });
  });
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  parts: readonly Part[],
  world: { journal: Journal; faults: Faults },
): Promise<void> {
  const raw = await readRequest(request);
  const part = parts.find(({ prefix }) => raw.path.startsWith(prefix));
  if (part === undefined) throw new Error(`no part answers for ${raw.path}`);
  const path = raw.path.slice(part.strip.length);
  const complete = world.journal.begin({ kind: part.kind, method: raw.method, path, query: Object.fromEntries(raw.query) });
  const fault = world.faults.take(raw.method, path);
  const answer = fault === undefined || fault.isApplied ? await answerOrRefuse(part, { ...raw, path }) : { route: null };
  const reply = fault?.reply ?? answer.reply ?? { status: 500 };
  complete({
    route: answer.route,
    actor: answer.grant?.actor ?? null,
    body: answer.body,
    status: reply.status,
    responseBody: reply.body instanceof Uint8Array ? undefined : reply.body,
  });
  if (reply.status === 0) request.socket.destroy();
  else send(response, reply, raw.method === 'HEAD');
}

async function answerOrRefuse(part: Part, request: RawRequest): Promise<Partial<Answer> & { route: string | null }> {
  try {
    return await part.answer(request);
  } catch (error) {
    if (error instanceof Refusal) return { reply: error.reply, route: null };
    throw error;
  }
}

async function readRequest(request: IncomingMessage): Promise<RawRequest> {
  const { method = 'GET', headers, url = '/' } = request;
  const at = url.indexOf('?');
  const search = at < 0 ? '' : url.slice(at + 1);
  return {
    method,
    headers,
    path: at < 0 ? url : url.slice(0, at),
    search,
    query: new URLSearchParams(search),
    body: await buffer(request),
  };
}

function send(response: ServerResponse, reply: Reply, isHead = false): void {
  const { status, body, headers = {} } = reply;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
  const type = isRaw ? {} : { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...type, 'content-length': bytes.length, ...headers }).end(isHead ? undefined : bytes);
}
