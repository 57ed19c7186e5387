// Full-text search over the messages of all sessions. What the user types is words, never a query language.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { oneLine } from '../../schema/one-line.ts';

/** Words of fewer characters are in no trigram; they are looked for by reading the texts. */
const trigram = 3;
const snippetCharacters = 64;

export interface Search {
  readonly query: string;
  readonly workspace: string | undefined;
  readonly limit: number;
}

export interface Found {
  readonly sessionId: string;
  readonly snippet: string;
}

const hitSchema = z.object({ id: z.number(), session_id: z.string() });
const textSchema = z.object({ text: z.string() });

/** The best message of each session that has one with all the words, best first; newest first where all words are short. */
export function searchMessages(db: DatabaseSync, { query, workspace, limit }: Search): readonly Found[] {
  const words = query.split(/[\s\0]+/).filter((word) => word !== '');
  if (words.length === 0) return [];
  const long = words.filter((word) => [...word].length >= trigram);
  const short = words.filter((word) => !long.includes(word));
  // In quotation marks everything but a quotation mark stands for itself.
  const match = long.map((word) => `"${word.replaceAll('"', '""')}"`).join(' ');

  const conditions = [
    ...(match === '' ? [] : [{ sql: 'message_texts MATCH ?', value: match }]),
    ...short.map((word) => ({ sql: `text LIKE ? ESCAPE '\\'`, value: `%${word.replaceAll(/[\\%_]/g, '\\$&')}%` })),
    ...(workspace === undefined ? [] : [{ sql: 'sessions.workspace = ?', value: workspace }]),
  ];
  const hits = db
    .prepare(
      `SELECT messages.id, messages.session_id FROM message_texts
       JOIN messages ON messages.id = message_texts.rowid JOIN sessions ON sessions.id = messages.session_id
       WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
       ORDER BY ${match === '' ? '' : 'bm25(message_texts), '} messages.id DESC`,
    )
    .iterate(...conditions.map(({ value }) => value));

  const best = new Map<string, number>();
  for (const hit of hits) {
    if (best.size === limit) break;
    const { id, session_id: sessionId } = hitSchema.parse(hit);
    if (!best.has(sessionId)) best.set(sessionId, id);
  }
  const snippetOf = (id: number): string => (match === '' ? around(db, id, words[0] ?? '') : marked(db, id, match));
  return [...best].map(([sessionId, id]) => ({ sessionId, snippet: oneLine(snippetOf(id), 2 * snippetCharacters) }));
}

function marked(db: DatabaseSync, id: number, match: string): string {
  const snippet = `snippet(message_texts, 0, '', '', '…', ${snippetCharacters})`;
  const row = db.prepare(`SELECT ${snippet} AS text FROM message_texts WHERE message_texts MATCH ? AND rowid = ?`).get(match, id);
  return textSchema.parse(row).text;
}

/** The text around the first place of `word`; SQLite makes snippets of what it matched by trigrams only. */
function around(db: DatabaseSync, id: number, word: string): string {
  const { text } = textSchema.parse(db.prepare('SELECT text FROM message_texts WHERE rowid = ?').get(id));
  const start = Math.max(0, text.toLowerCase().indexOf(word.toLowerCase()) - snippetCharacters / 2);
  const end = start + snippetCharacters;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`.toWellFormed();
}
