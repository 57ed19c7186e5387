// The strict server itself: each thing that the vendor refuses is refused, over HTTP too, and nothing else is.
import { describe, expect, test } from '@jest/globals';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import { contextOf, finalOf, hello } from '../calling.ts';
import { type Knowledge, readRequest } from './strict-request.ts';
import { startStrictServer } from './strict-server.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const tool = {
  type: 'function',
  function: { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } },
};
const system = { role: 'system', content: 'Be brief.' };
const go = { role: 'user', content: 'Go' };
const call = (id: string, args = '{"a":1}', name = 'read_file') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const said = (...calls: readonly object[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const got = (id: string, content: unknown = 'x') => ({ role: 'tool', tool_call_id: id, content });
const url = 'data:image/png;base64,AAAA';
const picture = { type: 'image_url', image_url: { url } };
const thoughtful = { ...said(call('a'), call('b')), reasoning_content: 'r' };

const whole = {
  model: 'm',
  max_completion_tokens: 4096,
  reasoning_effort: 'high',
  stream: true,
  stream_options: { include_usage: true },
  tools: [tool],
  messages: [
    system,
    go,
    thoughtful,
    got('a'),
    got('b'),
    { role: 'user', content: [{ type: 'text', text: 'It shows:' }, picture] },
  ],
  tool_choice: 'none',
  response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
};
const known: Partial<Knowledge> = { maxOutputTokens: 8192, reasoning: new Map([['a', { reasoning_content: 'r' }]]) };

const with_ = (more: object) => ({ ...whole, ...more });
const without = (...names: readonly string[]) =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name)));
const messages = (...list: readonly object[]) => with_({ messages: list });

test('a request with everything in its place is taken', () => {
  expect(readRequest(whole, known)).toEqual(whole);
  expect(readRequest({ model: 'm', messages: [go] })).toEqual({ model: 'm', messages: [go] });
  expect(typeof readRequest(messages(go, said(call('a')), got('a'), { role: 'assistant', content: 'Done.' }, go))).toBe('object');
});

