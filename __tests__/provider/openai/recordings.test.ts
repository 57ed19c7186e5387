// Chat Completions answers: blocking and streaming agree, whatever the chunks are, and a cut is never taken for an answer.
import { describe, expect, test } from '@jest/globals';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import { fetchOf, inPieces, json, startByteServer } from '../byte-server.ts';
import { collect, contextOf, finalOf, hello, usageOf } from '../calling.ts';
import { recordings } from './recordings.ts';

const options = { apiKey: 'sk-test', env: {}, baseUrl: 'http://127.0.0.1:9/v1' };

let bytes: readonly Uint8Array[] = [];
// One provider for the thousands of answers: an SDK client takes its time to build.
const provider = createOpenAIProvider('m', { ...options, fetch: (input, init) => fetchOf(bytes)(input, init) });

/** The provider, about to be answered with these chunks. */
function providerOf(chunks: readonly Uint8Array[]) {
  bytes = chunks;
  return provider;
}

describe.each(recordings)('$name', (recording) => {
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
    expect(blocking.usage).toEqual(usageOf({ inputTokens: 120, outputTokens: 30, cacheReadTokens: 64, reasoningTokens: 8 }));
    expect(blocking.message.usage).toEqual(blocking.usage);
  });

  test('is the same with CRLF, without a space after the colon, and split at every byte (G2-27)', async () => {
    const expected = await collect(providerOf([Buffer.from(recording.stream)]));
    const forms = [recording.stream, recording.stream.replaceAll('\n', '\r\n'), recording.stream.replaceAll('data: ', 'data:')];
    for (const form of forms) {
      expect(await collect(providerOf(inPieces(form, 1)))).toEqual(expected);
    }
    const whole = Buffer.from(recording.stream);
    for (let at = 1; at < whole.length; at += 1) {
      expect(await collect(providerOf([whole.subarray(0, at), whole.subarray(at)]))).toEqual(expected);
    }
  });

  test('cut at any byte is the whole answer or a transport error, never another answer (G2-24, G2-25)', async () => {
    const whole = Buffer.from(recording.stream);
    const full = await finalOf(providerOf([whole]));
    const message = full?.type === 'done' ? { ...full.message, usage: undefined } : undefined;
    const outcomes = { done: 0, transport: 0 };
    for (let at = 0; at < whole.length; at += 1) {
      const last = await finalOf(providerOf([whole.subarray(0, at)]));
      if (last?.type === 'done') {
        outcomes.done += 1;
        expect({ ...last.message, usage: undefined }).toEqual(message);
      } else {
        outcomes.transport += 1;
        expect(last).toMatchObject({ type: 'error', error: { kind: 'transport', retryable: true } });
      }
    }
    expect(outcomes.done).toBeGreaterThan(20);
    expect(outcomes.transport).toBeGreaterThan(200);
  });
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
