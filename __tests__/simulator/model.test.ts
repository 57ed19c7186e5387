import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import type { ScriptedModel } from '../../src/simulator/model/scripted-model.ts';
import { startModel } from '../../src/simulator/model/scripted-model.ts';

let model: ScriptedModel | undefined;
afterEach(() => model?.close());

const openai = (started: ScriptedModel): OpenAI => new OpenAI({ apiKey: 'k', baseURL: started.openaiUrl, maxRetries: 0 });
const anthropic = (started: ScriptedModel): Anthropic => new Anthropic({ apiKey: 'k', baseURL: started.url, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'hi' }];
const openaiTools = [{ type: 'function' as const, function: { name: 'bash', parameters: { type: 'object' } } }];
const anthropicTools = [{ name: 'bash', input_schema: { type: 'object' as const } }];
const script = [
  {
    text: 'Let me look — größer than one piece.',
    calls: [
      { name: 'bash', arguments: { command: 'ls -la /a/rather/long/path' } },
      { name: 'bash', arguments: '{bad' },
    ],
  },
  { text: 'Done.' },
];

describe('the scripted model', () => {
  test('speaks Chat Completions, blocking', async () => {
    model = await startModel(script);
    const first = await openai(model).chat.completions.create({ model: 'm', messages, tools: openaiTools });
    expect(first.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: script[0]?.text,
        tool_calls: [
          { id: 'call_1_0', function: { name: 'bash', arguments: '{"command":"ls -la /a/rather/long/path"}' } },
          { id: 'call_1_1', function: { name: 'bash', arguments: '{bad' } },
        ],
      },
    });
    expect(first.usage?.prompt_tokens).toBeGreaterThan(0);
    const second = await openai(model).chat.completions.create({ model: 'm', messages });
    expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Done.' } });
    expect(model.remaining()).toBe(0);
    expect(model.requests.map(({ dialect, isStream, mayCall }) => ({ dialect, isStream, mayCall }))).toEqual([
      { dialect: 'openai', isStream: false, mayCall: true },
      { dialect: 'openai', isStream: false, mayCall: false },
    ]);
  });

  test('speaks Chat Completions as a stream that adds up to the same', async () => {
    model = await startModel(script);
    const stream = openai(model).chat.completions.stream({
      model: 'm',
      messages,
      tools: openaiTools,
      stream_options: { include_usage: true },
    });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: script[0]?.text,
        tool_calls: [
          { function: { arguments: '{"command":"ls -la /a/rather/long/path"}' } },
          { function: { arguments: '{bad' } },
        ],
      },
    });
    expect(completion.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test('speaks Messages, blocking and as a stream', async () => {
    model = await startModel([script[0] ?? {}, { calls: [{ name: 'bash', arguments: { command: 'ls' } }] }, { text: 'Done.' }]);
    const request = { model: 'm', max_tokens: 10, messages, tools: anthropicTools };
    const first = await anthropic(model).messages.create(request);
    expect(first).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: script[0]?.text },
        { type: 'tool_use', id: 'call_1_0', name: 'bash', input: { command: 'ls -la /a/rather/long/path' } },
        { type: 'tool_use', id: 'call_1_1', name: 'bash', input: {} },
      ],
    });
    const second = await anthropic(model).messages.stream(request).finalMessage();
    expect(second).toMatchObject({ stop_reason: 'tool_use', content: [{ type: 'tool_use', input: { command: 'ls' } }] });
    const third = await anthropic(model).messages.stream(request).finalMessage();
    expect(third).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'Done.' }] });
    expect(third.usage.output_tokens).toBeGreaterThan(1);
  });

  test('makes no calls where they are forbidden, and says something', async () => {
    model = await startModel([
      { calls: [{ name: 'bash', arguments: {} }] },
      { calls: [{ name: 'bash', arguments: {} }], text: 'So far so good.' },
    ]);
    const request = { model: 'm', messages, tools: openaiTools, tool_choice: 'none' as const };
    const first = await openai(model).chat.completions.create(request);
    expect(first.choices[0]?.message).toEqual({ role: 'assistant', content: 'I was stopped before I was done.' });
    const second = await anthropic(model).messages.create({
      model: 'm',
      max_tokens: 9,
      messages,
      tools: anthropicTools,
      tool_choice: { type: 'none' },
    });
    expect(second.content).toEqual([{ type: 'text', text: 'So far so good.' }]);
  });

  test('fails as its script says, and beyond its end without being retried', async () => {
    model = await startModel([
      { status: 429, error: 'slow down', headers: { 'retry-after': '2' } },
      { text: 'a long enough text to be cut', disconnect: true },
    ]);
    const client = openai(model);
    await expect(client.chat.completions.create({ model: 'm', messages })).rejects.toMatchObject({
      status: 429,
      message: '429 slow down',
    });
    await expect(client.chat.completions.stream({ model: 'm', messages }).finalChatCompletion()).rejects.toThrow();
    await expect(client.chat.completions.create({ model: 'm', messages })).rejects.toMatchObject({ status: 400 });
    await expect(anthropic(model).messages.create({ model: 'm', max_tokens: 9, messages })).rejects.toMatchObject({
      status: 400,
    });
  });

  test('may make its answer from what it was asked', async () => {
    model = await startModel([(request) => ({ text: `asked for ${String(request.body.model)}` })]);
    const answer = await openai(model).chat.completions.create({ model: 'gpt', messages });
    expect(answer.choices[0]?.message.content).toBe('asked for gpt');
  });
});
