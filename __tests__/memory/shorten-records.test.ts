import { describe, expect, test } from '@jest/globals';
import { checkpointOf, isMessage, messagesOf } from '../../src/memory/session-records.ts';
import { shortenRecords } from '../../src/memory/shorten-records.ts';
import type { Message } from '../../src/schema/message.ts';
import { textOf, textPart } from '../../src/schema/message.ts';
import type { SessionRecord } from '../../src/schema/session.ts';
import { createRandom, type Random } from '../tools/random.ts';

const AT = '2026-01-02T03:04:05.000Z';
const NOW = '2026-02-02T03:04:05.000Z';
const record = (message: Message): SessionRecord => ({ type: 'message', at: AT, message });
const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
const assistant = (text: string, ...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: [textPart(text)],
  ...(ids.length === 0 ? {} : { toolCalls: ids.map((id) => ({ id, name: 'bash', arguments: '{}' })) }),
});
const result = (id: string, text: string): Message => ({
  role: 'user',
  content: [textPart(text)],
  toolCallId: id,
  isError: false,
});
const checkpoint = (coversMessages: number, summary = 'what was done'): SessionRecord => ({
  type: 'checkpoint',
  at: AT,
  summary,
  coversMessages,
});
const todos: SessionRecord = { type: 'todos', at: AT, items: [{ id: 'a', content: 'do a', status: 'in_progress' }] };
const plan: SessionRecord = { type: 'plan', at: AT, text: 'first this' };

const sizeOf = (records: readonly SessionRecord[]): number => Buffer.byteLength(JSON.stringify(records));
const isOwn = ({ role, toolCallId }: Message): boolean => role === 'user' && toolCallId === undefined;
const filler = 'x'.repeat(1_000);
/** A question, a call, its result and an answer: 1.5 KB. */
const exchange = (index: number): readonly Message[] => [
  user(`question ${index}`),
  assistant('', `c${index}`),
  result(`c${index}`, filler),
  assistant(`answer ${index}`),
];
const exchanges = (count: number): readonly Message[] => Array.from({ length: count }, (_, index) => exchange(index)).flat();

