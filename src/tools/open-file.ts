// Opening what safePath allowed, so that a path swapped in between is noticed: by descriptor, without following a last link (F1).
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readlink } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../schema/error.ts';
import { PathError } from './path-error.ts';

/**
 * The regular file at `realPath` (from safePath), for reading. A FIFO, device, socket or directory is refused at once (G4-22):
 * opened without blocking, then looked at through the descriptor. Throws a system error ENOENT when there is none.
 */
export async function openRegularFile(realPath: string): Promise<FileHandle> {
  const handle = await openNoFollow(realPath, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular(realPath);
    await refuseMoved(handle, realPath);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A directory held open; `at(name)` is the path of an entry in exactly this directory, whatever its path means by now. */
export interface HeldDirectory {
  at(name: string): string;
  close(): Promise<void>;
}

/** Holds the directory at `realPath` open. Where there is no /proc, entries are named by the plain path. */
export async function holdDirectory(realPath: string): Promise<HeldDirectory> {
  const handle = await openNoFollow(realPath, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const isPinned = await refuseMoved(handle, realPath);
    const base = isPinned ? `/proc/self/fd/${handle.fd}` : realPath;
    return { at: (name) => `${base}/${name}`, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openNoFollow(realPath: string, flags: number): Promise<FileHandle> {
  try {
    return await open(realPath, flags | constants.O_NOFOLLOW);
  } catch (error) {
    // ENXIO: a socket. ELOOP: became a link after it was resolved.
    if (hasCode(error, 'ENXIO')) throw notRegular(realPath);
    if (hasCode(error, 'ELOOP')) throw moved(realPath);
    throw error;
  }
}

/** Compares what the descriptor points at with what was allowed. False where the system cannot tell. */
async function refuseMoved(handle: FileHandle, realPath: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const actual = await readlink(`/proc/self/fd/${handle.fd}`);
  if (actual !== realPath) throw moved(realPath);
  return true;
}

function moved(realPath: string): PathError {
  return new PathError('PATH_OUTSIDE', `"${path.basename(realPath)}" changed its place while it was opened`, 'Call again.');
}

function notRegular(realPath: string): PathError {
  return new PathError(
    'PATH_NOT_A_FILE',
    `"${path.basename(realPath)}" is not a regular file (a FIFO, device, socket or directory)`,
  );
}
