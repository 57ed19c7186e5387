// Who bills a call, and what it takes by the table's own numbers.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createPrices, pricesDate } from '../../src/provider/prices.ts';
import { noUsage, type Origin, type Usage } from '../../src/schema/message.ts';

const loaded = async () => {
  const prices = createPrices(() => new Date('2026-09-23T12:00:00Z'));
  await prices.load();
  return prices;
};
const at = (endpoint: string, model: string, provider = 'openai'): Origin => ({ provider, endpoint, model });
const million: Usage = { ...noUsage, inputTokens: 100_000, outputTokens: 10_000 };
const small: Usage = { ...noUsage, inputTokens: 1_000, outputTokens: 100 };

test('the day of the prices is that of the package that is pinned, and the README has it', async () => {
  const root = path.join(import.meta.dirname, '../..');
  const { dependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  // The package does not say it: whoever takes a newer one looks up its day.
  expect([dependencies['@pydantic/genai-prices'], pricesDate]).toEqual(['0.1.8', '2026-09-23']);
  expect(await readFile(path.join(root, 'README.md'), 'utf8')).toContain(`list prices of ${pricesDate}`);
});

test('nothing is known before the table is there, and all of it from then on', async () => {
  const prices = createPrices(() => new Date(0));
  const origin = at('', 'gpt-4o');
  expect([prices.priceOf(small, origin), prices.contextWindowOf(origin)]).toEqual([undefined, undefined]);
  await Promise.all([prices.load(), prices.load()]);
  expect([prices.priceOf(small, origin), prices.contextWindowOf(origin)]).toEqual([expect.closeTo(0.0035, 9), 128_000]);
});

describe('who bills', () => {
  test.each<[string, Origin, number | undefined]>([
    ["the vendor's own endpoint", at('', 'gpt-4o'), 0.0035],
    ['the same, as it stands in an answer', at('https://api.openai.com/v1', 'gpt-4o'), 0.0035],
    ['a model of a day', at('https://api.openai.com/v1', 'gpt-4o-2024-11-20'), 0.0035],
    ['Anthropic', at('https://api.anthropic.com', 'claude-sonnet-4-20250514', 'anthropic'), 0.0045],
    ["a region's host of a vendor", at('https://eu.api.openai.com/v1', 'gpt-4o'), 0.0035],
    ['a company’s gateway that speaks as a vendor', at('https://llm.example.com/v1', 'gpt-4o'), 0.0035],
    [
      "a gateway with another vendor's model in its name",
      at('https://llm.example.com/v1', 'anthropic/claude-sonnet-4-0'),
      0.0045,
    ],
    ['the same in a network of one’s own', at('http://10.1.2.3:4000', 'anthropic/claude-sonnet-4-0'), 0.0045],
    ['a gateway before a gateway', at('http://litellm:4000', 'openrouter/openai/gpt-4o'), 0.0035],
    ['OpenRouter, by its own names', at('https://openrouter.ai/api/v1', 'openai/gpt-4o'), 0.0035],
    ['Azure, with a deployment named after its model', at('https://x.openai.azure.com/openai/v1', 'gpt-4o'), 0.0035],
    ['a vendor behind the protocol of another', at('https://api.deepseek.com/anthropic', 'deepseek-chat', 'anthropic'), 0.00038],
    ['a model that costs nothing', at('https://openrouter.ai/api/v1', 'meta-llama/llama-3.3-70b-instruct:free'), 0],
    ['a model that nobody knows', at('', 'gpt-nine'), undefined],
    ['a deployment with a name of its own', at('https://x.openai.azure.com/openai/deployments/mine', 'mine'), undefined],
    ['a model of one vendor at another', at('', 'claude-sonnet-4-0'), undefined],
    ['the same at a gateway, which passes it on', at('https://llm.example.com/v1', 'claude-sonnet-4-0'), 0.0045],
    ['OpenRouter with a name that it does not have', at('https://openrouter.ai/api/v1', 'gpt-4o'), undefined],
    ['a prefix that is nobody’s', at('https://llm.example.com/v1', 'prod/gpt-4o'), undefined],
    ['the maker of a model that runs elsewhere', at('http://localhost:8000/v1', 'deepseek-ai/DeepSeek-V3'), undefined],
    ['nobody, for a script', { provider: 'scripted', endpoint: 'in-process', model: 'gpt-4o' }, 0],
    ['an endpoint that is none', at('nowhere', 'deepseek-chat'), undefined],
  ])('%s', async (_name, origin, expected) => {
    const { priceOf } = await loaded();
    expect(priceOf(small, origin)).toEqual(expected === undefined ? undefined : expect.closeTo(expected, 9));
  });

  test.each([
    'http://localhost:11434/v1',
    'http://[::1]:8000/v1',
    'http://10.0.0.9/v1',
    'http://vllm.models.svc/v1',
    'https://llm.corp.internal/v1',
    'https://llm.example.com/v1',
  ])('open weights at %s are not billed by who made them, a model that only its maker has is', async (endpoint) => {
    const { priceOf } = await loaded();
    const priced = (model: string, provider = 'openai') => priceOf(small, at(endpoint, model, provider)) !== undefined;
    const open = ['gpt-oss-120b', 'deepseek-chat', 'kimi-k2', 'qwen3:8b', 'llama3.1', 'mistral-large-latest'];
    expect(open.filter((model) => priced(model) || priced(model, 'anthropic'))).toEqual([]);
    const closed = ['gpt-4o', 'gpt-5-mini', 'o3', 'claude-sonnet-4-0', 'gemini-2.5-pro'];
    expect(closed.filter((model) => !priced(model) || !priced(model, 'anthropic'))).toEqual([]);
  });
});

describe('what is paid', () => {
  const sonnet = at('', 'claude-sonnet-4-5', 'anthropic');

  test.each<[string, Partial<Usage>, number]>([
    ['input and output', { inputTokens: 100_000, outputTokens: 10_000 }, 0.3 + 0.15],
    ['what was read from the cache is cheap', { inputTokens: 100_000, cacheReadTokens: 90_000 }, 0.03 + 0.027],
    ['what was written to it is dear', { inputTokens: 100_000, cacheWriteTokens: 90_000 }, 0.03 + 0.3375],
    ['reasoning is a part of the output', { outputTokens: 10_000, reasoningTokens: 9_000 }, 0.15],
    ['a long request takes another tier, its answer too', { inputTokens: 300_000, outputTokens: 10_000 }, 1.8 + 0.225],
    ['a cache that is not in the input is a part of it', { inputTokens: 1_000, cacheReadTokens: 100_000 }, 0.03],
    ['nothing', {}, 0],
  ])('%s', async (_name, usage, expected) => {
    const { priceOf } = await loaded();
    expect(priceOf({ ...noUsage, ...usage }, sonnet)).toBeCloseTo(expected, 9);
  });

  test('some take less at other hours', async () => {
    let now = new Date('2026-09-23T12:00:00Z');
    const prices = createPrices(() => now);
    await prices.load();
    const price = () => prices.priceOf(small, at('https://api.deepseek.com/v1', 'deepseek-chat'));
    expect(price()).toBeCloseTo(0.00038, 9);
    now = new Date('2026-09-23T20:00:00Z');
    expect(price()).toBeCloseTo(0.00019, 9);
  });

  test('a model without a price of its own for the cache pays the whole for what is written to it', async () => {
    const { priceOf } = await loaded();
    const written = { ...million, cacheWriteTokens: 90_000 };
    expect(priceOf(written, at('', 'gpt-4o'))).toBe(priceOf(million, at('', 'gpt-4o')));
  });
});
