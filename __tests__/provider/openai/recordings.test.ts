// Chat Completions answers: blocking and streaming agree, whatever the chunks are, and a cut is never taken for an answer.
import { describe, expect, test } from '@jest/globals';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import { fetchOf, inPieces, startByteServer } from '../byte-server.ts';
import { collect, contextOf, finalOf, hello, usageOf } from '../calling.ts';
import { recordings } from './recordings.ts';

const options = { apiKey: 'sk-test', env: {}, baseUrl: 'http://127.0.0.1:9/v1' };

function providerOf(chunks: readonly Uint8Array[]) {
  return createOpenAIProvider('m', { ...options, fetch: fetchOf(chunks) });
}

describe.each(recordings)('$name', (recording) => {
  test('says the same blocking and streaming, over real connections, in one piece and byte by byte (G2-15, G2-27)', async () => {
    await using server = await startByteServer([
      { type: 'application/json', chunks: [JSON.stringify(recording.body)] },
      { chunks: [recording.stream] },
      { chunks: inPieces(recording.stream, 7) },
    ]);
    const provider = createOpenAIProvider('m', { ...options, baseUrl: `${server.url}/v1` });
    const blocking = await provider.generate(hello, contextOf());
    const whole = await collect(provider);
    const pieces = await collect(provider);
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
    const bytes = Buffer.from(recording.stream);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(await collect(providerOf([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(expected);
    }
  });

  test('cut at any byte is the whole answer or a transport error, never another answer (G2-24, G2-25)', async () => {
    const bytes = Buffer.from(recording.stream);
    const full = await finalOf(providerOf([bytes]));
    const message = full?.type === 'done' ? { ...full.message, usage: undefined } : undefined;
    const outcomes = { done: 0, transport: 0 };
    for (let at = 0; at < bytes.length; at += 1) {
      const last = await finalOf(providerOf([bytes.subarray(0, at)]));
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

test('JSON over two data lines and a last event without its blank line are read (G2-27)', async () => {
  const stream =
    'data: {"choices":[{"delta":{"content":"hi"},\ndata: "finish_reason":null}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}';
  expect(await finalOf(providerOf([Buffer.from(stream)]))).toMatchObject({
    type: 'done',
    message: { content: [{ type: 'text', text: 'hi' }], finishReason: 'stop' },
  });
});

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
