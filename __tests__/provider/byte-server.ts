// A loopback HTTP server that answers with exactly the bytes and chunks it is given, and records what it was asked.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after the other, each in its own network write. */
  readonly chunks: readonly (string | Uint8Array)[];
  /** `reset` tears the connection down, `hang` leaves it open. Default: a clean close. */
  readonly end?: 'close' | 'reset' | 'hang';
}

/** A reply with `value` as JSON. */
export function json(value: unknown, status = 200): Reply {
  return { status, type: 'application/json', chunks: [JSON.stringify(value)] };
}

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  /** The body's bytes as text. */
  readonly text: string;
}

export interface ByteServer {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** For `await using`: a test that fails closes it too. Answers the n-th request with the n-th reply; the last one is repeated. */
export async function startByteServer(replies: readonly (Reply | ((request: RecordedRequest) => Reply))[]): Promise<ByteServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void readBody(incoming).then(async (text) => {
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const request = { path: incoming.url ?? '', headers: incoming.headers, body, text };
      requests.push(request);
      const reply = replies[Math.min(requests.length, replies.length) - 1];
      await write(outgoing, typeof reply === 'function' ? reply(request) : reply);
    });
  });
  const url = await listen(server);
  return { url, requests, [Symbol.asyncDispose]: () => closeServer(server) };
}

/** A text, cut into pieces of `size` bytes. */
export function inPieces(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

/** A fetch that answers with these chunks and no network: for the thousands of cuts that a server would be slow for. */
export function fetchOf(chunks: readonly Uint8Array[]): typeof globalThis.fetch {
  return async () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const chunk of chunks) {
            controller.enqueue(chunk);
          }
          controller.close();
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
}

/** Opens a server on loopback, on any port; resolves with its URL. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** The body of a request, as text. */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function write(outgoing: ServerResponse, reply: Reply | undefined): Promise<void> {
  outgoing.writeHead(reply?.status ?? 200, { 'content-type': reply?.type ?? 'text/event-stream', ...reply?.headers });
  for (const chunk of reply?.chunks ?? []) {
    await new Promise<void>((resolve) => outgoing.write(chunk, () => resolve()));
  }
  if (reply?.end === 'reset') {
    outgoing.destroy();
  } else if (reply?.end !== 'hang') {
    outgoing.end();
  }
}

/** Ends a server and what is still connected to it. */
export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
