// Messages answers: blocking and streaming agree, whatever the chunks are, and a cut is never taken for an answer.
import { describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import { fetchOf, inPieces, json, startByteServer } from '../byte-server.ts';
import { collect, contextOf, finalOf, hello, usageOf } from '../calling.ts';
import { failures, recordings } from './recordings.ts';

const options = { apiKey: 'sk-ant-test', env: {}, baseUrl: 'http://127.0.0.1:9' };

const lineEnds = ['\n', '\r\n'];

let bytes: readonly Uint8Array[] = [];
// One provider for the thousands of answers: an SDK client takes its time to build.
const provider = createAnthropicProvider('m', 4096, { ...options, fetch: (input, init) => fetchOf(bytes)(input, init) });

/** The provider, about to be answered with these chunks. */
function providerOf(chunks: readonly Uint8Array[]) {
  bytes = chunks;
  return provider;
}

describe.each(recordings)('$name', (recording) => {
  test('says the same blocking and streaming, over real connections, in one piece and in small ones', async () => {
    await using server = await startByteServer([
      json(recording.body),
      { chunks: [recording.stream] },
      { chunks: inPieces(recording.stream, 7) },
    ]);
    const connected = createAnthropicProvider('m', 4096, { ...options, baseUrl: server.url });
    const blocking = await connected.generate(hello, contextOf());
    const whole = await collect(connected);
    expect(whole.at(-1)).toEqual({ type: 'done', ...blocking });
    expect(await collect(connected)).toEqual(whole);
    expect(blocking.usage).toEqual(usageOf({ inputTokens: 100, outputTokens: 40, cacheReadTokens: 50, cacheWriteTokens: 30 }));
  });

  test.each(lineEnds)('is the same with %j at the end of lines, byte by byte and split at every byte', async (end) => {
    const expected = await collect(providerOf([Buffer.from(recording.stream)]));
    const text = recording.stream.replaceAll('\n', end);
    expect(await collect(providerOf(inPieces(text, 1)))).toEqual(expected);
    const whole = Buffer.from(text);
    for (let at = 1; at < whole.length; at += 1) {
      expect(await collect(providerOf([whole.subarray(0, at), whole.subarray(at)]))).toEqual(expected);
    }
  });

  test.each(lineEnds)('with %j, cut at any byte is the whole answer or a transport error, never another answer', async (end) => {
    const whole = Buffer.from(recording.stream.replaceAll('\n', end));
    const full = await finalOf(providerOf([whole]));
    const outcomes = { done: 0, error: 0 };
    for (let at = 0; at < whole.length; at += 1) {
      const last = await finalOf(providerOf([whole.subarray(0, at)]));
      if (last?.type === 'done') {
        outcomes.done += 1;
        expect(last).toEqual(full);
      } else {
        outcomes.error += 1;
        expect(last).toMatchObject({ type: 'error', error: { kind: 'transport', retryable: true } });
      }
    }
    expect(outcomes.done).toBeGreaterThan(20);
    expect(outcomes.error).toBeGreaterThan(200);
  });
});

test('the deltas of thinking and text come as they are written', async () => {
  const chunks = await collect(providerOf([Buffer.from(recordings[1]?.stream ?? '')]));
  expect(chunks.slice(0, -1)).toEqual([
    { type: 'thinking_delta', delta: 'I should ' },
    { type: 'thinking_delta', delta: 'look. ' },
    { type: 'text_delta', delta: 'Reading.' },
  ]);
});

test.each(failures)('$name: its own fault, or a transport error when it is cut', async ({ stream, kind }) => {
  const whole = Buffer.from(stream);
  const kinds = new Set<string>();
  for (let at = 0; at <= whole.length; at += 1) {
    const last = await finalOf(providerOf([whole.subarray(0, at)]));
    expect(last?.type).toBe('error');
    if (last?.type === 'error') kinds.add(last.error.kind);
  }
  expect(await finalOf(providerOf([whole]))).toMatchObject({ error: { kind } });
  expect([...kinds].toSorted()).toEqual([...new Set([kind, 'transport'])].toSorted());
});

test('what has begun says so, with the tokens that were told until then', async () => {
  const usage = usageOf({ inputTokens: 100, outputTokens: 1, cacheReadTokens: 50, cacheWriteTokens: 30 });
  const fault = async (at: number) => await finalOf(providerOf([Buffer.from(failures[at]?.stream ?? '')]));
  expect(await fault(0)).toMatchObject({ error: { hasBegun: true, usage } });
  expect(await fault(1)).not.toMatchObject({ error: { hasBegun: true } });
});
