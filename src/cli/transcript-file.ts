// Where the transcript of a run goes: a file that is not there yet, so that a slip costs nobody a file. Makes nothing.
import { lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../schema/error.ts';
import { usageError } from './flags.ts';

/** The absolute path of `given`, seen from `workDir`; null: no transcript is wished. Throws CLI_USAGE where no file can be made. */
export async function findTranscriptFile(given: string | null, workDir: string): Promise<string | null> {
  if (given === null) return null;
  const file = path.resolve(workDir, given);
  const isTaken = await lstat(file).then(
    () => true,
    (error: unknown) => !hasCode(error, 'ENOENT', 'ENOTDIR'),
  );
  if (isTaken) throw usageError(`--transcript "${given}": expected a file that is not there yet`);
  const isInFolder = await stat(path.dirname(file)).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isInFolder) return file;
  throw usageError(`--transcript "${given}": expected a folder that is there, and in it a file that is not`);
}
