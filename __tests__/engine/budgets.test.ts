// Budgets in tokens and dollars, whatever is reported, cached, summed up, tried again or done side by side: they hold, and not too early.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import type { Compactor, LLMProvider, ModelRequest, ModelResponse } from '../../src/engine/ports.ts';
import { noUsage } from '../../src/schema/message.ts';
import type { RunResult } from '../../src/schema/run.ts';
import type { Amount } from '../../src/schema/run-scope.ts';
import { createRandom, type Random } from '../tools/random.ts';
import { echo, registryOf, type TestTool } from './ports.ts';
import { call, calls, usage } from './scripted-model.ts';
import { type Habits, priceOf, Spender, textOfTokens, tokensOf } from './spender.ts';

/** Waits between attempts take no time, and nothing runs out of time. */
const clock: NonNullable<EngineOptions['clock']> = {
  now: () => new Date(0),
  monotonicMs: () => 0,
  sleep: (ms, signal) => (ms < 60_000 ? Promise.resolve() : new Promise((_, reject) => signal.addEventListener('abort', reject))),
};

const common: EngineOptions = {
  clock,
  priceOf,
  estimateTokens: tokensOf,
  maxTurns: 0,
  maxRepeats: 0,
  toolTimeoutMs: 0,
};

/** What one seed makes of a run: how its models behave, its tools, its budgets. */
interface Draw {
  readonly habits: Habits;
  readonly widths: number;
  readonly result: string;
  readonly summary: number;
  readonly limits: Partial<Record<'maxTokensTotal' | 'maxCostUsd', number>>;
}

const sizes: readonly ((random: Random) => () => number)[] = [
  () => () => 120,
  (random) => () => 1 + random.below(600),
  // Now and then one that is far larger than all before.
  (random) => () => (random.below(6) === 0 ? 4000 + random.below(4000) : 50),
];

function draw(random: Random): Draw {
  const kind = random.pick(['tokens', 'usd', 'both'] as const);
  const tokens = 3_000 + random.below(120_000);
  const usd = 0.02 + random.below(600) / 1000;
  return {
    habits: {
      output: random.pick(sizes)(random),
      calls: () => random.pick(['look', 'look', 'look', 'task']),
      reports: random.pick([['all'], ['nothing'], ['zero', 'all'], ['all', 'nothing', 'zero', 'input']] as const),
      isCaching: random.below(2) === 0,
      failsOneIn: random.pick([0, 0, 4, 2]),
    },
    widths: 1 + random.below(3),
    result: textOfTokens(random.pick([10, 300, 2_000])),
    summary: random.pick([0, 0, 200]),
    limits: { ...(kind === 'usd' ? {} : { maxTokensTotal: tokens }), ...(kind === 'tokens' ? {} : { maxCostUsd: usd }) },
  };
}

/** Sums up by a call of its own now and then, where it may. It is paid like every other one. */
function summing(tokens: number, random: Random, pay: (amount: Amount) => void): Compactor {
  return {
    compact: async ({ messages, mustBeFrugal, measure }) => {
      if (tokens === 0 || mustBeFrugal || random.below(3) > 0) return { messages };
      // What is summed up is a part of what would be sent.
      const spent = usage(Math.min(tokens, measure(messages)), 1);
      pay({ tokens: spent.inputTokens + spent.outputTokens, usd: priceOf(spent, undefined) ?? 0 });
      return { messages, usage: spent };
    },
  };
}