describe('records that are too large for the session file', () => {
  test('are the same as long as they fit', () => {
    const records = [...exchanges(3).map(record), checkpoint(4), todos];
    expect(shortenRecords(records, sizeOf(records), NOW)).toBe(records);
  });

  test('lose what the checkpoint covers, but for what the user said', () => {
    const messages = exchanges(10);
    const records = [...messages.slice(0, 33).map(record), todos, checkpoint(32), plan, ...messages.slice(33).map(record)];
    expect(shortenRecords(records, 8_000, NOW)).toEqual([
      ...messages.slice(0, 32).filter(isOwn).map(record),
      { type: 'checkpoint', at: NOW, summary: 'what was done', coversMessages: 8 },
      ...messages.slice(32).map(record),
      todos,
      plan,
    ]);
  });

  test('lose the oldest exchanges where there is no checkpoint, no more than must be, and say how many messages', () => {
    const messages = exchanges(10);
    const shortened = shortenRecords([...messages.map(record), todos], 6_000, NOW);
    const covers = checkpointOf(shortened)?.coversMessages ?? 0;
    const start = messages.length - (messagesOf(shortened).length - covers);
    const own = messages.slice(0, start).filter(isOwn);
    expect(shortened).toEqual([
      ...own.map(record),
      { type: 'checkpoint', at: NOW, summary: '', coversMessages: own.length, leftOut: start - own.length },
      ...messages.slice(start).map(record),
      todos,
    ]);
    expect(checkpointOf(shortened)).toEqual({
      summary: `${start - own.length} messages of this conversation were left out because the session had outgrown its file.`,
      coversMessages: own.length,
    });
    const oneExchangeMore = messages.slice(
      messages.findLastIndex((message, index) => index < start && message.toolCallId === undefined),
      start,
    );
    expect(sizeOf([...shortened, ...oneExchangeMore.map(record)])).toBeGreaterThan(6_000);
  });

  test('lose the oldest exchanges after the checkpoint, too, where it covers too little; what is missing is counted once', () => {
    let records: readonly SessionRecord[] = [...exchanges(2).map(record), checkpoint(4)];
    for (let count = 8; count < 400; count += 16) {
      records = shortenRecords([...records, ...exchanges(4).map(record)], 8_000, NOW);
      const { summary, coversMessages } = checkpointOf(records) ?? { summary: '', coversMessages: 0 };
      const leftOut = Number(/^what was done\n\n(\d+) messages [^\n]*$/.exec(summary)?.[1]);
      // The first exchange is in the summary, but for its question, which stays.
      expect([count, messagesOf(records).length + leftOut + 3]).toEqual([count, count + 16]);
      expect(messagesOf(records).slice(0, coversMessages).every(isOwn)).toBe(true);
    }
  });

  test('keep the first task before all, then the newest of what the user said, within a quarter of the room', () => {
    const said = Array.from({ length: 40 }, (_, index) => user(`comment ${index} ${'y'.repeat(200)}`));
    const records = [...said, assistant('done')].map(record);
    const shortened = shortenRecords([...records, checkpoint(40), ...exchanges(4).map(record)], 10_000, NOW);
    const covered = messagesOf(shortened).slice(0, checkpointOf(shortened)?.coversMessages);
    expect(covered[0]).toEqual(said[0]);
    expect(covered.slice(1)).toEqual(said.slice(-(covered.length - 1)));
    expect(sizeOf(covered.map(record))).toBeLessThanOrEqual(2_500);
    expect(sizeOf(covered.map(record))).toBeGreaterThan(2_200);
  });

  test('keep the beginning of a task that is larger than its share', () => {
    const task = user('修'.repeat(50_000));
    const shortened = shortenRecords([record(task), ...exchanges(3).map(record)], 20_000, NOW);
    const [first] = messagesOf(shortened);
    const text = textOf(first?.content ?? []);
    expect(text.endsWith('\n[The rest was left out because the session had outgrown its file.]')).toBe(true);
    expect(textOf(task.content).startsWith(text.slice(0, text.indexOf('\n[The rest')))).toBe(true);
    expect(first?.content).toEqual([textPart(text)]);
    // Nothing is missing but what the message itself says.
    expect(shortened).toEqual([record(first ?? task), ...exchanges(3).map(record)]);
  });

  test('keep the newest exchange with its results cut, when it alone is larger than the file', () => {
    const calls = [user('read all of it'), assistant('I read.', 'a', 'b', 'c')];
    const results = [result('a', 'small'), result('b', 'b'.repeat(90_000)), result('c', '大'.repeat(90_000))];
    const shortened = shortenRecords([...calls, ...results].map(record), 20_000, NOW);
    expect(sizeOf(shortened)).toBeLessThanOrEqual(20_000);
    const [task, answer, a, b, c] = messagesOf(shortened);
    expect([task, answer, a]).toEqual([...calls, results[0]]);
    for (const [cut, whole] of [
      [b, results[1]],
      [c, results[2]],
    ]) {
      expect({ ...cut, content: whole?.content }).toEqual(whole);
      expect(textOf(cut?.content ?? [])).toMatch(/^(b{999,}|大{999,})\n\[The rest was left out/);
    }
  });

  test('lose even the newest exchange, when its calls alone are larger than the file', () => {
    const messages = [user('write it'), assistant('x'.repeat(30_000), 'a'), result('a', 'written')];
    const shortened = shortenRecords([...messages.map(record), plan], 20_000, NOW);
    expect(shortened).toEqual([
      record(user('write it')),
      { type: 'checkpoint', at: NOW, summary: '', coversMessages: 1, leftOut: 2 },
      plan,
    ]);
  });

  test.each<[string, SessionRecord]>([
    ['plan', { ...plan, text: '划'.repeat(10_000) } as SessionRecord],
    [
      'to-do list',
      {
        type: 'todos',
        at: AT,
        items: Array.from({ length: 300 }, (_, at) => ({ id: `${at}`, content: filler, status: 'pending' })),
      },
    ],
  ])('give up a %s that is larger than the file, and neither the size of the file nor the conversation', (_name, state) => {
    const messages = exchanges(3);
    const shortened = shortenRecords(
      [...messages.map(record), plan, state].filter((one) => one === state || one.type !== state.type),
      20_000,
      NOW,
    );
    expect(shortened.filter(({ type }) => type === 'message')).toEqual(messages.map(record));
    expect(shortened).not.toContain(state);
    expect(sizeOf(shortened)).toBeLessThanOrEqual(20_000);
  });

  test('do not fail on a summary that is larger than the file', () => {
    const shortened = shortenRecords([...exchanges(2).map(record), checkpoint(4, '摘'.repeat(100_000))], 20_000, NOW);
    expect(checkpointOf(shortened)?.summary).toMatch(/^摘{600,}$/);
    expect(messagesOf(shortened).slice(1)).toEqual([...exchange(1)]);
  });
});

describe('whatever the records and the size', () => {
  const randomRecords = (random: Random): readonly SessionRecord[] => {
    const long = (): string =>
      random.pick(['x', '修', '"', '\u2028', '👍']).repeat(random.below(10) === 0 ? random.below(20_000) : random.below(900));
    const messages = Array.from({ length: random.below(25) }, (_, index): readonly Message[] => {
      const ids = Array.from({ length: random.below(4) }, (_, call) => `${index}.${call}`);
      const asked = random.below(2) === 0 ? [user(`question ${index} ${long()}`)] : [];
      return [...asked, assistant(long(), ...ids), ...ids.map((id) => result(id, long()))];
    }).flat();
    const covered = random.below(messages.length + 1);
    const starts = [...messages.keys(), messages.length].filter((index) => messages[index]?.toolCallId === undefined);
    const cut = starts.findLast((index) => index <= covered) ?? 0;
    const at = cut + random.below(messages.length - cut + 1);
    return [
      ...messages.slice(0, at).map(record),
      ...(random.below(3) > 0 ? [checkpoint(cut)] : []),
      todos,
      ...messages.slice(at).map(record),
    ];
  };

  test('they fit, calls keep their results, the user’s words stay, and the checkpoint covers what stands before it', () => {
    for (let seed = 0; seed < 400; seed += 1) {
      const random = createRandom(seed);
      const records = randomRecords(random);
      const maxBytes = 3_000 + random.below(40_000);
      const shortened = shortenRecords(records, maxBytes, NOW);
      if (shortened === records) continue;
      expect([seed, sizeOf(shortened) <= maxBytes]).toEqual([seed, true]);
      expect([seed, problemsOf(records, shortened, maxBytes)]).toEqual([seed, []]);
    }
  });
});

/** What a shortened list does wrong, in words. */
function problemsOf(records: readonly SessionRecord[], shortened: readonly SessionRecord[], maxBytes: number): readonly string[] {
  const [before, after] = [messagesOf(records), messagesOf(shortened)];
  const covers = checkpointOf(shortened)?.coversMessages ?? 0;
  const tail = after.slice(covers);
  const task = before.find(isOwn);
  const standing = shortened.slice(
    0,
    Math.max(
      0,
      shortened.findIndex(({ type }) => type === 'checkpoint'),
    ),
  );
  const ids = new Set(tail.flatMap(({ toolCalls }) => toolCalls ?? []).map(({ id }) => id));
  const results = tail.flatMap(({ toolCallId }) => toolCallId ?? []);
  return [
    ...(shortened.includes(todos) ? [] : ['the to-do list is gone']),
    ...(standing.length === covers && standing.every(isMessage) ? [] : ['the checkpoint does not stand behind what it covers']),
    ...(after.slice(0, covers).every(isOwn) ? [] : ['it covers more than the user’s messages']),
    ...(tail[0]?.toolCallId === undefined ? [] : ['it begins with a result']),
    ...(ids.size === results.length && results.every((id) => ids.has(id)) ? [] : ['a call and its result are parted']),
    ...(task === undefined || sizeOf([record(task)]) > maxBytes / 4 || after.some((message) => message === task)
      ? []
      : ['the task is gone']),
    ...(tail.every((message, index) => message.toolCallId !== undefined || message === before.at(index - tail.length))
      ? []
      : ['the newest are not the newest']),
  ];
}

describe('pictures in records that are too large', () => {
  const note = textPart('[A picture was left out because the session had outgrown its file.]');
  const image = (letter: string, size = 2_000) => ({ type: 'image' as const, mediaType: 'image/png', data: letter.repeat(size) });
  const shown = (id: string, letter: string): Message => ({ ...result(id, ''), content: [textPart('see:'), image(letter)] });
  const task: Message = { role: 'user', content: [textPart('like this:'), image('A'), textPart('and'), image('B')] };
  const messages = [task, assistant('', 'c'), shown('c', 'C'), assistant('done')];
  const records = [...messages.map(record), todos, plan];

  test('go first, the oldest before the newer ones and no more of them than it takes; nothing else is lost', () => {
    const size = sizeOf(records);
    const without = (...letters: readonly string[]) =>
      JSON.parse(JSON.stringify(records), (_key, value) =>
        letters.some((letter) => value?.data === letter.repeat(2_000)) ? note : value,
      );
    expect(shortenRecords(records, size - 10, NOW)).toEqual(without('A'));
    expect(shortenRecords(records, size - 1_900, NOW)).toEqual(without('A'));
    expect(shortenRecords(records, size - 2_000, NOW)).toEqual(without('A', 'B'));
    expect(shortenRecords(records, size - 5_500, NOW)).toEqual(without('A', 'B', 'C'));
  });

  test('are all gone before a word is', () => {
    const long = [...exchanges(10).map(record), ...records];
    const shortened = messagesOf(shortenRecords(long, 9_000, NOW));
    expect(shortened.flatMap(({ content }) => content).filter(({ type }) => type === 'image')).toEqual([]);
    expect(textOf(shortened.at(-1)?.content ?? [])).toBe('done');
  });

  test('whatever there is, it fits, and pictures are left in it only where every word is', () => {
    const random = createRandom(5);
    for (let round = 0; round < 100; round += 1) {
      const some = Array.from({ length: 1 + random.below(6) }, (_, index) => {
        const [first = user(''), ...rest] = exchange(index);
        const pictures = Array.from({ length: random.below(3) }, () => image('D', 100 + random.below(3_000)));
        return [{ ...first, content: [...first.content, ...pictures] }, ...rest];
      }).flat();
      const before = some.map(record);
      const limit = 3_000 + random.below(sizeOf(before));
      const after = shortenRecords(before, limit, NOW);
      expect(sizeOf(after)).toBeLessThanOrEqual(limit);
      const hasPictures = JSON.stringify(after).includes('"image"');
      if (hasPictures) expect(messagesOf(after)).toHaveLength(some.length);
    }
  });
});
