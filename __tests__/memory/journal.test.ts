import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { journalStart, quoteOf } from '../../src/memory/history.ts';
import { type JournalOptions, openJournal, readJournal, sessionBodyOf } from '../../src/memory/journal.ts';
import type { StoredSession } from '../../src/memory/stored-session.ts';
import type { Message } from '../../src/schema/message.ts';
import { textPart } from '../../src/schema/message.ts';
import type { SessionEnvelope, SessionRecord } from '../../src/schema/session.ts';
import { firstRun, provenance } from './journal-start.ts';

const AT = '2026-01-02T03:04:05.000Z';
const now = (): Date => new Date(AT);
const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
const assistant = (text: string): Message => ({ role: 'assistant', content: [textPart(text)] });
const record = (message: Message): SessionRecord => ({ type: 'message', at: AT, message });
const key = new Uint8Array(32).fill(7);
const options: JournalOptions = { ...firstRun, now, key };

let folder = '';
let count = 0;
const newPath = (): string => path.join(folder, `${count++}.jsonl`);
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'journal-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a journal', () => {
  test('has everything on disk as soon as it is acknowledged, for its owner only', async () => {
    const file = newPath();
    const journal = await openJournal(file, options);
    await journal.addMessages([user('one'), assistant('two')]);
    await journal.saveTodos([{ id: 'a', content: 'do a', status: 'pending' }]);

    const { baseRecords: _, ...header } = firstRun;
    expect(await readJournal(file, key)).toEqual({
      header: { type: 'header', version: 1, ...header },
      records: [
        record(user('one')),
        record(assistant('two')),
        { type: 'todos', at: AT, items: [{ id: 'a', content: 'do a', status: 'pending' }] },
      ],
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('only grows, whatever is taken out', async () => {
    const file = newPath();
    const journal = await openJournal(file, options);
    let before = await readFile(file);
    for (const change of changes) {
      await change(journal);
      const after = await readFile(file);
      expect(after.subarray(0, before.length).equals(before)).toBe(true);
      expect(after.length).toBeGreaterThan(before.length);
      before = after;
    }
  });

  test('cut at any byte, holds exactly what was acknowledged by then (G6-12, G6-15)', async () => {
    const whole = newPath();
    const journal = await openJournal(whole, options);
    const read = async (file: string): Promise<readonly SessionRecord[] | null> =>
      (await readJournal(file, key))?.records ?? null;
    // The length of the file after each change, and what it then holds.
    const states = [{ length: 0, records: null as readonly SessionRecord[] | null }];
    for (const change of [async () => undefined, ...changes]) {
      await change(journal);
      states.push({ length: (await stat(whole)).size, records: await read(whole) });
    }
    for (let { length } = await readFile(whole); length >= 0; length -= 1) {
      await truncate(whole, length);
      // A line is whole without its line feed, too.
      const expected = states.findLast((state) => state.length <= length + 1);
      expect([length, await read(whole)]).toEqual([length, expected?.records]);
    }
  });

  test('believes no line that is not signed in its place (G2)', async () => {
    const file = newPath();
    const journal = await openJournal(file, options);
    await journal.addMessages([user('one')]);
    const [header = '', one = ''] = (await readFile(file, 'utf8')).split('\n');
    await appendFile(file, `${JSON.stringify({ entries: [record(user('forged'))], mac: '0'.repeat(64) })}\n`);
    await appendFile(file, `${JSON.stringify({ entries: [{ type: 'clear', at: AT }], mac: '0'.repeat(64) })}\n`);
    await appendFile(file, `${one}\n`);
    await journal.addMessages([user('two')]);

    expect((await readJournal(file, key))?.records).toEqual([record(user('one')), record(user('two'))]);
    expect(await readJournal(file, new Uint8Array(32))).toBeNull();
    await writeFile(file, `${header.replace('"sequence":0', '"sequence":900719925474')}\n${one}\n`);
    expect(await readJournal(file, key)).toBeNull();
  });

  test('with any line lost believes none after it', async () => {
    const file = newPath();
    const journal = await openJournal(file, options);
    await journal.addMessages([user('one')]);
    await journal.popMessage();
    await journal.addMessages([user('two')]);
    const [header, one, , two] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, [header, one, two].join('\n'));
    expect((await readJournal(file, key))?.records).toEqual([record(user('one'))]);
  });

  test('goes on after a line that was cut without gluing to it', async () => {
    const file = newPath();
    const journal = await openJournal(file, options);
    await appendFile(file, '{"entries":[{"type":"message"\n');
    await journal.addMessages([user('after')]);
    expect((await readJournal(file, key))?.records).toEqual([record(user('after'))]);
  });

  test.each([
    ['not ended', 'rubbish'],
    ['not ended, and like one of ours', '{"entries":[{"type":"clear"'],
    ['of many', 'a\n\n\nb'],
    ['with the start of a character', Buffer.from([0xe4, 0xbf])],
  ])('goes on behind a foreign line that is %s', async (_name, foreign) => {
    const file = newPath();
    const journal = await openJournal(file, options);
    await appendFile(file, foreign);
    await journal.addMessages([user('one')]);
    await appendFile(file, foreign);
    await journal.addMessages([user('two')]);
    await journal.addMessages([user('three')]);
    expect((await readJournal(file, key))?.records).toEqual(['one', 'two', 'three'].map((text) => record(user(text))));
  });

  test.each<[string, (file: string) => Promise<unknown>]>([
    ['removed', (file) => rm(file)],
    ['removed with its folder', (file) => rm(path.dirname(file), { recursive: true })],
    ['emptied', (file) => truncate(file, 0)],
    ['cut', (file) => truncate(file, 500)],
    ['overwritten', (file) => writeFile(file, 'rubbish')],
  ])('that was %s while the run lasts is whole again with the next turn', async (_name, takeAway) => {
    const file = path.join(newPath(), 'journal.jsonl');
    await mkdir(path.dirname(file));
    const journal = await openJournal(file, options);
    await journal.addMessages([user('one'), user('two')]);
    await journal.popMessage();
    await journal.savePlan('a plan');
    await takeAway(file);
    await journal.addMessages([user('three')]);
    await journal.addMessages([user('four')]);
    const content = await readJournal(file, key);
    expect(content?.header).toMatchObject({ sessionId: options.sessionId });
    expect(content?.records).toEqual([
      record(user('one')),
      { type: 'plan', at: AT, text: 'a plan' },
      record(user('three')),
      record(user('four')),
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(path.dirname(file))).toEqual(['journal.jsonl']);
  });

  test('does not take over a file that is there', async () => {
    const file = newPath();
    await openJournal(file, options);
    await expect(openJournal(file, options)).rejects.toMatchObject({ code: 'JOURNAL_FOREIGN' });
  });

  test('says so when it cannot be written', async () => {
    const opening = openJournal(path.join(folder, 'absent', 'x.jsonl'), options);
    await expect(opening).rejects.toMatchObject({ code: 'JOURNAL_WRITE' });
  });

  test('has nothing of an addition that could not be written, and takes the next one', async () => {
    const file = newPath();
    const journal = await openJournal(file, options);
    await journal.addMessages([user('before')]);
    const bytes = await readFile(file);
    await rm(file);
    await mkdir(file);
    await expect(journal.addMessages([user('lost')])).rejects.toMatchObject({ code: 'JOURNAL_WRITE' });
    expect(await journal.getMessages(0)).toEqual([user('before')]);

    await rmdir(file);
    await writeFile(file, bytes);
    await journal.addMessages([user('after')]);
    expect((await readJournal(file, key))?.records).toEqual([record(user('before')), record(user('after'))]);
  });
});

describe('a journal that continues a session', () => {
  const envelope: SessionEnvelope = {
    version: 1,
    id: 'old',
    threadKey: 'issue-1',
    sequence: 4,
    parentHash: null,
    trust: 'mixed',
    provenance,
    updatedAt: AT,
    records: [record(user('earlier'))],
    mac: 'm',
  };
  const run = { newId: 'new', threadKey: 'issue-1', trust: 'trusted', provenance } as const;
  const restored = { kind: 'restored', envelope, hash: 'h4', quoteOnly: false } as const;

  test('holds the earlier records too, so that the session file is made from it alone', async () => {
    const file = newPath();
    const journal = await openJournal(file, { ...journalStart(restored, run), now, key });
    await journal.addMessages([user('now')]);

    expect(await journal.getMessages(0)).toEqual([user('earlier'), user('now')]);
    const content = await readJournal(file, key);
    expect(content === null ? null : sessionBodyOf(content, AT)).toEqual({
      version: 1,
      id: 'old',
      threadKey: 'issue-1',
      sequence: 5,
      parentHash: 'h4',
      trust: 'mixed',
      provenance,
      updatedAt: AT,
      records: [record(user('earlier')), record(user('now'))],
    });
  });

  test('keeps of to-do lists, plans and checkpoints the newest only', async () => {
    const file = newPath();
    const [todos, plan] = [
      { type: 'todos', at: AT, items: [] },
      { type: 'plan', at: AT, text: 'p' },
    ] as const;
    const checkpoint = { type: 'checkpoint', at: AT, summary: 's', coversMessages: 1 } as const;
    const baseRecords = [record(user('1')), checkpoint, todos, plan, { ...plan, text: 'q' }, { ...checkpoint, summary: 't' }];
    const journal = await openJournal(file, { ...options, baseRecords });
    await journal.saveTodos([{ id: 'a', content: 'do a', status: 'pending' }]);
    expect((await readJournal(file, key))?.records).toEqual([
      record(user('1')),
      { ...plan, text: 'q' },
      { ...checkpoint, summary: 't' },
      { type: 'todos', at: AT, items: [{ id: 'a', content: 'do a', status: 'pending' }] },
    ]);
  });

  test('stands in the thread after the session that it continues, quotes or leaves behind', () => {
    expect(journalStart({ ...restored, quoteOnly: true }, run)).toEqual({
      sessionId: 'new',
      threadKey: 'issue-1',
      trust: 'trusted',
      provenance,
      sequence: 5,
      parentHash: 'h4',
      baseRecords: [],
    });
    const left = journalStart({ kind: 'fresh', notice: null, continues: { sequence: 4, hash: 'h4' } }, run);
    expect(left).toMatchObject({ sequence: 5, sessionId: 'new', parentHash: 'h4', baseRecords: [] });
    expect(journalStart({ kind: 'fresh', notice: null }, run)).toMatchObject({ sequence: 0, parentHash: null });
  });
});

describe('what is quoted of a session', () => {
  const checkpoint: SessionRecord = { type: 'checkpoint', at: AT, summary: 'We fixed the cart.', coversMessages: 1 };

  test('is the newest summary, else the last answer', () => {
    expect(quoteOf([record(assistant('old')), checkpoint])).toBe('We fixed the cart.');
    expect(quoteOf([record(user('q')), record(assistant('the answer')), record(assistant(''))])).toBe('the answer');
    expect(quoteOf([record(assistant('the answer')), { ...checkpoint, summary: '', leftOut: 9 }])).toBe('the answer');
    expect(quoteOf([])).toBe('');
  });

  test('is no longer than a quotation', () => {
    expect(quoteOf([{ ...checkpoint, summary: 'x'.repeat(9_000) }])).toHaveLength(4_000);
    expect(quoteOf([record(assistant('x'.repeat(9_000)))])).toHaveLength(4_000);
  });
});

/** One of each kind of change that a session takes. */
const changes: readonly ((journal: StoredSession) => Promise<unknown>)[] = [
  (journal) => journal.addMessages([user('größer'), assistant('二'), user('3')]),
  (journal) => journal.saveTodos([{ id: 'a', content: 'do a', status: 'pending' }]),
  (journal) => journal.saveCheckpoint({ summary: 'so far', coversMessages: 3 }),
  (journal) => journal.savePlan('a plan'),
  (journal) => journal.popMessage(),
  (journal) => journal.savePlan(undefined),
  (journal) => journal.clear(),
  (journal) => journal.addMessages([user('anew')]),
];
