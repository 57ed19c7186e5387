// A long conversation against the strict server: through the engine, its retries, its compactor and a session that is saved and loaded.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createEngine } from '../../../src/engine/engine.ts';
import type { ToolRegistry } from '../../../src/engine/ports.ts';
import { createSummarizationCompactor } from '../../../src/memory/compaction/summarization.ts';
import { openSqliteStore } from '../../../src/memory/sqlite/sqlite-store.ts';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import type { ReasoningEffort } from '../../../src/schema/settings.ts';
import { registryOf } from '../../engine/ports.ts';
import { type Mode, modes, playIn } from '../../engine/scene.ts';
import { impatientClock } from '../calling.ts';
import { LongModel } from './sixty-turns.ts';
import { type StrictExchange, startStrictServer } from './strict-server.ts';

const turns = 32;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sixty-turns-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function tools(): ToolRegistry {
  const fail = (): never => {
    throw new Error('the disk is gone');
  };
  return registryOf({
    read: { run: ({ id }) => `${id} half \ud83d ${'The total is rounded before the tax is added. '.repeat(6)}` },
    silent: { run: () => ' \n' },
    fails: { run: fail },
  });
}

interface Play {
  readonly mode: Mode;
  readonly effort: ReasoningEffort | undefined;
  readonly model: string;
  readonly contextWindow: number;
}

/** Two runs of one session; the second begins with what the store gives back. */
async function play(server: { readonly url: string }, { mode, effort, model, contextWindow }: Play) {
  const options = { apiKey: 'sk-ant-test', env: {}, baseUrl: server.url, reasoningEffort: effort, maxOutputTokens: 16_384 };
  const results = [];
  const file = path.join(folder, `${mode}-${effort}-${model}-${contextWindow}.db`);
  for (const prompt of ['Read all notes.', 'Now the others.']) {
    const store = await openSqliteStore(file, { now: () => new Date(0), newId: () => 's1' });
    const session = (await store.open('s1')) ?? (await store.create('/w'));
    const provider = createAnthropicProvider(model, 16_384, options);
    const engine = createEngine(provider, tools(), '/w', {
      maxTurns: 0,
      contextWindow,
      clock: impatientClock,
      session,
      compactor: createSummarizationCompactor({ provider }),
    });
    results.push(await playIn(mode, engine, prompt));
    await store.close();
  }
  return results;
}

const forms = [
  { words: 'without thinking', effort: undefined, model: 'claude-sonnet-4-20250514' },
  { words: 'with a budget', effort: 'high', model: 'claude-sonnet-4-20250514' },
  { words: 'with an effort', effort: 'xhigh', model: 'claude-opus-4-7' },
] as const;

/** Each mode, form and window with each of the others. */
const plays = modes.flatMap((mode, row) =>
  forms.map((form, column) => ({ mode, ...form, contextWindow: (row + column) % 2 === 0 ? 5000 : 0 })),
);

test.each(plays)('$mode $words: sixty turns without a refused request, in a window of $contextWindow', async (given) => {
  const long = new LongModel({ thinks: given.effort !== undefined, turns });
  await using server = await startStrictServer({ answer: long.answer });
  const results = await play(server, given);
  expect(server.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  expect(results.map(({ stopReason }) => stopReason)).toEqual(['completed', 'completed']);
  expect(results.reduce((sum, result) => sum + result.turns, 0)).toBeGreaterThanOrEqual(60);
  expect(results[1]?.finalMessage).toContain('All notes are read.');
  if (given.contextWindow > 0) expect(long.summaries).toBeGreaterThan(2);
  else expect(unreadPrefixes(server.exchanges)).toEqual([]);
});

test.each(modes)('%s: a window that is smaller than it is said to be is found out, and nothing else is refused', async (mode) => {
  const long = new LongModel({ thinks: true, turns });
  await using server = await startStrictServer({ answer: long.answer, window: 9000 });
  const results = await play(server, { mode, effort: 'high', model: 'claude-opus-5', contextWindow: 200_000 });
  const refusals = server.exchanges.flatMap(({ refusal }) => refusal ?? []);
  expect(refusals.filter((refusal) => !refusal.startsWith('prompt is too long'))).toEqual([]);
  expect(refusals.length).toBeGreaterThan(0);
  expect(refusals.length).toBeLessThan(6);
  expect(results.map(({ stopReason }) => stopReason)).toEqual(['completed', 'completed']);
  expect(results.reduce((sum, result) => sum + result.turns, 0)).toBeGreaterThanOrEqual(60);
});

/** The requests that read less from the cache than the one before them left there. */
function unreadPrefixes(exchanges: readonly StrictExchange[]): readonly number[] {
  return exchanges.flatMap(({ usage }, index) => {
    const before = exchanges[index - 1]?.usage;
    return before === undefined || usage.read >= before.read + before.written ? [] : [index];
  });
}
