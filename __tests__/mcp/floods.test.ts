// Servers that say or ask something without end: what they can make us keep in memory is bounded.
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { boundBody } from '../../src/mcp/bound-body.ts';
import { loadSdk } from '../../src/mcp/sdk.ts';
import { StdioTransport } from '../../src/mcp/stdio-transport.ts';
import type { RunningProcess } from '../../src/schema/running-process.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { answerTo, openEvents, startHttpMcp } from './http-server.ts';
import { startScene } from './scene.ts';

const megabyte = 1024 * 1024;

/** A process that reads nothing, and what was written to it. */
function deafProcess() {
  const written: number[] = [];
  const ended = Promise.withResolvers<void>();
  const process: RunningProcess = {
    stdin: new Writable({ write: (chunk: Buffer) => void written.push(chunk.length) }),
    stdout: new Readable({ read: () => {} }),
    stderr: new Readable({ read: () => {} }),
    end: ended.promise.then(() => ({ kind: 'signal', signal: 'SIGTERM' })),
    kill: () => {
      process.stdout.push(null);
      process.stderr.push(null);
      ended.resolve();
    },
  };
  return { process, written };
}

async function startDeaf() {
  const { JSONRPCMessageSchema: schema } = await loadSdk();
  const { process, written } = deafProcess();
  const transport = new StdioTransport({ start: () => process, schema, clock: systemClock, log: () => {} });
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  return { transport, closed, written, process };
}

describe('a process that asks and does not read the answers', () => {
  test.each([
    ['many small ones', '', 50_000, megabyte],
    ['some large ones', 'x'.repeat(megabyte), 30, 17 * megabyte],
  ])('is given up (%s)', async (_name, id, count, mostBytes) => {
    const { transport, closed, process } = await startDeaf();
    for (let index = 0; index < count; index += 1) {
      void transport.send({ jsonrpc: '2.0', id: `${id}${index}`, result: {} });
    }
    await closed;
    expect(transport.ended).toBe('it does not read its input');
    expect(process.stdin.writableLength).toBeLessThan(mostBytes);
  });

  test('is not, while it reads', async () => {
    const { transport, process } = await startDeaf();
    const reading = new Writable({ write: (_chunk, _encoding, done) => setImmediate(done) });
    Object.assign(process, { stdin: reading });
    for (let index = 0; index < 30; index += 1) await transport.send({ jsonrpc: '2.0', id: 'x'.repeat(megabyte), result: {} });
    expect(transport.ended).toBeUndefined();
  });
});

test('a server over HTTP that asks without end and takes no answer has a hundred of them on their way', async () => {
  const left = Promise.withResolvers<void>();
  await using server = await startHttpMcp((asked, response) => {
    // An answer of ours: it is taken and never said to be.
    if (asked.method === 'POST' && asked.body?.method === undefined) return true;
    if (asked.body?.method !== 'tools/call') return false;
    const send = openEvents(response);
    for (let index = 0; index < 1_000; index += 1) send({ jsonrpc: '2.0', id: `p${index}`, method: 'ping' });
    void left.promise.then(() => {
      send(answerTo(asked, 'done'));
      response.end();
    });
    return true;
  });
  await using scene = await startScene({ s: { url: server.url } });
  const call = scene.call('mcp__s__echo');
  const answers = () => server.asked.filter(({ method, body }) => method === 'POST' && body?.method === undefined).length;
  const isRefused = () => scene.log.some((line) => line.includes('does not take 100 answers'));
  for (let tries = 0; tries < 500 && (answers() < 100 || !isRefused()); tries += 1) await delay(5);
  left.resolve();
  expect((await call).text).toBe('done');
  expect(answers()).toBe(100);
});

describe('a stream of events', () => {
  const encoder = new TextEncoder();
  /** Reads all of a stream that has these chunks; why it broke off, or how much there was. */
  async function read(chunks: Iterable<string>): Promise<string | number> {
    const iterator = Iterator.from(chunks);
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const { done, value } = iterator.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    });
    const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    let why: string | undefined;
    const bound = boundBody(response, { onEnd: () => {}, onTooLong: (told) => (why = told) });
    let size = 0;
    try {
      for await (const chunk of bound.body ?? []) size += chunk.length;
    } catch {
      return why ?? 'broken';
    }
    return size;
  }

  test.each(['data: x\n', 'data: x\r\n', 'data: x\r', 'x'])('of one event without end (lines of %j) breaks off', async (line) => {
    const block = line.repeat(100_000);
    const chunks = Array.from({ length: Math.ceil((17 * megabyte) / block.length) }, () => block);
    expect(await read(chunks)).toBe('the server sent an answer of more than 16 MB');
  });

  test.each(['\n\n', '\r\n\r\n', '\r\r'])('goes on for ever as long as events end (by %j), wherever it is torn', async (end) => {
    for (let cut = 0; cut <= end.length; cut += 1) {
      const chunk = `${end.slice(cut)}data: ${'x'.repeat(megabyte)}${end.slice(0, cut)}`;
      expect(await read(Array.from({ length: 18 }, () => chunk))).toBe(18 * chunk.length);
    }
  });
});
