// The example of .github/examples over real HTTP: what a client of the engine's events sees, and what a run sees of its clients.
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createSseHandler, type SseOptions } from '../../.github/examples/sse-server.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import type { LLMProvider } from '../../src/engine/ports.ts';
import { createScriptedProvider } from '../../src/provider/scripted/scripted-provider.ts';
import { textOf, textPart } from '../../src/schema/message.ts';
import type { EngineEvent } from '../../src/schema/run.ts';
import { echo, registryOf } from '../engine/ports.ts';
import { readEvents, type SentEvent } from './event-source.ts';

const json = { 'content-type': 'application/json' };
const twoTurns = {
  turns: [
    { text: 'Look:\nhere', calls: [{ name: 'echo', arguments: { n: 1 } }], usage: { inputTokens: 9, outputTokens: 3 } },
    { text: 'Done.' },
  ],
};

function engineOf(script: unknown, onEvent?: (event: EngineEvent) => void): Engine {
  return createEngine(createScriptedProvider(script), registryOf({ echo }), '/w', { onEvent });
}

async function serve(engine: Pick<Engine, 'runStream'>, options?: SseOptions) {
  const handle = createSseHandler(engine, options);
  const server = createServer((request, response) => void handle(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function post(url: string, prompt: string, signal?: AbortSignal): Promise<Response> {
  return fetch(url, { method: 'POST', headers: json, body: JSON.stringify({ prompt }), signal: signal ?? null });
}

/** A request over the agent's connection, so that one shows what the one before it left behind. */
async function ask(
  port: number,
  agent: Agent,
  { body, ...rest }: { method: string; headers?: Record<string, string>; body?: string },
) {
  const request = httpRequest({ host: '127.0.0.1', port, agent, ...rest });
  request.end(body);
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new Error('no answer');
  const { statusCode: status, headers } = response;
  const json = JSON.parse(Buffer.concat(await response.toArray()).toString());
  return { status, type: headers['content-type'], allow: headers.allow, isReused: request.reusedSocket, json };
}

async function eventsOf({ body }: Response): Promise<readonly SentEvent[]> {
  if (body === null) throw new Error('the answer has no body');
  const events: SentEvent[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

describe('events over HTTP [spec 9 SSE endpoint]', () => {
  test('are the events of the run, by name, in order, one line of JSON each, with done at the end', async () => {
    const seen: EngineEvent[] = [];
    await using server = await serve(engineOf(twoTurns, (event) => seen.push(event)));
    const response = await post(server.url, 'Go');
    const events = await eventsOf(response);
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream',
      'no-store',
    ]);
    expect(events).toEqual(
      seen.map((event, index) => ({ id: String(index + 1), event: event.type, data: JSON.stringify(event) })),
    );
    const names = events.map(({ event }) => event);
    expect(names.filter((name) => name !== 'token_update' && name !== 'action_delta')).toEqual([
      'tool_start',
      'tool_result',
      'done',
    ]);
    expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({ data: { stopReason: 'completed', finalMessage: 'Done.' } });
  });

  test('end in one error event when the run fails, since the answer has begun by then', async () => {
    const failing = { turns: [{ fault: { kind: 'auth', message: 'No.' } }] };
    await using server = await serve(engineOf(failing));
    const response = await post(server.url, 'Go');
    const events = await eventsOf(response);
    expect([response.status, events.filter(({ event }) => event === 'error' || event === 'done')]).toEqual([
      200,
      [events.at(-1)],
    ]);
    expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({
      type: 'error',
      data: { stopReason: 'error', error: { code: 'PROVIDER_AUTH' } },
    });
  });

  test('a client that leaves half-way cancels its run', async () => {
    const over = Promise.withResolvers<EngineEvent>();
    const script = { turns: [...twoTurns.turns.slice(0, 1), { delayMs: 600_000 }] };
    await using server = await serve(engineOf(script, (event) => event.type === 'done' && over.resolve(event)));
    const leaving = new AbortController();
    const { body } = await post(server.url, 'Go', leaving.signal);
    for await (const { event, data } of readEvents(body ?? new ReadableStream())) {
      if (event === 'token_update' && JSON.parse(data).turn === 2) break;
    }
    leaving.abort();
    expect(await over.promise).toMatchObject({ data: { stopReason: 'cancelled', turns: 2 } });
  });

  test('a stream that does not listen to the signal is left, too', async () => {
    const over = Promise.withResolvers<string>();
    const deaf = async function* (): AsyncGenerator<EngineEvent> {
      try {
        for (;;) yield { type: 'reset', turn: 1 };
      } finally {
        over.resolve('left');
      }
    };
    await using server = await serve({ runStream: deaf });
    await (await post(server.url, 'Go')).body?.cancel();
    expect(await over.promise).toBe('left');
  });

  test('two clients at once get their own run each', async () => {
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    // Answers only once both have asked: a server that takes one after the other would never come to an end.
    const answer = async (text: string) => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      await both.promise;
      return { message: { role: 'assistant' as const, content: [textPart(`You said ${text}.`)] }, usage: undefined };
    };
    const provider: LLMProvider = {
      generate: (request) => answer(textOf(request.messages.at(-1)?.content ?? [])),
      async *generateStream(request) {
        yield { type: 'done', ...(await answer(textOf(request.messages.at(-1)?.content ?? []))) };
      },
    };
    await using server = await serve(createEngine(provider, registryOf({}), '/w'));
    const runs = await Promise.all(['one', 'two'].map(async (prompt) => await eventsOf(await post(server.url, prompt))));
    expect(runs.map((events) => JSON.parse(events.at(-1)?.data ?? '').data.finalMessage)).toEqual([
      'You said one.',
      'You said two.',
    ]);
    expect(runs.map(([first]) => first?.id)).toEqual(['1', '1']);
  });

  test('a client that does not read holds the events back, and gets all of them when it does', async () => {
    const total = 2000;
    let pulled = 0;
    const flood = async function* (): AsyncGenerator<EngineEvent> {
      for (; pulled < total; pulled += 1) yield { type: 'action_delta', turn: 1, data: 'x'.repeat(50_000) };
    };
    await using server = await serve({ runStream: flood });
    const body = '{"prompt":"Go"}';
    const socket = connect(server.port, '127.0.0.1').pause();
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
    for (let before = -1, round = 0; round < 200 && (pulled === 0 || pulled !== before); round += 1) {
      before = pulled;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(pulled).toBeGreaterThan(0);
    expect(pulled).toBeLessThan(total / 2);
    let bytes = 0;
    for await (const chunk of socket) bytes += chunk.length;
    expect(pulled).toBe(total);
    expect(bytes).toBeGreaterThan(total * 50_000);
  });

  test('silence is filled with comments, which are no events', async () => {
    const spoken = Promise.withResolvers<void>();
    const slow = async function* (): AsyncGenerator<EngineEvent> {
      yield { type: 'reset', turn: 1 };
      await spoken.promise;
      yield { type: 'reset', turn: 2 };
    };
    await using server = await serve({ runStream: slow }, { heartbeatMs: 5 });
    const { body } = await post(server.url, 'Go');
    let text = '';
    for await (const bytes of body ?? new ReadableStream<Uint8Array>()) {
      text += Buffer.from(bytes).toString();
      if (text.split(': waiting\n\n').length > 3) spoken.resolve();
    }
    expect(text.replaceAll(': waiting\n\n', '')).toBe(
      'id: 1\nevent: reset\ndata: {"type":"reset","turn":1}\n\nid: 2\nevent: reset\ndata: {"type":"reset","turn":2}\n\n',
    );
  });
});

describe('what starts no run', () => {
  const neverRun: Pick<Engine, 'runStream'> = {
    runStream: () => {
      throw new Error('it ran, with the key sk-secret');
    },
  };

  test.each<[string, { method?: string; headers?: Record<string, string>; body?: string }, number, string]>([
    ['another method', { method: 'GET' }, 405, 'METHOD'],
    ['a web page', { headers: { ...json, origin: 'https://evil.example' }, body: '{"prompt":"x"}' }, 403, 'ORIGIN'],
    ['no content type', { body: '{"prompt":"x"}' }, 415, 'CONTENT_TYPE'],
    [
      'a form, as pages may send it unasked',
      { headers: { 'content-type': 'text/plain' }, body: '{"prompt":"x"}' },
      415,
      'CONTENT_TYPE',
    ],
    ['broken JSON', { headers: json, body: '{"prompt":' }, 400, 'JSON'],
    ['no body', { headers: json }, 400, 'JSON'],
    ['null', { headers: json, body: 'null' }, 400, 'PROMPT'],
    ['a list', { headers: json, body: '["x"]' }, 400, 'PROMPT'],
    ['no prompt', { headers: json, body: '{"text":"x"}' }, 400, 'PROMPT'],
    ['a prompt that is no text', { headers: json, body: '{"prompt":["x"]}' }, 400, 'PROMPT'],
    ['a blank prompt', { headers: json, body: '{"prompt":" \\n"}' }, 400, 'PROMPT'],
    ['a body that is too long', { headers: json, body: JSON.stringify({ prompt: 'x'.repeat(3_000_000) }) }, 413, 'BODY_SIZE'],
  ])(
    '%s is answered with its status and reason as JSON, and the connection is good for the next request',
    async (_, sent, status, code) => {
      await using server = await serve(neverRun, { maxBodyBytes: 1000 });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const first = await ask(server.port, agent, { method: 'POST', ...sent });
      const second = await ask(server.port, agent, { method: 'GET' });
      agent.destroy();
      expect(first).toEqual({
        status,
        type: 'application/json',
        allow: status === 405 ? 'POST' : undefined,
        isReused: false,
        json: { error: { code, message: expect.any(String) } },
      });
      expect([second.status, second.isReused]).toEqual([405, true]);
    },
  );

  test('a length of exactly the bound is taken; the type may say its charset', async () => {
    await using server = await serve(engineOf(twoTurns), { maxBodyBytes: 15 });
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await fetch(server.url, { method: 'POST', headers, body: '{"prompt":"Go"}' })).status).toBe(200);
    expect((await fetch(server.url, { method: 'POST', headers, body: '{"prompt":"Go!"}' })).status).toBe(413);
  });

  test('an engine that cannot start is a 500 that tells the client nothing and the owner everything', async () => {
    const told: unknown[] = [];
    await using server = await serve(neverRun, { onError: (error) => told.push(error) });
    const response = await post(server.url, 'Go');
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: { code: 'INTERNAL', message: 'The run could not be started.' } },
    ]);
    expect(told).toEqual([new Error('it ran, with the key sk-secret')]);
  });

  test('a client that leaves before its body is whole starts nothing and harms nobody', async () => {
    let runs = 0;
    const engine = engineOf(twoTurns);
    await using server = await serve({
      runStream: (...input) => {
        runs += 1;
        return engine.runStream(...input);
      },
    });
    const half = httpRequest(server.url, { method: 'POST', headers: { ...json, 'content-length': 100 } });
    half.on('error', () => {});
    await new Promise<void>((resolve) => half.write('{"prompt":', () => resolve()));
    half.destroy();
    expect((await eventsOf(await post(server.url, 'Go'))).at(-1)?.event).toBe('done');
    expect(runs).toBe(1);
  });
});
