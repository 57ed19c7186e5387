// Where the terminal keeps its conversations: one SQLite file in the user's home. Loads SQLite when it is first needed.
import { homedir } from 'node:os';
import path from 'node:path';
import type { SearchHit, SessionInfo, SqliteStore } from '../memory/sqlite/sqlite-store.ts';
import type { StoredSession } from '../memory/stored-session.ts';
import type { Log, World } from '../schema/world.ts';

export type { SearchHit, SessionInfo, StoredSession };
export type SessionStore = SqliteStore;

/** 8 bytes: unguessable is not needed, unique is, and people have to type it. */
const idBytes = 8;

/** Opens the store, or begins one. Throws SESSION_STORE_… where it cannot be used. */
export async function openTerminalSessions({ env, clock, randomHex }: World, log: Log): Promise<SessionStore> {
  const { openSqliteStore } = await import('../memory/sqlite/sqlite-store.ts');
  const file = path.join(env.HOME || homedir(), '.harness9', 'sessions.db');
  return openSqliteStore(file, { now: clock.now, newId: () => randomHex(idBytes), log });
}
