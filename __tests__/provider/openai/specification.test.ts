// The specification's rows on Chat Completions, one by one: what each kind of message becomes, and what each kind of answer is read as.
import { describe, expect, test } from '@jest/globals';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import type { Message } from '../../../src/schema/message.ts';
import { json, type RecordedRequest, startByteServer } from '../byte-server.ts';
import { assistant, collect, contextOf, hello, readFile, requestOf, result, system, usageOf, user } from '../calling.ts';
import { bodyOf, recordings, streamOf } from './recordings.ts';

const ok = json(bodyOf({ content: 'ok' }, 'stop'));
const call = ['a', 'read_file', '{"path": "x"}'] as const;
const wireCall = { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path": "x"}' } };

/** The request that a blocking call makes, with the vendor's variables as the only settings. */
async function sent(messages: readonly Message[]): Promise<RecordedRequest> {
  await using server = await startByteServer([ok]);
  const env = { OPENAI_API_KEY: 'sk-from-env', OPENAI_BASE_URL: `${server.url}/v1` };
  await createOpenAIProvider('m', { env }).generate(requestOf(messages), contextOf());
  const [request] = server.requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

async function messagesFor(...messages: readonly Message[]): Promise<unknown> {
  return Object(await sent(messages).then(({ body }) => body)).messages;
}

async function chunksOf(stream: string) {
  await using server = await startByteServer([{ chunks: [stream] }]);
  const provider = createOpenAIProvider('m', { apiKey: 'k', env: {}, baseUrl: server.url });
  const origin = { provider: 'openai', endpoint: server.url, model: 'm' };
  return { chunks: await collect(provider), request: server.requests[0], origin };
}

describe('the environment', () => {
  test('[spec 5.2 openai OPENAI_API_KEY] [spec 5.2 openai OPENAI_BASE_URL] says key and endpoint', async () => {
    const { path, headers } = await sent([user('Hello')]);
    expect([path, headers.authorization]).toEqual(['/v1/chat/completions', 'Bearer sk-from-env']);
  });

  test('[spec 5.2 openai OPENAI_API_KEY] must say the key', () => {
    expect(() => createOpenAIProvider('m', { env: { OPENAI_BASE_URL: 'https://h' } })).toThrow(
      expect.objectContaining({ code: 'PROVIDER_KEY_MISSING' }),
    );
  });

  test('[spec 5.2 openai OPENAI_BASE_URL] need not say the endpoint: it is the vendor then', async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(input instanceof Request ? input.url : String(input));
      return Response.json(bodyOf({ content: 'ok' }, 'stop'));
    };
    await createOpenAIProvider('m', { env: { OPENAI_API_KEY: 'k' }, fetch }).generate(hello, contextOf());
    expect(asked).toEqual(['https://api.openai.com/v1/chat/completions']);
  });
});

describe('the conversion', () => {
  test('[spec 5.2 openai RoleSystem] [spec 8 openai system prompt] a system message stands among the messages', async () => {
    expect(await messagesFor(system('Be brief.'), user('Hello'))).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ]);
  });

  test('[spec 5.2 openai RoleUser with ToolCallID] [spec 8 openai tool result] an observation is a tool message with the id of its call', async () => {
    expect(await messagesFor(user('Go'), assistant('', call), result('a', 'content'))).toEqual([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: null, tool_calls: [wireCall] },
      { role: 'tool', tool_call_id: 'a', content: 'content' },
    ]);
  });

  test('[spec 5.2 openai RoleUser] what the user says is a user message', async () => {
    expect(await messagesFor(user('Hello'))).toEqual([{ role: 'user', content: 'Hello' }]);
  });

  test('[spec 5.2 openai RoleAssistant] [spec 8 openai tool calls in the history] an assistant message keeps text and calls, the arguments to the letter', async () => {
    expect(await messagesFor(user('Go'), assistant('I look.', call), result('a', 'x'), assistant('Done.'))).toEqual([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'I look.', tool_calls: [wireCall] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'assistant', content: 'Done.' },
    ]);
  });

  test('[spec 5.2 openai ToolDefinition] [spec 5.2 openai InputSchema] [spec 8 openai InputSchema] a tool is a function, its schema the parameters', async () => {
    const { name, description, inputSchema } = readFile;
    const { body } = await sent([user('Hello')]);
    expect(Object(body).tools).toEqual([{ type: 'function', function: { name, description, parameters: inputSchema } }]);
  });

  test('[spec 8 openai API protocol] [spec 8 openai constructor] [spec 8 openai MaxTokens] a model is enough: no limit of tokens is sent', async () => {
    const { path, body } = await sent([user('Hello')]);
    expect([path, Object.keys(Object(body)).sort(), Object(body).model]).toEqual([
      '/v1/chat/completions',
      ['messages', 'model', 'tools'],
      'm',
    ]);
  });
});

describe('the answer', () => {
  test('[spec 8 openai tool calls in the answer] has its calls with the arguments as the text that came', async () => {
    const reply = json(bodyOf({ content: null, tool_calls: [wireCall] }, 'tool_calls'));
    await using server = await startByteServer([reply]);
    const provider = createOpenAIProvider('m', { apiKey: 'k', env: {}, baseUrl: server.url });
    expect(await provider.generate(hello, contextOf())).toEqual({
      message: {
        role: 'assistant',
        content: [],
        toolCalls: [{ id: 'a', name: 'read_file', arguments: '{"path": "x"}' }],
        finishReason: 'tool_calls',
        origin: { provider: 'openai', endpoint: server.url, model: 'm' },
      },
      usage: undefined,
    });
  });

  test('[spec 8 openai streaming method] [spec 8 openai streaming text delta] comes as deltas of the first choice, one chunk each', async () => {
    const { chunks, request, origin } = await chunksOf(streamOf([{ content: 'Hel' }, { content: 'lo' }], 'stop'));
    expect([request?.path, Object(request?.body).stream]).toEqual(['/chat/completions', true]);
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Hello' }], finishReason: 'stop', origin };
    expect(chunks).toEqual([
      { type: 'text_delta', delta: 'Hel' },
      { type: 'text_delta', delta: 'lo' },
      { type: 'done', message, usage: undefined },
    ]);
  });

  test('[spec 8 openai streaming chunk type] [spec 8 openai streaming tool delta] has its calls joined from the chunks, in done only', async () => {
    const { chunks, origin } = await chunksOf(recordings[1]?.stream ?? '');
    const usage = usageOf({ inputTokens: 120, outputTokens: 30, cacheReadTokens: 64, reasoningTokens: 8 });
    const toolCalls = [
      { id: 'a', name: 'read_file', arguments: '{"path":"x"}' },
      { id: 'b', name: 'read_file', arguments: '{"path":"ü"}' },
    ];
    const content = [{ type: 'text', text: 'Reading.' }];
    expect(chunks).toEqual([
      { type: 'text_delta', delta: 'Reading.' },
      { type: 'done', message: { role: 'assistant', content, toolCalls, finishReason: 'tool_calls', origin, usage }, usage },
    ]);
  });
});