/** Plays a draw; what it came to, and what was really spent, by all of its models. */
async function play(drawn: Draw, random: Random) {
  const spenders: Spender[] = [];
  const inner: RunResult[] = [];
  let summaries: Amount = { tokens: 0, usd: 0 };
  const pay = ({ tokens, usd }: Amount): void => {
    summaries = { tokens: summaries.tokens + tokens, usd: summaries.usd + usd };
  };
  const newSpender = (habits: Habits): Spender => {
    const spender = new Spender(habits, random);
    spenders.push(spender);
    return spender;
  };
  const compactor = summing(drawn.summary, random, pay);
  const look: TestTool = { run: () => drawn.result };
  const task: TestTool = {
    run: async (_call, { signal, run }) => {
      const children = Array.from({ length: drawn.widths }, async () => {
        const spender = newSpender({ ...drawn.habits, calls: () => (spender.calls > 4 ? '' : 'look') });
        const child = createEngine(spender, registryOf({ look }), '/w', { ...common, compactor, within: run });
        inner.push(await child.run('part', signal));
      });
      await Promise.all(children);
      return drawn.result;
    },
  };
  const root = newSpender(drawn.habits);
  const engine = createEngine(root, registryOf({ look, task }), '/w', { ...common, ...drawn.limits, compactor });
  const ended = await engine.run('go');
  const sum = (pick: (one: Spender) => Amount, unit: keyof Amount): number => {
    return spenders.reduce((total, spender) => total + pick(spender)[unit], 0);
  };
  const totals = (unit: keyof Amount) => ({
    spent: sum(({ spent }) => spent, unit) + summaries[unit],
    overrun: sum(({ overrun }) => overrun, unit),
  });
  return { ended, inner, tokens: totals('tokens'), usd: totals('usd') };
}

describe('whatever a run is made of', () => {
  test('no more is spent than there is, but for what nobody could know of the last answers; and all that is spent is counted', async () => {
    const random = createRandom(2026);
    for (let round = 0; round < 400; round += 1) {
      const drawn = draw(random);
      const { ended, tokens, usd } = await play(drawn, random);
      const about = JSON.stringify({ round, ...drawn, habits: { ...drawn.habits } });
      const { maxTokensTotal = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } = drawn.limits;
      expect([about, tokens.spent <= maxTokensTotal + tokens.overrun]).toEqual([about, true]);
      expect([about, usd.spent <= maxCostUsd + usd.overrun + 1e-9]).toEqual([about, true]);
      // Where nothing was reported the estimate is the floor: a cache that nobody speaks of counts as none.
      expect([about, (ended.cost?.usd ?? 0) >= usd.spent - 1e-9]).toEqual([about, true]);
      expect(['budget', 'error']).toContain(ended.stopReason);
    }
  }, 180_000);
});

/** Calls of one size, for ever. */
class Steady implements LLMProvider {
  asked = 0;

  async generate(_request: ModelRequest): Promise<ModelResponse> {
    this.asked += 1;
    return { message: calls(call(`c${this.asked}`, 'look', { at: this.asked })), usage: usage(1000, 100) };
  }

  generateStream(): never {
    throw new Error('not asked');
  }
}

describe('a budget of so many times what a call takes', () => {
  const price = priceOf(usage(1000, 100), undefined) ?? 0;

  test.each([
    ['tokens', (times: number) => ({ maxTokensTotal: times * 1100 })],
    ['dollars', (times: number) => ({ maxCostUsd: times * price })],
  ] as const)('is used but for three of them, in %s', async (_unit, limitsOf) => {
    for (let times = 6; times <= 60; times += 6) {
      const model = new Steady();
      const options = { ...common, estimateTokens: () => 1, ...limitsOf(times) };
      const ended = await createEngine(model, registryOf({ look: echo }), '/w', options).run('go');
      expect([times, ended.stopReason, model.asked >= times - 3, model.asked <= times]).toEqual([times, 'budget', true, true]);
    }
  });

  test('in dollars with a cache: the wrap-up is reserved as if it found nothing there', async () => {
    const cached = { ...usage(10_000, 100), cacheReadTokens: 9_900, cacheWriteTokens: 100 };
    const cheap = priceOf(cached, undefined) ?? 0;
    const dear = priceOf({ ...cached, cacheReadTokens: 0, cacheWriteTokens: 10_000 }, undefined) ?? 0;
    const model = new Steady();
    model.generate = async () => {
      model.asked += 1;
      return { message: calls(call(`c${model.asked}`, 'look', { at: model.asked })), usage: cached };
    };
    const options = { ...common, estimateTokens: () => 1, maxCostUsd: 100 * cheap };
    const ended = await createEngine(model, registryOf({ look: echo }), '/w', options).run('go');
    expect(ended.stopReason).toBe('budget');
    expect(ended.cost?.usd).toBeLessThanOrEqual(100 * cheap);
    expect(model.asked).toBeGreaterThanOrEqual(Math.floor(100 - (1.2 * dear) / cheap) - 4);
  });
});

