// Reads a folder on disk for skills and instructions: never outside of it, whatever its links say, and never without end. Writes nothing.
import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { SkillFiles } from './load-skills.ts';

/** What lies deeper or comes later is not found: this happens at the start of each run in the terminal. */
const maxDepth = 5;
const maxListed = 5_000;
/** Skills and instructions are cut well below this. */
const maxReadBytes = 262_144;

/** Not what a repository says of itself, and big. */
const skippedFolders = new Set(['.git', 'node_modules']);

/** The files of `workDir`. Folders behind links are not walked into (but for `folder` itself), as git would not. */
export function createDiskSkillFiles(workDir: string): SkillFiles {
  return {
    list: async (folder) => {
      const root = await realpath(workDir);
      const start = await resolveInside(root, folder);
      return start === undefined ? [] : (await walk(start)).map((file) => path.posix.join(folder, file)).sort();
    },
    read: async (file) => {
      const real = await resolveInside(await realpath(workDir), file);
      return real === undefined ? null : await readText(real);
    },
  };
}

/** Level by level, so that what is near the root is found whatever lies below it. Paths are relative to `start`. */
async function walk(start: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [''];
  for (const folder of folders) {
    const entries = await readEntries(path.join(start, folder));
    const pathOf = ({ name }: Dirent) => path.posix.join(folder, name);
    found.push(...entries.filter((entry) => !entry.isDirectory()).map(pathOf));
    if (depthOf(folder) < maxDepth) {
      folders.push(...entries.filter((entry) => entry.isDirectory() && !skippedFolders.has(entry.name)).map(pathOf));
    }
    if (found.length + folders.length >= maxListed) break;
  }
  return found.slice(0, maxListed);
}

function depthOf(folder: string): number {
  return folder === '' ? 0 : folder.split('/').length;
}

/** Sorted, so that a bound cuts the same way each time; none where there is no such folder, or none that we may read. */
async function readEntries(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The real path of `file`; undefined when it is not there or not inside. */
async function resolveInside(root: string, file: string): Promise<string | undefined> {
  const real = await realpath(path.join(root, file)).catch(() => undefined);
  if (real === undefined) return undefined;
  const relative = path.relative(root, real);
  return relative === '..' || relative.startsWith(`..${path.sep}`) ? undefined : real;
}

/** The start of a regular file, when it is text. Nothing waits for the other end of a pipe. */
async function readText(real: string): Promise<string | null> {
  try {
    await using handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) return null;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxReadBytes), 0, maxReadBytes, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return bytes.includes(0) ? null : bytes.toString('utf8');
  } catch {
    return null;
  }
}
