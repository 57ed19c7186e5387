// Tells without git whether a submodule's folder is still what it was; reads a few names under bounds, and what it reads is only compared.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Packed references of a large repository; what is beyond is not found. */
const maxTextBytes = 4 * 1024 * 1024;

/** `absent`, `replaced` (no folder), `empty`, `files` (no checkout) or the commit that its HEAD names. */
export function describeSubmodule(workDir: string, path: string): string {
  const folder = join(workDir, path);
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  if (!stats.isDirectory()) return 'replaced';
  const gitDir = gitDirOf(folder);
  const head = gitDir === null ? null : headOf(gitDir);
  return head ?? (isEmpty(folder) ? 'empty' : 'files');
}

/** Why a submodule that came to this is not published. */
export function refuseSubmodule(now: string): string {
  if (now === 'absent') return 'a submodule was removed; harness9 does not change submodules';
  return now === 'replaced' || now === 'files' || now === 'empty'
    ? 'a submodule was replaced by something else; harness9 does not change submodules'
    : 'a submodule stands on another commit; harness9 does not change submodules';
}

function gitDirOf(folder: string): string | null {
  const git = join(folder, '.git');
  if (lstatSync(git, { throwIfNoEntry: false })?.isDirectory() === true) return git;
  const named = /^gitdir: (.+)$/m.exec(readText(git) ?? '')?.[1];
  return named === undefined ? null : resolve(folder, named.trim());
}

function headOf(gitDir: string): string | null {
  const head = readText(join(gitDir, 'HEAD'))?.trim();
  const ref = /^ref: (refs\/.+)$/.exec(head ?? '')?.[1];
  if (head === undefined || ref === undefined) return head ?? null;
  const packed = readText(join(gitDir, 'packed-refs'))?.split('\n') ?? [];
  return readText(join(gitDir, ref))?.trim() ?? packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? head;
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true;
  }
}

/** null when it is no regular file; a pipe is not waited for. */
function readText(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    if (!fstatSync(file).isFile()) return null;
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size, maxTextBytes));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)).toString('utf8');
  } finally {
    closeSync(file);
  }
}
