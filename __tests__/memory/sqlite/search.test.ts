import { describe, expect, test } from '@jest/globals';
import type { SqliteStore } from '../../../src/memory/sqlite/sqlite-store.ts';
import type { Message } from '../../../src/schema/message.ts';
import { createRandom } from '../../tools/random.ts';
import { assistant, createPlace, user } from './place.ts';

/** One session for each list of texts, named by its place: `0`, `1`… */
async function fill(store: SqliteStore, ...sessions: readonly (readonly string[])[]): Promise<void> {
  for (const [index, texts] of sessions.entries()) {
    const session = await store.create(index % 2 === 0 ? '/even' : '/odd');
    await session.addMessages(texts.map((text, at): Message => (at % 2 === 0 ? user(text) : assistant(text))));
  }
}

const ids = async (store: SqliteStore, query: string): Promise<readonly string[]> =>
  (await store.search(query)).map(({ session }) => session.id).toSorted();

describe('searching the sessions', () => {
  const sessions = [
    ['Fix the login page', 'I repaired the Login form in src/auth.ts'],
    ['修复登录页面的错误', '登录按钮现在可以用了'],
    ['로그인 버튼이 안 돼요', 'ログインボタンを直しました'],
    ['What is 100% of a_b?', 'It is "a_b", that is C:\\temp\\x*'],
    ['ÜBERPRÜFE DIE GRÖSSE', 'Größe geprüft 👍🏽'],
  ];

  test.each([
    ['login', ['0']],
    ['LOGIN page', ['0']],
    ['page login', ['0']],
    ['login 登录', []],
    ['gin pa', ['0']],
    ['登录页面', ['1']],
    ['登录', ['1']],
    ['录', ['1']],
    ['按钮 登录', ['1']],
    ['로그인', ['2']],
    ['버튼', ['2']],
    ['ボタン', ['2']],
    ['を', ['2']],
    ['100%', ['3']],
    ['%', ['3']],
    ['_', ['3']],
    ['a_b', ['3']],
    ['axb', []],
    ['"a_b"', ['3']],
    ['"', ['3']],
    ['\\', ['3']],
    ['C:\\temp\\x*', ['3']],
    ['über', ['4']],
    ['größe', ['4']],
    ['👍🏽', ['4']],
    ['fi', ['0']],
    ['nothing like it', []],
    ['', []],
    [' \n\t ', []],
    ['\0', []],
  ])('finds by %j', async (query, expected) => {
    await using place = await createPlace();
    const store = await place.open('0', '1', '2', '3', '4');
    await fill(store, ...sessions);
    expect(await ids(store, query)).toEqual(expected);
  });

  test.each([
    'login OR zzz',
    'NOT login',
    'text:login',
    'login*',
    '^login',
    'NEAR(login page)',
    '(login',
    'login AND page',
    '{text} : login',
    '-login',
    'login + page',
  ])('takes %j for words and not for a query language', async (query) => {
    await using place = await createPlace();
    const store = await place.open('0', '1');
    await fill(store, ['Fix the login page'], [`They wrote ${query} here`]);
    expect(await ids(store, query)).toEqual(['1']);
  });

  test('[spec 9 full-text search] finds whatever piece of a text is asked for', async () => {
    await using place = await createPlace();
    const random = createRandom(3);
    const pieces = [
      'error',
      ' ',
      '"',
      "'",
      '*',
      '(',
      ')',
      'AND ',
      'x',
      '登录',
      'ü',
      '\n',
      '%',
      '_',
      '\\',
      ':',
      '^',
      '-',
      '+',
      '{',
      '}',
      ',',
    ];
    const texts = Array.from({ length: 60 }, () => Array.from({ length: 12 }, () => random.pick(pieces)).join(''));
    const store = await place.open(...texts.map((_, index) => `${index}`));
    await fill(store, ...texts.map((text) => [text]));
    for (const [index, text] of texts.entries()) {
      const start = random.below(text.length);
      const query = text.slice(start, start + 1 + random.below(8));
      const hits = (await store.search(query, { limit: 1_000 })).map(({ session }) => session.id);
      expect([query, query.trim() === '' || hits.includes(`${index}`)]).toEqual([query, true]);
    }
  });

  test('shows where it was found, on one line', async () => {
    await using place = await createPlace();
    const store = await place.open('0');
    await fill(store, [`${'before '.repeat(50)}\u001b[2J the needle\nis here 在这里吗 ${'after '.repeat(50)}`]);
    for (const [query, found] of [
      ['needle', 'the needle is here'],
      ['这里', '在这里吗'],
    ] as const) {
      const [hit] = await store.search(query);
      expect(hit?.snippet).toContain(found);
      expect(hit?.snippet).toMatch(/^….{20,128}…$/);
      expect(hit?.snippet).not.toMatch(/\p{Cc}/u);
    }
  });

  test('[spec 9 full-text search] names each session once, the best first, within one workspace and up to a limit', async () => {
    await using place = await createPlace();
    const store = await place.open('0', '1', '2', '3');
    const noise = 'other words '.repeat(30);
    await fill(store, [`${noise} needle`, `${noise} needle`], [`needle ${noise}`], ['needle'], [noise]);
    const found = async (filter: { workspace?: string; limit?: number }) =>
      (await store.search('needle', filter)).map(({ session }) => session.id);
    expect((await found({}))[0]).toBe('2');
    expect((await found({})).toSorted()).toEqual(['0', '1', '2']);
    expect((await found({ workspace: '/even' })).toSorted()).toEqual(['0', '2']);
    expect(await found({ limit: 1 })).toEqual(['2']);
    expect((await store.search('needle'))[0]?.session).toEqual((await store.list({})).find(({ id }) => id === '2'));
  });

  test('forgets what was taken out, and knows what came later', async () => {
    await using place = await createPlace();
    const store = await place.open('0');
    const session = await store.create('/w');
    await session.addMessages([user('first words'), assistant('second words')]);
    await session.popMessage();
    expect([await ids(store, 'first'), await ids(store, 'second')]).toEqual([['0'], []]);
    await session.clear();
    await session.addMessages([user('third words')]);
    expect([await ids(store, 'first'), await ids(store, 'words'), await ids(store, 'wo')]).toEqual([[], ['0'], ['0']]);
  });

  test('looks at what tools said, too, and not at pictures', async () => {
    await using place = await createPlace();
    const store = await place.open('0');
    const image = { type: 'image', mediaType: 'image/png', data: 'bmVlZGxl' } as const;
    await (await store.create('/w')).addMessages([
      { ...user('ENOENT: no such file'), toolCallId: 'c', isError: true },
      { role: 'user', content: [image] },
    ]);
    expect([await ids(store, 'enoent'), await ids(store, 'bmVlZGxl')]).toEqual([['0'], []]);
  });
});
