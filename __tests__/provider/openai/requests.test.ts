// What goes out to Chat Completions servers, compared as whole bodies.
import { describe, expect, test } from '@jest/globals';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import type { Message } from '../../../src/schema/message.ts';
import type { ModelRequest } from '../../../src/schema/model-call.ts';
import { json, type RecordedRequest, type Reply, startByteServer } from '../byte-server.ts';
import { assistant, collect, contextOf, growingHistory, hello, requestOf, result, system, user } from '../calling.ts';
import { bodyOf, streamOf } from './recordings.ts';
import { checkMessages } from './strict-request.ts';

const ok = json(bodyOf({ content: 'ok' }, 'stop'));
const tools = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      description: 'Reads a file.',
      parameters: {
        type: 'object',
        properties: { path: { $ref: '#/$defs/path' } },
        required: ['path'],
        additionalProperties: false,
        $defs: { path: { type: 'string' } },
      },
    },
  },
];

async function sent(messages: readonly Message[], rest = {}): Promise<RecordedRequest | undefined> {
  await using server = await startByteServer([ok]);
  const provider = createOpenAIProvider('m', { apiKey: 'sk-test', env: {}, baseUrl: `${server.url}/v1` });
  await provider.generate(requestOf(messages, rest), contextOf());
  checkMessages(Object(server.requests[0]?.body).messages);
  return server.requests[0];
}

test('a blocking request has model, messages and tools, and nothing that nobody set (G2-19)', async () => {
  const request = await sent([system('Be brief.'), user('Hello')]);
  expect(request?.path).toBe('/v1/chat/completions');
  expect(request?.headers.authorization).toBe('Bearer sk-test');
  expect(request?.body).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ],
    tools,
  });
});

test('a streaming request asks for usage; toolChoice none still sends the tools', async () => {
  await using server = await startByteServer([{ chunks: [streamOf([{ content: 'ok' }], 'stop')] }]);
  const provider = createOpenAIProvider('m', { apiKey: 'sk-test', env: {}, baseUrl: server.url, maxOutputTokens: 99 });
  await collect(provider, requestOf([user('Hello')], { toolChoice: 'none' }));
  expect(server.requests[0]?.body).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Hello' }],
    tools,
    tool_choice: 'none',
    max_tokens: 99,
    stream: true,
    stream_options: { include_usage: true },
  });
});

test('a turn of calls, one of them cut and one without text, goes back valid (G2-04, G2-31, G2-38)', async () => {
  const request = await sent([
    user('Go'),
    assistant('', ['a', 'read_file', '{"path":"x"}'], ['b', 'read_file', '{"path":']),
    result('a', 'content'),
    result('b', '', true),
    assistant('   '),
    user(''),
    user('And?'),
  ]);
  expect(request?.body).toMatchObject({
    messages: [
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"x"}' } },
          { id: 'b', type: 'function', function: { name: 'read_file', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'content' },
      { role: 'tool', tool_call_id: 'b', content: '(no output)' },
      { role: 'user', content: 'And?' },
    ],
  });
});

test('a result whose call was cut off the history is left out (G2-34)', async () => {
  const request = await sent([result('gone', 'old'), user('Hello')]);
  expect(request?.body).toMatchObject({ messages: [{ role: 'user', content: 'Hello' }] });
});

test('pictures of results follow as a user message that says whose they are, once all results stand', async () => {
  const picture = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  const request = await sent([
    assistant('', ['a', 'read_file', '{}'], ['b', 'read_file', '{}'], ['c', 'look', '{}']),
    { ...result('a', 'a picture'), content: [{ type: 'text', text: 'a picture' }, picture] },
    result('b', 'b'),
    { ...result('c', ''), content: [picture, picture] },
  ]);
  const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  expect(request?.body).toMatchObject({
    messages: [
      { role: 'assistant' },
      { role: 'tool', content: 'a picture' },
      { role: 'tool', content: 'b' },
      { role: 'tool', content: '(a picture, shown below)' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What the call a of read_file shows:' },
          shown,
          { type: 'text', text: 'What the call c of look shows:' },
          shown,
          shown,
        ],
      },
    ],
  });
});

