// The run's journal: header and entries, written through as they come; the session file is made from it. Knows nothing of GitHub.
import { z } from 'zod';
import { Harness9Error } from '../schema/error.ts';
import { trustSchema } from '../schema/gate.ts';
import { createQueue } from '../schema/queue.ts';
import type { SessionBody, SessionRecord } from '../schema/session.ts';
import { provenanceSchema } from '../schema/session.ts';
import { applyEntry, foldEntries, type JournalEntry, journalEntrySchema } from './journal-entry.ts';
import { createLineWriter, readLines } from './journal-lines.ts';
import { checkpointOf, messagesOf, planOf, todosOf } from './session-records.ts';
import type { StoredSession } from './stored-session.ts';

/** The first entry: where the session stands in its thread, so that `post` makes the session file from the journal alone. */
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

/** What came of reading a journal: what is left after everything that was taken away. Lines that are not whole or not ours are left out. */
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
  /** Signs the lines; out of the commands' reach. */
  readonly key: Uint8Array;
}

/**
 * Starts a journal at `path`. What is acknowledged outlives the process. Throws JOURNAL_WRITE where it cannot be written, and
 * JOURNAL_FOREIGN where something is there already.
 */
export async function openJournal(path: string, options: JournalOptions): Promise<StoredSession> {
  if ((await readLines(path, options.key)) !== null) throw foreign(path);
  const records = foldEntries(options.baseRecords);
  const whole = (): readonly unknown[] => [headerOf(options), ...records];
  const writeLine = createLineWriter(path, options.key, whole);
  await writeLine(whole());

  const inTurn = createQueue();
  const now = (): string => options.now().toISOString();
  const write = async (entries: readonly JournalEntry[]): Promise<void> => {
    if (entries.length === 0) return;
    await writeLine(entries);
    for (const entry of entries) applyEntry(records, entry);
  };
  const read = <T>(of: (all: readonly SessionRecord[]) => T): Promise<T> => inTurn(async () => of(records));
  return {
    id: options.sessionId,
    getMessages: (limit) => read((all) => (limit <= 0 ? messagesOf(all) : messagesOf(all).slice(-limit))),
    addMessages: (messages) => {
      const at = now();
      // The system prompt is made anew for every run and is never stored.
      const stored = messages.filter(({ role }) => role !== 'system');
      return inTurn(() => write(stored.map((message) => ({ type: 'message', at, message }))));
    },
    popMessage: () =>
      inTurn(async () => {
        const newest = messagesOf(records).at(-1);
        if (newest !== undefined) await write([{ type: 'pop', at: now() }]);
        return newest;
      }),
    clear: () => inTurn(() => write([{ type: 'clear', at: now() }])),
    getTodos: () => read(todosOf),
    saveTodos: (items) => inTurn(() => write([{ type: 'todos', at: now(), items }])),
    getCheckpoint: () => read(checkpointOf),
    saveCheckpoint: (checkpoint) => inTurn(() => write([{ type: 'checkpoint', at: now(), ...checkpoint }])),
    getPlan: () => read(planOf),
    savePlan: (text) =>
      inTurn(() => write([text === undefined ? { type: 'no_plan', at: now() } : { type: 'plan', at: now(), text }])),
  };
}

/** Reads what is whole and signed with `key`; null when there is no file or no header in it. */
export async function readJournal(path: string, key: Uint8Array): Promise<JournalContent | null> {
  const [first, ...rest] = (await readLines(path, key)) ?? [];
  const header = journalHeaderSchema.safeParse(first);
  if (!header.success) return null;
  const parsed = rest.map((entry) => journalEntrySchema.safeParse(entry));
  return { header: header.data, records: foldEntries(parsed.flatMap((entry) => (entry.success ? [entry.data] : []))) };
}

/** The envelope's body that a journal amounts to. */
export function sessionBodyOf(content: JournalContent, updatedAt: string): SessionBody {
  const { sessionId, threadKey, sequence, parentHash, trust, provenance } = content.header;
  return { version: 1, id: sessionId, threadKey, sequence, parentHash, trust, provenance, updatedAt, records: content.records };
}

function headerOf({ sessionId, threadKey, sequence, parentHash, trust, provenance }: JournalStart): JournalHeader {
  return { type: 'header', version: 1, sessionId, threadKey, sequence, parentHash, trust, provenance };
}

function foreign(path: string): Harness9Error {
  return new Harness9Error({
    code: 'JOURNAL_FOREIGN',
    message: `${path} is there already; a journal is of one run`,
    hint: 'Use a new path for each run.',
  });
}
