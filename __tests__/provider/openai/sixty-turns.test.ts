// A long conversation against the strict server: through the engine with its retries, and its compactor, whole and streamed.
import { expect, test } from '@jest/globals';
import { createEngine } from '../../../src/engine/engine.ts';
import type { ToolRegistry } from '../../../src/engine/ports.ts';
import { createSummarizationCompactor } from '../../../src/memory/compaction/summarization.ts';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import { textPart } from '../../../src/schema/message.ts';
import { registryOf } from '../../engine/ports.ts';
import { modes, playIn } from '../../engine/scene.ts';
import { impatientClock } from '../calling.ts';
import { LongModel, lastWords } from './sixty-turns.ts';
import { startStrictServer } from './strict-server.ts';

const turns = 64;

/** `look` shows a picture; what ran is written down. */
function toolsThatTell(ran: string[]): ToolRegistry {
  const fail = (): never => {
    throw new Error('the disk is gone');
  };
  const registry = registryOf({
    read: { run: ({ id }) => `${id} half \ud83d ${'The total is rounded before the tax is added. '.repeat(6)}` },
    look: { run: () => 'a picture' },
    silent: { run: () => ' \n' },
    fails: { run: fail },
  });
  return {
    ...registry,
    async execute(call, context) {
      ran.push(call.arguments);
      const result = await registry.execute(call, context);
      const picture = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
      return call.name === 'look' ? { ...result, output: [textPart('It shows:'), picture] } : result;
    },
  };
}

/** Each mode, field and window with each of the others. */
const plays = modes.flatMap((mode, row) =>
  [undefined, 'reasoning_content', 'reasoning', 'reasoning_details'].map((reasoningField, column) => ({
    mode,
    reasoningField,
    contextWindow: (row + column) % 2 === 0 ? 6000 : 0,
  })),
);

test.each(plays)(
  '$mode, $reasoningField: sixty turns without a refused request, in a window of $contextWindow',
  async (given) => {
    const long = new LongModel({ reasoningField: given.reasoningField, turns });
    await using server = await startStrictServer({ answer: long.answer });
    const options = { apiKey: 'sk-test-0123456789', env: {}, baseUrl: server.url, maxOutputTokens: 4096 };
    const provider = createOpenAIProvider('m', options);
    const ran: string[] = [];
    const engine = createEngine(provider, toolsThatTell(ran), '/w', {
      maxTurns: 0,
      contextWindow: given.contextWindow,
      clock: impatientClock,
      compactor: createSummarizationCompactor({ provider }),
    });
    const result = await playIn(given.mode, engine, 'Read all notes.');
    expect(server.exchanges.filter(({ text }) => text.includes('did not finish'))).toEqual([]);
    expect(server.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    expect(result).toMatchObject({ stopReason: 'completed', finalMessage: expect.stringContaining(lastWords) });
    expect(result.turns).toBeGreaterThanOrEqual(60);
    // Neither what was torn off nor what the limit cut was ever run.
    expect(ran.filter((args) => args.includes('never') || args.includes('aaa'))).toEqual([]);
    if (given.contextWindow > 0) expect(long.summaries).toBeGreaterThan(2);
  },
);

test.each(modes)('%s: a window that nobody told of is found by its refusal, and kept to', async (mode) => {
  const long = new LongModel({ reasoningField: undefined, turns });
  await using server = await startStrictServer({ answer: long.answer, window: 12_000 });
  const provider = createOpenAIProvider('m', { apiKey: 'k', env: {}, baseUrl: server.url });
  const compactor = createSummarizationCompactor({ provider });
  const engine = createEngine(provider, toolsThatTell([]), '/w', { maxTurns: 0, clock: impatientClock, compactor });
  const result = await playIn(mode, engine, 'Read all notes.');
  expect(result).toMatchObject({ stopReason: 'completed', finalMessage: expect.stringContaining(lastWords) });
  const refusals = server.exchanges.flatMap(({ refusal }) => refusal ?? []);
  expect(refusals.filter((refusal) => !refusal.includes('maximum context length'))).toEqual([]);
  expect(refusals.length).toBeLessThanOrEqual(3);
});
