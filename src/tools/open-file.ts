// Opening what safePath allowed, so that a path swapped in between is noticed: by descriptor, without following a last link (F1).
import { constants, readlinkSync, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../schema/error.ts';
import { PathError } from './path-error.ts';

/**
 * The regular file at `realPath` (from safePath), for reading. A FIFO, device, socket or directory is refused at once (G4-22):
 * opened without blocking, then looked at through the descriptor. Throws a system error ENOENT when there is none.
 */
export async function openRegularFile(realPath: string): Promise<FileHandle> {
  const handle = await openPinned(realPath, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular(realPath, stats);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A directory held open; `at(name)` is the path of an entry in exactly this directory, whatever its path means by now. */
export interface HeldDirectory extends AsyncDisposable {
  at(name: string): string;
}

/** Holds the directory at `realPath` (from safePath) open. Throws a system error where there is none, ENOENT or ENOTDIR. */
export async function holdDirectory(realPath: string): Promise<HeldDirectory> {
  return hold(realPath, realPath);
}

/** The same, made with all its parents where it is missing: each of them in the one above it, wherever that path leads by now. */
export async function makeDirectory(realPath: string): Promise<HeldDirectory> {
  try {
    return await holdDirectory(realPath);
  } catch (error) {
    const parent = path.dirname(realPath);
    if (!hasCode(error, 'ENOENT') || parent === realPath) throw error;
    await using above = await makeDirectory(parent);
    const place = above.at(path.basename(realPath));
    await mkdir(place).catch((fault: unknown) => {
      // Somebody else made it meanwhile.
      if (!hasCode(fault, 'EEXIST')) throw fault;
    });
    return await hold(place, realPath);
  }
}

async function hold(place: string, realPath: string): Promise<HeldDirectory> {
  const handle = await openPinned(realPath, constants.O_RDONLY | constants.O_DIRECTORY, place);
  const base = pinnedPath(handle.fd, realPath);
  return { at: (name) => `${base}/${name}`, [Symbol.asyncDispose]: () => handle.close() };
}

/** Opens `place`, by which `realPath` is reached, and compares what the descriptor points at with what was allowed. */
async function openPinned(realPath: string, flags: number, place: string = realPath): Promise<FileHandle> {
  const handle = await openNoFollow(realPath, flags, place);
  try {
    if (!isOpenedAt(handle.fd, realPath)) throw moved(realPath);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Whether the descriptor is of what stands at `realPath` now, which has no link in it. Where there is no /proc, nobody can tell. */
export function isOpenedAt(descriptor: number, realPath: string): boolean {
  return !canPin() || readlinkSync(pinnedPath(descriptor, realPath)) === realPath;
}

/** What was opened, whatever its path means by now; where there is no /proc, the plain path. */
export function pinnedPath(descriptor: number, realPath: string): string {
  return canPin() ? `/proc/self/fd/${descriptor}` : realPath;
}

/** Whether a descriptor has a path of its own. */
function canPin(): boolean {
  return process.platform === 'linux';
}

async function openNoFollow(realPath: string, flags: number, place: string): Promise<FileHandle> {
  try {
    return await open(place, flags | constants.O_NOFOLLOW);
  } catch (error) {
    // ENXIO: a socket. ELOOP: became a link after it was resolved.
    if (hasCode(error, 'ENXIO')) throw notRegular(realPath);
    if (hasCode(error, 'ELOOP')) throw moved(realPath);
    throw error;
  }
}

function moved(realPath: string): PathError {
  return new PathError('PATH_OUTSIDE', `"${path.basename(realPath)}" changed its place while it was opened`, 'Call again.');
}

function notRegular(realPath: string, stats?: Stats): PathError {
  return new PathError('PATH_NOT_A_FILE', `"${path.basename(realPath)}" is ${describeKind(stats)}, not a regular file`);
}

function describeKind(stats: Stats | undefined): string {
  if (stats?.isDirectory()) return 'a directory';
  if (stats?.isFIFO()) return 'a FIFO';
  return stats === undefined ? 'a socket' : 'a device';
}
