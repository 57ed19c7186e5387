import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSqliteStore } from '../../../src/memory/sqlite/sqlite-store.ts';
import type { Message } from '../../../src/schema/message.ts';
import { createRandom } from '../../tools/random.ts';
import { assistant, createPlace, user } from './place.ts';

const run = promisify(execFile);
const now = (): Date => new Date('2026-01-02T03:04:05.000Z');

let folder = '';
let count = 0;
/** A path in a folder of its own. */
async function newPath(): Promise<string> {
  const own = path.join(folder, `${count++}`);
  await mkdir(own);
  return path.join(own, 'sessions.db');
}
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'database-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Opens, reads and writes everything that a store does; what it held of the session `s1`, or the code of the refusal. */
async function useAll(file: string): Promise<readonly Message[] | string> {
  try {
    const store = await openSqliteStore(file, { now, newId: () => 'other' });
    try {
      const session = await store.open('s1');
      const messages = (await session?.getMessages(0)) ?? [];
      await store.list({});
      await store.search('question');
      await session?.getCheckpoint();
      await session?.addMessages([user('more')]);
      await session?.popMessage();
      return messages;
    } finally {
      store.close();
    }
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : `${error}`;
  }
}

/** Some pages of sessions; `written` is what `s1` holds after each turn. */
async function writeStore(
  file: string,
): Promise<{ readonly written: readonly (readonly Message[])[]; readonly close: () => void }> {
  const store = await openSqliteStore(file, { now, newId: () => 's1' });
  const session = await store.create('/w');
  const written: (readonly Message[])[] = [[]];
  for (let index = 0; index < 12; index += 1) {
    await session.addMessages([user(`question ${index} ${'long '.repeat(200)}`), assistant(`answer ${index}`)]);
    written.push(await session.getMessages(0));
  }
  return { written, close: () => store.close() };
}

describe('a database', () => {
  test('is made with its folders, for the owner’s eyes only, in the write-ahead mode [spec 9 SQLiteSession]', async () => {
    await using place = await createPlace();
    const store = await place.open();
    await (await store.create('/w')).addMessages([user('hello')]);
    const mode = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);
    expect(await Promise.all([path.join(place.folder, 'home'), path.dirname(place.file)].map(mode))).toEqual(['700', '700']);
    const files = await readdir(path.dirname(place.file));
    expect(files.sort()).toEqual(['sessions.db', 'sessions.db-shm', 'sessions.db-wal']);
    for (const file of files) expect([file, await mode(path.join(path.dirname(place.file), file))]).toEqual([file, '600']);
    store.close();
    expect(await readdir(path.dirname(place.file))).toEqual(['sessions.db']);
    const db = new DatabaseSync(place.file);
    const pragmas = ['journal_mode', 'user_version', 'foreign_key_check', 'integrity_check'].map((name) =>
      db.prepare(`PRAGMA ${name}`).all(),
    );
    db.close();
    expect(JSON.parse(JSON.stringify(pragmas))).toEqual([
      [{ journal_mode: 'wal' }],
      [{ user_version: 1 }],
      [],
      [{ integrity_check: 'ok' }],
    ]);
  });

  test.each([':memory:', 'file:elsewhere?mode=memory', ' a name '])('is in the file that its name says: %s', async (name) => {
    const file = path.join(path.dirname(await newPath()), name);
    const before = process.cwd();
    process.chdir(path.dirname(file));
    try {
      expect(await useAll(name)).toEqual([]);
      expect(await readdir('.')).toEqual([name]);
    } finally {
      process.chdir(before);
    }
  });

  test('says nothing on the terminal, though some releases of Node warn of their SQLite', async () => {
    const store = pathToFileURL(path.resolve(import.meta.dirname, '../../../src/memory/sqlite/sqlite-store.ts')).href;
    const script = `
      const { getBuiltinModule } = process;
      process.getBuiltinModule = (id) => { process.emitWarning(id + ' is experimental', 'ExperimentalWarning'); return getBuiltinModule(id); };
      const { openSqliteStore } = await import('${store}');
      (await openSqliteStore(process.argv[1], { now: () => new Date(), newId: () => 'a' })).close();
      process.emitWarning('another warning');`;
    const { stderr } = await run(process.execPath, ['--input-type=module', '-e', script, await newPath()]);
    expect(stderr).toMatch(/^\(node:\d+\) Warning: another warning\n.*\n$/);
  });
});

