import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { journalStart, quoteOf } from '../../src/memory/history.ts';
import { type JournalOptions, openJournal, readJournal, sessionBodyOf } from '../../src/memory/journal.ts';
import { messagesOf } from '../../src/memory/messages-of.ts';
import type { Message } from '../../src/schema/message.ts';
import { textPart } from '../../src/schema/message.ts';
import type { Provenance, SessionEnvelope, SessionRecord } from '../../src/schema/session.ts';

const AT = '2026-01-02T03:04:05.000Z';
const now = (): Date => new Date(AT);
const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
const assistant = (text: string): Message => ({ role: 'assistant', content: [textPart(text)] });
const record = (message: Message): SessionRecord => ({ type: 'message', at: AT, message });
const key = new Uint8Array(32).fill(7);
const provenance: Provenance = {
  repositoryId: 7,
  repository: 'o/r',
  workflowPath: '.github/workflows/a.yml',
  runId: 1,
  runAttempt: 1,
  event: 'issue_comment',
  headSha: 'a'.repeat(40),
};

const startOf = (sessionId: string): JournalOptions => ({
  sessionId,
  threadKey: 'issue-1',
  sequence: 0,
  parentHash: null,
  trust: 'trusted',
  provenance,
  baseRecords: [],
  now,
  key,
});

let folder = '';
let count = 0;
const newPath = (): string => path.join(folder, `${count++}.jsonl`);
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'journal-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a journal', () => {
  test('has every message on disk as soon as it is acknowledged, and gives all of them or the last n', async () => {
    const file = newPath();
    const journal = await openJournal(file, startOf('s1'));
    await journal.addMessages([user('one'), assistant('two')]);
    await journal.addMessages([user('three')]);

    expect(await journal.getMessages(0)).toEqual([user('one'), assistant('two'), user('three')]);
    expect(await journal.getMessages(2)).toEqual([assistant('two'), user('three')]);
    expect(await readJournal(file, key)).toEqual({
      header: {
        type: 'header',
        version: 1,
        sessionId: 's1',
        threadKey: 'issue-1',
        sequence: 0,
        parentHash: null,
        trust: 'trusted',
        provenance,
      },
      records: [record(user('one')), record(assistant('two')), record(user('three'))],
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('keeps the order of additions that are not waited for', async () => {
    const file = newPath();
    const journal = await openJournal(file, startOf('s1'));
    const texts = Array.from({ length: 50 }, (_, index) => `message ${index}`);
    await Promise.all(texts.map((text) => journal.addMessages([user(text)])));
    const content = await readJournal(file, key);
    expect(messagesOf(content?.records ?? [])).toEqual(texts.map(user));
  });

  test('never stores the system prompt', async () => {
    const file = newPath();
    const journal = await openJournal(file, startOf('s1'));
    await journal.addMessages([{ role: 'system', content: [textPart('secret rules')] }, user('hello')]);
    expect(await journal.getMessages(0)).toEqual([user('hello')]);
    expect(await readFile(file, 'utf8')).not.toContain('secret rules');
  });

  test('cut anywhere, still loads every line that is whole (G6-15)', async () => {
    const whole = newPath();
    const journal = await openJournal(whole, startOf('s1'));
    await journal.addMessages([user('größer'), assistant('二')]);
    const bytes = await readFile(whole);
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([index]) => index);
    for (let length = 0; length <= bytes.length; length += 1) {
      const file = newPath();
      await writeFile(file, bytes);
      await truncate(file, length);
      const content = await readJournal(file, key);
      const wholeLines = ends.filter((end) => end <= length).length;
      if (wholeLines === 0) expect(content).toBeNull();
      else expect(content?.records).toEqual([record(user('größer')), record(assistant('二'))].slice(0, wholeLines - 1));
    }
  });

  test('believes no line that is not signed in its place (G2)', async () => {
    const file = newPath();
    const journal = await openJournal(file, startOf('s1'));
    await journal.addMessages([user('one')]);
    const [header = '', one = ''] = (await readFile(file, 'utf8')).split('\n');
    await appendFile(file, `${JSON.stringify({ entry: record(user('forged')), mac: '0'.repeat(64) })}\n`);
    await appendFile(file, `${one}\n`);
    await journal.addMessages([user('two')]);

    expect((await readJournal(file, key))?.records).toEqual([record(user('one')), record(user('two'))]);
    expect(await readJournal(file, new Uint8Array(32))).toBeNull();
    await writeFile(file, `${header.replace('"sequence":0', '"sequence":900719925474')}\n${one}\n`);
    expect(await readJournal(file, key)).toBeNull();
  });

  test('goes on after a line that was cut without gluing to it', async () => {
    const file = newPath();
    const journal = await openJournal(file, startOf('s1'));
    await appendFile(file, '{"entry":{"type":"message"\n');
    await journal.addMessages([user('after')]);
    expect((await readJournal(file, key))?.records).toEqual([record(user('after'))]);
  });

  test('does not take over a file that is there', async () => {
    const file = newPath();
    await openJournal(file, startOf('s1'));
    await expect(openJournal(file, startOf('s1'))).rejects.toMatchObject({ code: 'JOURNAL_FOREIGN' });
  });

  test('says so when it cannot be written', async () => {
    const opening = openJournal(path.join(folder, 'absent', 'x.jsonl'), startOf('s1'));
    await expect(opening).rejects.toMatchObject({ code: 'JOURNAL_WRITE' });
  });

  test('that continues a session holds the earlier records too, so that the session file is made from it alone', async () => {
    const file = newPath();
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
    const run = { newId: 'new', threadKey: 'issue-1', trust: 'trusted' as const, provenance };
    const restored = { kind: 'restored', envelope, hash: 'h4', quoteOnly: false } as const;
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
    expect(journalStart({ ...restored, quoteOnly: true }, run)).toEqual({
      sessionId: 'new',
      threadKey: 'issue-1',
      trust: 'trusted',
      provenance,
      sequence: 5,
      parentHash: 'h4',
      baseRecords: [],
    });
    expect(journalStart({ kind: 'fresh', notice: null, continues: { sequence: 4, hash: 'h4' } }, run)).toMatchObject({
      sequence: 5,
      sessionId: 'new',
    });
    expect(journalStart({ kind: 'fresh', notice: null }, run)).toMatchObject({ sequence: 0, parentHash: null });
  });
});

describe('history', () => {
  const checkpoint: SessionRecord = { type: 'checkpoint', at: AT, summary: 'We fixed the cart.', coversMessages: 9 };

  test('a leading checkpoint stands in for the messages that are gone', () => {
    expect(messagesOf([checkpoint, record(user('next'))])).toEqual([
      user('Summary of the earlier part of this conversation:\n\nWe fixed the cart.'),
      user('next'),
    ]);
    expect(messagesOf([record(user('first')), checkpoint])).toEqual([user('first')]);
  });

  test('what is quoted is the newest summary, else the last answer', () => {
    expect(quoteOf([record(assistant('old')), checkpoint])).toBe('We fixed the cart.');
    expect(quoteOf([record(user('q')), record(assistant('the answer')), record(assistant(''))])).toBe('the answer');
    expect(quoteOf([])).toBe('');
  });
});
