// Files of the runner and of ours that commands could reach at this sandbox level: kept before, compared and put back after (D1, D6).
import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface GuardedFiles {
  /** The files that are not as they were; each is put back. To be called when nothing of the sandbox is alive. */
  restore(): Promise<readonly string[]>;
}

interface Kept {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Keeps the content of the files and of all files below the folders; what is not there is not guarded. */
export async function guardFiles(places: readonly string[]): Promise<GuardedFiles> {
  const files = (await Promise.all(places.map(filesBelow))).flat();
  const kept = new Map(await Promise.all(files.map(async (file) => [file, await keep(file)] as const)));
  return {
    restore: async () => {
      const changed: string[] = [];
      for (const [file, before] of kept) {
        if (await isAsBefore(file, before)) continue;
        changed.push(file);
        await putBack(file, before);
      }
      return changed;
    },
  };
}

async function filesBelow(place: string): Promise<readonly string[]> {
  const stat = await lstat(place).catch(() => undefined);
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [place];
  const entries = await readdir(place, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

async function keep(file: string): Promise<Kept> {
  const [bytes, { mode }] = await Promise.all([readFile(file), lstat(file)]);
  return { bytes, mode: mode & 0o777 };
}

/** A link or a file of several names in its place is a change, whatever it leads to. */
async function isAsBefore(file: string, before: Kept): Promise<boolean> {
  try {
    const stat = await lstat(file);
    return stat.isFile() && (stat.mode & 0o777) === before.mode && before.bytes.equals(await readFile(file));
  } catch {
    return false;
  }
}

/** A new file under the old name: writing through a planted link would change what it leads to. */
async function putBack(file: string, { bytes, mode }: Kept): Promise<void> {
  await rm(file, { recursive: true, force: true });
  await writeFile(file, bytes, { mode, flag: 'wx' });
}
