// The run's journal: header and records as JSON lines, written through after every turn. Knows nothing of GitHub, keys or envelopes.
import { appendFile, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Harness9Error } from '../schema/error.ts';
import { trustSchema } from '../schema/gate.ts';
import type { Message } from '../schema/message.ts';
import type { SessionBody, SessionRecord } from '../schema/session.ts';
import { provenanceSchema, sessionRecordSchema } from '../schema/session.ts';
import { messagesOf } from './messages-of.ts';

/** The first line: where the session stands in its thread, so that `post` makes the session file from the journal alone. */
export const journalHeaderSchema = z.object({
  type: z.literal('header'),
  version: z.literal(1),
  sessionId: z.string(),
  threadKey: z.string(),
  sequence: z.number().int().nonnegative(),
  parentHash: z.string().nullable(),
  trust: trustSchema,
  provenance: provenanceSchema,
});
export type JournalHeader = Readonly<z.infer<typeof journalHeaderSchema>>;

/** What came of reading a journal; lines that were not whole are left out. */
export interface JournalContent {
  readonly header: JournalHeader;
  readonly records: readonly SessionRecord[];
}

/** What a journal begins with. */
export interface JournalStart extends Omit<JournalHeader, 'type' | 'version'> {
  /** Records of the earlier runs that this one continues; they go into the new file first. */
  readonly baseRecords: readonly SessionRecord[];
}

export interface JournalOptions extends JournalStart {
  readonly now: () => Date;
}

/** A session (by shape the engine's port) whose every addition is on disk before it is acknowledged. */
export interface Journal {
  readonly id: string;
  getMessages(limit: number): Promise<readonly Message[]>;
  addMessages(messages: readonly Message[]): Promise<void>;
}

/** Starts a journal at `path`, or goes on with the one of this session that is there. Throws JOURNAL_FOREIGN for anything else there. */
export async function openJournal(path: string, options: JournalOptions): Promise<Journal> {
  const text = await readIfThere(path);
  const existing = text === null ? null : parseJournal(text);
  if (text !== null && existing?.header.sessionId !== options.sessionId) throw foreign(path, options.sessionId);
  const records = [...(existing?.records ?? options.baseRecords)];
  // A last line that was cut keeps its place: what follows must not be glued to it.
  const needsNewline = text !== null && !text.endsWith('\n');
  const writer = createLineWriter(path, needsNewline);
  if (existing === null) await writer([headerOf(options), ...records]);

  const add = async (added: readonly SessionRecord[]): Promise<void> => {
    records.push(...added);
    await writer(added);
  };
  return {
    id: options.sessionId,
    getMessages: async (limit) => {
      const messages = messagesOf(records);
      return limit <= 0 ? messages : messages.slice(-limit);
    },
    addMessages: (messages) => {
      const at = options.now().toISOString();
      // The system prompt is made anew for every run and is never stored.
      return add(messages.filter(({ role }) => role !== 'system').map((message) => ({ type: 'message', at, message })));
    },
  };
}

/** Reads what is whole of a journal; null when there is no file or no header in it. */
export async function readJournal(path: string): Promise<JournalContent | null> {
  const text = await readIfThere(path);
  return text === null ? null : parseJournal(text);
}

/** The envelope's body that a journal amounts to. */
export function sessionBodyOf(content: JournalContent, updatedAt: string): SessionBody {
  const { sessionId, threadKey, sequence, parentHash, trust, provenance } = content.header;
  return { version: 1, id: sessionId, threadKey, sequence, parentHash, trust, provenance, updatedAt, records: content.records };
}

function headerOf({ sessionId, threadKey, sequence, parentHash, trust, provenance }: JournalStart): JournalHeader {
  return { type: 'header', version: 1, sessionId, threadKey, sequence, parentHash, trust, provenance };
}

function parseJournal(text: string): JournalContent | null {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const header = journalHeaderSchema.safeParse(parseLine(first));
  if (!header.success) return null;
  const parsed = lines.map((line) => sessionRecordSchema.safeParse(parseLine(line)));
  const records = parsed.flatMap((line) => (line.success ? [line.data] : []));
  return { header: header.data, records };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Appends lines one call after the other. After a failed write the next one starts on a fresh line. */
function createLineWriter(path: string, startsOnFreshLine: boolean): (values: readonly unknown[]) => Promise<void> {
  let needsNewline = startsOnFreshLine;
  let last: Promise<unknown> = Promise.resolve();
  const write = async (lines: string): Promise<void> => {
    const prefix = needsNewline ? '\n' : '';
    needsNewline = true;
    try {
      // Owner only: the history may hold what the repository keeps private.
      await appendFile(path, prefix + lines, { mode: 0o600 });
    } catch (cause) {
      throw new Harness9Error({
        code: 'JOURNAL_WRITE',
        message: `The journal ${path} could not be written`,
        hint: 'Free space in the temporary folder, or give one that can be written.',
        cause,
      });
    }
    needsNewline = false;
  };
  return (values) => {
    const lines = values.map((value) => `${JSON.stringify(value)}\n`).join('');
    const next = last.then(() => (lines === '' ? undefined : write(lines)));
    last = next.catch(() => undefined);
    return next;
  };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function foreign(path: string, sessionId: string): Harness9Error {
  return new Harness9Error({
    code: 'JOURNAL_FOREIGN',
    message: `${path} exists and is not the journal of session ${sessionId}`,
    hint: 'Use a new path for each session.',
  });
}