test('the wrap-up is paid for though the cache has forgotten everything until then', async () => {
  for (let cents = 20; cents <= 60; cents += 1) {
    const model = new Steady();
    const choices: string[] = [];
    model.generate = async ({ toolChoice }) => {
      choices.push(toolChoice);
      const size = 10_000 + 120 * choices.length;
      const read = toolChoice === 'none' ? 0 : 9_880 + 120 * choices.length;
      const paid = { ...usage(size, 100), cacheReadTokens: read, cacheWriteTokens: size - read };
      return { message: calls(call(`c${choices.length}`, 'look', { at: choices.length })), usage: paid };
    };
    const options = { ...common, estimateTokens: () => 1, maxCostUsd: cents / 100 };
    const ended = await createEngine(model, registryOf({ look: echo }), '/w', options).run('go');
    expect([cents, choices.at(-1), (ended.cost?.usd ?? 0) <= cents / 100]).toEqual([cents, 'none', true]);
  }
});

describe('what the result says of a budget and a cost', () => {
  const steady = (limits: EngineOptions): Promise<RunResult> => {
    return createEngine(new Steady(), registryOf({ look: echo }), '/w', { ...common, ...limits }).run('go');
  };

  test('which of two budgets ended the run, by its unit, and in words', async () => {
    const byTokens = await steady({ maxTokensTotal: 8000, maxCostUsd: 5 });
    const byMoney = await steady({ maxTokensTotal: 1_000_000, maxCostUsd: 0.05 });
    expect([byTokens.budget, byMoney.budget]).toEqual(['tokens', 'usd']);
    expect([byTokens.finalMessage, byMoney.finalMessage]).toEqual([
      expect.stringContaining('the budget of 8000 tokens'),
      expect.stringContaining('the budget of $0.05'),
    ]);
  });

  test('the price that a server names is believed, before the table', async () => {
    const model = new Steady();
    model.generate = async () => {
      model.asked += 1;
      return { message: calls(call(`c${model.asked}`, 'look')), usage: { ...usage(1000, 100), costUsd: 0.25 } };
    };
    const ended = await createEngine(model, registryOf({ look: echo }), '/w', { ...common, maxTurns: 4 }).run('go');
    expect(ended.cost).toEqual({ usd: 1, unpricedModels: [] });
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a price of %p is none', async (costUsd) => {
    const model = new Steady();
    model.generate = async () => ({ message: calls(call('c', 'look')), usage: { ...usage(1000, 100), costUsd } });
    const ended = await createEngine(model, registryOf({ look: echo }), '/w', { ...common, maxTurns: 1 }).run('go');
    expect(ended.cost?.usd).toBeCloseTo(price1000, 12);
  });

  test('a model without a price is named, once, and what others cost is counted', async () => {
    const origins = ['known', 'unknown', 'unknown'].map((model) => ({ provider: 'p', endpoint: 'e', model }));
    const model = new Steady();
    model.generate = async () => {
      const origin = origins[model.asked];
      model.asked += 1;
      return { message: { ...calls(call(`c${model.asked}`, 'look')), ...(origin && { origin }) }, usage: usage(1000, 100) };
    };
    const options: EngineOptions = {
      ...common,
      maxTurns: 3,
      priceOf: (given, origin) => (origin?.model === 'unknown' ? undefined : priceOf(given, origin)),
    };
    const ended = await createEngine(model, registryOf({ look: echo }), '/w', options).run('go');
    expect(ended.cost).toEqual({ usd: price1000, unpricedModels: ['unknown'] });
  });

  test('where nobody knows prices nothing is said of a cost', async () => {
    const { priceOf: _none, ...rest } = common;
    const ended = await createEngine(new Steady(), registryOf({ look: echo }), '/w', { ...rest, maxTurns: 2 }).run('go');
    expect('cost' in ended).toBe(false);
  });
});

const price1000 = priceOf({ ...noUsage, inputTokens: 1000, outputTokens: 100 }, undefined) ?? 0;
