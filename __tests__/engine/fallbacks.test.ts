// A run in which another model takes over: told once, whoever sees it first.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import { withFallbacks } from '../../src/engine/fallbacks.ts';
import { type FallbackModel, withFallback } from '../../src/provider/fallback.ts';
import type { ProviderFault } from '../../src/schema/stream.ts';
import { registryOf } from './ports.ts';
import { modes, playIn } from './scene.ts';
import { ScriptedModel, type Step } from './scripted-model.ts';

const origin = (model: string) => ({ provider: 'p', endpoint: 'e', model });
const says = (model: string, text: string): Step => ({
  answer: { role: 'assistant', content: [{ type: 'text', text }], origin: origin(model) },
});
const looks = (model: string): Step => ({
  answer: { role: 'assistant', content: [], toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }], origin: origin(model) },
});
const down: ProviderFault = { kind: 'overloaded', status: 529, message: 'Overloaded', retryable: false };

describe.each(modes)('%s', (mode) => {
  async function play(...steps: readonly (readonly Step[])[]) {
    const models = steps.map(
      (some, index): FallbackModel => ({ origin: origin('abc'[index] ?? '?'), provider: new ScriptedModel(some) }),
    );
    const registry = registryOf({ look: { effect: 'read', run: () => 'seen' } });
    return await playIn(
      mode,
      createEngine(
        withFallback(models, () => {}),
        registry,
        '/w',
      ),
      'go',
    );
  }

  test('each switch is in the result once, and the model is the one that answered', async () => {
    expect(
      await play([looks('a'), { fault: down }], [looks('b'), { fault: { ...down, kind: 'quota' } }], [says('c', 'Done.')]),
    ).toMatchObject({
      stopReason: 'completed',
      finalMessage: 'Done.',
      model: 'c',
      fallbacks: [
        { from: 'a', to: 'b', why: 'overloaded, status 529' },
        { from: 'b', to: 'c', why: 'no credit left, status 529' },
      ],
    });
  });

  test('a run whose model served tells of none', async () => {
    expect(await play([says('a', 'Done.')], [])).not.toHaveProperty('fallbacks');
  });

  test('when nobody is left the run ends in the last fault, which names all', async () => {
    expect(await play([{ fault: down }], [{ fault: down }])).toMatchObject({
      stopReason: 'error',
      error: { code: 'PROVIDER_OVERLOADED', message: 'Overloaded (failed before it: a: overloaded, status 529)' },
    });
  });
});

test('what is known already is not added again, and a model without a name has one for people', () => {
  const known = [{ from: 'a', to: 'b', why: 'x' }];
  const message = { role: 'assistant', content: [] } as const;
  expect(withFallbacks(known, { message: { ...message, origin: origin('b') }, insteadOf: [{ model: 'a', why: 'y' }] })).toEqual(
    known,
  );
  expect(withFallbacks([], { message, insteadOf: [{ model: 'a', why: 'y' }] })).toEqual([
    { from: 'a', to: 'another model', why: 'y' },
  ]);
  expect(withFallbacks(known, { message })).toEqual(known);
});
