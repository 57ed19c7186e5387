// What goes out to Messages servers, compared as whole bodies.
import { expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import type { Message } from '../../../src/schema/message.ts';
import type { ModelRequest } from '../../../src/schema/model-call.ts';
import { json, type RecordedRequest, type Reply, startByteServer } from '../byte-server.ts';
import { assistant, collect, contextOf, growingHistory, hello, readFile, requestOf, result, system, user } from '../calling.ts';
import { bodyOf, recordings, streamOf } from './recordings.ts';
import { checkAnthropicOrder } from './strict-order.ts';

const ok = json(bodyOf([{ type: 'text', text: 'ok' }], 'end_turn'));
const options = { apiKey: 'sk-ant-test', env: {} };
const mark = { cache_control: { type: 'ephemeral' } };

async function sent(
  messages: readonly Message[],
  rest: Partial<ModelRequest> = {},
  path = '',
): Promise<RecordedRequest | undefined> {
  await using server = await startByteServer([ok]);
  const provider = createAnthropicProvider('m', undefined, { ...options, baseUrl: `${server.url}${path}` });
  await provider.generate(requestOf(messages, rest), contextOf());
  checkAnthropicOrder(Object(server.requests[0]?.body));
  return server.requests[0];
}

function messagesOf(
  request: RecordedRequest | undefined,
): readonly { role: string; content: readonly Record<string, unknown>[] }[] {
  const body = request?.body as { messages: { role: string; content: Record<string, unknown>[] }[] } | undefined;
  return body?.messages ?? [];
}

function unmarked(request: RecordedRequest | undefined): unknown {
  return JSON.parse(
    JSON.stringify(messagesOf(request), (name, value: unknown) => (name === 'cache_control' ? undefined : value)),
  );
}

test('a request has the system prompts on top, the schema whole, and marks on the stable prefix', async () => {
  const request = await sent([system('Be brief.'), system('Be kind.'), user('Hello')]);
  expect(request?.headers).toMatchObject({ authorization: 'Bearer sk-ant-test', 'x-api-key': 'sk-ant-test' });
  expect(request?.body).toEqual({
    model: 'm',
    max_tokens: 4096,
    system: [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.', ...mark },
    ],
    tools: [{ name: 'read_file', description: 'Reads a file.', input_schema: readFile.inputSchema, ...mark }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', ...mark }] }],
  });
});

test('toolChoice none still sends the tools; a streaming request says so', async () => {
  await using server = await startByteServer([{ chunks: [streamOf([[{ type: 'text', text: 'x' }]], 'end_turn')] }]);
  await collect(createAnthropicProvider('m', 10, { ...options, baseUrl: server.url }), { ...hello, toolChoice: 'none' });
  expect(server.requests[0]?.body).toMatchObject({ stream: true, tool_choice: { type: 'none' }, tools: [{ name: 'read_file' }] });
});

test('five parallel results are one user message, in the order of the calls, text behind them (G3-03, G3-05)', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const calls = ids.map((id) => [id, 'read_file', '{}'] as const);
  const results = [...ids].reverse().map((id) => result(id, id, id === 'c'));
  const request = await sent([user('Go'), assistant('', ...calls), user('a notice'), ...results]);
  expect(messagesOf(request)).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Go', ...mark }] },
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'read_file', input: {} })) },
    {
      role: 'user',
      content: [
        ...ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: id, ...(id === 'c' ? { is_error: true } : {}) })),
        { type: 'text', text: 'a notice', ...mark },
      ],
    },
  ]);
});

test('a picture of a result stays inside it (G3-05)', async () => {
  const picture = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  const request = await sent([user('Go'), assistant('', ['a', 'read_file', '{}']), { ...result('a', ''), content: [picture] }]);
  expect(messagesOf(request)[2]?.content[0]?.content).toEqual([
    { type: 'text', text: '(no output)' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
  ]);
});

test('blank texts are dropped and an empty result says so (G3-06)', async () => {
  const request = await sent([user(''), user('Go'), assistant('\n', ['a', 'read_file', '{}']), result('a', '')]);
  expect(unmarked(request)).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Go' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read_file', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '(no output)' }] },
  ]);
});

test('arguments that are cut go back as an object (G3-15), foreign ids as the vendor takes them', async () => {
  const request = await sent([
    user('Go'),
    assistant('', ['functions.x:0', 'x', '{"path":']),
    result('functions.x:0', 'cut', true),
  ]);
  expect(unmarked(request)).toMatchObject([
    {},
    { content: [{ type: 'tool_use', id: 'functions_x_0', input: {} }] },
    { content: [{ tool_use_id: 'functions_x_0', is_error: true }] },
  ]);
});

test('a history cut in the middle of an exchange is sent as a valid one (G3-21)', async () => {
  const request = await sent([result('gone', 'old'), assistant('Working on it.'), user('Continue')]);
  expect(unmarked(request)).toEqual([
    { role: 'user', content: [{ type: 'text', text: '(The beginning of this conversation was left out.)' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Working on it.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Continue' }] },
  ]);
});

test.each(['Working on it.\n', 'Working on it. \u0085'])(
  'a last assistant message has a user message behind it (G3-07)',
  async (text) => {
    expect(unmarked(await sent([user('Go'), assistant(text)]))).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text }] },
      { role: 'user', content: [{ text: '(Go on.)' }] },
    ]);
  },
);

