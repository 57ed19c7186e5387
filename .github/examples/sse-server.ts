// Owns an example: the engine's events over HTTP as server-sent events. One POST is one run; who closes the connection cancels it.
//
//   npm run compile                                        makes lib/
//   OPENAI_API_KEY=… node .github/examples/sse-server.ts   prints the address, on loopback; PORT says which port
//   curl -N -H 'content-type: application/json' -d '{"prompt":"What is this repository?"}' http://127.0.0.1:4009/
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Engine } from '../../src/engine/engine.ts';
import type { EngineEvent } from '../../src/schema/run.ts';

export interface SseOptions {
  /** A comment after this much silence, so that proxies keep the connection. Default 15,000. */
  readonly heartbeatMs?: number;
  /** Of a request's body. Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Told what clients are not: why a run could not be started, or broke off. */
  readonly onError?: (error: unknown) => void;
}

/** Answers one request; never rejects. */
export type SseHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A request that starts no run, with the status that says why. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * A handler for node:http: `POST {"prompt": "…"}` → `text/event-stream`. An event's name is the engine's event type, its data the event as
 * one line of JSON, its id a count from 1; the last one is `done` or `error`. What goes wrong before the first event is a status and
 * `{"error": {code, message}}`. Who may ask is the business of whatever stands before it; web pages may not.
 */
export function createSseHandler(engine: Pick<Engine, 'runStream'>, options: SseOptions = {}): SseHandler {
  const { heartbeatMs = 15_000, maxBodyBytes = 1_048_576, onError = () => {} } = options;
  return async (request, response) => {
    const left = new AbortController();
    for (const end of ['close', 'error']) response.once(end, () => left.abort(new Error('The client has left.')));
    try {
      const prompt = parsePrompt(await readBody(request, maxBodyBytes));
      const events = engine.runStream(prompt, left.signal)[Symbol.asyncIterator]();
      // The engine throws before its first event or not at all: until then the answer may still be a status.
      const first = await events.next();
      await sendEvents({ first, events, response, heartbeatMs, signal: left.signal });
    } catch (error) {
      if (!(error instanceof Refusal) && !left.signal.aborted) onError(error);
      refuse(response, error);
      // A body that nobody reads to its end would keep the connection's next request waiting.
      request.resume();
    }
  };
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (request.method !== 'POST') throw new Refusal(405, 'METHOD', `${request.method} is not POST.`);
  // Browsers name the page on every POST: a page that somebody looks at must not start runs on this machine.
  if (request.headers.origin !== undefined) throw new Refusal(403, 'ORIGIN', 'Web pages may not start runs.');
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Refusal(415, 'CONTENT_TYPE', 'The content type is not application/json.');
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop must not destroy the request: the answer goes over the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Refusal(413, 'BODY_SIZE', `The body has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsePrompt(body: string): string {
  const value = parseJson(body);
  const prompt = typeof value === 'object' && value !== null && 'prompt' in value ? value.prompt : undefined;
  if (typeof prompt === 'string' && prompt.trim() !== '') return prompt;
  throw new Refusal(400, 'PROMPT', 'The body has no text "prompt".');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'JSON', 'The body is not JSON.');
  }
}

interface Sending {
  readonly first: IteratorResult<EngineEvent>;
  readonly events: AsyncIterator<EngineEvent>;
  readonly response: ServerResponse;
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
}

/** Sends every event, and the next one only when the one before has room; ends early when the client leaves. */
async function sendEvents({ first, events, response, heartbeatMs, signal }: Sending): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    // Of nginx: events that are collected first are no stream.
    'x-accel-buffering': 'no',
  });
  const heartbeat = setInterval(() => {
    if (!signal.aborted && !response.writableNeedDrain) response.write(': waiting\n\n');
  }, heartbeatMs);
  try {
    let id = 0;
    for (let step = first; step.done !== true && !signal.aborted; step = await events.next()) {
      id += 1;
      const hasRoom = response.write(`id: ${id}\nevent: ${step.value.type}\ndata: ${JSON.stringify(step.value)}\n\n`);
      heartbeat.refresh();
      if (!hasRoom) await once(response, 'drain', { signal });
    }
    response.end();
  } finally {
    clearInterval(heartbeat);
    // Leaving the engine's stream cancels a run that is not over, and waits until its history is saved.
    await events.return?.();
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    // Too late for a status: a connection that breaks is not taken for a whole answer.
    response.destroy();
    return;
  }
  const { status, code, message } =
    error instanceof Refusal ? error : { status: 500, code: 'INTERNAL', message: 'The run could not be started.' };
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 405 ? { allow: 'POST' } : {}),
  });
  response.end(JSON.stringify({ error: { code, message } }));
}

/** A server on loopback over an engine that may read this folder and nothing else. */
async function main(): Promise<void> {
  const lib = (file: string) => import(new URL(`../../lib/${file}`, import.meta.url).href);
  const { createEngine }: typeof import('../../src/engine/engine.ts') = await lib('engine/engine.js');
  const { createRegistry }: typeof import('../../src/tools/registry.ts') = await lib('tools/registry.js');
  const { createReadFileTool }: typeof import('../../src/tools/read-file.ts') = await lib('tools/read-file.js');
  const { createOpenAIProvider }: typeof import('../../src/provider/openai/openai-provider.ts') = await lib(
    'provider/openai/openai-provider.js',
  );
  const workDir = process.cwd();
  const registry = createRegistry();
  registry.register(createReadFileTool({ workDir }));
  const engine = createEngine(createOpenAIProvider(process.env.MODEL ?? 'gpt-4o'), registry, workDir);
  const handle = createSseHandler(engine, { onError: (error) => void process.stderr.write(`${String(error)}\n`) });
  const server = createServer((request, response) => void handle(request, response));
  server.listen(Number(process.env.PORT ?? 4009), '127.0.0.1');
  await once(server, 'listening');
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
}

if (import.meta.main) await main();
