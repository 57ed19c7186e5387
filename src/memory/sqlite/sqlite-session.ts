// One session of the SQLite store. Knows its rows only; finding and naming sessions is the store's.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { parseJson } from '../../schema/parse-json.ts';
import { todoItemSchema } from '../../schema/todo.ts';
import type { Log } from '../../schema/world.ts';
import type { StoredSession } from '../stored-session.ts';
import type { Database } from './database.ts';
import { gone } from './store-error.ts';
import { loadCheckpoint, storeCheckpoint } from './stored-checkpoint.ts';
import { insertMessages, loadMessages, type StoredMessages, titleOf } from './stored-messages.ts';

export interface SessionPorts {
  readonly database: Database;
  readonly now: () => Date;
  readonly log: Log;
}

const todosSchema = z.array(todoItemSchema);
const stateSchema = z.object({ todos: z.string().nullable(), plan: z.string().nullable() });

/** The session `id`, which is in the store. Every change of one that has been deleted since throws SESSION_GONE. */
export function sqliteSession(id: string, { database, now, log }: SessionPorts): StoredSession {
  // The rows that our caller knows of, once it has read all of them. No checkpoint of its making stands for what others add meanwhile.
  let known: readonly number[] | undefined;
  const at = (): string => now().toISOString();
  const change = <T>(work: (db: DatabaseSync) => T): T =>
    database.write((db) => {
      const { changes } = db.prepare('UPDATE sessions SET updated_at = ? WHERE id = ?').run(at(), id);
      if (changes === 0) throw gone(id);
      return work(db);
    });
  const noted = ({ readable, unreadable }: StoredMessages): StoredMessages['readable'] => {
    if (unreadable > 0) log(`[session] id=${id} unreadable_messages=${unreadable}`);
    return readable;
  };
  const state = () =>
    database.read((db) => stateSchema.optional().parse(db.prepare('SELECT todos, plan FROM sessions WHERE id = ?').get(id)));

  return {
    id,
    getMessages: async (limit) => {
      const rows = noted(database.read((db) => loadMessages(db, id, limit)));
      if (limit <= 0) known = rows.map((row) => row.id);
      return rows.map(({ message }) => message);
    },
    addMessages: async (messages) => {
      // The system prompt is made anew for every run and is never stored.
      const stored = messages.filter(({ role }) => role !== 'system');
      if (stored.length === 0) return;
      const added = change((db) => {
        db.prepare(`UPDATE sessions SET title = ? WHERE id = ? AND coalesce(title, '') = ''`).run(titleOf(stored), id);
        return insertMessages(db, id, stored, at());
      });
      known = known?.concat(added);
    },
    popMessage: async () => {
      const popped = change((db) => {
        const [newest] = noted(loadMessages(db, id, 1));
        if (newest !== undefined) db.prepare('DELETE FROM messages WHERE session_id = ? AND id >= ?').run(id, newest.id);
        forgetTitle(db, id);
        return newest;
      });
      if (popped !== undefined) known = known?.filter((row) => row < popped.id);
      return popped?.message;
    },
    clear: async () => {
      change((db) => {
        db.prepare('DELETE FROM messages WHERE session_id = ?').run(id);
        db.prepare('DELETE FROM checkpoints WHERE session_id = ?').run(id);
        db.prepare('UPDATE sessions SET todos = NULL, plan = NULL WHERE id = ?').run(id);
        forgetTitle(db, id);
      });
      known = known && [];
    },
    getTodos: async () => todosSchema.safeParse(parseJson(state()?.todos ?? '[]')).data ?? [],
    saveTodos: async (items) =>
      change((db) => void db.prepare('UPDATE sessions SET todos = ? WHERE id = ?').run(JSON.stringify(items), id)),
    getCheckpoint: async () => database.read((db) => loadCheckpoint(db, id)),
    saveCheckpoint: async (checkpoint) => change((db) => storeCheckpoint(db, id, checkpoint, known)),
    getPlan: async () => state()?.plan ?? undefined,
    savePlan: async (text) => change((db) => void db.prepare('UPDATE sessions SET plan = ? WHERE id = ?').run(text ?? null, id)),
  };
}

/** A session without messages waits for its first words again. */
function forgetTitle(db: DatabaseSync, id: string): void {
  const isEmpty = 'NOT EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id)';
  db.prepare(`UPDATE sessions SET title = '' WHERE id = ? AND title IS NOT NULL AND ${isEmpty}`).run(id);
}
