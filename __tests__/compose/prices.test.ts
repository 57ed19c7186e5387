// What a composed run costs: its own model's price, its sub-agents' theirs, and what a budget in dollars refuses before anything is asked.
import { describe, expect, test } from '@jest/globals';
import { hasPrice, type Prices, requirePrices, withPrices } from '../../src/compose/prices.ts';
import { createPrices } from '../../src/provider/prices.ts';
import { noUsage, type Usage } from '../../src/schema/message.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import { type Mode, modes } from '../engine/scene.ts';
import { call, calls, ScriptedModel, type Step, says } from '../engine/scripted-model.ts';
import { setAgent } from './agent-scene.ts';

const used = (step: Step & { readonly answer: unknown }, usage: Partial<Usage>): Step => ({
  ...step,
  usage: { ...noUsage, ...usage },
});
const asks = (agent: string, more: object = {}): Step & { readonly answer: unknown } => ({
  answer: calls(call('t1', 'task', { agent, prompt: 'Look.', ...more })),
});

describe.each(modes)('%s', (mode: Mode) => {
  test('each model is paid at its own price, and what was read from a cache at that of the cache', async () => {
    const steps = [
      used(asks('gpt-4o-mini'), { inputTokens: 10_000, outputTokens: 100 }),
      used({ answer: says('All is well.') }, { inputTokens: 11_000, outputTokens: 50, cacheReadTokens: 10_000 }),
    ];
    const children = { 'gpt-4o-mini': [used({ answer: says('It is so.') }, { inputTokens: 20_000, outputTokens: 1_000 })] };
    await using scene = await setAgent(mode, steps, { children, modelName: 'gpt-4o' });
    const { cost, subagents } = await scene.play();
    const own = (10_000 * 2.5 + 100 * 10 + 1_000 * 2.5 + 10_000 * 1.25 + 50 * 10) / 1e6;
    const theirs = (20_000 * 0.15 + 1_000 * 0.6) / 1e6;
    expect(cost).toEqual({ usd: expect.closeTo(own + theirs, 9), unpricedModels: [] });
    expect(subagents).toEqual({ runs: 1, turns: 1 });
  });

  test('one that nobody knows is named', async () => {
    const origin = { provider: 'openai', endpoint: 'https://api.openai.com/v1', model: 'gpt-nine' };
    const steps = [used({ answer: { ...says('Done.'), origin } }, { inputTokens: 100 })];
    await using scene = await setAgent(mode, steps, { modelName: 'gpt-nine' });
    expect((await scene.play()).cost).toEqual({ usd: 0, unpricedModels: ['gpt-nine'] });
  });

  test('a budget in dollars holds for a sub-agent in the background, too', async () => {
    const endless = Array.from({ length: 30 }, (_, at) =>
      used({ answer: calls(call(`g${at}`, 'glob', { pattern: `*${at}` })) }, { inputTokens: 20_000, outputTokens: 100 }),
    );
    const steps = [
      used(asks('gpt-4o', { background: true }), { inputTokens: 5_000, outputTokens: 100 }),
      used({ answer: says('I wait.') }, { inputTokens: 5_200, outputTokens: 50 }),
      used({ answer: says('It came so far.') }, { inputTokens: 5_300, outputTokens: 50 }),
    ];
    const options = { children: { 'gpt-4o': endless }, modelName: 'gpt-4o-mini', limits: { maxCostUsd: 0.4 } };
    await using scene = await setAgent(mode, steps, options);
    const { cost, stopReason, budget } = await scene.play();
    expect(scene.told()).toEqual(['gpt-4o started', 'gpt-4o budget']);
    expect([stopReason, budget]).toEqual(['completed', undefined]);
    expect(cost?.usd).toBeLessThanOrEqual(0.4);
    expect(cost?.usd).toBeGreaterThan(0.2);
    const report = JSON.stringify(scene.model.requests.at(-1)?.messages);
    expect(report).toContain('It reached the most money that it may cost');
  });

  test('with a budget in dollars a sub-agent whose model has no price works with its parent’s', async () => {
    const small = { inputTokens: 1_000, outputTokens: 10 };
    const steps = [
      used(asks('gpt-nine'), small),
      used({ answer: says('It is so.') }, small),
      used({ answer: says('Done.') }, small),
    ];
    const options = {
      children: { 'gpt-nine': [{ answer: says('never asked') }] },
      modelName: 'gpt-4o',
      limits: { maxCostUsd: 1 },
    };
    await using scene = await setAgent(mode, steps, options);
    expect((await scene.play()).cost?.unpricedModels).toEqual([]);
    expect(scene.children['gpt-nine']?.requests).toEqual([]);
    expect(scene.log.join('\n')).toContain(
      'the model gpt-nine has no known price, and there is a budget; gpt-4o takes its place',
    );
  });

  test('how much fits the model is a guess by its name until the table is there', async () => {
    const steps = [used({ answer: calls(call('g', 'glob', { pattern: '*' })) }, { inputTokens: 100 }), { answer: says('Done.') }];
    await using scene = await setAgent(mode, steps, { modelName: 'gpt-4.1' });
    await scene.play();
    const windows = scene.events.flatMap((event) => (event.type === 'token_update' ? [event.data.contextWindow] : []));
    expect(windows).toEqual([1_047_576, 1_000_000, 1_000_000]);
  });
});

