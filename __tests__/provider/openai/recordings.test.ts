// Chat Completions answers: blocking and streaming agree, whatever the chunks are, and a cut is never taken for an answer. Other line ends: sse.test.ts.
import { describe, expect, test } from '@jest/globals';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import { readResponse } from '../../../src/provider/openai/read-response.ts';
import { readStream } from '../../../src/provider/openai/read-stream.ts';
import type { StreamChunk } from '../../../src/schema/stream.ts';
import { endsWhenCut, heardInPieces, hearWith } from '../byte-cuts.ts';
import { inPieces, json, startByteServer } from '../byte-server.ts';
import { collect, contextOf, finalOf, hello, usageOf } from '../calling.ts';
import { recordings, sse } from './recordings.ts';
import { serverRecordings } from './server-recordings.ts';

const options = { apiKey: 'sk-test', env: {} };

const hear = hearWith({ readResponse, readStream });
const heardWhole = async (text: string) => await hear([Buffer.from(text)]);

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

  test('is the same byte by byte and split in two at every byte (G2-27)', async () => {
    const expected = await heardWhole(recording.stream);
    expect(expected.at(-1)?.type).toBe('done');
    expect(await heardInPieces(hear, recording.stream)).toEqual(new Set([JSON.stringify(expected)]));
  });

  test('is the same without a space after the colon (G2-27)', async () => {
    const text = recording.stream.replaceAll('data: ', 'data:');
    expect(await hear(inPieces(text, 5))).toEqual(await heardWhole(recording.stream));
  });

  test('cut at any byte it is the whole answer or a transport error, never another answer (G2-24, G2-25)', async () => {
    const text = recording.stream;
    const full = (await heardWhole(text)).at(-1);
    const ends = await endsWhenCut(hear, text);
    // Usage may be missing only where the event that has it was cut off.
    const usageAt = Buffer.from(text.slice(0, text.lastIndexOf('"usage":{'))).length;
    const usageEnd = Buffer.from(text).indexOf('\n', usageAt);
    const [done, failed] = [ends.filter((last) => last?.type === 'done'), ends.filter((last) => last?.type !== 'done')];
    expect(new Set(done.map((last) => JSON.stringify(withoutUsage(last))))).toEqual(
      new Set([JSON.stringify(withoutUsage(full))]),
    );
    const isWrong = (last: StreamChunk | undefined, at: number) =>
      last?.type === 'done' && (last.usage === undefined ? at >= usageEnd : JSON.stringify(last) !== JSON.stringify(full));
    expect(ends.flatMap((last, at) => (isWrong(last, at) ? [at] : []))).toEqual([]);
    for (const last of failed) expect(last).toMatchObject({ type: 'error', error: { kind: 'transport', retryable: true } });
    expect(done.length).toBeGreaterThan(10);
    expect(failed.length).toBeGreaterThan(200);
  });
});

test('keep-alive comments, empty events and events of other names change nothing (G2-26)', async () => {
  const stream = recordings[0]?.stream ?? '';
  const noisy = stream.replaceAll('\n\n', '\n\n: OPENROUTER PROCESSING\n\nevent: ping\n\ndata:\n\ndata: \n\n');
  expect(await heardWhole(noisy)).toEqual(await heardWhole(stream));
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
    expect((await hear(inPieces(lines.join(lineEnd), 1))).at(-1)).toMatchObject({
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
])('a stream that fails, cut at any byte, is never an answer: %j (G2-10, G2-24)', async (failure) => {
  const text = begun + failure;
  const whole = { type: 'error', error: { kind: 'overloaded', retryable: true } };
  expect((await heardWhole(text)).at(-1)).toMatchObject(whole);
  for (const last of await endsWhenCut(hear, text)) expect(last).toMatchObject({ type: 'error', error: { retryable: true } });
  const heard = [...(await heardInPieces(hear, text))].map((json): readonly StreamChunk[] => JSON.parse(json));
  expect(heard.map((chunks) => chunks.at(-1))).toMatchObject([whole]);
});
