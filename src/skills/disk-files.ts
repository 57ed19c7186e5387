// Reads a folder on disk for skills and instructions: never outside of it, whatever its links say, and never without end. Writes nothing.
import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SkillFiles } from './load-skills.ts';

/** What lies deeper or comes later is not found: this happens at the start of each run in the terminal. */
const maxDepth = 5;
const maxListed = 5_000;
/** Skills and instructions are cut well below this. */
const maxReadBytes = 262_144;

/** Not what a repository says of itself, and big. */
const skippedFolders = new Set(['.git', 'node_modules']);

/** The files of `workDir`, those behind links inside of it, too; git's own are none of them. */
export function createDiskSkillFiles(workDir: string): SkillFiles {
  return {
    list: async (folder) => {
      const root = await realpath(workDir);
      const start = await resolveInside(root, folder);
      return start === undefined ? [] : (await walk(root, start)).map((file) => path.posix.join(folder, file)).sort();
    },
    read: async (file) => {
      const real = await resolveInside(await realpath(workDir), file);
      return real === undefined ? null : await readText(real);
    },
  };
}

/** Level by level, so that what is near the root is found whatever lies below it. Paths are relative to `start`. */
async function walk(root: string, start: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [''];
  // By real path: each is gone into through one link at most, so that links in a circle end.
  const linked = new Set([start]);
  for (const folder of folders) {
    const { files, inner } = await readFolder(path.join(start, folder), { root, linked });
    const pathOf = (name: string) => path.posix.join(folder, name);
    found.push(...files.map(pathOf));
    if (depthOf(folder) < maxDepth) folders.push(...inner.filter((name) => !skippedFolders.has(name)).map(pathOf));
    if (found.length + folders.length >= maxListed) break;
  }
  return found.slice(0, maxListed);
}

function depthOf(folder: string): number {
  return folder === '' ? 0 : folder.split('/').length;
}

interface Bounds {
  readonly root: string;
  readonly linked: Set<string>;
}

/** The names in a folder; one that is a link to a folder inside counts as a folder, unless it leads back up. */
async function readFolder(folder: string, bounds: Bounds): Promise<{ readonly files: string[]; readonly inner: string[] }> {
  const files: string[] = [];
  const inner: string[] = [];
  for (const entry of await readEntries(folder)) {
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await leadsDown(path.join(folder, entry.name), bounds)));
    (isFolder ? inner : files).push(entry.name);
  }
  return { files, inner };
}

async function leadsDown(link: string, { root, linked }: Bounds): Promise<boolean> {
  const real = await resolveInside(root, path.relative(root, link));
  if (real === undefined || linked.has(real) || !(await stat(real).catch(() => undefined))?.isDirectory()) return false;
  const from = await realpath(path.dirname(link));
  if (from === real || from.startsWith(`${real}${path.sep}`)) return false;
  linked.add(real);
  return true;
}

/** Sorted, so that a bound cuts the same way each time; none where there is no such folder, or none that we may read. */
async function readEntries(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The real path of `file`; undefined when it is not there, not inside, or git's own: that may hold credentials. */
async function resolveInside(root: string, file: string): Promise<string | undefined> {
  if (path.isAbsolute(file)) return undefined;
  const real = await realpath(path.join(root, file)).catch(() => undefined);
  if (real === undefined) return undefined;
  const relative = path.relative(root, real);
  const [first = ''] = relative.split(path.sep);
  return first === '..' || relative.split(path.sep).includes('.git') ? undefined : real;
}

/** The start of a regular file, when it is text. Nothing waits for the other end of a pipe. */
async function readText(real: string): Promise<string | null> {
  try {
    await using handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) return null;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxReadBytes), 0, maxReadBytes, 0);
    const bytes = buffer.subarray(0, bytesRead);
    // `stream`: where the bound cuts a character, what is there of it is left out.
    return bytes.includes(0) ? null : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}