test.each(['Working on it.\n', 'Working on it. \u0085\n'])(
  'a paused one stays the last, without white space at its end (G3-07)',
  async (text) => {
    const paused: Message = { ...assistant(text), finishReason: 'pause' };
    expect(unmarked(await sent([user('Go'), paused]))).toMatchObject([{}, { content: [{ text: 'Working on it.' }] }]);
  },
);

test('thinking goes back byte for byte to where it came from, and nowhere else (G3-08)', async () => {
  const stream: Reply = { chunks: [recordings[1]?.stream ?? ''] };
  await using server = await startByteServer([stream, ok, ok]);
  await using stranger = await startByteServer([ok]);
  const provider = createAnthropicProvider('m', 4096, { ...options, baseUrl: server.url });
  const done = (await collect(provider)).at(-1);
  const message = done?.type === 'done' ? done.message : assistant('missing');
  // Through JSON, as a session would keep it.
  const kept = JSON.parse(JSON.stringify([user('Go'), message, result('toolu_a', 'a'), result('toolu_b', 'b')])) as Message[];
  await provider.generate(requestOf(kept), contextOf());
  await createAnthropicProvider('m2', 4096, { ...options, baseUrl: server.url }).generate(requestOf(kept), contextOf());
  await createAnthropicProvider('m', 4096, { ...options, baseUrl: stranger.url }).generate(requestOf(kept), contextOf());
  const same = messagesOf(server.requests[1])[1]?.content ?? [];
  expect(JSON.stringify(same.slice(0, 2))).toBe(
    '[{"type":"thinking","thinking":"I should look. ","signature":"s1=="},{"type":"redacted_thinking","data":"d1"}]',
  );
  for (const other of [server.requests[2], stranger.requests[0]]) {
    expect(messagesOf(other)[1]?.content.map((block) => block.type)).toEqual(['text', 'tool_use', 'tool_use']);
  }
});

test('the cache marks stand before the tail and where the last turn stood, never more than four (G3-13)', async () => {
  const turn = (id: string): Message[] => [assistant('', [id, 'read_file', '{}']), result(id, id)];
  const history = [system('S'), user('Go'), ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].flatMap(turn)];
  const tail = [user('todo list'), user('reminder')];
  const request = await sent([...history, ...tail], { tailStart: history.length });
  const marked = messagesOf(request).flatMap((message) => message.content.filter((block) => 'cache_control' in block));
  expect(marked.map((block) => block.tool_use_id)).toEqual(['i', 'j']);
  expect(
    messagesOf(request)
      .at(-1)
      ?.content.map((block) => block.type),
  ).toEqual(['tool_result', 'text', 'text']);
});

test.each(['', '/', '/v1', '/v1/', '/v1/messages'])('the base URL may end in "%s" (G3-18)', async (path) => {
  expect((await sent([user('Hello')], {}, path))?.path).toBe('/v1/messages');
});

test.each(['/anthropic', '/anthropic/v1', '/anthropic/v1/messages/'])(
  'the base URL may have a prefix: "%s" (G3-18)',
  async (path) => {
    expect((await sent([user('Hello')], {}, path))?.path).toBe('/anthropic/v1/messages');
  },
);

test('a turn of thinking alone is left out', async () => {
  await using server = await startByteServer([ok]);
  const origin = { provider: 'anthropic', endpoint: server.url, model: 'm' };
  const value = { type: 'thinking', thinking: 'hm', signature: 's' };
  const thinking: Message = { role: 'assistant', content: [{ type: 'opaque', origin, kind: 'thinking', value }] };
  const provider = createAnthropicProvider('m', 4096, { ...options, baseUrl: server.url });
  await provider.generate(requestOf([user('Go'), thinking, user('And?')]), contextOf());
  expect(unmarked(server.requests[0])).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Go' },
        { type: 'text', text: 'And?' },
      ],
    },
  ]);
});

test.each([10, 30_000])(
  'with a limit of %d each request begins with the bytes of the one before, cache marks aside',
  async (limit) => {
    const stream: Reply = { chunks: [streamOf([[{ type: 'text', text: 'x' }]], 'end_turn')] };
    await using server = await startByteServer([limit > 20_000 ? stream : ok]);
    const provider = createAnthropicProvider('m', limit, { ...options, baseUrl: server.url });
    for (const { messages, toolChoice } of growingHistory())
      await provider.generate(requestOf(messages, { toolChoice }), contextOf());
    const bodies = server.requests.map(({ text }) => text.replaceAll(/,"cache_control":\{[^}]*\}/g, ''));
    expect(bodies).toHaveLength(4);
    for (const [index, body] of bodies.slice(0, -1).entries()) {
      expect(body.endsWith(']}]}')).toBe(true);
      expect(bodies[index + 1]?.startsWith(body.slice(0, -4))).toBe(true);
    }
  },
);
