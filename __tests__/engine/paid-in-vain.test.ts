// What comes to nothing in a run is paid for all the same: attempts that were cut, calls that time ran out on, models that were passed over.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import { Meter } from '../../src/engine/meter.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import { withRetry } from '../../src/engine/retry.ts';
import { withFallback } from '../../src/provider/fallback.ts';
import type { PriceOf } from '../../src/schema/cost.ts';
import { noUsage, type Origin } from '../../src/schema/message.ts';
import type { EngineEvent } from '../../src/schema/run.ts';
import { createLedger } from '../../src/schema/run-scope.ts';
import type { ProviderFault } from '../../src/schema/stream.ts';
import { registryOf } from './ports.ts';
import { modes, playIn } from './scene.ts';
import { ScriptedModel, type Step, says, usage, user } from './scripted-model.ts';

const originOf = (model: string): Origin => ({ provider: 'p', endpoint: 'e', model });
const [cheap, dear] = [originOf('cheap'), originOf('dear')];
/** Dollars: a token, of whatever kind, costs a cent, or ten. */
const priceOf: PriceOf = ({ inputTokens, outputTokens }, origin) =>
  ((inputTokens + outputTokens) * (origin?.model === 'dear' ? 10 : 1)) / 100;
const cut: ProviderFault = { kind: 'transport', message: 'cut', retryable: true, hasBegun: true, usage: usage(1000, 10) };
const down: ProviderFault = { kind: 'overloaded', status: 529, message: 'Overloaded', retryable: false };

/** A clock whose sleeps pass at once, but for the timers of the run: the shortest of them ends when `ring` says so. */
function setClock() {
  let nowMs = 0;
  const timers: { readonly atMs: number; readonly resolve: () => void }[] = [];
  const waits: number[] = [];
  return {
    waits,
    ring: () => {
      const [first] = timers.sort((a, b) => a.atMs - b.atMs);
      if (first === undefined) throw new Error('no timer');
      timers.shift();
      nowMs = first.atMs;
      first.resolve();
    },
    clock: {
      now: () => new Date(nowMs),
      monotonicMs: () => nowMs,
      sleep: (ms: number, signal: AbortSignal) => {
        if (ms >= 30_000) return new Promise<void>((resolve) => timers.push({ atMs: nowMs + ms, resolve }));
        waits.push(ms);
        signal.throwIfAborted();
        return Promise.resolve();
      },
    } satisfies EngineOptions['clock'],
  };
}

/** A cheap model, and a dear one that takes over. */
function chainOf(first: readonly Step[], second: readonly Step[], { clock } = setClock()) {
  const options = { clock, random: () => 0, log: () => {} };
  const models = [new ScriptedModel(first), new ScriptedModel(second)] as const;
  const [a, b] = models;
  const chain = withFallback(
    [
      { origin: cheap, provider: withRetry(a, { ...options, maxAttempts: 3, origin: cheap }) },
      { origin: dear, provider: withRetry(b, { ...options, origin: dear }) },
    ],
    () => {},
  );
  const own: PriceOf = (given, origin) => priceOf(given, origin ?? chain.servingOrigin());
  return {
    chain,
    models,
    options: { clock, priceOf: own, estimateTokens: (messages) => messages.length * 100 } satisfies EngineOptions,
  };
}

describe.each(modes)('%s', (mode) => {
  test('attempts are paid at the price of the model that made them, whoever answers then', async () => {
    const answer = { answer: { ...says('Done.'), origin: dear }, usage: usage(1000, 20) };
    const { chain, options } = chainOf([{ fault: cut }, { fault: cut }, { fault: down }], [{ fault: cut }, answer]);
    const ended = await playIn(mode, createEngine(chain, registryOf({}), '/w', options), 'go');
    const expected = 2 * priceFor(1010, cheap) + priceFor(1010, dear) + priceFor(1020, dear);
    expect([ended.stopReason, ended.cost]).toEqual(['completed', { usd: expect.closeTo(expected, 9), unpricedModels: [] }]);
    expect(ended.usage).toMatchObject({ inputTokens: 4000, outputTokens: 50 });
  });

  test('a model that is dearer than what is left is not asked, though the one before it had room', async () => {
    const { chain, models, options } = chainOf([{ fault: down }], [{ answer: says('Done.') }]);
    const engine = createEngine(chain, registryOf({}), '/w', { ...options, maxCostUsd: 30 });
    expect(await playIn(mode, engine, 'go')).toMatchObject({
      stopReason: 'error',
      error: { code: 'PROVIDER_OVERLOADED', message: 'Overloaded (the budget has no room for dear)' },
      cost: { usd: 0 },
    });
    expect(models[1].requests).toEqual([]);
  });

  test('what is asked in the wrap-up waits for no longer than there is time', async () => {
    const time = setClock();
    const wait: Step = { fault: { ...down, retryable: true, retryAfterMs: 60_000 } };
    const model = new ScriptedModel([{ hang: true, onCall: time.ring }, wait, { answer: says('never') }]);
    const engine = createEngine(model, registryOf({}), '/w', { clock: time.clock, timeoutMs: 240_000, wrapUpReserveMs: 40_000 });
    expect(await playIn(mode, engine, 'go')).toMatchObject({
      stopReason: 'timeout',
      error: { message: expect.stringMatching(/left alone for 60 s until .*, and 40 s of waiting are left here/) },
    });
    expect(time.waits).toEqual([]);
  });
});

