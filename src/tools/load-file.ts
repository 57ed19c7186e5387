// A whole file of the workspace in memory, up to the size that tools may rewrite (F3).
import { hasCode } from '../schema/error.ts';
import { openRegularFile } from './open-file.ts';
import { PathError } from './path-error.ts';

/** Generated files are larger; nobody edits those by hand. */
export const maxFileBytes = 10 * 1024 * 1024;

/** The bytes at `realPath` (from safePath), or undefined when there is no file. Throws a PathError over 10 MB and for anything but a file. */
export async function loadIfThere(realPath: string): Promise<Buffer | undefined> {
  try {
    await using handle = await openRegularFile(realPath);
    const { size } = await handle.stat();
    if (size > maxFileBytes) {
      throw new PathError(
        'PATH_TOO_LARGE',
        `the file has ${size} bytes, over the ${maxFileBytes} that this tool takes`,
        'Use bash.',
      );
    }
    return await handle.readFile();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
