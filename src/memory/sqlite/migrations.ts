// The tables of the session store, version by version. Text only.

/**
 * `title` is null until the first message. `messages.json` is the whole message; `message_texts` has its text once more, cut into trigrams,
 * which find words of every script, also those without spaces. A checkpoint goes with the last message that it covers.
 */
const version1 = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  title TEXT,
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  todos TEXT,
  plan TEXT
) STRICT;
CREATE INDEX sessions_by_workspace ON sessions (workspace, updated_at);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
CREATE INDEX messages_by_session ON messages (session_id, id);

CREATE TABLE checkpoints (
  session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  summary TEXT NOT NULL,
  last_message_id INTEGER REFERENCES messages (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX checkpoints_by_message ON checkpoints (last_message_id);

CREATE VIRTUAL TABLE message_texts USING fts5 (text, tokenize = 'trigram');
CREATE TRIGGER messages_deleted AFTER DELETE ON messages BEGIN
  DELETE FROM message_texts WHERE rowid = old.id;
END;
`;

/** `migrations[n]` leads from version n to n + 1; what has been released is never changed. */
export const migrations: readonly string[] = [version1];
