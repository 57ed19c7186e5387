// Which provider and model a run uses.
import { expect, test } from '@jest/globals';
import { selectProvider } from '../../src/provider/select.ts';

const noKeys = { hasOpenAIKey: false, hasAnthropicKey: false };
const both = { hasOpenAIKey: true, hasAnthropicKey: true };
const onlyAnthropic = { hasOpenAIKey: false, hasAnthropicKey: true };

test.each([
  [{ provider: 'auto', model: null, ...both }, 'openai', 'gpt-4o'],
  [{ provider: 'auto', model: null, ...onlyAnthropic }, 'anthropic', 'claude-sonnet-4-20250514'],
  [{ provider: 'auto', model: 'claude-x', ...both }, 'anthropic', 'claude-x'],
  [{ provider: 'auto', model: 'gpt-x', ...onlyAnthropic }, 'openai', 'gpt-x'],
  [{ provider: 'auto', model: 'anthropic/claude-x', ...both }, 'anthropic', 'claude-x'],
  [{ provider: 'auto', model: 'meta/llama', ...both }, 'openai', 'meta/llama'],
  [{ provider: 'openai', model: 'openai/gpt-x', ...noKeys }, 'openai', 'gpt-x'],
  [{ provider: 'openai', model: 'anthropic/claude-x', ...both }, 'openai', 'anthropic/claude-x'],
  [{ provider: 'scripted', model: 'scripted/demo', ...noKeys }, 'scripted', 'demo'],
  [{ provider: 'anthropic', model: ' ', ...both }, 'anthropic', 'claude-sonnet-4-20250514'],
])('%j is %s with %s', (wish, provider, model) => {
  expect(selectProvider(wish)).toEqual({ provider, model });
});

test('an unknown provider is an error that names the input, the value and what is expected', () => {
  expect(() => selectProvider({ provider: 'mistral', model: null, ...both })).toThrow(
    expect.objectContaining({
      code: 'PROVIDER_UNKNOWN',
      message: 'The provider is "mistral".',
      hint: expect.stringContaining('auto, openai, anthropic, scripted'),
    }),
  );
});

test('auto without any key says which input is missing', () => {
  expect(() => selectProvider({ provider: 'auto', model: null, ...noKeys })).toThrow(
    expect.objectContaining({ code: 'PROVIDER_KEY_MISSING', hint: expect.stringContaining('api_key') }),
  );
});
