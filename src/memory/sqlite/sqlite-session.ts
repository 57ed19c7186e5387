// One session of the SQLite store. Knows its rows only; finding and naming sessions is the store's.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { parseJson } from '../../schema/parse-json.ts';
import { todoItemSchema } from '../../schema/todo.ts';
import type { Log } from '../../schema/world.ts';
import type { StoredSession } from '../stored-session.ts';
import type { Database } from './database.ts';
import { gone } from './store-error.ts';
import { insertMessages, loadMessages, type StoredMessages, titleOf } from './stored-messages.ts';

export interface SessionPorts {
  readonly database: Database;
  readonly now: () => Date;
  readonly log: Log;
}

const todosSchema = z.array(todoItemSchema);
const stateSchema = z.object({ todos: z.string().nullable(), plan: z.string().nullable() });
const checkpointSchema = z.object({ summary: z.string(), last_message_id: z.number().nullable() });

/** The session `id`, which is in the store. Every change of one that has been deleted since throws SESSION_GONE. */
export function sqliteSession(id: string, { database, now, log }: SessionPorts): StoredSession {
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
    getMessages: async (limit) => noted(database.read((db) => loadMessages(db, id, limit))).map(({ message }) => message),
    addMessages: async (messages) => {
      // The system prompt is made anew for every run and is never stored.
      const stored = messages.filter(({ role }) => role !== 'system');
      if (stored.length === 0) return;
      change((db) => {
        insertMessages(db, id, stored, at());
        db.prepare(`UPDATE sessions SET title = ? WHERE id = ? AND coalesce(title, '') = ''`).run(titleOf(stored), id);
      });
    },
    popMessage: async () =>
      change((db) => {
        const [newest] = noted(loadMessages(db, id, 1));
        if (newest !== undefined) db.prepare('DELETE FROM messages WHERE session_id = ? AND id >= ?').run(id, newest.id);
        forgetTitle(db, id);
        return newest?.message;
      }),
    clear: async () =>
      change((db) => {
        db.prepare('DELETE FROM messages WHERE session_id = ?').run(id);
        db.prepare('DELETE FROM checkpoints WHERE session_id = ?').run(id);
        db.prepare('UPDATE sessions SET todos = NULL, plan = NULL WHERE id = ?').run(id);
        forgetTitle(db, id);
      }),
    getTodos: async () => todosSchema.safeParse(parseJson(state()?.todos ?? '[]')).data ?? [],
    saveTodos: async (items) =>
      change((db) => void db.prepare('UPDATE sessions SET todos = ? WHERE id = ?').run(JSON.stringify(items), id)),
    getCheckpoint: async () =>
      database.read((db) => {
        const row = db.prepare('SELECT summary, last_message_id FROM checkpoints WHERE session_id = ?').get(id);
        if (row === undefined) return undefined;
        const { summary, last_message_id: last } = checkpointSchema.parse(row);
        const covered = last === null ? [] : loadMessages(db, id, 0).readable.filter((message) => message.id <= last);
        return { summary, coversMessages: covered.length };
      }),
    saveCheckpoint: async ({ summary, coversMessages }) =>
      change((db) => {
        // It cannot stand for what is not there yet.
        const last = loadMessages(db, id, 0).readable.slice(0, coversMessages).at(-1)?.id ?? null;
        db.prepare('INSERT OR REPLACE INTO checkpoints (session_id, summary, last_message_id) VALUES (?, ?, ?)').run(
          id,
          summary,
          last,
        );
      }),
    getPlan: async () => state()?.plan ?? undefined,
    savePlan: async (text) => change((db) => void db.prepare('UPDATE sessions SET plan = ? WHERE id = ?').run(text ?? null, id)),
  };
}

/** A session without messages waits for its first words again. */
function forgetTitle(db: DatabaseSync, id: string): void {
  const isEmpty = 'NOT EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id)';
  db.prepare(`UPDATE sessions SET title = '' WHERE id = ? AND title IS NOT NULL AND ${isEmpty}`).run(id);
}
