// Messages answers: blocking and streaming agree, whatever the chunks are, and a cut is never taken for an answer. Other line ends: sse.test.ts.
import { describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import { readResponse } from '../../../src/provider/anthropic/read-response.ts';
import { readStream } from '../../../src/provider/anthropic/read-stream.ts';
import { endsWhenCut, heardInPieces, hearWith } from '../byte-cuts.ts';
import { inPieces, json, startByteServer } from '../byte-server.ts';
import { collect, contextOf, hello, usageOf } from '../calling.ts';
import { failures, recordings } from './recordings.ts';

const options = { apiKey: 'sk-ant-test', env: {} };

const hear = hearWith({ readResponse, readStream });
const heardWhole = async (text: string) => await hear([Buffer.from(text)]);

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

  test('is the same byte by byte and split at every byte', async () => {
    const expected = JSON.stringify(await heardWhole(recording.stream));
    expect(await heardInPieces(hear, recording.stream)).toEqual(new Set([expected]));
  });

  test('cut at any byte is the whole answer or a transport error, never another answer', async () => {
    const full = (await heardWhole(recording.stream)).at(-1);
    const ends = await endsWhenCut(hear, recording.stream);
    const [done, failed] = [ends.filter((last) => last?.type === 'done'), ends.filter((last) => last?.type !== 'done')];
    expect(new Set(done.map((last) => JSON.stringify(last)))).toEqual(new Set([JSON.stringify(full)]));
    for (const last of failed) expect(last).toMatchObject({ type: 'error', error: { kind: 'transport', retryable: true } });
    expect(done.length).toBeGreaterThan(10);
    expect(failed.length).toBeGreaterThan(200);
  });
});

test('the deltas of thinking and text come as they are written', async () => {
  const chunks = await heardWhole(recordings[1]?.stream ?? '');
  expect(chunks.slice(0, -1)).toEqual([
    { type: 'thinking_delta', delta: 'I should ' },
    { type: 'thinking_delta', delta: 'look. ' },
    { type: 'text_delta', delta: 'Reading.' },
  ]);
});

test.each(failures)('$name: its own fault, or a transport error when it is cut', async ({ stream, kind }) => {
  const whole = (await heardWhole(stream)).at(-1);
  expect(whole).toMatchObject({ error: { kind } });
  const ends = [...(await endsWhenCut(hear, stream)), whole];
  const kinds = ends.map((last) => (last?.type === 'error' ? last.error.kind : last?.type));
  expect([...new Set(kinds)].toSorted()).toEqual([...new Set([kind, 'transport'])].toSorted());
});

test('what has begun says so, with the tokens that were told until then', async () => {
  const usage = usageOf({ inputTokens: 100, outputTokens: 1, cacheReadTokens: 50, cacheWriteTokens: 30 });
  const fault = async (at: number) => (await heardWhole(failures[at]?.stream ?? '')).at(-1);
  expect(await fault(0)).toMatchObject({ error: { hasBegun: true, usage } });
  expect(await fault(1)).not.toMatchObject({ error: { hasBegun: true } });
});