test('a stream that time ran out on: what was heard of it is paid for, and taken back before the last reply', async () => {
  const time = setClock();
  const model = new ScriptedModel([
    { hang: true, afterText: 'half a word', onCall: time.ring },
    { answer: says('This is left.'), usage: usage(300, 7) },
  ]);
  const options: EngineOptions = { clock: time.clock, timeoutMs: 240_000, wrapUpReserveMs: 40_000, priceOf };
  const engine = createEngine(model, registryOf({}), '/w', { ...options, estimateTokens: (messages) => messages.length * 100 });
  const events: EngineEvent[] = [];
  for await (const event of engine.runStream('go')) events.push(event);
  expect(events.flatMap(shownBy)).toEqual(['half a word', 'reset', 'This', ' is', ' left.']);
  const last = events.at(-1);
  const ended = last?.type === 'done' ? last.data : undefined;
  // Two messages went out, and one was coming back.
  expect(ended).toMatchObject({ stopReason: 'timeout', cost: { usd: (300 + 307) / 100 } });
});

function shownBy(event: EngineEvent): readonly string[] {
  return event.type === 'action_delta' ? [event.data] : event.type === 'reset' ? ['reset'] : [];
}

function priceFor(tokens: number, origin: Origin): number {
  return priceOf({ ...noUsage, inputTokens: tokens }, origin) ?? 0;
}

describe('an attempt in vain', () => {
  const setMeter = () => {
    const ledger = createLedger();
    return { ledger, meter: new Meter({ estimate: (messages) => messages.length * 100, ledger, allowances: [], priceOf }) };
  };
  const request = { messages: [user('a'), user('b')], tools: [] };

  test.each([
    ['nothing was reported', undefined, 300],
    ['zeros were', noUsage, 300],
    ['it was reported as it began', usage(150, 1), 250],
    ['more was reported than was heard', usage(150, 400), 550],
    ['what is no number was', usage(Number.NaN, -1), 300],
  ])('is the request and what was heard, where %s', (_name, reported, tokens) => {
    const { meter, ledger } = setMeter();
    meter.spendInVain({ request, heard: 'half a word', reported }, dear);
    expect(ledger.spent).toEqual({ tokens, usd: priceFor(tokens, dear) });
  });

  test('shows how long the whole answer is at least: the next one needs room for that', () => {
    const ledger = createLedger();
    const allowances = [{ ledger, unit: 'tokens', most: 2_000, name: 'budget' }] as const;
    const meter = new Meter({ estimate: (messages) => messages.length * 100, ledger, allowances, priceOf: undefined });
    meter.expectOnly(request.messages, []);
    meter.spendInVain({ request, heard: '', reported: usage(200, 800) }, undefined);
    expect([meter.hasRoom(undefined), meter.budgets[0]?.next]).toEqual([true, 1_000]);
    meter.spendInVain({ request, heard: '', reported: usage(200, 100) }, undefined);
    expect(meter.hasRoom(undefined)).toBe(false);
  });

  test('is estimated as well as calls are by then', () => {
    const { meter, ledger } = setMeter();
    meter.record({ ...request, toolChoice: 'auto', tailStart: 2 }, says('ok'), usage(400, 1));
    meter.spendInVain({ request, heard: '', reported: undefined }, cheap);
    expect(ledger.spent.tokens).toBe(401 + 400);
  });
});

test('what sums up for one run is room that another one beside it has not', () => {
  const ledger = createLedger();
  const allowances = [{ ledger, unit: 'tokens', most: 10_000, name: 'budget' }] as const;
  const [one, other] = [1, 2].map(
    () => new Meter({ estimate: (messages) => messages.length * 100, ledger, allowances, priceOf: undefined }),
  );
  const left = (): unknown => [one?.budgets[0]?.left, other?.budgets[0]?.left];
  one?.expectOnly([user('a'), user('b')], []);
  expect(left()).toEqual([10_000, 10_000 - 800]);
  one?.holdOneMore();
  expect(left()).toEqual([10_000, 10_000 - 800 - 700]);
  one?.expectOnly([user('a')], []);
  expect(left()).toEqual([10_000, 10_000 - 700]);
});
