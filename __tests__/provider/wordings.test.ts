// What servers say, through the real SDKs and the engine: too long is compacted and asked once more, too often is waited for, all else is neither.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { CompactionInput } from '../../src/engine/ports.ts';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import { ProviderError } from '../../src/schema/stream.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { modes, playIn } from '../engine/scene.ts';
import * as anthropic from './anthropic/recordings.ts';
import { json, type RecordedRequest, type Reply, startByteServer } from './byte-server.ts';
import { contextOf, hello } from './calling.ts';
import * as openai from './openai/recordings.ts';
import { otherWordings, throttlingWordings } from './other-wordings.ts';
import { overflowWordings, type Wording } from './wordings.ts';

const key = 'sk-test-0123456789abcdef';

const vendors = {
  openai: {
    create: (baseUrl: string) => createOpenAIProvider('m', { apiKey: key, env: {}, baseUrl }),
    whole: json(openai.bodyOf({ content: 'Done.' }, 'stop')),
    stream: { chunks: [openai.streamOf([{ content: 'Done.' }], 'stop')] },
    errorEvent: (error: unknown) => `data: ${JSON.stringify({ error })}\n\n`,
  },
  anthropic: {
    create: (baseUrl: string) => createAnthropicProvider('m', 4096, { apiKey: key, env: {}, baseUrl }),
    whole: json(anthropic.bodyOf([{ type: 'text', text: 'Done.' }], 'end_turn')),
    stream: { chunks: [anthropic.streamOf([[{ type: 'text', text: 'Done.' }]], 'end_turn')] },
    errorEvent: (error: unknown) => `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`,
  },
} as const;
type Vendor = keyof typeof vendors;

const cases = (['openai', 'anthropic'] as const).flatMap((vendor) => modes.map((mode) => [vendor, mode] as const));

function replyOf({ status, body }: Wording): Reply {
  return typeof body === 'string' ? { status, type: 'text/plain', chunks: [body] } : json(body, status);
}

/** The wording inside an answer that began well; the object that is the error, as its server would put it there. */
function insideOf(vendor: Vendor, { body }: Wording): Reply {
  const first = Array.isArray(body) ? body[0] : body;
  const error = typeof first === 'object' && first !== null && 'error' in first ? first.error : first;
  return { chunks: [vendors[vendor].errorEvent(error)] };
}

/** A run whose server says `replies`, and then that it is done. */
async function play(vendor: Vendor, mode: (typeof modes)[number], replies: readonly Reply[]) {
  const { create, whole, stream } = vendors[vendor];
  const good = (request: RecordedRequest) => (request.text.includes('"stream":true') ? stream : whole);
  await using server = await startByteServer([...replies, good]);
  const waits: number[] = [];
  let compactions = 0;
  const engine = createEngine(create(server.url), createRegistry(), '/w', {
    contextWindow: 100_000,
    clock: { now: () => new Date(0), monotonicMs: () => 0, sleep: async (ms) => void waits.push(ms) },
    random: () => 0.5,
    compactor: {
      compact: async ({ messages, isOverflow }: CompactionInput) => {
        if (isOverflow) compactions += 1;
        return {
          messages: isOverflow ? [...messages.slice(0, 1), { role: 'user', content: [{ type: 'text', text: 'x' }] }] : messages,
        };
      },
    },
  });
  const result = await playIn(mode, engine, 'a task of several words, which can be said in fewer of them');
  return { result, waits, compactions, requests: server.requests.length };
}

describe.each(cases)('%s, %s', (vendor, mode) => {
  test.each(overflowWordings.map((wording) => [wording.whose, wording] as const))(
    'G2-20 too long, as %s says it: one compaction, one request more',
    async (_whose, wording) => {
      const { result, ...counts } = await play(vendor, mode, [replyOf(wording)]);
      expect([result.stopReason, result.error, counts]).toEqual([
        'completed',
        undefined,
        { waits: [], compactions: 1, requests: 2 },
      ]);
    },
  );

  test('G2-20 what is too long a second time is not asked a third time', async () => {
    for (const wording of overflowWordings.slice(0, 4)) {
      const { result, ...counts } = await play(vendor, mode, [replyOf(wording), replyOf(wording)]);
      expect(result).toMatchObject({ stopReason: 'error', error: { code: 'PROVIDER_CONTEXT_OVERFLOW' } });
      expect(counts).toEqual({ waits: [], compactions: 1, requests: 2 });
    }
  });

  test.each(throttlingWordings.map((wording) => [wording.whose, wording] as const))(
    'G2-22 too often, as %s says it: waited for, and nothing is compacted',
    async (_whose, wording) => {
      const { result, waits, ...counts } = await play(vendor, mode, [replyOf(wording)]);
      expect([result.stopReason, counts]).toEqual(['completed', { compactions: 0, requests: 2 }]);
      expect(waits).toHaveLength(1);
    },
  );

  test.each(otherWordings.map((wording) => [wording.whose, wording] as const))('%s: neither', async (_whose, wording) => {
    const { result, compactions, requests } = await play(vendor, mode, [replyOf(wording)]);
    expect([compactions, requests]).toEqual([0, wording.retryable ? 2 : 1]);
    expect(result.error?.code).toBe(wording.retryable ? undefined : `PROVIDER_${wording.kind.toUpperCase()}`);
  });
});

describe.each(['openai', 'anthropic'] as const)('%s, inside a stream', (vendor) => {
  test('G2-10 G2-20 too long is too long there, too', async () => {
    for (const wording of overflowWordings) {
      const { result, ...counts } = await play(vendor, 'runStream', [insideOf(vendor, wording)]);
      expect([wording.whose, result.stopReason, counts]).toEqual([
        wording.whose,
        'completed',
        { waits: [], compactions: 1, requests: 2 },
      ]);
    }
  });

  test('G2-10 G2-22 G3-10 too often is too often there, too', async () => {
    for (const wording of throttlingWordings.filter(({ body }) => typeof body !== 'string')) {
      const { result, waits, ...counts } = await play(vendor, 'runStream', [insideOf(vendor, wording)]);
      expect([wording.whose, result.stopReason, waits.length, counts]).toEqual([
        wording.whose,
        'completed',
        1,
        { compactions: 0, requests: 2 },
      ]);
    }
  });
});

test.each(['openai', 'anthropic'] as const)('%s: a request that is more than the account’s minute says so', async (vendor) => {
  const wording = otherWordings[0];
  if (wording === undefined) throw new Error('no wording');
  await using server = await startByteServer([replyOf(wording)]);
  const error: unknown = await vendors[vendor]
    .create(server.url)
    .generate(hello, contextOf())
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ProviderError);
  expect(error).toMatchObject({
    hint: expect.stringContaining('larger than all that the account may send'),
    fault: { retryable: false },
  });
});

test.each([
  ['openai', 503, /fallback_models/],
  ['openai', 408, /fallback_models/],
  ['openai', 429, /fallback_models/],
  ['openai', 400, /settings.*"m"/],
  ['openai', 401, /api_key.*OPENAI_API_KEY/],
  ['openai', 402, /add credit/],
  ['openai', 404, /base_url/],
  ['anthropic', 529, /fallback_models/],
  ['anthropic', 400, /settings.*"m"/],
] as const)('%s: whoever reads of a status %i is told what to do', async (vendor, status, advice) => {
  await using server = await startByteServer([json({ error: { message: 'No.' } }, status)]);
  const error: unknown = await vendors[vendor]
    .create(server.url)
    .generate(hello, contextOf())
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ hint: expect.stringMatching(advice) });
});
