// Where the terminal keeps its conversations: one SQLite file in the user's home. Loads SQLite when it is first needed.
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { SearchHit, SessionInfo, SqliteStore } from '../memory/sqlite/sqlite-store.ts';
import type { StoredSession } from '../memory/stored-session.ts';
import { Harness9Error, messageOf } from '../schema/error.ts';
import { isRecord } from '../schema/record.ts';
import type { Log, World } from '../schema/world.ts';

export type { SearchHit, SessionInfo, StoredSession };
export type SessionStore = SqliteStore;

/** 8 bytes: unguessable is not needed, unique is, and people have to type it. */
const idBytes = 8;

/** Opens the store, or begins one. Throws SESSION_STORE_… where it cannot be used. */
export async function openTerminalSessions({ env, clock, randomHex }: World, log: Log): Promise<SessionStore> {
  const { openSqliteStore } = await import('../memory/sqlite/sqlite-store.ts');
  const file = path.join(await makeFolder(findHome(env)), 'sessions.db');
  return openSqliteStore(file, { now: clock.now, newId: () => randomHex(idBytes), log });
}

/** An empty HOME, or one that hangs on the working directory, would leave the conversations in the user's project. */
function findHome(env: World['env']): string {
  const home = env.HOME || homedir();
  if (path.isAbsolute(home)) return home;
  throw noHome(`the home folder is "${home}", which is no absolute path`);
}

/** In a home that is there: where there is none, it is not ours to make. */
async function makeFolder(home: string): Promise<string> {
  const folder = path.join(home, '.harness9');
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (cause) {
    if (!isRecord(cause) || cause.code !== 'EEXIST') throw noHome(`${folder} cannot be made (${messageOf(cause)})`, cause);
  }
  return folder;
}

function noHome(reason: string, cause?: unknown): Harness9Error {
  return new Harness9Error({
    code: 'SESSION_STORE_HOME',
    message: `Conversations cannot be kept: ${reason}`,
    hint: 'Set HOME to a folder that is there and can be written, or keep nothing: --no-session.',
    cause,
  });
}
