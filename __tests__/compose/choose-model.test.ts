import { describe, expect, test } from '@jest/globals';
import { chooseFallbacks, chooseModel, chooseNamedModel, type ModelSettings } from '../../src/compose/choose-model.ts';

const nothing: ModelSettings = {
  provider: 'auto',
  model: null,
  apiKey: null,
  openaiKey: null,
  anthropicKey: null,
  baseUrl: null,
  allowInsecureEndpoint: false,
  maxOutputTokens: null,
  reasoningEffort: null,
  fallbackModels: [],
};
const choose = (settings: Partial<ModelSettings>) => {
  const { provider, key } = chooseModel({ ...nothing, ...settings });
  return { provider, key };
};

describe('the model of a run', () => {
  test.each([
    ['an api_key alone is OpenAI’s', { apiKey: 'sk-x' }, 'openai', 'sk-x'],
    [
      'an api_key of Anthropic decides, whatever else is there',
      { apiKey: 'sk-ant-x', openaiKey: 'sk-y' },
      'anthropic',
      'sk-ant-x',
    ],
    [
      'the api_key goes before the variable of its vendor',
      { provider: 'anthropic', apiKey: 'k', anthropicKey: 'sk-ant-y' },
      'anthropic',
      'k',
    ],
    ['a variable alone decides', { anthropicKey: 'sk-ant-y' }, 'anthropic', 'sk-ant-y'],
    [
      'a model’s name decides before the keys',
      { model: 'claude-x', openaiKey: 'sk-y', anthropicKey: 'sk-ant-y' },
      'anthropic',
      'sk-ant-y',
    ],
    [
      'a gateway may take any key',
      { provider: 'openai', apiKey: 'sk-ant-x', baseUrl: 'https://gateway.example' },
      'openai',
      'sk-ant-x',
    ],
    ['a script needs none', { provider: 'scripted', model: 'script.json', openaiKey: 'sk-y' }, 'scripted', null],
  ] as const)('%s', (_case, settings, provider, key) => {
    expect(choose(settings)).toEqual({ provider, key });
  });

  test('a key of Anthropic is never sent to OpenAI itself', () => {
    expect(() => choose({ provider: 'openai', apiKey: 'sk-ant-x' })).toThrow(
      expect.objectContaining({ code: 'PROVIDER_KEY_FOREIGN' }),
    );
  });

  test.each([
    ['the chosen provider has no key', { provider: 'openai', anthropicKey: 'sk-ant-y' }],
    ['there is no key at all', {}],
  ] as const)('%s: the message names the input', (_case, settings) => {
    expect(() => choose(settings)).toThrow(
      expect.objectContaining({ code: 'PROVIDER_KEY_MISSING', message: expect.stringContaining('api_key') }),
    );
  });
});