describe('refused is', () => {
  test.each<[string, unknown]>([
    ['no object', 'x'],
    ['an unknown field', with_({ temperature_2: 1 })],
    ['an unknown field of a message', messages({ ...go, name2: 'x' })],
    ['an unknown field of a call', messages(go, said({ ...call('a'), index: 0 }), got('a'))],
    ['an unknown field of a tool', with_({ tools: [{ ...tool, effect: 'read' }] })],
    ['no model', without('model')],
    ['no messages', with_({ messages: [] })],
    ['an unknown role', messages({ role: 'function', content: 'x' })],
    ['a system message inside', messages(system, go, system)],
    ['a system message alone', messages(system)],
    ['a first message of the model', messages(system, { role: 'assistant', content: 'x' }, go)],
    [
      'two messages of the model in a row',
      messages(go, { role: 'assistant', content: 'x' }, { role: 'assistant', content: 'y' }, go),
    ],
    ['a last message of the model', messages(go, { role: 'assistant', content: 'x' })],
    ['an empty text of a user', messages({ role: 'user', content: '' })],
    ['a blank text of a user', messages({ role: 'user', content: ' \n' })],
    ['an empty list of a user', messages({ role: 'user', content: [] })],
    ['a blank part', messages({ role: 'user', content: [{ type: 'text', text: ' ' }] })],
    ['a blank system prompt', messages({ role: 'system', content: '' }, go)],
    ['a text that is null', messages({ role: 'user', content: null })],
    ['a blank result', messages(go, said(call('a')), got('a', '\n'))],
    ['an empty text beside calls (G2-38)', messages(go, { ...said(call('a')), content: '' }, got('a'))],
    ['no text beside calls (G2-38)', messages(go, { role: 'assistant', tool_calls: [call('a')] }, got('a'))],
    ['neither text nor calls', messages(go, { role: 'assistant', content: null }, go)],
    ['an empty list of calls', messages(go, { role: 'assistant', content: 'x', tool_calls: [] }, go)],
    ['a result without a call (G2-34)', messages(go, got('a'))],
    ['a result that is not its call’s', messages(go, said(call('a')), got('b'))],
    ['results in another order', messages(go, said(call('a'), call('b')), got('b'), got('a'))],
    ['a second result', messages(go, said(call('a')), got('a'), got('a'))],
    ['a missing result (G2-35)', messages(go, said(call('a'), call('b')), got('a'), go)],
    ['a missing result at the end', messages(go, said(call('a'), call('b')), got('a'))],
    ['an id that is there twice', messages(go, said(call('a'), call('a')), got('a'), got('a'))],
    ['an id of an earlier message', messages(go, said(call('a')), got('a'), go, said(call('a')), got('a'))],
    ['an empty id', messages(go, said(call('')), got(''))],
    ['a long id', messages(go, said(call('x'.repeat(41))), got('x'.repeat(41)))],
    ['arguments that are cut (G2-31)', messages(go, said(call('a', '{"a":')), got('a'))],
    ['arguments that are empty', messages(go, said(call('a', '')), got('a'))],
    ['arguments that are no object', messages(go, said(call('a', '[]')), got('a'))],
    ['arguments that are no text', messages(go, said({ ...call('a'), function: { name: 'x', arguments: {} } }), got('a'))],
    ['half a character', messages({ role: 'user', content: 'x\ud83d' })],
    ['half a character in arguments', messages(go, said(call('a', '{"a":"\\ud83d"}')), got('a'))],
    ['a name with a dot', messages(go, said(call('a', '{}', 'functions.read')), got('a'))],
    ['a long name', with_({ tools: [{ ...tool, function: { ...tool.function, name: 'x'.repeat(65) } }] })],
    ['a name twice', with_({ tools: [tool, tool] })],
    ['no tools in the list', with_({ tools: [] })],
    [
      'parameters that are no object',
      with_({ tools: [{ ...tool, function: { ...tool.function, parameters: { type: 'array' } } }] }),
    ],
    ['tool_choice without tools', without('tools')],
    ['an unknown tool_choice', with_({ tool_choice: 'any' })],
    ['stream_options without stream', without('stream')],
    ['both output limits', with_({ max_tokens: 4096 })],
    ['a limit of nothing', with_({ max_completion_tokens: 0 })],
    ['a limit above the model’s', with_({ max_completion_tokens: 9000 })],
    ['an unknown effort', with_({ reasoning_effort: 'huge' })],
    [
      'a picture of another kind',
      messages({ role: 'user', content: [{ type: 'image_url', image_url: { url: url.replace('png', 'svg+xml') } }] }),
    ],
    ['a picture in a result', messages(go, said(call('a')), got('a', [picture]))],
    ['a picture of the model', messages(go, { role: 'assistant', content: [picture] }, go)],
    [
      'a schema that is no object',
      with_({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'array' } } } }),
    ],
    [
      'a strict schema that is open',
      with_({
        response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema: { ...schema, required: [] } } },
      }),
    ],
    ['reasoning that was changed (G2-17)', messages(go, { ...thoughtful, reasoning_content: 'r ' }, got('a'), got('b'))],
    ['reasoning that is missing (G2-17)', messages(go, said(call('a'), call('b')), got('a'), got('b'))],
    ['reasoning under another name (G2-17)', messages(go, { ...thoughtful, reasoning: 'r' }, got('a'), got('b'))],
  ])('%s', (_name, body) => {
    expect(typeof readRequest(body, known)).toBe('string');
  });

  test('all of that with a 400 that the provider reads', async () => {
    await using server = await startStrictServer({
      answer: () => ({ text: 'ok', finish: 'stop' }),
      maxOutputTokens: 4096,
      window: 500,
    });
    const options = { apiKey: 'k', env: {}, baseUrl: server.url };
    expect(await finalOf(createOpenAIProvider('m', { ...options, maxOutputTokens: 9000 }))).toMatchObject({ type: 'done' });
    expect(server.exchanges.map(({ refusal }) => refusal?.includes('at most 4096'))).toEqual([true, undefined]);
    const long = {
      ...hello,
      messages: hello.messages.map((message) => ({ ...message, content: [{ type: 'text' as const, text: 'x '.repeat(3000) }] })),
    };
    await expect(createOpenAIProvider('m', options).generate(long, contextOf())).rejects.toMatchObject({
      fault: { kind: 'context_overflow' },
    });
  });
});
