// The sessions of the terminal in one SQLite file: made, found, listed, searched, tagged and deleted. What is in one is sqlite-session's.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import { parseJson } from '../../schema/parse-json.ts';
import type { Log } from '../../schema/world.ts';
import type { StoredSession } from '../stored-session.ts';
import { openDatabase } from './database.ts';
import { searchMessages } from './search.ts';
import { sqliteSession } from './sqlite-session.ts';
import { gone } from './store-error.ts';

/** A session as it is listed. `title`: the user's first words, on one line; '' when there were none. Times are ISO. */
export interface SessionInfo {
  readonly id: string;
  readonly workspace: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly messageCount: number;
}

export interface SearchHit {
  readonly session: SessionInfo;
  /** One line with what was found in it. */
  readonly snippet: string;
}

/** Workspaces are compared as they are given, so give absolute paths. A session that never got a message is not listed. */
export interface SqliteStore {
  create(workspace: string): Promise<StoredSession>;
  /** By its id, or by the beginning of the id of one that is listed. Throws SESSION_AMBIGUOUS where several begin so. */
  open(id: string): Promise<StoredSession | undefined>;
  newest(workspace: string): Promise<SessionInfo | undefined>;
  /** How a session is listed, by its whole id; undefined for one that is not. */
  info(id: string): Promise<SessionInfo | undefined>;
  /** Newest change first. */
  list(filter: { readonly workspace?: string; readonly tag?: string; readonly limit?: number }): Promise<readonly SessionInfo[]>;
  /** Sessions with a message that has all the words; the best first. */
  search(query: string, filter?: { readonly workspace?: string; readonly limit?: number }): Promise<readonly SearchHit[]>;
  /** Replaces the tags. Throws SESSION_GONE where there is no such session. */
  setTags(id: string, tags: readonly string[]): Promise<void>;
  /** Whether there was one. */
  delete(id: string): Promise<boolean>;
  close(): void;
}

export interface SqliteStoreOptions {
  readonly now: () => Date;
  /** A new session's id; must be unique. */
  readonly newId: () => string;
  /** Told how many messages of a session could not be read. */
  readonly log?: Log;
}

const maxHits = 20;
const maxCandidates = 5;

const tagsSchema = z.array(z.string());
const infoSchema = z
  .object({
    id: z.string(),
    workspace: z.string(),
    title: z.string(),
    tags: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    message_count: z.number(),
  })
  .transform(
    ({ id, workspace, title, tags, ...row }): SessionInfo => ({
      ...{ id, workspace, title, tags: tagsSchema.safeParse(parseJson(tags)).data ?? [] },
      ...{ createdAt: row.created_at, updatedAt: row.updated_at, messageCount: row.message_count },
    }),
  );

/** Opens the store in the file at `path`, or begins one. Throws what `openDatabase` does. */
export async function openSqliteStore(path: string, options: SqliteStoreOptions): Promise<SqliteStore> {
  const { now, newId, log = () => undefined } = options;
  const database = await openDatabase(path);
  const sessionOf = (id: string): StoredSession => sqliteSession(id, { database, now, log });
  const list: SqliteStore['list'] = async (filter) => database.read((db) => listSessions(db, filter));
  return {
    create: async (workspace) => {
      const id = newId();
      const at = now().toISOString();
      const sql = 'INSERT INTO sessions (id, workspace, created_at, updated_at) VALUES (?, ?, ?, ?)';
      database.write((db) => db.prepare(sql).run(id, workspace, at, at));
      return sessionOf(id);
    },
    open: async (id) => {
      const found = database.read((db) => findId(db, id));
      return found === undefined ? undefined : sessionOf(found);
    },
    list,
    newest: async (workspace) => (await list({ workspace, limit: 1 }))[0],
    info: async (id) => database.read((db) => listSessions(db, { id })[0]),
    search: async (query, { workspace, limit = maxHits } = {}) =>
      database.read((db) =>
        searchMessages(db, { query, workspace, limit }).flatMap(({ sessionId, snippet }) =>
          listSessions(db, { id: sessionId }).map((session) => ({ session, snippet })),
        ),
      ),
    setTags: async (id, tags) => {
      const cleaned = [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
      const sql = 'UPDATE sessions SET tags = ? WHERE id = ?';
      const { changes } = database.write((db) => db.prepare(sql).run(JSON.stringify(cleaned), id));
      if (changes === 0) throw gone(id);
    },
    delete: async (id) => database.write((db) => db.prepare('DELETE FROM sessions WHERE id = ?').run(id).changes) > 0,
    close: () => database.close(),
  };
}

interface ListFilter {
  readonly id?: string;
  readonly workspace?: string;
  readonly tag?: string;
  readonly limit?: number;
}

function listSessions(db: DatabaseSync, { id, workspace, tag, limit }: ListFilter): readonly SessionInfo[] {
  const conditions = [
    { sql: 'title IS NOT NULL' },
    ...(id === undefined ? [] : [{ sql: 'id = ?', value: id }]),
    ...(workspace === undefined ? [] : [{ sql: 'workspace = ?', value: workspace }]),
    ...(tag === undefined ? [] : [{ sql: 'EXISTS (SELECT 1 FROM json_each(tags) WHERE json_each.value = ?)', value: tag }]),
  ];
  const ofSession = 'FROM messages WHERE session_id = sessions.id';
  const rows = db
    .prepare(
      `SELECT id, workspace, title, tags, created_at, updated_at, (SELECT count(*) ${ofSession}) AS message_count
       FROM sessions WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
       ORDER BY updated_at DESC, (SELECT max(id) ${ofSession}) DESC, rowid DESC LIMIT ?`,
    )
    .all(...conditions.flatMap(({ value }) => value ?? []), limit ?? -1);
  return z.array(infoSchema).parse(rows);
}

function findId(db: DatabaseSync, id: string): string | undefined {
  const ids = (sql: string): readonly string[] =>
    z
      .array(z.object({ id: z.string() }))
      .parse(db.prepare(`SELECT id FROM sessions WHERE ${sql}`).all(id))
      .map((row) => row.id);
  const [whole] = ids('id = ?');
  if (whole !== undefined || id === '') return whole;
  const begun = ids('title IS NOT NULL AND substr(id, 1, length(?1)) = ?1 ORDER BY updated_at DESC');
  if (begun.length > 1) throw ambiguous(id, begun);
  return begun[0];
}

function ambiguous(id: string, candidates: readonly string[]): Harness9Error {
  const more = candidates.length > maxCandidates ? ` and ${candidates.length - maxCandidates} more` : '';
  return new Harness9Error({
    code: 'SESSION_AMBIGUOUS',
    message: `"${id}" is the beginning of several sessions: ${candidates.slice(0, maxCandidates).join(', ')}${more}`,
    hint: 'Give more of the id.',
  });
}
