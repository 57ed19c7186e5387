// The specification's rows on the Messages API, one by one: what each kind of message becomes, and what each kind of answer is read as.
import { describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import type { Message } from '../../../src/schema/message.ts';
import { json, type RecordedRequest, startByteServer } from '../byte-server.ts';
import { assistant, collect, contextOf, hello, readFile, requestOf, result, system, usageOf, user } from '../calling.ts';
import { bodyOf, streamOf } from './recordings.ts';

const ok = json(bodyOf([{ type: 'text', text: 'ok' }], 'end_turn'));
const call = ['a', 'read_file', '{"path": "x"}'] as const;
const usage = usageOf({ inputTokens: 100, outputTokens: 40, cacheReadTokens: 50, cacheWriteTokens: 30 });

/** The request that a blocking call makes, with the vendor's variables as the only settings; cache marks are another matter. */
async function sent(messages: readonly Message[], maxTokens?: number): Promise<RecordedRequest> {
  await using server = await startByteServer([ok]);
  const env = { ANTHROPIC_API_KEY: 'sk-from-env', ANTHROPIC_BASE_URL: server.url };
  await createAnthropicProvider('m', maxTokens, { env }).generate(requestOf(messages), contextOf());
  const [request] = server.requests;
  if (request === undefined) throw new Error('nothing was sent');
  const unmarked = JSON.stringify(request.body, (name, value: unknown) => (name === 'cache_control' ? undefined : value));
  return { ...request, body: JSON.parse(unmarked) };
}

async function bodyFor(...messages: readonly Message[]) {
  return Object(await sent(messages).then(({ body }) => body));
}

async function chunksOf(stream: string) {
  await using server = await startByteServer([{ chunks: [stream] }]);
  const provider = createAnthropicProvider('m', 4096, { apiKey: 'k', env: {}, baseUrl: server.url });
  const origin = { provider: 'anthropic', endpoint: server.url, model: 'm' };
  return { chunks: await collect(provider), request: server.requests[0], origin };
}

describe('the environment', () => {
  test('[spec 5.2 anthropic ANTHROPIC_API_KEY] [spec 5.2 anthropic ANTHROPIC_BASE_URL] says key and endpoint', async () => {
    const { path, headers } = await sent([user('Hello')]);
    expect([path, headers['x-api-key']]).toEqual(['/v1/messages', 'sk-from-env']);
  });

  test('[spec 5.2 anthropic ANTHROPIC_API_KEY] must say the key', () => {
    expect(() => createAnthropicProvider('m', 1, { env: { ANTHROPIC_BASE_URL: 'https://h' } })).toThrow(
      expect.objectContaining({ code: 'PROVIDER_KEY_MISSING' }),
    );
  });

  test('[spec 5.2 anthropic ANTHROPIC_BASE_URL] need not say the endpoint: it is the vendor then', async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(input instanceof Request ? input.url : String(input));
      return Response.json(bodyOf([{ type: 'text', text: 'ok' }], 'end_turn'));
    };
    await createAnthropicProvider('m', 1, { env: { ANTHROPIC_API_KEY: 'k' }, fetch }).generate(hello, contextOf());
    expect(asked).toEqual(['https://api.anthropic.com/v1/messages']);
  });
});

