// Looks at files of the workspace without following a link, opening a device or trusting a path's parents; to be used when nothing else runs there.
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** What tells without reading whether a file is the one that it was. ctime cannot be set by who does not own the clock. */
export interface Stamp {
  readonly kind: 'file' | 'link' | 'other';
  readonly size: number;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly isExecutable: boolean;
}

export interface WorkspaceFiles {
  /** null: there is nothing, or a parent is not a real folder any more. */
  stampOf(path: string): Promise<Stamp | null>;
  /** A file's bytes or a link's text; null when it is bigger than `maxBytes` or no such thing. */
  read(path: string, maxBytes: number): Promise<Buffer | null>;
}

/** Looks under `workDir`; answers about parents are remembered, so make a new one for each pass. */
export function createWorkspaceFiles(workDir: string): WorkspaceFiles {
  const realFolders = new Map<string, Promise<boolean>>([['.', Promise.resolve(true)]]);

  function isRealFolder(folder: string): Promise<boolean> {
    const known = realFolders.get(folder);
    if (known !== undefined) return known;
    const asked = isRealFolder(posix.dirname(folder)).then(
      async (isParentReal) => isParentReal && ((await lookAt(join(workDir, folder)))?.isDirectory() ?? false),
    );
    realFolders.set(folder, asked);
    return asked;
  }

  async function stampOf(path: string): Promise<Stamp | null> {
    if (!(await isRealFolder(posix.dirname(path)))) return null;
    const stats = await lookAt(join(workDir, path));
    if (stats === null || stats.isDirectory()) return null;
    return toStamp(stats);
  }

  async function read(path: string, maxBytes: number): Promise<Buffer | null> {
    const stamp = await stampOf(path);
    if (stamp === null || stamp.kind === 'other' || stamp.size > maxBytes) return null;
    const full = join(workDir, path);
    return stamp.kind === 'link' ? readlink(full, { encoding: 'buffer' }) : readRegular(full, maxBytes);
  }

  return { stampOf, read };
}

/** The same file with the same content, as far as a look can tell. */
export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return (
    a.kind === b.kind &&
    a.size === b.size &&
    a.ino === b.ino &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.isExecutable === b.isExecutable
  );
}

/** SHA-256 of bytes as they lie on disk. */
export function rawHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function readRegular(path: string, maxBytes: number): Promise<Buffer | null> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (!(await file.stat()).isFile()) return null;
  const buffer = Buffer.allocUnsafe(Math.min(maxBytes, (await file.stat()).size) + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) return buffer.subarray(0, filled);
    filled += bytesRead;
  }
  return null;
}

async function lookAt(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch {
    return null;
  }
}

function toStamp(stats: Stats): Stamp {
  return {
    kind: stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other',
    size: stats.size,
    ino: stats.ino,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    isExecutable: (stats.mode & 0o100) !== 0,
  };
}
