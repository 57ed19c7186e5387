// The files that hold what a result had no room for: in a private folder of their own, bounded, gone with the tools. What is in them is not its business.
import { constants, realpathSync, rmSync } from 'node:fs';
import { mkdir, open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, messageOf } from '../../schema/error.ts';
import { type HeldDirectory, holdDirectory } from '../open-file.ts';

/** Of all files together: those of some twenty floods. The oldest go first. */
const maxFolderBytes = 100 * 1024 * 1024;

export interface OutputFolderOptions {
  /** Where the folder is made, outside of the workspace. */
  readonly parent: string;
  /** Its name; unguessable, since the commands of the model write beside it. */
  readonly name: string;
  /** When it aborts, the folder goes with everything in it. */
  readonly lifetime: AbortSignal;
}

export interface OutputFolder {
  /** Absolute and real; there may be none yet. */
  readonly path: string;
  /** Writes a new file, readable by its owner only. Never rejects: what went wrong is the answer. */
  keep(name: string, content: readonly Uint8Array[]): Promise<KeptFile>;
}

export type KeptFile = { readonly path: string } | { readonly problem: string };

/** Nothing is made before the first file. A folder that a command took away is made again; one that it swapped for a link is not used. */
export function createOutputFolder({ parent, name, lifetime }: OutputFolderOptions): OutputFolder {
  const folder = path.join(realParent(parent), name);
  const files: { readonly name: string; readonly bytes: number }[] = [];
  let count = 0;
  const add = async (file: string, content: readonly Uint8Array[]): Promise<void> => {
    await using held = await openFolder(folder);
    const bytes = content.reduce((sum, { length }) => sum + length, 0);
    files.push({ name: file, bytes });
    await makeRoom(files, held);
    await writeNew(held.at(file), content);
  };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return {
    path: folder,
    keep: async (label, content) => {
      count += 1;
      if (count === 1) lifetime.addEventListener('abort', remove, { once: true });
      const file = `${count}-${label}.txt`;
      try {
        lifetime.throwIfAborted();
        await add(file, content);
        return { path: path.join(folder, file) };
      } catch (error) {
        return { problem: messageOf(error) };
      }
    },
  };
}

function realParent(parent: string): string {
  try {
    return realpathSync(parent);
  } catch {
    // Whoever wants to write in it will hear of it.
    return path.resolve(parent);
  }
}

async function openFolder(folder: string): Promise<HeldDirectory> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  return holdDirectory(folder);
}

async function makeRoom(files: { readonly name: string; readonly bytes: number }[], held: HeldDirectory): Promise<void> {
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
