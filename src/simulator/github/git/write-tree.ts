/** Makes a tree out of a base tree and changes, as `POST git/trees` asks: reads the folders on the way and writes them anew. */

import type { GitRepository } from './git-repository.ts';
import type { TreeEntry } from './parse-object.ts';

/** One change; `sha` null takes the path (a file, or a folder with all it holds) away. */
export interface TreeChange {
  readonly path: string;
  readonly mode: string;
  readonly sha: string | null;
}

type Named = Pick<TreeEntry, 'mode' | 'sha'>;

const FOLDER = '040000';

/** Whether git takes the path into a tree: no empty or dotted part, none that is `.git` on any file system, no NUL. */
export function isTreePath(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((part) => !['', '.', '..', '.git'].includes(part.toLowerCase()));
}

/** The sha of the new tree, or undefined when git refuses it. */
export async function writeTree(
  git: GitRepository,
  base: string | undefined,
  changes: readonly TreeChange[],
): Promise<string | undefined> {
  if (!changes.every(({ path }) => isTreePath(path))) return undefined;
  return await writeFolder(git, base, changes);
}

async function writeFolder(git: GitRepository, base: string | undefined, changes: readonly TreeChange[]): Promise<string> {
  const before = base === undefined ? [] : ((await git.tree(base, false))?.entries ?? []);
  const entries = new Map<string, Named>(before.map(({ path, mode, sha }) => [path, { mode, sha }]));
  for (const { path, mode, sha } of changes.filter((change) => !change.path.includes('/'))) {
    if (sha === null) entries.delete(path);
    else entries.set(path, { mode, sha });
  }
  for (const [name, inner] of changesByFolder(changes)) {
    const present = entries.get(name);
    const sha = await writeFolder(git, present?.mode === FOLDER ? present.sha : undefined, inner);
    // git knows no empty folders.
    if (await isEmpty(git, sha)) entries.delete(name);
    else entries.set(name, { mode: FOLDER, sha });
  }
  return git.writeObject('tree', renderTree(entries));
}

function changesByFolder(changes: readonly TreeChange[]): ReadonlyMap<string, readonly TreeChange[]> {
  const inner = changes
    .filter((change) => change.path.includes('/'))
    .map((change) => {
      const slash = change.path.indexOf('/');
      return { name: change.path.slice(0, slash), change: { ...change, path: change.path.slice(slash + 1) } };
    });
  const groups = Map.groupBy(inner, ({ name }) => name);
  return new Map([...groups].map(([name, members]) => [name, members.map(({ change }) => change)]));
}

async function isEmpty(git: GitRepository, sha: string): Promise<boolean> {
  return (await git.tree(sha, false))?.entries.length === 0;
}

// git's order: byte by byte, folders as if their name ended in a slash.
function renderTree(entries: ReadonlyMap<string, Named>): Buffer {
  const rows = [...entries].map(([name, { mode, sha }]) => ({
    key: Buffer.from(mode === FOLDER ? `${name}/` : name),
    bytes: Buffer.concat([Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`), Buffer.from(sha, 'hex')]),
  }));
  return Buffer.concat(rows.sort((left, right) => Buffer.compare(left.key, right.key)).map(({ bytes }) => bytes));
}
