// The folder that the terminal works in: the one that is given, or where it was started.
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from './flags.ts';

/** The real path of `cwd`, seen from `here` (null: that folder is gone). Throws CLI_USAGE for what is no folder. */
export async function findWorkDir(cwd: string | null, here: string | null): Promise<string> {
  if (here === null && !path.isAbsolute(cwd ?? '')) {
    throw usageError('the folder in which this was started is not there any more; expected one that is: --cwd /…');
  }
  const workDir = path.resolve(here ?? path.sep, cwd ?? '.');
  const isFolder = await stat(workDir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return await realpath(workDir);
  throw usageError(`--cwd "${cwd ?? workDir}": expected a folder that is there`);
}
