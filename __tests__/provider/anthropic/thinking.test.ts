// How much to think, in the form that each model takes; and when it may not be asked for.
import { expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import type { Message } from '../../../src/schema/message.ts';
import { type ReasoningEffort, reasoningEfforts } from '../../../src/schema/settings.ts';
import { json, type Reply, startByteServer } from '../byte-server.ts';
import { assistant, contextOf, requestOf, result, user } from '../calling.ts';
import { bodyOf } from './recordings.ts';
import { checkAnthropicOrder } from './strict-order.ts';

const ok = json(bodyOf([{ type: 'text', text: 'ok' }], 'end_turn'));

interface Asked {
  readonly model: string;
  readonly effort?: ReasoningEffort;
  readonly limit?: number;
  readonly history?: (endpoint: string) => readonly Message[];
}

async function thinkingOf({ model, effort, limit = 40_000, history = () => [user('Hello')] }: Asked): Promise<unknown> {
  const stream = { chunks: ['event: message_stop\ndata: {"type":"message_stop"}\n\n'] };
  await using server = await startByteServer([limit > 20_000 ? stream : ok]);
  const options = { apiKey: 'sk-ant-test', env: {}, baseUrl: server.url, reasoningEffort: effort, maxOutputTokens: limit };
  await createAnthropicProvider(model, 1, options).generate(requestOf(history(server.url)), contextOf());
  const body = Object(server.requests[0]?.body);
  checkAnthropicOrder(body);
  return { thinking: body.thinking, effort: body.output_config?.effort };
}

test.each([
  'claude-opus-4-7',
  'claude-sonnet-5',
  'claude-haiku-5-5',
  'anthropic/claude-opus-4.8',
  'eu.anthropic.claude-sonnet-5-20260601-v1:0',
  'claude-opus-5@20260501',
])('%s decides by the effort', async (model) => {
  const forms = await Promise.all(reasoningEfforts.map(async (effort) => await thinkingOf({ model, effort })));
  const adaptive = (effort: string) => ({ thinking: { type: 'adaptive' }, effort });
  const levels = ['low', 'low', 'medium', 'high', 'xhigh', 'max'].map(adaptive);
  expect(forms).toEqual([{ thinking: { type: 'disabled' }, effort: undefined }, ...levels]);
});

test('before 4.7 there was no level "xhigh"; models that always think think little when they should not', async () => {
  expect(await thinkingOf({ model: 'claude-sonnet-4-6', effort: 'xhigh' })).toMatchObject({ effort: 'high' });
  expect(await thinkingOf({ model: 'claude-mythos-preview', effort: 'none' })).toEqual({
    thinking: { type: 'adaptive' },
    effort: 'low',
  });
  expect(await thinkingOf({ model: 'claude-fable-5-2', effort: 'max' })).toEqual({
    thinking: { type: 'adaptive' },
    effort: 'max',
  });
});

test.each([
  'claude-sonnet-4-20250514',
  'claude-3-7-sonnet-20250219',
  'claude-haiku-4-5',
  'claude-sonnet-4',
  'kimi-k2',
  'my-claude',
])('%s has a budget, of which half the limit is the most', async (model) => {
  const budgets = await Promise.all(
    reasoningEfforts.map(async (effort) => Object(await thinkingOf({ model, effort })).thinking.budget_tokens ?? 0),
  );
  expect(budgets).toEqual([0, 1024, 2048, 8192, 16_384, 20_000, 20_000]);
  expect(await thinkingOf({ model, effort: 'high', limit: 4096 })).toMatchObject({ thinking: { budget_tokens: 2048 } });
  expect(await thinkingOf({ model, effort: 'high', limit: 2047 })).toEqual({ thinking: undefined, effort: undefined });
});

test('nothing is said of thinking where nothing was asked for, and to models that cannot', async () => {
  const nothing = { thinking: undefined, effort: undefined };
  expect(await thinkingOf({ model: 'claude-opus-4-7' })).toEqual(nothing);
  for (const model of ['claude-3-5-sonnet-20241022', 'claude-3-opus-20240229', 'claude-2.1', 'claude-instant-1.2', 'claude-v2']) {
    expect(await thinkingOf({ model, effort: 'high' })).toEqual(nothing);
  }
});

const model = 'claude-sonnet-4-5';
const thinkingPart = (endpoint: string) => {
  const value = { type: 'thinking', thinking: 'hm', signature: 's' };
  return { type: 'opaque', origin: { provider: 'anthropic', endpoint, model }, kind: 'thinking', value } as const;
};
const call = assistant('I look.', ['a', 'read_file', '{}']);
const histories: readonly (readonly [string, (endpoint: string) => readonly Message[], boolean])[] = [
  ['calls of another model wait for their end', () => [user('Go'), call, result('a', 'x')], false],
  [
    'so do calls whose thinking was taken out, several turns ago',
    (at) => {
      const thought = { ...assistant('', ['b', 'read_file', '{}']), content: [thinkingPart(at)] };
      return [user('Go'), call, result('a', 'x'), thought, result('b', 'x'), user('a reminder')];
    },
    false,
  ],
  [
    'the calls began with thinking',
    (at) => {
      const thought = { ...call, content: [thinkingPart(at), ...call.content] };
      return [user('Go'), thought, result('a', 'x'), assistant('', ['b', 'read_file', '{}']), result('b', 'x')];
    },
    true,
  ],
  ['the calls of the other model have ended', () => [user('Go'), call, result('a', 'x'), assistant('Done.'), user('More')], true],
  ['nothing was called', () => [user('Go'), assistant('Done.'), user('More')], true],
];

test.each(histories)('with a budget: %s', async (_, history, isOn) => {
  const form = await thinkingOf({ model, effort: 'high', history });
  expect(Object(form).thinking?.type).toBe(isOn ? 'enabled' : undefined);
  expect(await thinkingOf({ model: 'claude-opus-5', effort: 'high', history })).toMatchObject({ thinking: { type: 'adaptive' } });
});

test('thinking has room of its own beside the answer, unless one limit is set for both', async () => {
  const streamed: Reply = { chunks: ['event: message_stop\ndata: {"type":"message_stop"}\n\n'] };
  const limits = [];
  for (const [name, effort, maxOutputTokens] of [
    ['claude-opus-5', 'low', undefined],
    ['claude-opus-5', 'max', undefined],
    ['claude-opus-5', 'max', 5000],
    ['claude-opus-5', 'none', undefined],
    ['claude-opus-5', undefined, undefined],
    ['claude-3-5-haiku-20241022', 'max', undefined],
  ] as const) {
    await using server = await startByteServer([({ body }) => (Object(body).stream === true ? streamed : ok)]);
    const options = { apiKey: 'sk-ant-test', env: {}, baseUrl: server.url, reasoningEffort: effort, maxOutputTokens };
    await createAnthropicProvider(name, 4096, options).generate(requestOf([user('Hello')]), contextOf());
    limits.push(Object(server.requests[0]?.body).max_tokens);
  }
  expect(limits).toEqual([6144, 36_864, 5000, 4096, 4096, 4096]);
});