describe.each(['reasoning_content', 'reasoning'])('%s', (field) => {
  test('goes back under its name to the server that sent it, and to no other (G2-17)', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{}' } };
    const thinking = bodyOf({ content: null, [field]: 'r1', tool_calls: [call] }, 'tool_calls');
    const replies: Reply[] = [json(thinking), ok];
    await using server = await startByteServer(replies);
    await using stranger = await startByteServer([ok]);
    const options = { apiKey: 'sk-test', env: {} };
    const provider = createOpenAIProvider('m', { ...options, baseUrl: server.url });
    const { message } = await provider.generate(hello, contextOf());
    const next = requestOf([user('Go'), message, result('a', 'x')]);
    await provider.generate(next, contextOf());
    await createOpenAIProvider('m', { ...options, baseUrl: stranger.url }).generate(next, contextOf());
    const plain = { role: 'assistant', content: null, tool_calls: [call] };
    expect(server.requests[1]?.body).toMatchObject({ messages: [{}, { ...plain, [field]: 'r1' }, {}] });
    expect(stranger.requests[0]?.body).toMatchObject({ messages: [{ role: 'user' }, plain, { role: 'tool' }] });
    expect(JSON.stringify(stranger.requests[0]?.body)).not.toContain('r1');
  });
});

test('a parameter that a server refuses by its name is adapted once and remembered (G2-19)', async () => {
  const refuse = (name: string): Reply => ({
    status: 400,
    type: 'application/json',
    chunks: [JSON.stringify({ error: { message: `Unknown parameter: ${name}`, param: name, code: 'unsupported_parameter' } })],
  });
  const stream: Reply = { chunks: [streamOf([{ content: 'ok' }], 'stop')] };
  await using server = await startByteServer([refuse('stream_options'), refuse('max_tokens'), stream, stream]);
  const provider = createOpenAIProvider('m', { apiKey: 'sk-test', env: {}, baseUrl: server.url, maxOutputTokens: 5 });
  expect((await collect(provider)).at(-1)).toMatchObject({ type: 'done' });
  expect((await collect(provider)).at(-1)).toMatchObject({ type: 'done' });
  const forms = server.requests.map(({ body }) => Object.keys(body as object).filter((name) => /max|stream_/.test(name)));
  expect(forms).toEqual([['max_tokens', 'stream_options'], ['max_tokens'], ['max_completion_tokens'], ['max_completion_tokens']]);
});

test('a refusal that goes on is an error and no loop (G2-19)', async () => {
  const refusal = { error: { message: 'no', param: 'max_tokens' } };
  await using server = await startByteServer([json(refusal, 400)]);
  const provider = createOpenAIProvider('m', { apiKey: 'sk-test', env: {}, baseUrl: server.url, maxOutputTokens: 5 });
  await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({ fault: { kind: 'bad_request', status: 400 } });
  expect(server.requests).toHaveLength(2);
});

test.each(['whole', 'stream'])(
  '%s: each request begins with the bytes of the one before, so that its cache is found',
  async (mode) => {
    const reply: Reply = mode === 'whole' ? ok : { chunks: [streamOf([{ content: 'ok' }], 'stop')] };
    await using server = await startByteServer([reply]);
    const provider = createOpenAIProvider('m', { apiKey: 'sk-test', env: {}, baseUrl: server.url, maxOutputTokens: 9 });
    const ask = (request: ModelRequest) =>
      mode === 'whole' ? provider.generate(request, contextOf()) : collect(provider, request);
    for (const { messages, toolChoice } of growingHistory()) await ask(requestOf(messages, { toolChoice }));
    const bodies = server.requests.map(({ text }) => text);
    expect(bodies).toHaveLength(4);
    for (const [index, body] of bodies.slice(0, -1).entries()) {
      expect(body.endsWith(']}')).toBe(true);
      expect(bodies[index + 1]?.startsWith(body.slice(0, -2))).toBe(true);
    }
  },
);