describe('the model that a sub-agent’s definition names', () => {
  const both = { openaiKey: 'sk-var', anthropicKey: 'sk-ant-var' };
  const named = (name: string, given: Partial<ModelSettings>) => {
    const settings = { ...nothing, ...given };
    return chooseNamedModel(name, chooseModel(settings), settings);
  };

  test.each([
    ['another name of the same vendor', 'gpt-5-mini', { apiKey: 'k' }, { provider: 'openai', model: 'gpt-5-mini', key: 'k' }],
    ['with the vendor before it', 'openai/gpt-5-mini', { apiKey: 'k' }, { provider: 'openai', model: 'gpt-5-mini', key: 'k' }],
    ['a name that is nobody’s', 'llama/big', { apiKey: 'k' }, { provider: 'openai', model: 'llama/big', key: 'k' }],
    [
      'of the other vendor, whose own key is there',
      'claude-x',
      { provider: 'openai', apiKey: 'k', ...both },
      { provider: 'anthropic', model: 'claude-x', key: 'sk-ant-var' },
    ],
    ['the other way round', 'gpt-5', { apiKey: 'sk-ant-k', ...both }, { provider: 'openai', model: 'gpt-5', key: 'sk-var' }],
    [
      'behind a gateway every name is the gateway’s',
      'anthropic/claude-x',
      { apiKey: 'k', baseUrl: 'https://gateway.example', ...both },
      { provider: 'openai', model: 'anthropic/claude-x', key: 'k' },
    ],
    ['of the other vendor, whose key is not there', 'claude-x', { apiKey: 'k' }, undefined],
    ['with its vendor before it', 'anthropic/x', { apiKey: 'k', openaiKey: 'sk-var' }, undefined],
    ['a script of the workspace', 'scripted/x.json', { apiKey: 'k', ...both }, undefined],
  ] as const)('%s: %s', (_case, name, settings, choice) => {
    expect(named(name, settings)).toEqual(choice);
  });

  test('[I1] whatever the name, a key goes to its own vendor or to the run’s own endpoint', () => {
    const names = ['claude-x', 'gpt-5', 'anthropic/x', 'openai/x', 'o3', 'x', 'a/b', 'scripted/x', ' claude-x', 'Claude-x', ''];
    const keys = [{ apiKey: 'k' }, { apiKey: 'sk-ant-k' }, { openaiKey: 'sk-var' }, { anthropicKey: 'sk-ant-var' }, both];
    const places = [{}, both, { baseUrl: 'https://gateway.example' }, { ...both, baseUrl: 'https://gateway.example' }];
    const cases = keys.flatMap((given) => places.map((more): ModelSettings => ({ ...nothing, ...more, ...given })));
    const choices = cases.flatMap((settings) => {
      const own = chooseModel(settings);
      return names.map((name) => ({ own, settings, choice: chooseNamedModel(name, own, settings) }));
    });
    const reached = choices.flatMap(({ choice, ...rest }) => (choice === undefined ? [] : [{ choice, ...rest }]));
    expect(reached.length).toBeGreaterThan(100);
    for (const { choice, own, settings } of reached) {
      const itsOwn = { provider: choice.provider, key: choice.provider === 'anthropic' ? 'sk-ant-var' : 'sk-var' };
      const here = { provider: own.provider, key: own.key };
      const allowed = settings.baseUrl === null ? [here, itsOwn] : [here];
      expect(allowed).toContainEqual({ provider: choice.provider, key: choice.key });
    }
  });
});

describe('the models that take over', () => {
  const choose = (fallbackModels: readonly string[], rest: Partial<ModelSettings> = {}) => {
    const settings = { ...nothing, model: 'gpt-own', apiKey: 'k-own', fallbackModels, ...rest };
    return chooseFallbacks(chooseModel(settings), settings);
  };

  test('are asked with the key of the run at its own vendor, and with their own at another', () => {
    expect(choose(['gpt-b', 'claude-c', 'openai/gpt-d'], { anthropicKey: 'sk-ant-y' })).toEqual([
      { provider: 'openai', model: 'gpt-b', key: 'k-own' },
      { provider: 'anthropic', model: 'claude-c', key: 'sk-ant-y' },
      { provider: 'openai', model: 'gpt-d', key: 'k-own' },
    ]);
  });

  test('are names only, behind a base URL', () => {
    expect(choose(['claude-c'], { baseUrl: 'https://gateway.example' })).toEqual([
      { provider: 'openai', model: 'claude-c', key: 'k-own' },
    ]);
  });

  test('are each asked once: the run’s own and what was named before are left out', () => {
    expect(choose(['gpt-own', 'gpt-b', 'openai/gpt-b', 'openai/gpt-own', 'gpt-c']).map(({ model }) => model)).toEqual([
      'gpt-b',
      'gpt-c',
    ]);
  });

  test('must be within reach: one that is not is told before the run begins', () => {
    expect(() => choose(['gpt-b', 'claude-c'])).toThrow(
      expect.objectContaining({
        code: 'PROVIDER_FALLBACK',
        message: expect.stringContaining('input `fallback_models`: "claude-c"'),
      }),
    );
  });
});
