/** Makes a tree out of a base tree and changes, through an index of its own, as `POST git/trees` asks. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitFailure } from './git-process.ts';
import type { GitRepository } from './git-repository.ts';

/** One change; `sha` null takes the path (a file, or a folder with all it holds) away. */
export interface TreeChange {
  readonly path: string;
  readonly mode: string;
  readonly sha: string | null;
}

/** The sha of the new tree, or undefined when git refuses a path or an object. */
export async function writeTree(
  git: GitRepository,
  base: string | undefined,
  changes: readonly TreeChange[],
): Promise<string | undefined> {
  const index = join(git.place.directory, `index-${randomUUID()}`);
  const run = async (args: readonly string[], input = ''): Promise<string> =>
    (await git.run({ args, input, env: { GIT_INDEX_FILE: index } })).toString().trim();
  try {
    if (base !== undefined) await run(['read-tree', base]);
    const entries = changes.filter((change) => change.mode !== '040000');
    await run(['update-index', '-z', '--index-info'], entries.map(indexLine).join(''));
    for (const folder of changes.filter((change) => change.mode === '040000')) await replaceFolder(run, folder);
    return await run(['write-tree']);
  } catch (error) {
    if (error instanceof GitFailure) return undefined;
    throw error;
  } finally {
    await rm(index, { force: true });
  }
}

function indexLine(change: TreeChange): string {
  return change.sha === null ? `0 ${'0'.repeat(40)}\t${change.path}\0` : `${change.mode} ${change.sha}\t${change.path}\0`;
}

async function replaceFolder(run: (args: readonly string[]) => Promise<string>, folder: TreeChange): Promise<void> {
  await run(['rm', '-r', '-q', '--cached', '--ignore-unmatch', '--', folder.path]);
  if (folder.sha !== null) await run(['read-tree', `--prefix=${folder.path}/`, folder.sha]);
}
