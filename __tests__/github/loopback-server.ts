// A tiny HTTP server for tests of the port: answers from a list or a function, and keeps what it was asked.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}
/** `cut`: the connection is closed after half of the body, or at once when there is none. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly cut?: boolean;
  readonly hang?: boolean;
}

export async function startLoopback(answer: (asked: Asked, count: number) => Reply) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const { method = '', url = '', headers } = request;
      const entry = { method, url, headers, body: raw ? JSON.parse(raw) : undefined };
      asked.push(entry);
      send(answer(entry, asked.length), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url, asked, [Symbol.asyncDispose]: close };
}

function send(reply: Reply, response: ServerResponse): void {
  if (reply.hang) return;
  if (reply.cut && reply.json === undefined) {
    response.socket?.destroy();
    return;
  }
  const body = reply.text ?? JSON.stringify(reply.json ?? {});
  const type = reply.text === undefined ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
  const length = Buffer.byteLength(body);
  response.writeHead(reply.status ?? 200, { 'content-type': type, 'content-length': length, ...reply.headers });
  if (reply.cut) response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
  else response.end(body);
}

/** A clock that stands still but for its sleeps, which it counts. */
export function countingClock(start = '2026-01-02T03:04:05.000Z') {
  const slept: number[] = [];
  const passed = () => slept.reduce((sum, ms) => sum + ms, 0);
  return {
    slept,
    now: () => new Date(Date.parse(start) + passed()),
    monotonicMs: passed,
    sleep: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      slept.push(ms);
    },
  };
}
