// Opens the database file of the session store: private, of our kind and version, in the write-ahead mode. Knows no sessions.
import { mkdir, open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import { loadSqlite } from './load-sqlite.ts';
import { migrations } from './migrations.ts';
import { storeErrorOf, unreadable } from './store-error.ts';

const busyTimeoutMs = 5_000;
// "H9S1", in the file's header: tells our file from another program's.
const applicationId = 0x48_39_53_31;

/** Work on the database. Failures come out as Harness9Errors. */
export interface Database {
  readonly read: <T>(work: (db: DatabaseSync) => T) => T;
  /** In one transaction: all of it or nothing. */
  readonly write: <T>(work: (db: DatabaseSync) => T) => T;
  readonly close: () => void;
}

/**
 * Opens or creates. Throws SESSION_STORE_UNREADABLE for what is damaged, foreign or not to be written, and SESSION_STORE_NEWER for the
 * file of a newer version; nothing is changed in a file that is refused.
 */
export async function openDatabase(location: string): Promise<Database> {
  // Absolute, since SQLite takes some names (`:memory:`, `file:…`) for something else.
  const file = path.resolve(location);
  await createPrivately(file);
  const sizes = await sizesOf(file);
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw storeErrorOf(file, error);
    }
  };
  guard(() => inspect(file, sizes));
  const db = guard(() => prepare(connect(file)));
  return {
    read: (work) => guard(() => work(db)),
    write: (work) => guard(() => inTransaction(db, () => work(db))),
    close: () => guard(() => db.close()),
  };
}

function connect(file: string, readOnly = false): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  return new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
}

/** The folders and an empty file, for the owner's eyes only; SQLite gives its other files the same rights. */
async function createPrivately(file: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const there = await stat(file).catch(() => undefined);
    // Opening a pipe would wait for its other end.
    if (there !== undefined && !there.isFile()) throw unreadable(file, 'it is not a file');
    await (await open(file, 'a', 0o600)).close();
  } catch (error) {
    throw error instanceof Harness9Error ? error : unreadable(file, 'it may not be made or written', error);
  }
}

interface Sizes {
  readonly file: number;
  readonly log: number;
}

async function sizesOf(file: string): Promise<Sizes> {
  const log = await stat(`${file}-wal`).catch(() => undefined);
  return { file: (await stat(file)).size, log: log?.size ?? 0 };
}

/** Refuses what is not ours to write. */
function inspect(file: string, sizes: Sizes): void {
  // Closing writes what is in the log into the file, unless only reading was asked for.
  const db = connect(file, sizes.log > 0);
  try {
    const version = pragma(db, 'user_version');
    const isEmpty = pragma(db, 'schema_version') === 0;
    // SQLite itself sees a missing page, but takes the missing end of the last one for zeros. A log may still have to fill it in.
    if (sizes.log === 0 && sizes.file % pragma(db, 'page_size') !== 0) throw unreadable(file, 'its end is missing');
    if (!isEmpty && pragma(db, 'application_id') !== applicationId)
      throw unreadable(file, 'it is the database of another program');
    if (version > migrations.length) throw newer(file, version);
  } finally {
    db.close();
  }
}

function prepare(db: DatabaseSync): DatabaseSync {
  try {
    db.exec('PRAGMA journal_mode = WAL');
    if (pragma(db, 'user_version') < migrations.length) migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrate(db: DatabaseSync): void {
  inTransaction(db, () => {
    // Another process may have been first.
    for (const step of migrations.slice(pragma(db, 'user_version'))) db.exec(step);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
  });
}

function pragma(db: DatabaseSync, name: string): number {
  return z.number().parse(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  // Asks for the right to write at once: a reader that turns into a writer is refused without waiting.
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function newer(file: string, version: number): Harness9Error {
  return new Harness9Error({
    code: 'SESSION_STORE_NEWER',
    message: `The session store ${file} is of version ${version}; this harness9 knows versions up to ${migrations.length}`,
    hint: 'Use the newer harness9 that wrote it, or name another file.',
  });
}
