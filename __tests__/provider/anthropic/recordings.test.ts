// Messages answers: blocking and streaming agree, whatever the chunks are, and a cut is never taken for an answer.
import { describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import { fetchOf, inPieces, json, startByteServer } from '../byte-server.ts';
import { collect, contextOf, finalOf, hello, usageOf } from '../calling.ts';
import { recordings } from './recordings.ts';

const options = { apiKey: 'sk-ant-test', env: {}, baseUrl: 'http://127.0.0.1:9' };

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

  test('is the same with CRLF and split at every byte', async () => {
    const expected = await collect(providerOf([Buffer.from(recording.stream)]));
    expect(await collect(providerOf(inPieces(recording.stream.replaceAll('\n', '\r\n'), 1)))).toEqual(expected);
    const whole = Buffer.from(recording.stream);
    for (let at = 1; at < whole.length; at += 1) {
      expect(await collect(providerOf([whole.subarray(0, at), whole.subarray(at)]))).toEqual(expected);
    }
  });

  test('cut at any byte is the whole answer or a transport error, never another answer', async () => {
    const whole = Buffer.from(recording.stream);
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
