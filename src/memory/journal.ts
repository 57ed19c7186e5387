// The run's journal: header and records as signed JSON lines, written through after every turn. Knows nothing of GitHub or envelopes.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { canonicalJson } from '../schema/canonical-json.ts';
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

/**
 * A line. Where commands share our file system they can write into the journal, and a run that was killed is read back from it, so each
 * line is signed together with the one before: what is not in the chain is not believed (threats.md, G2).
 */
const lineSchema = z.object({ entry: z.unknown(), mac: z.string().regex(/^[0-9a-f]{64}$/) });

/** What came of reading a journal; lines that are not whole or not ours are left out. */
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

/** A session (by shape the engine's port) whose every addition is on disk before it is acknowledged. */
export interface Journal {
  readonly id: string;
  getMessages(limit: number): Promise<readonly Message[]>;
  addMessages(messages: readonly Message[]): Promise<void>;
}

/** Starts a journal at `path`. Throws JOURNAL_WRITE where it cannot be written, and JOURNAL_FOREIGN where something is there already. */
export async function openJournal(path: string, options: JournalOptions): Promise<Journal> {
  if ((await readIfThere(path)) !== null) throw foreign(path);
  const records = [...options.baseRecords];
  const writer = createLineWriter(path, options.key);
  await writer([headerOf(options), ...records]);

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

/** Reads what is whole and signed with `key`; null when there is no file or no header in it. */
export async function readJournal(path: string, key: Uint8Array): Promise<JournalContent | null> {
  const [first, ...rest] = readSigned((await readIfThere(path)) ?? '', key);
  const header = journalHeaderSchema.safeParse(first);
  if (!header.success) return null;
  const parsed = rest.map((entry) => sessionRecordSchema.safeParse(entry));
  return { header: header.data, records: parsed.flatMap((record) => (record.success ? [record.data] : [])) };
}

/** The envelope's body that a journal amounts to. */
export function sessionBodyOf(content: JournalContent, updatedAt: string): SessionBody {
  const { sessionId, threadKey, sequence, parentHash, trust, provenance } = content.header;
  return { version: 1, id: sessionId, threadKey, sequence, parentHash, trust, provenance, updatedAt, records: content.records };
}

function headerOf({ sessionId, threadKey, sequence, parentHash, trust, provenance }: JournalStart): JournalHeader {
  return { type: 'header', version: 1, sessionId, threadKey, sequence, parentHash, trust, provenance };
}

/** The entries of the chain, in order; whatever stands between its lines is passed over. */
function readSigned(text: string, key: Uint8Array): readonly unknown[] {
  const entries: unknown[] = [];
  let previous = '';
  for (const line of text.split('\n')) {
    const parsed = lineSchema.safeParse(parseLine(line));
    if (!parsed.success) continue;
    const expected = macOf(parsed.data.entry, previous, key);
    if (!timingSafeEqual(Buffer.from(parsed.data.mac, 'hex'), Buffer.from(expected, 'hex'))) continue;
    entries.push(parsed.data.entry);
    previous = expected;
  }
  return entries;
}

function macOf(entry: unknown, previous: string, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(`${previous}\n${canonicalJson(entry)}`)
    .digest('hex');
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Appends signed lines, one call after the other. After a failed write the chain goes on from what was written whole, on a fresh line. */
function createLineWriter(path: string, key: Uint8Array): (entries: readonly unknown[]) => Promise<void> {
  let previous = '';
  let prefix = '';
  let last: Promise<unknown> = Promise.resolve();
  const write = async (entries: readonly unknown[]): Promise<void> => {
    let mac = previous;
    const lines = entries.map((entry) => {
      mac = macOf(entry, mac, key);
      return `${JSON.stringify({ entry, mac })}\n`;
    });
    await appendText(path, prefix + lines.join('')).catch((error: unknown) => {
      prefix = '\n';
      throw error;
    });
    prefix = '';
    previous = mac;
  };
  return (entries) => {
    const next = last.then(() => (entries.length === 0 ? undefined : write(entries)));
    last = next.catch(() => undefined);
    return next;
  };
}

async function appendText(path: string, text: string): Promise<void> {
  try {
    // Owner only: the history may hold what the repository keeps private.
    await appendFile(path, text, { mode: 0o600 });
  } catch (cause) {
    throw new Harness9Error({
      code: 'JOURNAL_WRITE',
      message: `The journal ${path} could not be written`,
      hint: 'Free space in the temporary folder, or give one that can be written.',
      cause,
    });
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function foreign(path: string): Harness9Error {
  return new Harness9Error({
    code: 'JOURNAL_FOREIGN',
    message: `${path} is there already; a journal is of one run`,
    hint: 'Use a new path for each run.',
  });
}
