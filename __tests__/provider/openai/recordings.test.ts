// Chat Completions answers: blocking and streaming agree, whatever the chunks are, and a cut is never taken for an answer.
import { describe, expect, test } from '@jest/globals';
import { parseConnection } from '../../../src/provider/connection.ts';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import { readResponse } from '../../../src/provider/openai/read-response.ts';
import { readStream } from '../../../src/provider/openai/read-stream.ts';
import { createWireProvider } from '../../../src/provider/wire-provider.ts';
import type { StreamChunk } from '../../../src/schema/stream.ts';
import { fetchOf, inPieces, json, startByteServer } from '../byte-server.ts';
import { collect, contextOf, finalOf, hello, usageOf } from '../calling.ts';
import { recordings, sse } from './recordings.ts';
import { serverRecordings } from './server-recordings.ts';

const options = { apiKey: 'sk-test', env: {}, baseUrl: 'http://127.0.0.1:9/v1' };

let bytes: readonly Uint8Array[] = [];
/** Without the SDK, which takes its time: it has no part in reading an answer. */
const provider = createWireProvider({
  connection: parseConnection(
    { provider: 'openai', keyVariable: 'K', urlVariable: 'U', defaultBaseUrl: options.baseUrl, endings: [] },
    'm',
    options,
  ),
  send: () => fetchOf(bytes)(options.baseUrl),
  readResponse,
  readStream,
  alwaysStreams: false,
});

/** The provider, about to be answered with these chunks. */
function providerOf(chunks: readonly Uint8Array[]) {
  bytes = chunks;
  return provider;
}

/** The same bytes as servers end their lines. */
const lineEnds = ['\n', '\r\n'].map((end) => [JSON.stringify(end), (text: string) => text.replaceAll('\n', end)] as const);

/** A whole answer but for its usage, which comes last and may have been cut off. */
function withoutUsage(chunk: StreamChunk | undefined) {
  if (chunk?.type !== 'done') return undefined;
  const { usage: _usage, ...message } = chunk.message;
  return { ...chunk, usage: undefined, message };
}

describe.each([...recordings, ...serverRecordings])('$name', (recording) => {
  test('says the same blocking and streaming, over real connections, in one piece and byte by byte (G2-15, G2-27)', async () => {
    await using server = await startByteServer([
      json(recording.body),
      { chunks: [recording.stream] },
      { chunks: inPieces(recording.stream, 7) },
    ]);
    const connected = createOpenAIProvider('m', { ...options, baseUrl: `${server.url}/v1` });
    const blocking = await connected.generate(hello, contextOf());
    const whole = await collect(connected);
    const pieces = await collect(connected);
    expect(whole.at(-1)).toEqual({ type: 'done', ...blocking });
    expect(pieces).toEqual(whole);
    expect(blocking.usage).toEqual(usageOf(recording.usage));
    expect(blocking.message.usage).toEqual(blocking.usage);
  });

  test.each(lineEnds)('is the same with line ends %s, byte by byte and split in two at every byte (G2-27)', async (_, form) => {
    const expected = await collect(providerOf([Buffer.from(recording.stream)]));
    expect(expected.at(-1)?.type).toBe('done');
    const whole = Buffer.from(form(recording.stream));
    expect(await collect(providerOf(inPieces(form(recording.stream), 1)))).toEqual(expected);
    for (let at = 1; at < whole.length; at += 1) {
      expect(await collect(providerOf([whole.subarray(0, at), whole.subarray(at)]))).toEqual(expected);
    }
  });

  test('is the same without a space after the colon (G2-27)', async () => {
    const expected = await collect(providerOf([Buffer.from(recording.stream)]));
    expect(await collect(providerOf(inPieces(recording.stream.replaceAll('data: ', 'data:'), 5)))).toEqual(expected);
  });

  test.each(lineEnds)(
    'cut at any byte, with line ends %s, it is the whole answer or a transport error, never another answer (G2-24, G2-25)',
    async (_, form) => {
      const whole = Buffer.from(form(recording.stream));
      const full = await finalOf(providerOf([whole]));
      // Usage may be missing only where the event that has it was cut off.
      const usageEnd = Buffer.from(form(recording.stream).slice(0, form(recording.stream).lastIndexOf('"usage":{'))).length;
      const outcomes = { done: 0, transport: 0 };
      for (let at = 0; at < whole.length; at += 1) {
        const last = await finalOf(providerOf([whole.subarray(0, at)]));
        if (last?.type === 'done') {
          outcomes.done += 1;
          expect(withoutUsage(last)).toEqual(withoutUsage(full));
          if (last.usage === undefined) expect(at).toBeLessThan(whole.indexOf('\n', usageEnd));
          else expect(last).toEqual(full);
        } else {
          outcomes.transport += 1;
          expect(last).toMatchObject({ type: 'error', error: { kind: 'transport', retryable: true } });
        }
      }
      expect(outcomes.done).toBeGreaterThan(10);
      expect(outcomes.transport).toBeGreaterThan(200);
    },
  );
});

