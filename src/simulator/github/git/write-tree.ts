/** Makes a tree out of a base tree and changes, through an index of its own, as `POST git/trees` asks. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitFailure } from './git-process.ts';
import { type GitRepository, NO_OBJECT } from './git-repository.ts';
import type { TreeEntry } from './parse-object.ts';

const FOLDER = '040000';

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
    const lines = await Promise.all(changes.map((change) => indexLines(git, base, change)));
    await run(['update-index', '-z', '--index-info'], lines.flat().join(''));
    return await run(['write-tree']);
  } catch (error) {
    if (error instanceof GitFailure) return undefined;
    throw error;
  } finally {
    await rm(index, { force: true });
  }
}

// An index knows files only: a folder is written as its files, after those that the base has in its place are gone.
async function indexLines(git: GitRepository, base: string | undefined, change: TreeChange): Promise<readonly string[]> {
  if (change.sha !== null && change.mode !== FOLDER) return [indexLine(change)];
  const before = base === undefined ? [] : await filesUnder(git, `${base}:${change.path}`);
  const after = change.sha === null ? [] : await filesUnder(git, change.sha);
  const inFolder = (entry: TreeEntry): string => `${change.path}/${entry.path}`;
  return [
    indexLine({ ...change, sha: null }),
    ...before.map((entry) => indexLine({ path: inFolder(entry), mode: entry.mode, sha: null })),
    ...after.map((entry) => indexLine({ path: inFolder(entry), mode: entry.mode, sha: entry.sha })),
  ];
}

async function filesUnder(git: GitRepository, expression: string): Promise<readonly TreeEntry[]> {
  const folder = await git.object(expression);
  const entries = folder?.type === 'tree' ? ((await git.tree(folder.sha, true))?.entries ?? []) : [];
  return entries.filter((entry) => entry.type !== 'tree');
}

function indexLine(change: TreeChange): string {
  return change.sha === null ? `0 ${NO_OBJECT}\t${change.path}\0` : `${change.mode} ${change.sha}\t${change.path}\0`;
}
