// A session's checkpoint as a row: it goes with the last message that it covers. Knows nothing of what a summary says.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Checkpoint } from '../../schema/session.ts';
import { loadMessages, type StoredMessage } from './stored-messages.ts';

const rowSchema = z.object({ summary: z.string(), last_message_id: z.number().nullable() });

/** With the number of messages that it covers and that can be read; undefined when there is none. */
export function loadCheckpoint(db: DatabaseSync, sessionId: string): Checkpoint | undefined {
  const row = db.prepare('SELECT summary, last_message_id FROM checkpoints WHERE session_id = ?').get(sessionId);
  if (row === undefined) return undefined;
  const { summary, last_message_id: last } = rowSchema.parse(row);
  const covered = last === null ? [] : loadMessages(db, sessionId, 0).readable.filter(({ id }) => id <= last);
  return { summary, coversMessages: covered.length };
}

/**
 * Replaces the one before. `known`: the rows that its maker counted, undefined for all. It covers none that another process has put between
 * them, and is not kept when all of them are gone.
 */
export function storeCheckpoint(
  db: DatabaseSync,
  sessionId: string,
  { summary, coversMessages }: Checkpoint,
  known: readonly number[] | undefined,
): void {
  const { readable } = loadMessages(db, sessionId, 0);
  const own = known === undefined ? readable : knownPart(readable, known);
  if (own.length === 0 && known !== undefined && known.length > 0) return;
  // It cannot stand for what is not there yet.
  const last = own.slice(0, coversMessages).at(-1)?.id ?? null;
  const sql = 'INSERT OR REPLACE INTO checkpoints (session_id, summary, last_message_id) VALUES (?, ?, ?)';
  db.prepare(sql).run(sessionId, summary, last);
}

/** The rows up to the first that is not the known one. */
function knownPart(rows: readonly StoredMessage[], known: readonly number[]): readonly StoredMessage[] {
  const stranger = rows.findIndex(({ id }, index) => id !== known[index]);
  return stranger === -1 ? rows : rows.slice(0, stranger);
}
