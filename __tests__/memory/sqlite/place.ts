// A folder with stores in it that go away with the test, and a clock that moves on by a second whenever it is looked at.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore, type SqliteStore } from '../../../src/memory/sqlite/sqlite-store.ts';
import type { Message } from '../../../src/schema/message.ts';
import { textPart } from '../../../src/schema/message.ts';

export interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly file: string;
  readonly log: readonly string[];
  /** The ids are those given, in order; then `id-1`, `id-2`… */
  readonly open: (...ids: readonly string[]) => Promise<SqliteStore>;
  /** Changes the closed file behind the store's back. */
  readonly tamper: (sql: string) => void;
}

export const user = (text: string): Message => ({ role: 'user', content: [textPart(text)] });
export const assistant = (text: string): Message => ({ role: 'assistant', content: [textPart(text)] });

export async function createPlace(): Promise<Place> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sqlite-'));
  const file = path.join(folder, 'home', '.harness9', 'sessions.db');
  const stores: SqliteStore[] = [];
  const log: string[] = [];
  let [seconds, count] = [0, 0];
  const now = (): Date => {
    seconds += 1;
    return new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
  };
  return {
    folder,
    file,
    log,
    open: async (...ids) => {
      const waiting = [...ids];
      const newId = (): string => {
        count += 1;
        return waiting.shift() ?? `id-${count}`;
      };
      const store = await openSqliteStore(file, { now, newId, log: (line) => log.push(line) });
      stores.push(store);
      return store;
    },
    tamper: (sql) => {
      const db = new DatabaseSync(file);
      db.exec(sql);
      db.close();
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of stores) closeAgain(store);
      await rm(folder, { recursive: true });
    },
  };
}

function closeAgain(store: SqliteStore): void {
  try {
    store.close();
  } catch {
    // The test itself has closed it.
  }
}
