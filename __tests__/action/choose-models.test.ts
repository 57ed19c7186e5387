import { describe, expect, test } from '@jest/globals';
import { chooseModels } from '../../src/action/choose-models.ts';
import { parseInputs } from '../../src/action/inputs.ts';
import { systemClock } from '../../src/schema/system-clock.ts';
import type { World } from '../../src/schema/world.ts';
import { plan } from '../github/plan-and-bundle.ts';

const world: World = {
  clock: systemClock,
  randomHex: () => '00',
  env: {},
  fetch: globalThis.fetch,
  stdout: () => undefined,
  stderr: () => undefined,
};

interface Asked {
  readonly model?: string;
  readonly budget?: number;
  readonly inputs?: Readonly<Record<string, string>>;
}

function choose({ model, budget, inputs = {} }: Asked) {
  const settings = parseInputs({
    INPUT_GITHUB_TOKEN: 't',
    OPENAI_API_KEY: 'o',
    ANTHROPIC_API_KEY: 'sk-ant-a',
    INPUT_MODEL: 'openai/gpt-5',
    INPUT_FALLBACK_MODELS: 'openai/gpt-5-mini,anthropic/claude-sonnet-4-0',
    ...inputs,
  });
  const limits = { ...plan.limits, maxCostUsd: budget ?? settings.gate.maxCostUsd };
  return chooseModels({ ...plan, model: model ?? null, limits }, { settings, world });
}

async function namesOf(asked: Asked): Promise<readonly (string | null)[]> {
  const models = await choose(asked);
  if ('reason' in models) throw new Error(models.detail);
  return [models.choice, ...models.fallbacks].map(({ provider, model }) => `${provider}/${model}`);
}

describe('the models of a run', () => {
  test('are the workflow’s, and the one of them that was asked for comes first', async () => {
    expect(await namesOf({})).toEqual(['openai/gpt-5', 'openai/gpt-5-mini', 'anthropic/claude-sonnet-4-0']);
    expect(await namesOf({ model: 'openai/gpt-5-mini' })).toEqual(['openai/gpt-5-mini', 'anthropic/claude-sonnet-4-0']);
    expect(await namesOf({ model: 'anthropic/claude-sonnet-4-0' })).toEqual(['anthropic/claude-sonnet-4-0', 'openai/gpt-5-mini']);
    expect(await namesOf({ model: 'openai/gpt-5' })).toEqual(await namesOf({}));
  });

  test('each vendor is asked with its own key, whichever of them comes first', async () => {
    const models = await choose({ model: 'anthropic/claude-sonnet-4-0' });
    expect('reason' in models ? models : [models.choice.key, models.fallbacks[0]?.key]).toEqual(['sk-ant-a', 'o']);
  });

  test('a budget of the comment that no price holds is told its author, and one of the workflow is the workflow’s fault', async () => {
    const inputs = { INPUT_MODEL: 'qwen-of-our-own', INPUT_FALLBACK_MODELS: '', INPUT_BASE_URL: 'https://10.0.0.7/v1' };
    const refused = await choose({ budget: 2, inputs });
    expect(refused).toEqual({
      version: 1,
      reason: 'bad_option',
      detail: '`--budget` cannot be held: no price is known for the model that would be asked. Ask again without it.',
      conclusion: 'denied',
      notice: {
        thread: plan.thread?.number,
        triggerId: plan.trigger.id,
        selfId: plan.self.id,
        channel: { kind: 'thread', number: plan.thread?.number },
      },
    });
    await expect(choose({ inputs: { ...inputs, INPUT_MAX_COST_USD: '2' } })).rejects.toMatchObject({ code: 'PRICE_UNKNOWN' });
    expect(await namesOf({ budget: 2 })).toHaveLength(3);
  });
});