describe('the conversion', () => {
  test('[spec 5.2 anthropic system prompt] [spec 8 anthropic system prompt] the system prompt leaves the messages for its own parameter', async () => {
    const body = await bodyFor(system('Be brief.'), user('Hello'));
    expect([body.system, body.messages]).toEqual([
      [{ type: 'text', text: 'Be brief.' }],
      [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    ]);
  });

  test('[spec 5.2 anthropic ToolUseBlock input] [spec 8 anthropic tool calls in the history] [spec 8 anthropic tool result] calls go back as tool_use with an object, results as tool_result that may be an error', async () => {
    const { messages } = await bodyFor(
      user('Go'),
      assistant('I look.', call, ['b', 'read_file', '{"path":"y","lines":[1,2]}']),
      result('a', 'content'),
      result('b', 'no such file', true),
    );
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'x' } },
          { type: 'tool_use', id: 'b', name: 'read_file', input: { path: 'y', lines: [1, 2] } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'content' },
          { type: 'tool_result', tool_use_id: 'b', content: 'no such file', is_error: true },
        ],
      },
    ]);
  });

  test('[spec 5.2 anthropic required] [spec 8 anthropic InputSchema] a tool has its schema whole: properties, required and all that stands beside them', async () => {
    const { name, description, inputSchema } = readFile;
    const body = await bodyFor(user('Hello'));
    expect(body.tools).toEqual([{ name, description, input_schema: inputSchema }]);
    expect(body.tools[0].input_schema.required).toEqual(['path']);
  });

  test('[spec 003 Anthropic alternation] user and assistant alternate, whatever the history is', async () => {
    const { messages } = await bodyFor(
      user('Go'),
      assistant('One.'),
      assistant('Two.'),
      user('And?'),
      user('Well?'),
      assistant('So.'),
    );
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And?' },
          { type: 'text', text: 'Well?' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'So.' }] },
      // Models from 4.6 on refuse a conversation that ends with an answer of theirs.
      { role: 'user', content: [{ type: 'text', text: '(Go on.)' }] },
    ]);
  });

  test('[spec 8 anthropic API protocol] [spec 8 anthropic constructor] [spec 8 anthropic MaxTokens] [spec 5.2 anthropic MaxTokens] the constructor takes model and limit, which is always sent; 4096 unless given', async () => {
    const bodies = await Promise.all([sent([user('Hello')]), sent([user('Hello')], 77)]);
    expect(bodies.map(({ path, body }) => [path, Object(body).model, Object(body).max_tokens])).toEqual([
      ['/v1/messages', 'm', 4096],
      ['/v1/messages', 'm', 77],
    ]);
  });
});

describe('the answer', () => {
  test('[spec 8 anthropic tool calls in the answer] has its tool_use blocks as calls, the input as JSON', async () => {
    const block = { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'x', lines: [1] } };
    const reply = json(bodyOf([block], 'tool_use'));
    await using server = await startByteServer([reply]);
    const provider = createAnthropicProvider('m', 4096, { apiKey: 'k', env: {}, baseUrl: server.url });
    expect(await provider.generate(hello, contextOf())).toEqual({
      message: {
        role: 'assistant',
        content: [],
        toolCalls: [{ id: 'a', name: 'read_file', arguments: '{"path":"x","lines":[1]}' }],
        finishReason: 'tool_calls',
        origin: { provider: 'anthropic', endpoint: server.url, model: 'm' },
        usage,
      },
      usage,
    });
  });

  test('[spec 8 anthropic streaming method] [spec 8 anthropic streaming text delta] [spec 5.2 anthropic content_block_delta text_delta] comes as text deltas of its block, one chunk each', async () => {
    const deltas = ['Hel', 'lo'].map((text) => ({ type: 'text_delta', text }));
    const { chunks, request, origin } = await chunksOf(streamOf([[{ type: 'text', text: '' }, ...deltas]], 'end_turn'));
    expect([request?.path, Object(request?.body).stream]).toEqual(['/v1/messages', true]);
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Hello' }], finishReason: 'stop', origin, usage };
    expect(chunks).toEqual([
      { type: 'text_delta', delta: 'Hel' },
      { type: 'text_delta', delta: 'lo' },
      { type: 'done', message, usage },
    ]);
  });

  test('[spec 8 anthropic streaming chunk type] [spec 8 anthropic streaming tool delta] [spec 5.2 anthropic content_block_start tool_use] [spec 5.2 anthropic content_block_delta input_json_delta] has its calls joined from the events, in done only', async () => {
    const pieces = ['', '{"pa', 'th":"ü"}'].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    const blocks = [
      [{ type: 'text', text: 'Reading.' }],
      [{ type: 'tool_use', id: 'a', name: 'read_file', input: {} }, ...pieces],
    ] as const;
    const { chunks, origin } = await chunksOf(streamOf(blocks, 'tool_use'));
    const toolCalls = [{ id: 'a', name: 'read_file', arguments: '{"path":"ü"}' }];
    const content = [{ type: 'text', text: 'Reading.' }];
    expect(chunks).toEqual([
      { type: 'text_delta', delta: 'Reading.' },
      { type: 'done', message: { role: 'assistant', content, toolCalls, finishReason: 'tool_calls', origin, usage }, usage },
    ]);
  });
});
