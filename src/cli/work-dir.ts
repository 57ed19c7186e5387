// The folder that the terminal works in: the one that is given, or where it was started.
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from './flags.ts';

/** The real path of `cwd`, seen from `here`. Throws CLI_USAGE for what is no folder. */
export async function findWorkDir(cwd: string | null, here: string): Promise<string> {
  const workDir = path.resolve(here, cwd ?? '.');
  const isFolder = await stat(workDir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return await realpath(workDir);
  throw usageError(`--cwd "${cwd ?? workDir}": expected a folder that is there`);
}
