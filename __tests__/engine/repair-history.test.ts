// Histories in every broken shape must come out valid; the validator here is the strictest of what providers ask.
import { describe, expect, test } from '@jest/globals';
import { repairHistory } from '../../src/engine/repair-history.ts';
import { type Message, textOf, textPart } from '../../src/schema/message.ts';

const system: Message = { role: 'system', content: [textPart('system')] };
const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
const says = (text: string): Message => ({ role: 'assistant', content: [textPart(text)] });
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: [],
  toolCalls: ids.map((id) => ({ id, name: 'bash', arguments: '{}' })),
});
const result = (toolCallId: string, text = `result of ${toolCallId}`): Message => ({
  role: 'user',
  content: [textPart(text)],
  toolCallId,
  isError: false,
});
const lost = (toolCallId: string): unknown => ({ ...result(toolCallId), content: expect.anything(), isError: true });

/** Everything that is wrong with a history, in words. */
function faultsOf(messages: readonly Message[]): string[] {
  const rest = messages.filter((message) => message.role !== 'system');
  const beginning = rest[0] === undefined || isPrompt(rest[0]) ? [] : ['begins without a user'];
  return [
    ...beginning,
    ...idFaultsOf(rest),
    ...pairFaultsOf(rest),
    ...rest.flatMap((_message, index) => shapeFaultsOf(rest, index)),
  ];
}

function isPrompt(message: Message): boolean {
  return message.role === 'user' && message.toolCallId === undefined;
}

function idFaultsOf(messages: readonly Message[]): string[] {
  const ids = messages.flatMap((message) => message.toolCalls ?? []).map((call) => call.id);
  return ids.filter((id, index) => id === '' || ids.indexOf(id) !== index).map((id) => `bad id ${id}`);
}

/** Everything owed is paid at once, in order, and nothing else is paid. */
function pairFaultsOf(messages: readonly Message[]): string[] {
  const wanted = messages.flatMap((message) => (message.toolCalls ?? []).map((call) => call.id));
  const given = messages.flatMap((message) => (message.toolCallId === undefined ? [] : [message.toolCallId]));
  const late = messages.filter((message, index) => {
    const results = messages.slice(index + 1, index + 1 + (message.toolCalls?.length ?? 0));
    return results.length !== (message.toolCalls?.length ?? 0) || results.some((result) => result.toolCallId === undefined);
  });
  return [
    ...(wanted.join() === given.join() ? [] : [`calls ${wanted.join()} but results ${given.join()}`]),
    ...late.map(() => 'late'),
  ];
}

function shapeFaultsOf(messages: readonly Message[], index: number): string[] {
  const message = messages[index];
  if (message === undefined) return [];
  const isEmpty = textOf(message.content).trim() === '' && message.toolCalls === undefined;
  const isDouble = message.role === 'assistant' && messages[index - 1]?.role === 'assistant';
  return [...(isEmpty ? [`empty at ${index}`] : []), ...(isDouble ? [`two assistants at ${index}`] : [])];
}

const long: readonly Message[] = [
  user('fix it'),
  calls('c1', 'c2', 'c3'),
  result('c1'),
  result('c2'),
  result('c3'),
  calls('c4'),
  result('c4'),
  says('done'),
  user('and this'),
  calls('c5', 'c6'),
  result('c5'),
  result('c6'),
  says('done too'),
];

describe('repairHistory', () => {
  test('leaves a sound history as it is, message by message', () => {
    const repaired = repairHistory([system, ...long]);
    expect(repaired).toHaveLength(long.length + 1);
    expect(repaired.every((message, index) => message === [system, ...long][index])).toBe(true);
  });

  test('G2-34 G3-21 any cut at any two places is valid, with and without a new prompt behind it', () => {
    for (let from = 0; from <= long.length; from += 1) {
      for (let to = from; to <= long.length; to += 1) {
        const cut = long.slice(from, to);
        expect(faultsOf(repairHistory([system, ...cut]))).toEqual([]);
        expect(faultsOf(repairHistory([...cut, user('go on')]))).toEqual([]);
      }
    }
  });

  test('any message taken out, doubled or moved leaves a history that can be made valid, and doing it twice changes nothing', () => {
    for (let index = 0; index < long.length; index += 1) {
      const one = long.slice(index, index + 1);
      const without = [...long.slice(0, index), ...long.slice(index + 1)];
      const variants = [
        without,
        [...long, ...one],
        [...one, ...without],
        [...without, ...one],
        [...long.slice(0, index), ...one, ...long.slice(index)],
      ];
      for (const variant of variants) {
        const once = repairHistory(variant);
        expect(faultsOf(once)).toEqual([]);
        expect(repairHistory(once)).toEqual(once);
      }
    }
  });

  test('never changes what it was given', () => {
    const broken = [result('x'), calls('a', 'a', ''), user('new'), result('a'), says('')];
    const before = structuredClone(broken);
    repairHistory(broken);
    expect(broken).toEqual(before);
  });

  test('G3-01 fills a missing result in before the next text', () => {
    expect(repairHistory([user('go'), calls('t1', 't2'), result('t1'), user('new')])).toEqual([
      user('go'),
      calls('t1', 't2'),
      result('t1'),
      lost('t2'),
      user('new'),
    ]);
  });

  test('G2-34 puts results in call order, drops strangers and second answers', () => {
    expect(
      repairHistory([result('c0'), user('go'), calls('a', 'b'), result('b'), user('hm'), result('a'), result('a', 'again')]),
    ).toEqual([user('go'), calls('a', 'b'), result('a'), result('b'), user('hm')]);
  });

  test('a second answer never slips back to an older call of the same id', () => {
    const repaired = repairHistory([user('go'), calls('a'), user('hm'), calls('a'), result('a', 'first'), result('a', 'second')]);
    expect(repaired).toEqual([
      user('go'),
      calls('a'),
      lost('a'),
      user('hm'),
      calls('a_2'),
      { ...result('a', 'first'), toolCallId: 'a_2' },
    ]);
  });

  test('calls with one id, or none, get their own and keep their results', () => {
    const repaired = repairHistory([user('go'), calls('', ''), result('', 'one'), result('', 'two')]);
    expect(repaired).toEqual([user('go'), calls('call', 'call_2'), result('call', 'one'), result('call_2', 'two')]);
  });

  test.each([
    ['an open call', [user('a'), calls('c1')]],
    ['an empty assistant', [user('a'), says('')]],
    ['a thinking-only assistant', [user('a'), { ...says(''), content: [thinking()] }]],
    ['two users', [user('a'), user('b')]],
    ['a result without an answer', [user('a'), calls('c1'), result('c1')]],
    ['an empty result', [user('a'), calls('c1'), { ...result('c1'), content: [] }]],
    ['two assistants', [user('a'), says('b'), says('c')]],
    ['an assistant first', [says('b'), user('c')]],
    ['an empty prompt', [user(' '), says('b')]],
  ])('G6-15 a history that ends in %s takes a new prompt', (_name, tail) => {
    expect(faultsOf(repairHistory([...tail, user('new')]))).toEqual([]);
  });

  test('G3-21 a history that lost its beginning says so and keeps its work', () => {
    const repaired = repairHistory([system, calls('c1'), result('c1'), says('done')]);
    expect(repaired.slice(2)).toEqual([calls('c1'), result('c1'), says('done')]);
    expect(textOf(repaired[1]?.content ?? [])).toContain('not available');
  });
});

function thinking(): Message['content'][number] {
  return { type: 'opaque', origin: { provider: 'p', endpoint: 'e', model: 'm' }, kind: 'thinking', value: 'hm' };
}
