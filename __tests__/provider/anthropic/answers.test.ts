// What Messages servers send beyond the plain answer, and the failures: each becomes the right answer or the right fault.
import { describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import { json, type Reply, startByteServer } from '../byte-server.ts';
import { answerIn, contextOf, hello } from '../calling.ts';
import { bodyOf, ending, messageStart, sse, streamOf } from './recordings.ts';

const key = 'sk-ant-secret-1234';

async function answerOf(reply: Reply, mode: 'blocking' | 'streaming', maxTokens = 4096) {
  await using server = await startByteServer([reply]);
  const provider = createAnthropicProvider('m', maxTokens, { apiKey: key, env: {}, baseUrl: server.url });
  return await answerIn(mode, provider);
}

const start = { type: 'tool_use', id: 't1', name: 'use_skill', input: {} };

test.each<[string, readonly [object, ...object[]], string]>([
  ['no delta at all', [start], '{}'],
  ['one empty delta', [start, { type: 'input_json_delta', partial_json: '' }], '{}'],
  ['the whole input at the start', [{ ...start, input: { skill_name: 'x' } }], '{"skill_name":"x"}'],
])('a call with %s has an object for its input (G3-14)', async (_, block, expected) => {
  expect(await answerOf({ chunks: [streamOf([block], 'tool_use')] }, 'streaming')).toMatchObject({
    type: 'done',
    message: { toolCalls: [{ id: 't1', name: 'use_skill', arguments: expected }], finishReason: 'tool_calls' },
  });
});

test('a call cut by max_tokens says so and keeps its text (G3-15)', async () => {
  const cut = '{"path":"a.md","content":"aaa';
  const block = [
    { ...start, name: 'write_file' },
    { type: 'input_json_delta', partial_json: cut },
  ] as const;
  expect(await answerOf({ chunks: [streamOf([block], 'max_tokens')] }, 'streaming')).toMatchObject({
    message: { toolCalls: [{ arguments: cut }], finishReason: 'length' },
  });
});

test('fragments are never stored, blocks of unknown types are, whole (G3-17)', async () => {
  const blocks = [
    [{ type: 'text', text: '' }],
    [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'input_json_delta', partial_json: '{"query":"x"}' },
    ],
    [
      { type: 'text', text: 'a' },
      { type: 'text_delta', text: 'b' },
    ],
  ] as const;
  const last = await answerOf({ chunks: [streamOf(blocks, 'end_turn')] }, 'streaming');
  const origin = expect.objectContaining({ provider: 'anthropic', model: 'm' });
  expect(last).toMatchObject({
    message: {
      content: [
        {
          type: 'opaque',
          kind: 'server_tool_use',
          origin,
          value: { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
        },
        { type: 'text', text: 'ab' },
      ],
    },
  });
});

test.each([
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
  ['model_context_window_exceeded', 'context_overflow'],
  ['something_new', 'other'],
  [null, 'other'],
])('the stop reason %s is %s, with and without text (G3-22)', async (reason, expected) => {
  const text = { type: 'text', text: 'so far' };
  for (const content of [[], [text]]) {
    expect(await answerOf(json(bodyOf(content, reason)), 'blocking')).toMatchObject({
      message: { content, finishReason: expected },
    });
  }
});

describe('an error event inside a 200 stream (G3-10)', () => {
  test.each([
    ['overloaded_error', 'overloaded', true],
    ['rate_limit_error', 'rate_limit', true],
    ['api_error', 'overloaded', true],
    ['invalid_request_error', 'bad_request', false],
    ['authentication_error', 'auth', false],
  ])('%s is %s', async (type, kind, retryable) => {
    const event = { type: 'error', error: { type, message: `No for ${key}` } };
    for (const events of [[event], [messageStart, event]]) {
      const last = await answerOf({ chunks: [sse(events)] }, 'streaming');
      expect(last).toMatchObject({ type: 'error', error: { kind, retryable, message: expect.stringContaining(type) } });
      expect(JSON.stringify(last)).not.toContain(key);
    }
  });
});

describe.each(['blocking', 'streaming'] as const)('%s', (mode) => {
  test.each([
    [529, 'overloaded_error', 'overloaded', true],
    [429, 'rate_limit_error', 'rate_limit', true],
    [401, 'authentication_error', 'auth', false],
    [403, 'permission_error', 'auth', false],
    [400, 'invalid_request_error', 'bad_request', false],
  ])('status %i is %s', async (status, type, kind, retryable) => {
    const last = await answerOf(json({ type: 'error', error: { type, message: 'No.' } }, status), mode);
    expect(last).toMatchObject({
      type: 'error',
      error: { kind, retryable, status, message: expect.stringContaining(`${type}: No.`) },
    });
  });

  test('a prompt that is too long is an overflow', async () => {
    const error = { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' };
    expect(await answerOf(json({ type: 'error', error }, 400), mode)).toMatchObject({ error: { kind: 'context_overflow' } });
  });

  test('an auth failure names the input and the variable', async () => {
    const last = await answerOf(json({ type: 'error', error: { type: 'authentication_error', message: 'invalid' } }, 401), mode);
    expect(last).toMatchObject({ error: { hint: expect.stringMatching(/api_key.*ANTHROPIC_API_KEY/) } });
  });
});

test('a large limit is streamed inside, also when the caller waits for the whole answer (G3-19)', async () => {
  await using server = await startByteServer([{ chunks: [streamOf([[{ type: 'text', text: 'long' }]], 'end_turn')] }]);
  const provider = createAnthropicProvider('m', 32_000, { apiKey: key, env: {}, baseUrl: server.url });
  const { message } = await provider.generate(hello, contextOf());
  expect(message.content).toEqual([{ type: 'text', text: 'long' }]);
  expect(server.requests[0]?.body).toMatchObject({ stream: true, max_tokens: 32_000 });
});

test('a stream that ends after its reason, with every block closed, is whole', async () => {
  const stream = streamOf([[{ type: 'text', text: 'all' }]], 'end_turn').replace(sse(ending(null).slice(1)), '');
  expect(await answerOf({ chunks: [stream] }, 'streaming')).toMatchObject({ type: 'done' });
});

test('thinking that the output limit cut is not kept: it has no signature', async () => {
  const content = [
    { type: 'text', text: 'First' },
    { type: 'thinking', thinking: 'and the', signature: '' },
  ];
  for (const reason of ['max_tokens', 'model_context_window_exceeded']) {
    expect(await answerOf(json(bodyOf(content, reason)), 'blocking')).toMatchObject({
      message: { content: content.slice(0, 1) },
    });
  }
  const kept = await answerOf(json(bodyOf(content, 'end_turn')), 'blocking');
  expect(kept).toMatchObject({ message: { content: [{ type: 'text' }, { type: 'opaque', value: content[1] }] } });
});

test('usage is the most that was told, wherever it stood', async () => {
  const usages = [
    [
      { input_tokens: 100, output_tokens: 1 },
      { input_tokens: 0, output_tokens: 40 },
    ],
    [
      { input_tokens: 0, output_tokens: 0 },
      { input_tokens: 100, output_tokens: 40 },
    ],
    [null, { input_tokens: 100, output_tokens: 40, cache_read_input_tokens: null }],
    [{ input_tokens: 100 }, { output_tokens: 40 }],
  ];
  for (const [first, last] of usages) {
    const events = [
      { ...messageStart, message: { ...messageStart.message, usage: first } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: last },
      { type: 'message_stop' },
    ];
    const usage = { inputTokens: 100, outputTokens: 40, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    expect(await answerOf({ chunks: [sse(events)] }, 'streaming')).toMatchObject({ usage });
  }
});

test.each([
  [{ type: 'refusal', category: 'cyber', explanation: `It touches malware; ${key}.` }, 'It touches malware; [redacted].'],
  [{ type: 'refusal', category: 'bio', explanation: null }, 'bio'],
  [{ type: 'refusal', category: null, explanation: null }, undefined],
  [null, undefined],
])('why a refusal was made is kept for people (G3-22)', async (details, expected) => {
  const stop = { stop_reason: 'refusal', stop_details: details };
  const events = [messageStart, { type: 'message_delta', delta: stop }, { type: 'message_stop' }];
  const whole = await answerOf(json({ ...Object(bodyOf([], 'refusal')), ...stop }), 'blocking');
  const streamed = await answerOf({ chunks: [sse(events)] }, 'streaming');
  for (const answer of [whole, streamed]) {
    expect(answer).toMatchObject({ message: { content: [], finishReason: 'refusal' } });
    expect(Object(answer).message.finishDetail).toBe(expected);
  }
});