describe('what is no database of ours is refused with a reason and left as it is:', () => {
  async function expectRefusal(file: string, code: string): Promise<void> {
    const before = await contentsOf(path.dirname(file));
    const opening = openSqliteStore(file, { now, newId: () => 'a' });
    await expect(opening).rejects.toMatchObject({
      name: 'Harness9Error',
      code,
      message: expect.stringContaining(file),
      hint: expect.any(String),
    });
    expect(await contentsOf(path.dirname(file))).toEqual(before);
  }

  test.each([
    ['a text', Buffer.from('{"sessions":[]}')],
    ['one byte', Buffer.from('x')],
    ['zeros', Buffer.alloc(8_192)],
    ['noise', Buffer.from(Array.from({ length: 9_000 }, (_, index) => (index * 7919) % 251))],
  ])('%s', async (_name, bytes) => {
    const file = await newPath();
    await writeFile(file, bytes);
    await expectRefusal(file, 'SESSION_STORE_UNREADABLE');
  });

  test('the database of another program', async () => {
    const file = await newPath();
    const db = new DatabaseSync(file);
    db.exec('CREATE TABLE bookmarks (url TEXT)');
    db.close();
    await expectRefusal(file, 'SESSION_STORE_UNREADABLE');
  });

  test('the file of a newer version, also when its writer was killed', async () => {
    const file = await newPath();
    (await writeStore(file)).close();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 2');
    // The log is full as long as somebody has it open.
    const copy = await newPath();
    for (const end of ['', '-wal']) await writeFile(`${copy}${end}`, await readFile(`${file}${end}`));
    db.close();
    await expectRefusal(file, 'SESSION_STORE_NEWER');
    const before = await readFile(copy);
    expect(await useAll(copy)).toBe('SESSION_STORE_NEWER');
    expect((await readFile(copy)).equals(before)).toBe(true);
  });

  test('a directory, a pipe, a link to itself, and what lies in a file', async () => {
    const [directory, pipe, loop, text] = [await newPath(), await newPath(), await newPath(), await newPath()];
    await mkdir(directory);
    await run('mkfifo', [pipe]);
    await symlink(loop, loop);
    await writeFile(text, 'x');
    for (const file of [directory, pipe, loop, path.join(text, 'sessions.db')]) {
      await expect(openSqliteStore(file, { now, newId: () => 'a' })).rejects.toMatchObject({ code: 'SESSION_STORE_UNREADABLE' });
    }
    expect(await readdir(directory)).toEqual([]);
    expect(await readFile(text, 'utf8')).toBe('x');
  });

  test('a file or a folder that may not be written', async () => {
    const [file, absent, good] = [await newPath(), await newPath(), await newPath()];
    (await writeStore(file)).close();
    await chmod(file, 0o400);
    await chmod(path.dirname(absent), 0o500);
    await chmod(folder, 0o755);
    const script = path.join(folder, 'as-nobody.mjs');
    const store = pathToFileURL(path.resolve(import.meta.dirname, '../../../src/memory/sqlite/sqlite-store.ts')).href;
    await writeFile(
      script,
      `import { openSqliteStore } from '${store}';
       if (process.getuid() === 0) process.setuid(65534);
       for (const file of process.argv.slice(2)) await openSqliteStore(file, { now: () => new Date(), newId: () => 'a' }).then(() => console.log('opened'), ({ code }) => console.log(code));`,
    );
    // Root may write everywhere, so the process becomes nobody once its code is loaded.
    if (process.getuid?.() === 0)
      for (const mine of [file, ...[file, absent, good].map((name) => path.dirname(name))]) await chown(mine, 65534, 65534);
    const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', script, file, absent, good]);
    expect(stdout).toBe('SESSION_STORE_UNREADABLE\nSESSION_STORE_UNREADABLE\nopened\n');
  });
});

describe('a database that was damaged', () => {
  test('by a cut at any place loads or is refused, never changed by a refusal, and never holds half a turn (G6-12)', async () => {
    const file = await newPath();
    const { written, close } = await writeStore(file);
    close();
    const bytes = await readFile(file);
    const random = createRandom(5);
    const lengths = [
      ...Array.from({ length: 130 }, (_, index) => index),
      ...Array.from({ length: 300 }, () => random.below(bytes.length)),
    ];
    for (let page = 4_096; page < bytes.length; page += 4_096) lengths.push(page - 1, page, page + 1);
    const copy = await newPath();
    for (const length of [...lengths, bytes.length - 1]) {
      await writeFile(copy, bytes.subarray(0, length));
      expect([length, await useAll(copy)]).toEqual([length, length === 0 ? [] : 'SESSION_STORE_UNREADABLE']);
      if (length > 0) expect((await readFile(copy)).equals(bytes.subarray(0, length))).toBe(true);
      await rm(copy);
    }
    await writeFile(copy, bytes);
    expect(await useAll(copy)).toEqual(written.at(-1));
  });

  test('in its log by a cut at any place has the turns before it', async () => {
    const file = await newPath();
    const { written, close } = await writeStore(file);
    const [bytes, log] = [await readFile(file), await readFile(`${file}-wal`)];
    close();
    const random = createRandom(6);
    const seen = new Set<number>();
    for (const length of Array.from({ length: 150 }, () => random.below(log.length + 1)).concat(0, log.length)) {
      const copy = await newPath();
      await writeFile(copy, bytes);
      await writeFile(`${copy}-wal`, log.subarray(0, length));
      const left = await useAll(copy);
      expect([length, written]).toEqual([length, expect.arrayContaining([left])]);
      seen.add(left.length);
    }
    expect(seen.size).toBe(written.length);
  });

  test('by bytes that flipped loads or is refused, and never crashes', async () => {
    const file = await newPath();
    (await writeStore(file)).close();
    const bytes = await readFile(file);
    const random = createRandom(7);
    for (let round = 0; round < 120; round += 1) {
      const copy = await newPath();
      const changed = Uint8Array.from(bytes);
      for (let flips = 1 + random.below(30); flips > 0; flips -= 1) changed[random.below(bytes.length)] = random.below(256);
      await writeFile(copy, changed);
      const left = await useAll(copy);
      if (typeof left === 'string') expect(['SESSION_STORE_UNREADABLE', 'SESSION_STORE_NEWER']).toContain(left);
    }
  });
});

async function contentsOf(directory: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(path.join(directory, name), 'base64')])),
  );
}
