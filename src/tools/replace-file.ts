// Writing a file so that a reader, or a crash, sees the old content or the new, never a half: a new file beside it, renamed over it.
import { constants, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../schema/error.ts';
import { makeDirectory } from './open-file.ts';
import { PathError } from './path-error.ts';

export interface NewContent {
  readonly content: Uint8Array;
  /** What the file held when the content was made; undefined: there was none. */
  readonly before: Buffer | undefined;
  /** Must be new in the file's directory. */
  readonly temporaryName: string;
}

/**
 * Puts `content` at `realPath` (from safePath with `write`), parents made. The mode of an existing file is kept (G4-18), also where it
 * forbids writing; a hard link is left to its other names (F2). Throws PATH_CHANGED, and nothing is written, when the file is not any more
 * what it was before. Says whether the file has other names.
 */
export async function replaceFile(
  realPath: string,
  { content, before, temporaryName }: NewContent,
): Promise<{ readonly hasOtherNames: boolean }> {
  await using directory = await makeDirectory(path.dirname(realPath));
  const target = directory.at(path.basename(realPath));
  const temporary = directory.at(temporaryName);
  try {
    const stats = await statIfThere(target);
    if (stats !== undefined && !stats.isFile()) throw notAFile(realPath, stats);
    await writeNew(temporary, content, stats);
    // As late as can be: only what others write in the instant that is left is lost.
    if (!(await holds(target, before))) throw changed(realPath);
    await rename(temporary, target);
    return { hasOtherNames: stats !== undefined && stats.nlink > 1 };
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

async function statIfThere(file: string): Promise<Stats | undefined> {
  return lstat(file).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
}

/** Whether the file holds exactly `wanted`, or is missing when that is undefined. */
async function holds(file: string, wanted: Buffer | undefined): Promise<boolean> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await handle.stat();
    const mayBe = wanted !== undefined && stats.isFile() && stats.size === wanted.length;
    return mayBe && wanted.equals(await handle.readFile());
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return wanted === undefined;
    if (hasCode(error, 'ELOOP', 'ENXIO')) return false;
    throw error;
  }
}

async function writeNew(file: string, content: Uint8Array, like: Stats | undefined): Promise<void> {
  // Nobody may look into it who may not look into the file.
  const mode = like === undefined ? 0o666 : 0o600;
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode);
  try {
    await handle.writeFile(content);
    if (like !== undefined) await takeModeOf(handle, like);
  } finally {
    await handle.close();
  }
}

/** Only root may give files away; for others the owner is the same already, or cannot be kept, and then nobody runs it as the owner. */
async function takeModeOf(handle: FileHandle, like: Stats): Promise<void> {
  const isSame = await handle.chown(like.uid, like.gid).then(
    () => true,
    () => false,
  );
  await handle.chmod(like.mode & (isSame ? 0o7777 : 0o1777));
}

function notAFile(realPath: string, stats: Stats): PathError {
  const what = stats.isDirectory() ? 'a directory' : 'not a regular file';
  return new PathError('PATH_NOT_A_FILE', `"${path.basename(realPath)}" is ${what}`, 'Give the path of a file.');
}

function changed(realPath: string): PathError {
  return new PathError(
    'PATH_CHANGED',
    `"${path.basename(realPath)}" was changed by something else at the same moment; nothing was written`,
    'Read it again.',
  );
}