test('keep-alive comments, empty events and events of other names change nothing (G2-26)', async () => {
  const stream = recordings[0]?.stream ?? '';
  const noisy = stream.replaceAll('\n\n', '\n\n: OPENROUTER PROCESSING\n\nevent: ping\n\ndata:\n\ndata: \n\n');
  expect(await collect(providerOf([Buffer.from(noisy)]))).toEqual(await collect(providerOf([Buffer.from(stream)])));
});

test.each(['\n', '\r\n', '\r'])(
  'JSON over two data lines and a last event without its blank line are read, line end %j (G2-27)',
  async (lineEnd) => {
    const lines = [
      'data: {"choices":[{"delta":{"content":"hi"},',
      'data: "finish_reason":null}]}',
      '',
      'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
    ];
    expect(await finalOf(providerOf(inPieces(lines.join(lineEnd), 1)))).toMatchObject({
      type: 'done',
      message: { content: [{ type: 'text', text: 'hi' }], finishReason: 'stop' },
    });
  },
);

test('keep-alives alone do not count as progress: the stream times out (G2-26)', async () => {
  await using server = await startByteServer([{ chunks: [': ping\n\n', ': ping\n\n'], end: 'hang' }]);
  const provider = createOpenAIProvider('m', { ...options, baseUrl: server.url, idleTimeoutMs: 50 });
  const last = await finalOf(provider);
  expect(last).toMatchObject({ type: 'error', error: { kind: 'timeout', retryable: true } });
});

test('a connection that is reset in the middle is a transport error in both modes (G2-24)', async () => {
  const half = recordings[1]?.stream.slice(0, 300) ?? '';
  await using server = await startByteServer([
    { chunks: [half], end: 'reset' },
    { type: 'application/json', chunks: ['{"choices":'], end: 'reset' },
  ]);
  const provider = createOpenAIProvider('m', { ...options, baseUrl: server.url });
  const last = await finalOf(provider);
  const blocking = provider.generate(hello, contextOf());
  await expect(blocking).rejects.toMatchObject({ fault: { kind: 'transport', retryable: true } });
  expect(last).toMatchObject({ type: 'error', error: { kind: 'transport', retryable: true } });
});

const begun = sse([{ choices: [{ index: 0, delta: { content: 'So far' }, finish_reason: null }] }]).replace(
  'data: [DONE]\n\n',
  '',
);

test.each([
  ['error: {"code":500,"message":"oops","type":"server_error"}\n\ndata: [DONE]\n\n'],
  ['data: {"object":"error","message":"oops","type":"InternalServerError","code":500}\n\ndata: [DONE]\n\n'],
  ['data: {"error":{"message":"oops","code":502},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n'],
  ['event: error\ndata: {"error":{"message":"oops","type":"server_error"}}\n\n'],
])('a stream that fails, cut at any byte and in any form, is never an answer: %j (G2-10, G2-24)', async (failure) => {
  for (const form of lineEnds.map(([, end]) => end(begun + failure))) {
    const whole = Buffer.from(form);
    for (let at = 0; at <= whole.length; at += 1) {
      const ends = [
        await finalOf(providerOf([whole.subarray(0, at)])),
        await finalOf(providerOf([whole.subarray(0, at), whole.subarray(at)])),
      ];
      expect(ends).toMatchObject([
        { type: 'error', error: { retryable: true } },
        { type: 'error', error: { kind: 'overloaded', retryable: true } },
      ]);
    }
  }
});
