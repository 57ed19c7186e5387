import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SessionKey } from '../../src/memory/session-key.ts';
import { openSqliteStore } from '../../src/memory/sqlite/sqlite-store.ts';
import { describeSession, type SessionCase } from '../contracts/session.ts';
import { sessionKeys } from './journal-start.ts';
import { startThread } from './thread.ts';

const now = (): Date => new Date('2026-01-02T03:04:05.000Z');

async function createFolder(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'session-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Reopened by way of the session file. */
function journal(key: SessionKey): () => Promise<SessionCase> {
  return async () => {
    const place = await createFolder();
    const thread = startThread(place.folder, key);
    return {
      session: await thread.begin(),
      reopen: async () => {
        await thread.end();
        return thread.begin();
      },
      [Symbol.asyncDispose]: place[Symbol.asyncDispose],
    };
  };
}

/** Reopened in a store of its own. */
async function sqlite(): Promise<SessionCase> {
  const place = await createFolder();
  const stores: { close(): void }[] = [];
  const open = async () => {
    const store = await openSqliteStore(path.join(place.folder, 'sessions.db'), { now, newId: () => 's1' });
    stores.push(store);
    return store;
  };
  const session = await (await open()).create('/w');
  return {
    session,
    reopen: async () => {
      const found = await (await open()).open(session.id);
      if (found === undefined) throw new Error('the session is gone');
      return found;
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of stores) store.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

describeSession('The journal', journal(sessionKeys().signing));
describeSession('The journal with an encrypted session file', journal(sessionKeys().encrypting));
describeSession('SQLite', sqlite);
