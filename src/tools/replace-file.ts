// Writing a file so that a reader, or a crash, sees the old content or the new, never a half: a new file beside it, renamed over it.
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../schema/error.ts';
import { holdDirectory } from './open-file.ts';
import { PathError } from './path-error.ts';

/**
 * Puts `content` at `realPath` (from safePath with `write`), parents made. The mode of an existing file is kept (G4-18), a hard link is
 * left to its other names (F2). `temporaryName` must be new in its directory. Says whether there was a file before.
 */
export async function replaceFile(
  realPath: string,
  content: Uint8Array,
  temporaryName: string,
): Promise<'created' | 'overwritten'> {
  await mkdir(path.dirname(realPath), { recursive: true });
  const directory = await holdDirectory(path.dirname(realPath));
  const target = directory.at(path.basename(realPath));
  const temporary = directory.at(temporaryName);
  try {
    const before = await lstat(target).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    if (before !== undefined && !before.isFile()) {
      throw new PathError('PATH_NOT_A_FILE', `"${path.basename(realPath)}" is not a regular file`, 'Give the path of a file.');
    }
    try {
      await writeNew(temporary, content, before);
      await rename(temporary, target);
    } catch (error) {
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
    return before === undefined ? 'created' : 'overwritten';
  } finally {
    await directory.close();
  }
}

async function writeNew(
  file: string,
  content: Uint8Array,
  like: { readonly mode: number; readonly uid: number; readonly gid: number } | undefined,
): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o666);
  try {
    await handle.writeFile(content);
    if (like === undefined) return;
    // Only root may give files away; for others the owner is the same already, or cannot be kept.
    await handle.chown(like.uid, like.gid).catch(() => undefined);
    await handle.chmod(like.mode & 0o7777);
  } finally {
    await handle.close();
  }
}
