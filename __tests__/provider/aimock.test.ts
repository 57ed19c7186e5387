// Both official SDKs against a mock server that others wrote: text, parallel calls, usage, in both modes.

import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import type { LLMProvider } from '../../src/provider/port.ts';
import { contextOf, finalOf, requestOf, usageOf, user } from './calling.ts';

const mock = new LLMock({ port: 0 });
const usage = { prompt_tokens: 11, completion_tokens: 7, input_tokens: 11, output_tokens: 7 };
const calls = [
  { id: 'call_a', name: 'read_file', arguments: '{"path":"a"}' },
  { id: 'call_b', name: 'read_file', arguments: '{"path":"b"}' },
];

beforeAll(async () => {
  mock.onMessage('hello', { content: 'Hi there', usage });
  mock.onMessage('read both', { toolCalls: calls, usage });
  await mock.start();
});

afterAll(async () => {
  await mock.stop();
});

describe.each<[string, () => LLMProvider]>([
  ['openai', () => createOpenAIProvider('gpt-4o', { apiKey: 'mock', env: {}, baseUrl: `${mock.url}/v1` })],
  ['anthropic', () => createAnthropicProvider('claude-x', 4096, { apiKey: 'mock', env: {}, baseUrl: mock.url })],
])('%s', (_, create) => {
  test('text and usage are the same in both modes', async () => {
    const request = requestOf([user('hello')]);
    const answer = await create().generate(request, contextOf());
    expect(answer.message).toMatchObject({ content: [{ type: 'text', text: 'Hi there' }], finishReason: 'stop' });
    expect(answer.usage).toEqual(usageOf({ inputTokens: 11, outputTokens: 7 }));
    expect(await finalOf(create(), request)).toEqual({ type: 'done', ...answer });
  });

  test('parallel calls are the same in both modes', async () => {
    const request = requestOf([user('read both')]);
    const answer = await create().generate(request, contextOf());
    expect(answer.message.toolCalls?.map(({ name, arguments: args }) => ({ name, arguments: args }))).toEqual(
      calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    );
    const last = await finalOf(create(), request);
    expect(last).toMatchObject({ type: 'done', message: { finishReason: 'tool_calls' } });
    expect(last?.type === 'done' ? last.message.toolCalls?.length : 0).toBe(2);
  });

  test('a server error is a fault with its status', async () => {
    mock.nextRequestError(529, { message: 'Overloaded', type: 'overloaded_error' });
    await expect(create().generate(requestOf([user('hello')]), contextOf())).rejects.toMatchObject({
      fault: { kind: 'overloaded', status: 529, retryable: true },
    });
  });
});
