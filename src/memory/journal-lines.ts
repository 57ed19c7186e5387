// A file of signed lines that only grows, one line for each write. Knows nothing of what the lines say.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFile, readFile, stat, truncate } from 'node:fs/promises';
import { z } from 'zod';
import { canonicalJson } from '../schema/canonical-json.ts';
import { Harness9Error, hasCode } from '../schema/error.ts';
import { parseJson } from '../schema/parse-json.ts';

/**
 * A line. Where commands share our file system they can write into the journal, and a run that was killed is read back from it, so each
 * line is signed together with the one before: what is not in the chain is not believed (threats.md, G2). What is written together is one
 * line, so that it is there as a whole or not at all.
 */
const lineSchema = z.object({ entries: z.array(z.unknown()), mac: z.string().regex(/^[0-9a-f]{64}$/) });

/** The entries of the chain, in order; whatever stands between its lines is passed over. null: there is no file. */
export async function readLines(path: string, key: Uint8Array): Promise<readonly unknown[] | null> {
  const text = await unlessAbsent(readFile(path, 'utf8'));
  if (text === null) return null;
  const lines: (readonly unknown[])[] = [];
  let previous = '';
  for (const line of text.split('\n')) {
    const parsed = lineSchema.safeParse(parseJson(line));
    if (!parsed.success) continue;
    const expected = macOf(parsed.data.entries, previous, key);
    if (!timingSafeEqual(Buffer.from(parsed.data.mac, 'hex'), Buffer.from(expected, 'hex'))) continue;
    lines.push(parsed.data.entries);
    previous = expected;
  }
  return lines.flat();
}

/** Writes one line: all entries or none. Calls must not overlap. */
export type WriteLine = (entries: readonly unknown[]) => Promise<void>;

/** A writer of lines for a file that has none. Throws JOURNAL_WRITE; what a failed write left is taken back, and the chain goes on. */
export function createLineWriter(path: string, key: Uint8Array): WriteLine {
  let previous = '';
  let separator = '';
  return async (entries) => {
    const mac = macOf(entries, previous, key);
    const size = (await unlessAbsent(stat(path)))?.size ?? 0;
    try {
      // Owner only: the history may hold what the repository keeps private.
      await appendFile(path, `${separator}${JSON.stringify({ entries, mac })}\n`, { mode: 0o600 });
    } catch (cause) {
      // A whole line that counts as failed would break the chain for all that follow.
      await truncate(path, size).catch(() => undefined);
      separator = '\n';
      throw unwritable(path, cause);
    }
    separator = '';
    previous = mac;
  };
}

function macOf(entries: readonly unknown[], previous: string, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(`${previous}\n${canonicalJson(entries)}`)
    .digest('hex');
}

async function unlessAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function unwritable(path: string, cause: unknown): Harness9Error {
  return new Harness9Error({
    code: 'JOURNAL_WRITE',
    message: `The journal ${path} could not be written`,
    hint: 'Free space in the temporary folder, or give one that can be written.',
    cause,
  });
}