describe('the table', () => {
  const counting = (): Prices & { loads: number } => {
    const prices = { ...createPrices(systemClock.now), loads: 0 };
    const { load } = prices;
    return Object.assign(prices, {
      load: () => {
        prices.loads += 1;
        return load();
      },
    });
  };
  const context = { signal: new AbortController().signal, run: {} };
  const request = { messages: [], tools: [], toolChoice: 'auto', tailStart: 0 } as const;
  const known = { provider: 'openai', endpoint: '', model: 'gpt-4o' };

  test('is not read before a model was asked, and is there with its first answer', async () => {
    const prices = counting();
    const model = new ScriptedModel([{ answer: says('Hello.') }]);
    const provider = withPrices(
      {
        generate: (...args) => {
          expect([prices.loads, hasPrice(known, prices)]).toEqual([0, false]);
          return model.generate(...args);
        },
        generateStream: (...args) => model.generateStream(...args),
      },
      prices,
    );
    await provider.generate(request, context);
    expect(hasPrice(known, prices)).toBe(true);
  });

  test('is there with the first words of a stream, and with its failure', async () => {
    for (const step of [{ answer: says('Hello.') }, { fault: { kind: 'auth', message: 'no', retryable: false } as const }]) {
      const prices = counting();
      const found: boolean[] = [];
      for await (const _ of withPrices(new ScriptedModel([step]), prices).generateStream(request, context)) {
        found.push(hasPrice(known, prices));
      }
      expect(found.length > 0 && found.every(Boolean)).toBe(true);
    }
  });

  test('is there when a call fails, and the failure stays what it was', async () => {
    const prices = counting();
    const model = new ScriptedModel([{ fault: { kind: 'transport', message: 'cut', retryable: true } }]);
    await expect(withPrices(model, prices).generate(request, context)).rejects.toThrow('cut');
    expect(hasPrice(known, prices)).toBe(true);
  });
});

describe('a budget in dollars is refused where it would hold nothing', () => {
  const names = { cost: 'input `max_cost_usd`', tokens: '`max_tokens_total`' };
  const at = (endpoint: string, model: string) => ({ provider: 'openai', endpoint, model });

  test('for each model that may be asked, with its host and without the rest of its address', async () => {
    const prices = createPrices(systemClock.now);
    await prices.load();
    expect(() => requirePrices([at('', 'gpt-4o')], prices, names)).not.toThrow();
    expect(() => requirePrices([at('', 'gpt-4o'), at('http://10.0.0.7:8000/v1?key=hidden', 'qwen')], prices, names)).toThrow(
      expect.objectContaining({
        code: 'PRICE_UNKNOWN',
        message:
          'input `max_cost_usd`: no price is known for the model "qwen" at 10.0.0.7:8000 (prices of 2026-09-23), so nothing could hold it',
        hint: 'Use `max_tokens_total`, which holds for every model, or a model that has a price.',
      }),
    );
  });
});
