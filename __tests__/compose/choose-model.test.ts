import { describe, expect, test } from '@jest/globals';
import { chooseModel, type ModelSettings } from '../../src/compose/choose-model.ts';

const nothing: ModelSettings = {
  provider: 'auto',
  model: null,
  apiKey: null,
  openaiKey: null,
  anthropicKey: null,
  baseUrl: null,
  allowInsecureEndpoint: false,
  maxOutputTokens: null,
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
