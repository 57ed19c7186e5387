import { describe, expect, test } from '@jest/globals';
import { messageSchema, type Part, textPart } from '../../../src/schema/message.ts';
import { assistant, createPlace, user } from './place.ts';

describe('the sessions of a store', () => {
  test('are listed newest change first, each with what it is about', async () => {
    await using place = await createPlace();
    const store = await place.open('a', 'b', 'c');
    const first = await store.create('/w');
    const second = await store.create('/w');
    await first.addMessages([user('  Fix the\n\tlogin \u001b[31mbug '), assistant('Done.')]);
    await second.addMessages([user('Second')]);
    await first.addMessages([user('And now?')]);
    await store.setTags('b', ['urgent']);
    expect(await store.list({})).toEqual([
      {
        id: 'a',
        workspace: '/w',
        title: 'Fix the login [31mbug',
        tags: [],
        createdAt: '2026-01-01T00:00:01.000Z',
        updatedAt: expect.stringMatching(/^2026-01-01T00:00:\d\d\.000Z$/),
        messageCount: 3,
      },
      {
        id: 'b',
        workspace: '/w',
        title: 'Second',
        tags: ['urgent'],
        createdAt: '2026-01-01T00:00:02.000Z',
        updatedAt: expect.stringMatching(/^2026-01-01T00:00:\d\d\.000Z$/),
        messageCount: 1,
      },
    ]);
    expect([await store.info('a'), await store.info('b')]).toEqual(await store.list({}));
    expect([await store.info('c'), await store.info('')]).toEqual([undefined, undefined]);
    expect((await store.list({ limit: 1 })).map(({ id }) => id)).toEqual(['a']);
    expect((await store.list({ limit: 0 })).map(({ id }) => id)).toEqual([]);
  });

  test('a title is the first part that has words: what came along with it is not a title', async () => {
    await using place = await createPlace();
    const store = await place.open('a', 'b', 'c');
    const say = async (...content: readonly Part[]) => {
      const session = await store.create('/w');
      await session.addMessages([{ role: 'user', content }]);
      return (await store.info(session.id))?.title;
    };
    const picture: Part = { type: 'image', mediaType: 'image/png', data: 'AAAA' };
    expect(await say(textPart('sum it up'), textPart('\n\nWhat stands between the marks …'))).toBe('sum it up');
    expect(await say(picture, textPart(' \n'), textPart('what is\nthis?'))).toBe('what is this?');
    expect(await say(picture)).toBe('');
  });

  test('that never got a message are not listed, those that lost them are', async () => {
    await using place = await createPlace();
    const store = await place.open('empty', 'state', 'cleared', 'popped');
    await store.create('/w');
    await (await store.create('/w')).savePlan('a plan alone');
    const cleared = await store.create('/w');
    await cleared.addMessages([user('old words')]);
    await cleared.clear();
    const popped = await store.create('/w');
    await popped.addMessages([user('old words')]);
    await popped.popMessage();
    const listed = async () => (await store.list({})).map(({ id, title, messageCount }) => ({ id, title, messageCount }));
    expect(await listed()).toEqual([
      { id: 'popped', title: '', messageCount: 0 },
      { id: 'cleared', title: '', messageCount: 0 },
    ]);
    await cleared.addMessages([user('new words')]);
    expect((await listed())[0]).toEqual({ id: 'cleared', title: 'new words', messageCount: 1 });
    expect((await store.open('empty'))?.id).toBe('empty');
    expect(await store.info('empty')).toBeUndefined();
  });

  test.each([
    [
      'the first words of the user, not what a tool said',
      [{ ...user('output'), toolCallId: 'c' }, assistant('Hello'), user('Fix it')],
      'Fix it',
    ],
    ['one line, cut', [user('word '.repeat(40))], `${'word '.repeat(40).slice(0, 79)}…`],
    ['not torn within a character', [user('👍'.repeat(80))], `${'👍'.repeat(39)}…`],
    ['empty where the user said nothing in words', [assistant('Hello'), { role: 'user', content: [] }], ''],
    ['the first words that there are', [user(' \n '), user('Second')], 'Second'],
  ] as const)('have a title that is %s', async (_name, messages, title) => {
    await using place = await createPlace();
    const store = await place.open();
    await (await store.create('/w')).addMessages(messages.map((message) => messageSchema.parse(message)));
    expect((await store.list({}))[0]?.title).toBe(title);
  });

  test('[spec 9 workspace isolation] are of one workspace', async () => {
    await using place = await createPlace();
    const store = await place.open('a', 'b', 'c');
    for (const workspace of ['/w', '/w/sub', '/w']) await (await store.create(workspace)).addMessages([user(workspace)]);
    expect((await store.list({ workspace: '/w' })).map(({ id }) => id)).toEqual(['c', 'a']);
    expect((await store.newest('/w'))?.id).toBe('c');
    expect((await store.newest('/w/sub'))?.id).toBe('b');
    expect(await store.newest('/W')).toBeUndefined();
    await (await store.open('a'))?.saveTodos([]);
    expect((await store.newest('/w'))?.id).toBe('a');
  });

  test('are newest by what was written last when the clock stands still', async () => {
    await using place = await createPlace();
    const { openSqliteStore } = await import('../../../src/memory/sqlite/sqlite-store.ts');
    const ids = ['a', 'b', 'c'];
    const store = await openSqliteStore(place.file, { now: () => new Date(0), newId: () => ids.shift() ?? '' });
    const [a, b, c] = [await store.create('/w'), await store.create('/w'), await store.create('/w')];
    for (const session of [c, a, b, a]) await session.addMessages([user('x')]);
    expect((await store.list({})).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    store.close();
  });

  test('[spec 9 session tags] have tags that are replaced, looked for, and kept', async () => {
    await using place = await createPlace();
    const store = await place.open('a', 'b');
    for (const _ of [1, 2]) await (await store.create('/w')).addMessages([user('x')]);
    await store.setTags('a', ['one']);
    await store.setTags('a', [' two ', '三', 'two', '', "'; DROP TABLE sessions; --"]);
    await store.setTags('b', ['two', 'one']);
    expect((await store.list({ tag: 'two' })).map(({ id, tags }) => ({ id, tags }))).toEqual([
      { id: 'b', tags: ['two', 'one'] },
      { id: 'a', tags: ['two', '三', "'; DROP TABLE sessions; --"] },
    ]);
    expect((await store.list({ tag: 'one' })).map(({ id }) => id)).toEqual(['b']);
    expect(await store.list({ tag: 'tw' })).toEqual([]);
    await expect(store.setTags('absent', ['x'])).rejects.toMatchObject({ code: 'SESSION_GONE' });
  });
});

describe('a session is found', () => {
  test('by its id, or by the beginning of one that is listed', async () => {
    await using place = await createPlace();
    const store = await place.open('abc1', 'abc2', 'abcd', 'abc', 'x%y', 'never');
    for (const index of [0, 1, 2, 3, 4, 5]) {
      const session = await store.create('/w');
      if (index < 5) await session.addMessages([user(`${index}`)]);
    }
    const found = async (id: string): Promise<string | undefined> => (await store.open(id))?.id;
    expect(await Promise.all(['abc1', 'abcd', 'abc', 'x', 'never'].map(found))).toEqual(['abc1', 'abcd', 'abc', 'x%y', 'never']);
    expect(await Promise.all(['', 'ABC1', 'x_', '%', 'neve', 'abc11', "' OR 1=1 --"].map(found))).toEqual(
      Array(7).fill(undefined),
    );
    await expect(store.open('ab')).rejects.toMatchObject({
      code: 'SESSION_AMBIGUOUS',
      message: '"ab" is the beginning of several sessions: abc, abcd, abc2, abc1',
      hint: expect.any(String),
    });
  });

  test('and of very many candidates five are named', async () => {
    await using place = await createPlace();
    const store = await place.open();
    for (let count = 0; count < 9; count += 1) await (await store.create('/w')).addMessages([user('x')]);
    await expect(store.open('id')).rejects.toMatchObject({
      message: expect.stringMatching(/: id-9, id-8, id-7, id-6, id-5 and 4 more$/),
    });
  });
});

describe('a session that is deleted', () => {
  test('is gone with all that it held, and no other', async () => {
    await using place = await createPlace();
    const store = await place.open('a', 'b');
    const session = await store.create('/w');
    await session.addMessages([user('needle one'), assistant('needle two')]);
    await session.saveCheckpoint({ summary: 's', coversMessages: 2 });
    await (await store.create('/w')).addMessages([user('needle three')]);
    expect([await store.delete('a'), await store.delete('a'), await store.delete('')]).toEqual([true, false, false]);
    expect((await store.list({})).map(({ id }) => id)).toEqual(['b']);
    expect((await store.search('needle')).map((hit) => hit.session.id)).toEqual(['b']);
    expect(await store.open('a')).toBeUndefined();
    await expect(session.addMessages([user('x')])).rejects.toMatchObject({ code: 'SESSION_GONE' });
    expect([await session.getMessages(0), await session.getTodos(), await session.getPlan()]).toEqual([[], [], undefined]);
    store.close();
    place.tamper(`CREATE TEMP TABLE left_over AS SELECT count(*) AS n FROM messages WHERE session_id = 'a';
      INSERT INTO left_over SELECT count(*) FROM message_texts WHERE text LIKE '%one%' OR text LIKE '%two%';
      INSERT INTO left_over SELECT count(*) FROM checkpoints;
      CREATE TEMP TABLE proof (n CHECK (n = 0)); INSERT INTO proof SELECT n FROM left_over;`);
  });
});

describe('what cannot be read', () => {
  test('of the messages is passed over and counted, and takes nothing else with it', async () => {
    await using place = await createPlace();
    const store = await place.open('a');
    const session = await store.create('/w');
    const texts = ['0', '1', '2', '3', '4', '5'];
    await session.addMessages(texts.map(user));
    await session.saveCheckpoint({ summary: 's', coversMessages: 4 });
    store.close();
    place.tamper(
      `UPDATE messages SET json = '{"role":"user","content":' WHERE id = 2; UPDATE messages SET json = '{"role":"root","content":[]}' WHERE id IN (5, 6)`,
    );

    const again = await (await place.open()).open('a');
    expect(await again?.getMessages(0)).toEqual(['0', '2', '3'].map(user));
    expect(place.log).toEqual(['[session] id=a unreadable_messages=3']);
    expect(await again?.getMessages(2)).toEqual(['2', '3'].map(user));
    // It covers what is left of the four.
    expect(await again?.getCheckpoint()).toEqual({ summary: 's', coversMessages: 3 });
    await again?.saveCheckpoint({ summary: 't', coversMessages: 2 });
    expect(await again?.getCheckpoint()).toEqual({ summary: 't', coversMessages: 2 });
    expect(await again?.popMessage()).toEqual(user('3'));
    expect(await again?.getMessages(0)).toEqual(['0', '2'].map(user));
  });

  test('of lists and tags counts as none', async () => {
    await using place = await createPlace();
    const store = await place.open('a');
    const session = await store.create('/w');
    await session.addMessages([user('x')]);
    store.close();
    place.tamper(`UPDATE sessions SET todos = '[{"id":1', tags = '{"a":1}'`);
    const again = await place.open();
    expect(await (await again.open('a'))?.getTodos()).toEqual([]);
    expect((await again.list({}))[0]?.tags).toEqual([]);
  });

  test('at all, since a table is missing, is said', async () => {
    await using place = await createPlace();
    (await place.open()).close();
    place.tamper('DROP TABLE messages');
    const store = await place.open();
    await expect(store.list({})).rejects.toMatchObject({ code: 'SESSION_STORE_UNREADABLE', hint: expect.any(String) });
  });
});

test('a store that another process holds for too long says so', async () => {
  await using place = await createPlace();
  const store = await place.open();
  const { DatabaseSync } = await import('node:sqlite');
  const other = new DatabaseSync(place.file);
  other.exec('BEGIN IMMEDIATE');
  await expect(store.create('/w')).rejects.toMatchObject({ code: 'SESSION_STORE_BUSY', hint: expect.any(String) });
  other.exec('ROLLBACK');
  other.close();
  expect((await store.create('/w')).id).toMatch(/^id-/);
});

describe('a checkpoint of one process, where another one writes to the session meanwhile', () => {
  const checkpoint = (coversMessages: number) => ({ summary: 'what I saw', coversMessages });

  test('covers nothing that its maker has not seen', async () => {
    await using place = await createPlace();
    const mine = await (await place.open('s')).create('/w');
    await mine.addMessages([user('1'), assistant('2')]);
    expect(await mine.getMessages(0)).toHaveLength(2);
    const other = await (await place.open()).open('s');
    await mine.addMessages([user('3')]);
    await other?.addMessages([user('of the other')]);
    await mine.addMessages([assistant('4')]);
    await mine.saveCheckpoint(checkpoint(4));
    expect(await other?.getCheckpoint()).toEqual(checkpoint(3));
    await mine.saveCheckpoint(checkpoint(2));
    expect(await other?.getCheckpoint()).toEqual(checkpoint(2));
    // Who reads it again knows all of it.
    expect(await mine.getMessages(0)).toHaveLength(5);
    await mine.saveCheckpoint(checkpoint(5));
    expect(await other?.getCheckpoint()).toEqual(checkpoint(5));
  });

  test('still counts right when it has taken messages out itself', async () => {
    await using place = await createPlace();
    const mine = await (await place.open('s')).create('/w');
    await mine.addMessages([user('1'), assistant('2'), user('3')]);
    await mine.getMessages(0);
    await mine.popMessage();
    await mine.addMessages([user('3 again'), assistant('4')]);
    await mine.saveCheckpoint(checkpoint(4));
    expect(await mine.getCheckpoint()).toEqual(checkpoint(4));
    await mine.clear();
    await mine.addMessages([user('5'), user('6')]);
    await mine.saveCheckpoint(checkpoint(1));
    expect(await mine.getCheckpoint()).toEqual(checkpoint(1));
  });

  test('brings nothing back that was cleared', async () => {
    await using place = await createPlace();
    const mine = await (await place.open('s')).create('/w');
    await mine.addMessages([user('1'), assistant('2')]);
    await mine.getMessages(0);
    await (await (await place.open()).open('s'))?.clear();
    await mine.addMessages([assistant('3')]);
    await mine.saveCheckpoint(checkpoint(2));
    expect([await mine.getCheckpoint(), await mine.getMessages(0)]).toEqual([undefined, [assistant('3')]]);
  });
});
