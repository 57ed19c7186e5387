// Looks at files of the workspace without following a link, opening a device or trusting a path's parents; holds where nothing else runs there.
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { join, posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** What tells without reading whether a file is the one that it was. ctime cannot be set by who does not own the clock. */
export interface Stamp {
  readonly kind: 'file' | 'link' | 'other';
  readonly size: number;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly isExecutable: boolean;
}

/** Some milliseconds. */
const looksInOneBreath = 128;

export interface WorkspaceFiles {
  /** null: there is nothing, or a parent is not a real folder any more. */
  stampOf(path: string): Stamp | null;
  /** The same for a path that is not UTF-8; its parents are not looked at, so it is not for reading. */
  stampOfRaw(path: Buffer): Stamp | null;
  /** A file's bytes or a link's text; null when it is bigger than `maxBytes`, no such thing or not ours to read. */
  read(path: string, maxBytes: number): Buffer | null;
}

/** Looks under `workDir`; answers about parents are remembered, so make a new one for each pass. */
export function createWorkspaceFiles(workDir: string): WorkspaceFiles {
  const realFolders = new Map<string, boolean>([['.', true]]);

  function isRealFolder(folder: string): boolean {
    const known = realFolders.get(folder);
    if (known !== undefined) return known;
    const isReal = isRealFolder(posix.dirname(folder)) && (lookAt(join(workDir, folder))?.isDirectory() ?? false);
    realFolders.set(folder, isReal);
    return isReal;
  }

  function stampOf(path: string): Stamp | null {
    if (!isRealFolder(posix.dirname(path))) return null;
    const stats = lookAt(join(workDir, path));
    return stats === null || stats.isDirectory() ? null : toStamp(stats);
  }

  function stampOfRaw(path: Buffer): Stamp | null {
    const stats = lookAt(Buffer.concat([Buffer.from(`${workDir}/`), path]));
    return stats === null || stats.isDirectory() ? null : toStamp(stats);
  }

  function read(path: string, maxBytes: number): Buffer | null {
    const stamp = stampOf(path);
    if (stamp === null || stamp.kind === 'other' || stamp.size > maxBytes) return null;
    const full = join(workDir, path);
    try {
      return stamp.kind === 'link' ? readlinkSync(full, { encoding: 'buffer' }) : readRegular(full, maxBytes);
    } catch {
      return null;
    }
  }

  return { stampOf, stampOfRaw, read };
}

/** For loops over many files: now and then gives the process a turn; throws or rejects when `signal` has aborted. */
export function createBreath(signal: AbortSignal): () => Promise<void> | undefined {
  let looks = 0;
  return () => {
    signal.throwIfAborted();
    looks++;
    return looks % looksInOneBreath === 0 ? setImmediate(undefined, { signal }) : undefined;
  };
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

function readRegular(path: string, maxBytes: number): Buffer | null {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return null;
    const buffer = Buffer.allocUnsafe(Math.min(maxBytes, stats.size) + 1);
    let filled = 0;
    while (filled < buffer.length) {
      const count = readSync(file, buffer, filled, buffer.length - filled, filled);
      if (count === 0) return buffer.subarray(0, filled);
      filled += count;
    }
    return null;
  } finally {
    closeSync(file);
  }
}

/** Synchronous, because a look takes microseconds and a promise for each of many thousand files takes seconds. */
function lookAt(path: string | Buffer): Stats | null {
  try {
    return lstatSync(path);
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
