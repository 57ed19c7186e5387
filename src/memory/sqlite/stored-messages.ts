// A session's messages as rows: written whole, checked when read. What cannot be read is counted and passed over.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Message } from '../../schema/message.ts';
import { isComment, messageSchema, textOf } from '../../schema/message.ts';
import { oneLine } from '../../schema/one-line.ts';
import { parseJson } from '../../schema/parse-json.ts';

const maxTitleCharacters = 80;

/** A row that could be read. */
export interface StoredMessage {
  readonly id: number;
  readonly message: Message;
}

/** The rows that could be read, in order, and how many could not. */
export interface StoredMessages {
  readonly readable: readonly StoredMessage[];
  readonly unreadable: number;
}

const rowSchema = z.object({ id: z.number(), json: z.string() });

/** The newest `limit` messages that can be read; 0 = all. */
export function loadMessages(db: DatabaseSync, sessionId: string, limit: number): StoredMessages {
  const newestFirst: StoredMessage[] = [];
  let unreadable = 0;
  const rows = db.prepare('SELECT id, json FROM messages WHERE session_id = ? ORDER BY id DESC').iterate(sessionId);
  for (const row of rows) {
    const { id, json } = rowSchema.parse(row);
    const message = messageSchema.safeParse(parseJson(json)).data;
    if (message === undefined) unreadable += 1;
    else newestFirst.push({ id, message });
    if (limit > 0 && newestFirst.length === limit) break;
  }
  return { readable: newestFirst.reverse(), unreadable };
}

/** Appends; the ids of the rows. */
export function insertMessages(db: DatabaseSync, sessionId: string, messages: readonly Message[], at: string): readonly number[] {
  const insert = db.prepare('INSERT INTO messages (session_id, at, json) VALUES (?, ?, ?)');
  const index = db.prepare('INSERT INTO message_texts (rowid, text) VALUES (?, ?)');
  return messages.map((message) => {
    const { lastInsertRowid } = insert.run(sessionId, at, JSON.stringify(message));
    const text = textOf(message.content).replaceAll('\0', ' ');
    if (text !== '') index.run(lastInsertRowid, text);
    return Number(lastInsertRowid);
  });
}

/** The first words of the user among `messages`, on one line; '' when there are none. What came along is in later parts. */
export function titleOf(messages: readonly Message[]): string {
  const texts = messages.filter(isComment).flatMap(({ content }) => content.map((part) => textOf([part])));
  return texts.map((text) => oneLine(text, maxTitleCharacters)).find((title) => title !== '') ?? '';
}
