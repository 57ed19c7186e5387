// The strict server itself: each thing that the vendor refuses is refused, and the prompt cache counts as the vendor's does.
import { describe, expect, test } from '@jest/globals';
import { PromptCache } from './prompt-cache.ts';
import { findRefusal, type Knowledge } from './strict-request.ts';
import { startStrictServer } from './strict-server.ts';
import type { StrictRequest } from './strict-shape.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const tool = { name: 'read_file', description: 'Reads.', input_schema: { type: 'object', properties: {} } };
const text = (said: string) => ({ type: 'text', text: said });
const call = (id: string) => ({ type: 'tool_use', id, name: 'read_file', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
const thought = { type: 'thinking', thinking: 'hm', signature: 's' };
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const go = { role: 'user', content: [text('Go')] };
const said = (...content: readonly object[]) => ({ role: 'assistant', content });
const got = (...content: readonly object[]) => ({ role: 'user', content });

const whole = {
  model: 'm',
  max_tokens: 4096,
  tools: [tool],
  system: [{ ...text('Be brief.'), ...mark }],
  messages: [go, said(thought, text('I look.'), call('a'), call('b')), got(result('a'), result('b'), picture, text('And?'))],
};
const known: Partial<Knowledge> = { answers: [[thought, text('I look.'), call('a'), call('b')]] };

test('a request with everything in its place is taken', () => {
  expect(findRefusal(whole, known)).toBeUndefined();
  expect(
    findRefusal({ ...whole, thinking: { type: 'enabled', budget_tokens: 1024 }, tool_choice: { type: 'none' } }, known),
  ).toBeUndefined();
});

const { max_tokens: _limit, ...unlimited } = whole;
const { model: _model, ...unnamed } = whole;
const { tools: _tools, ...toolless } = whole;
const withMessages = (...messages: readonly object[]) => ({ ...whole, messages });
const withContent = (...content: readonly object[]) => withMessages(got(...content));

const refused: readonly (readonly [string, object])[] = [
  ['an unknown field', { ...whole, temperature_: 1 }],
  ['no model', unnamed],
  ['no limit', unlimited],
  ['a limit of 0', { ...whole, max_tokens: 0 }],
  ['a limit above the model’s', { ...whole, max_tokens: 64_001 }],
  ['a budget as large as the limit', { ...whole, thinking: { type: 'enabled', budget_tokens: 4096 } }],
  ['too small a budget', { ...whole, thinking: { type: 'enabled', budget_tokens: 1023 } }],
  ['an unknown effort', { ...whole, output_config: { effort: 'none' } }],
  ['a format without a schema', { ...whole, output_config: { format: { type: 'json_schema' } } }],
  ['a choice without tools', { ...toolless, tool_choice: { type: 'none' } }],
  ['a forced choice with thinking', { ...whole, tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } }],
  ['a tool’s name with a dot', { ...whole, tools: [{ ...tool, name: 'a.b' }] }],
  ['two tools of one name', { ...whole, tools: [tool, tool] }],
  ['a schema that is no object', { ...whole, tools: [{ ...tool, input_schema: { type: 'string' } }] }],
  ['a union at the top of a schema', { ...whole, tools: [{ ...tool, input_schema: { type: 'object', anyOf: [] } }] }],
  ['no messages', withMessages()],
  ['an assistant first', withMessages(said(text('Hi')), go)],
  ['two users in a row', withMessages(go, go)],
  ['a system message inside', withMessages(go, { role: 'system', content: [text('x')] })],
  ['empty content', withMessages(got())],
  ['a blank text', withContent(text(' \n\u001f\u0085'))],
  ['a block of an unknown type', withContent({ type: 'input_json_delta', partial_json: '' })],
  ['a picture of the model', withMessages(go, said(picture), go)],
  ['a picture of another type', withContent({ ...picture, source: { ...picture.source, media_type: 'image/bmp' } })],
  ['a picture that is no base64', withContent({ ...picture, source: { ...picture.source, data: 'ä' } })],
  ['101 pictures', withContent(...Array.from({ length: 101 }, () => picture))],
  ['a call of the user', withContent(call('a'))],
  ['an id with a colon', withMessages(go, said(call('a:0')), got(result('a:0')))],
  ['an input that is no object', withMessages(go, said({ ...call('a'), input: null }), got(result('a')))],
  ['a call without a result', withMessages(go, said(call('a'), call('b')), got(result('a')))],
  ['a call at the end', withMessages(go, said(call('a')))],
  ['a result one message too late', withMessages(go, said(call('a')), go, said(text('x')), got(result('a')))],
  ['a result of nothing', withContent(result('a'))],
  ['two results of one call', withMessages(go, said(call('a')), got(result('a'), result('a')))],
  ['an id used again', withMessages(go, said(call('a')), got(result('a')), said(call('a')), got(result('a')))],
  ['text before a result', withMessages(go, said(call('a')), got(text('x'), result('a')))],
  ['results in another order', withMessages(go, said(call('a'), call('b')), got(result('b'), result('a')))],
  ['an empty result', withMessages(go, said(call('a')), got({ ...result('a'), content: '' }))],
  ['a blank text in a result', withMessages(go, said(call('a')), got({ ...result('a'), content: [text(' ')] }))],
  ['an answer at the end', withMessages(go, said(text('So')))],
  ['five marks', withContent(...Array.from({ length: 4 }, () => ({ ...text('x'), ...mark })))],
  ['a mark on thinking', withMessages(go, said({ ...thought, ...mark }, text('x')), go)],
  ['thinking at the end of an answer', withMessages(go, said(text('x'), thought), go)],
  ['thinking without its signature', withMessages(go, said({ ...thought, signature: '' }, text('x')), go)],
  ['thinking that is changed', withMessages(go, said({ ...thought, thinking: 'Hm' }, text('x')), go)],
  [
    'thinking with its fields in another order',
    withMessages(go, said({ type: 'thinking', signature: 's', thinking: 'hm' }, text('x')), go),
  ],
  ['thinking that is missing', withMessages(go, said(call('a'), call('b')), got(result('a'), result('b')))],
  ['thinking behind its call', withMessages(go, said(call('a'), thought, call('b')), got(result('a'), result('b')))],
];

test.each(refused)('%s is refused', (_, body) => {
  expect(findRefusal(body, known)).toEqual(expect.any(String));
});

test('white space at the end of a paused answer is refused, the answer without it is not', () => {
  const paused = { ...known, isPaused: () => true };
  expect(findRefusal(withMessages(go, said(text('So'))), paused)).toBeUndefined();
  expect(findRefusal(withMessages(go, said(text('So\n'))), paused)).toContain('trailing whitespace');
});

test('with a budget, an answer that waits for its calls must have begun with thinking', () => {
  const budget = { ...whole, thinking: { type: 'enabled', budget_tokens: 1024 } };
  const bare = [go, said(call('c')), got(result('c')), said(thought, call('a'), call('b')), got(result('a'), result('b'))];
  expect(findRefusal({ ...budget, messages: bare }, known)).toContain('Expected `thinking`');
  expect(findRefusal({ ...budget, messages: [...bare, said(text('So')), go] }, known)).toBeUndefined();
});

test.each(['\ud83d', '\udc4d', '\ud83dx\udc4d'])('half of a character is refused: %j', (half) => {
  expect(findRefusal(withContent(text(half)))).toContain('surrogate');
  expect(findRefusal(withContent(text('\ud83d\udc4d')))).toBeUndefined();
});

describe('the prompt cache', () => {
  const of = (blocks: number, marked: readonly number[], rest: object = {}) =>
    ({
      ...whole,
      system: [text('S')],
      messages: [got(...Array.from({ length: blocks }, (_, at) => ({ ...text(`${at}`), ...(marked.includes(at) ? mark : {}) })))],
      ...rest,
    }) as unknown as StrictRequest;

  test('is written where a mark stands, and read from there', () => {
    const cache = new PromptCache();
    expect(cache.use(of(3, [1]))).toMatchObject({ read: 0 });
    const { read, written, plain } = cache.use(of(5, [1, 4]));
    expect([read > 0, written > 0, plain]).toEqual([true, true, 0]);
    expect(cache.use(of(5, [])).read).toBe(0);
  });

  test.each([
    [19, true],
    [20, false],
  ])('is found from %i blocks behind: %s', (behind, isFound) => {
    const cache = new PromptCache();
    cache.use(of(3, [0]));
    expect(cache.use(of(30, [behind])).read > 0).toBe(isFound);
  });

  test.each([{ tool_choice: { type: 'none' } }, { thinking: { type: 'adaptive' } }, { system: [text('T')] }, { tools: [] }])(
    'is another one for other words before the messages: %j',
    (rest) => {
      const cache = new PromptCache();
      cache.use(of(3, [2]));
      expect(cache.use(of(3, [2], rest)).read).toBe(0);
    },
  );
});

test('it answers over HTTP: what it is told to say, a refusal, a window that is full', async () => {
  await using server = await startStrictServer({ window: 1000, answer: () => ({ content: [text('Hello')], stop: 'end_turn' }) });
  const ask = async (body: object) => await fetch(server.url, { method: 'POST', body: JSON.stringify(body) });
  const { model, max_tokens } = whole;
  const hello = { model, max_tokens, messages: [go] };
  expect(await (await ask(hello)).json()).toMatchObject({ content: [text('Hello')], usage: { cache_read_input_tokens: 0 } });
  expect(await (await ask({ ...hello, stream: true })).text()).toContain('"text":"llo"');
  expect((await ask({ ...hello, x: 1 })).status).toBe(400);
  const long = await ask({ ...hello, messages: [got(text('x'.repeat(5000)))] });
  expect([long.status, await long.json()]).toMatchObject([
    400,
    { error: { message: expect.stringContaining('prompt is too long') } },
  ]);
  expect(server.exchanges.map(({ refusal }) => refusal)).toMatchObject([
    undefined,
    undefined,
    expect.stringContaining('Extra inputs'),
    expect.anything(),
  ]);
});
