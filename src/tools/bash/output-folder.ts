// The files that hold what a result had no room for, in a private folder, bounded. What is in them is not its business.
import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../schema/error.ts';
import { isRecord } from '../../schema/record.ts';
import type { HeldDirectory } from '../open-file.ts';
import type { PrivateFolder } from './private-folder.ts';

/** Of all files together: those of some twenty floods. The oldest go first. */
const maxFolderBytes = 100 * 1024 * 1024;

export interface OutputFolder {
  /** Writes a new file, readable by its owner only. Never rejects: what went wrong is the answer. */
  keep(label: string, content: readonly Uint8Array[]): Promise<KeptFile>;
}

export type KeptFile = { readonly path: string } | { readonly problem: string };

interface File {
  readonly name: string;
  readonly bytes: number;
}

/** Files in `folder`, which has no others. */
export function createOutputFolder(folder: PrivateFolder): OutputFolder {
  const files: File[] = [];
  let count = 0;
  return {
    keep: async (label, content) => {
      count += 1;
      const name = `${count}-${label}.txt`;
      try {
        await using held = await folder.open();
        files.push({ name, bytes: content.reduce((sum, { length }) => sum + length, 0) });
        await makeRoom(files, held);
        await writeNew(held.at(name), content);
        return { path: path.join(folder.path, name) };
      } catch (error) {
        return { problem: describe(error) };
      }
    },
  };
}

async function makeRoom(files: File[], held: HeldDirectory): Promise<void> {
  while (files.length > 1 && files.reduce((sum, { bytes }) => sum + bytes, 0) > maxFolderBytes) {
    const oldest = files.shift();
    // One that a command took away is as good as removed.
    if (oldest !== undefined) await unlink(held.at(oldest.name)).catch(() => undefined);
  }
}

async function writeNew(file: string, content: readonly Uint8Array[]): Promise<void> {
  await using handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    for (const part of content) await handle.writeFile(part);
  } catch (error) {
    // Half a file would be taken for the whole.
    await unlink(file).catch(() => undefined);
    throw error;
  }
}

/** The system's own words name the file by a path that is good only here. */
function describe(error: unknown): string {
  const code = isRecord(error) && 'syscall' in error ? error.code : undefined;
  return typeof code === 'string' ? code : messageOf(error);
}
