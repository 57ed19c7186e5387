// A file of signed lines that only grows, one line for each write. Knows nothing of what the lines say.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFile, mkdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
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
export async function readLines(file: string, key: Uint8Array): Promise<readonly unknown[] | null> {
  const text = await unlessAbsent(readFile(file, 'utf8'));
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

/**
 * A writer of lines for a file that has none. Throws JOURNAL_WRITE; what a failed write left is taken back, and the chain goes on. Where
 * somebody has taken away what was written (a command that frees space), a new chain begins with `whole`: all that the lines amount to.
 */
export function createLineWriter(file: string, key: Uint8Array, whole: () => readonly unknown[]): WriteLine {
  let chain: Chain = { key, previous: '', written: 0 };
  return async (entries) => {
    try {
      const size = await sizeOf(file);
      chain =
        size < chain.written ? await begin(file, chain, [...whole(), ...entries]) : await append(file, chain, { size, entries });
    } catch (cause) {
      throw unwritable(file, cause);
    }
  };
}

/** `previous`: the signature of the last line; `written`: the size that the file had after it. */
interface Chain {
  readonly key: Uint8Array;
  readonly previous: string;
  readonly written: number;
}

/** The history may hold what the repository keeps private. */
const ownerOnly = { mode: 0o600 } as const;

async function append(
  file: string,
  { key, previous, written }: Chain,
  { size, entries }: { readonly size: number; readonly entries: readonly unknown[] },
): Promise<Chain> {
  const mac = macOf(entries, previous, key);
  // Whatever somebody else has put behind our last line must not be the beginning of this one.
  const line = Buffer.from(`${size === written ? '' : '\n'}${JSON.stringify({ entries, mac })}\n`);
  try {
    await appendFile(file, line, ownerOnly);
  } catch (error) {
    // A whole line that counts as failed would break the chain for all that follow.
    await truncate(file, size).catch(() => undefined);
    throw error;
  }
  return { key, previous: mac, written: size + line.length };
}

/** In place of the file at once, so that a process that is killed meanwhile leaves the one or the other. */
async function begin(file: string, { key }: Chain, entries: readonly unknown[]): Promise<Chain> {
  const mac = macOf(entries, '', key);
  const line = Buffer.from(`${JSON.stringify({ entries, mac })}\n`);
  const anew = `${file}.new`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(anew, line, ownerOnly);
    await rename(anew, file);
  } finally {
    await rm(anew, { force: true });
  }
  return { key, previous: mac, written: line.length };
}

/** 0 for what is not there. */
async function sizeOf(file: string): Promise<number> {
  return (await unlessAbsent(stat(file)))?.size ?? 0;
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

function unwritable(file: string, cause: unknown): Harness9Error {
  return new Harness9Error({
    code: 'JOURNAL_WRITE',
    message: `The journal ${file} could not be written`,
    hint: 'Free space in the temporary folder, or give one that can be written.',
    cause,
  });
}
