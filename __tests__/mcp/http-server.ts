// An MCP server over HTTP on loopback that is no library: sessions, answers as JSON or as events, and whatever a test makes of it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The message; undefined where there is none. */
  readonly body: Message | undefined;
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly requestId?: number;
  };
}

/** Answers a request in the server's place; false: the server answers. */
export type Override = (asked: Asked, response: ServerResponse) => boolean;

export interface HttpMcp extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Headers of all requests of a kind: `POST tools/call`, `GET`… */
  of(kind: string): readonly Asked[];
  /** All sessions so far are unknown from now on. */
  forget(): void;
}

export async function startHttpMcp(override: Override = () => false): Promise<HttpMcp> {
  const asked: Asked[] = [];
  const sessions = new Set<string>();
  let count = 0;
  const initialize = (id: unknown, response: ServerResponse): void => {
    count += 1;
    sessions.add(`session-${count}`);
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'http', version: '0' } };
    sendJson(response, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': `session-${count}` });
  };
  const answer = (entry: Asked, response: ServerResponse): void => {
    const session = String(entry.headers['mcp-session-id']);
    const id = entry.body?.id;
    if (entry.body?.method === 'initialize') initialize(id, response);
    else if (!sessions.has(session)) sendStatus(response, 404);
    else if (entry.method === 'GET') sendStatus(response, 405);
    else if (entry.method === 'DELETE') sendStatus(response, sessions.delete(session) ? 200 : 404);
    else if (id === undefined) sendStatus(response, 202);
    else sendJson(response, { jsonrpc: '2.0', id, result: resultOf(entry.body) });
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url = '', headers } = request;
      const entry = { method, url, headers, body: text === '' ? undefined : JSON.parse(text) };
      asked.push(entry);
      if (!override(entry, response)) answer(entry, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    asked,
    of: (kind) => asked.filter((entry) => kindOf(entry) === kind),
    forget: () => sessions.clear(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export function kindOf({ method, body }: Asked): string {
  return body === undefined ? method : `${method} ${body.method}`;
}

function resultOf(body: Message | undefined): unknown {
  if (body?.method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
  return { content: [{ type: 'text', text: JSON.stringify(body?.params?.arguments ?? null) }] };
}

/** The answer to a call, as a message. */
export function answerTo(asked: Asked, text: string): unknown {
  return { jsonrpc: '2.0', id: asked.body?.id, result: { content: [{ type: 'text', text }] } };
}

export function sendJson(response: ServerResponse, message: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(message));
}

export function sendStatus(
  response: ServerResponse,
  status: number,
  text = '',
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers });
  response.end(text);
}

/** Begins a stream of events. */
export function openEvents(response: ServerResponse): (message: unknown, id?: string) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  return (message, id) => {
    response.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${message === undefined ? '' : JSON.stringify(message)}\n\n`);
  };
}
