// The files below a folder in the order of their paths, without what git ignores; follows no link, enters no .git. Opens no file but .gitignore.
import { closeSync, constants, type Dirent, openSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isGitFolder } from '../../schema/git-folder.ts';
import { isOpenedAt, pinnedPath } from '../open-file.ts';
import { isNameable } from '../shown-path.ts';
import type { Exclusion } from './exclusion.ts';
import { type IgnoreLayers, isIgnored, loadIgnoreStart, withFolder } from './ignore-files.ts';
import type { Pace } from './pace.ts';
import type { SearchRoot } from './search-root.ts';

/** What a walk left out, as far as it went. */
export interface LeftOut {
  readonly ignored: string[];
  ignoredCount: number;
  /** The root itself is ignored by git: in it nothing is. */
  isRootIgnored: boolean;
  /** Files, and folders with all that is in them. */
  excluded: number;
  unreadable: number;
  /** Names that are no UTF-8: no tool could be told of them. */
  unnameable: number;
}

export interface WalkRequest {
  readonly root: SearchRoot;
  /** Whether a file is wanted, by its path from the root. */
  readonly accepts: (file: string) => boolean;
  readonly isExcluded: Exclusion;
  readonly pace: Pace;
  readonly leftOut: LeftOut;
}

/** Of the ignored entries, as many are named. */
const maxIgnoredNames = 5;
/** Files that are given on together; as arguments of a program they stay below what the system takes. */
const batchFiles = 8000;

export function nothingLeftOut(): LeftOut {
  return { ignored: [], ignoredCount: 0, isRootIgnored: false, excluded: 0, unreadable: 0, unnameable: 0 };
}

/** Paths of files from the root, sorted as texts. Ends early when the pace is over. A folder that cannot be read is counted. */
export async function* walkFiles({ root, accepts, isExcluded, pace, leftOut }: WalkRequest): AsyncGenerator<readonly string[]> {
  const start = loadIgnoreStart(root.within, root.real);
  leftOut.isRootIgnored = start.isIgnored;
  const open = (prefix: string, layers: IgnoreLayers) => openFolder({ root, start, leftOut }, prefix, layers);
  const folders = [open('', start.layers)];
  let batch: string[] = [];
  for (let folder = folders.at(-1); folder !== undefined && !pace.isOver(); folder = folders.at(-1)) {
    if (pace.isDue()) await pace.rest();
    const entry = folder.entries[folder.next++];
    if (entry === undefined) {
      folders.pop();
    } else if (isLeftOut(entry, folder, { root, start, leftOut, isExcluded })) {
    } else if (entry.isFolder) {
      folders.push(open(entry.path, folder.layers));
    } else if (accepts(entry.path)) {
      batch.push(entry.path);
    }
    if (batch.length === batchFiles) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

interface Entry {
  readonly name: string;
  /** From the root, with a slash at its end for a folder. */
  readonly path: string;
  readonly isFolder: boolean;
}

interface Folder {
  readonly entries: readonly Entry[];
  next: number;
  readonly layers: IgnoreLayers;
}

interface Walk {
  readonly root: SearchRoot;
  readonly start: { readonly folder: string; readonly isIgnored: boolean };
  readonly leftOut: LeftOut;
}

function openFolder({ root, start, leftOut }: Walk, prefix: string, above: IgnoreLayers): Folder {
  const real = path.resolve(root.real, prefix);
  try {
    const entries = listFolder(real).flatMap((entry) => toEntry(entry, prefix));
    // A folder sorts as its path does, so that the whole walk is in the order of paths.
    entries.sort((a, b) => (a.path < b.path ? -1 : 1));
    const hasRules = !start.isIgnored && entries.some(({ name }) => name === '.gitignore');
    return { entries, next: 0, layers: hasRules ? withFolder(above, start.folder + prefix, real) : above };
  } catch {
    // Not allowed, gone meanwhile, or a link by now.
    leftOut.unreadable += 1;
    return { entries: [], next: 0, layers: above };
  }
}

/** The directory at exactly this path: one that was swapped for a link meanwhile is not listed (F1). */
function listFolder(real: string): readonly Dirent[] {
  const descriptor = openSync(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (!isOpenedAt(descriptor, real)) throw new Error('moved');
    return readdirSync(pinnedPath(descriptor, real), { withFileTypes: true });
  } finally {
    closeSync(descriptor);
  }
}

/** Links, devices and sockets are nothing to search. */
function toEntry(entry: Dirent, prefix: string): readonly Entry[] {
  const { name } = entry;
  if (entry.isDirectory()) return [{ name, path: `${prefix}${name}/`, isFolder: true }];
  return entry.isFile() ? [{ name, path: prefix + name, isFolder: false }] : [];
}

function isLeftOut(
  entry: Entry,
  { layers }: Folder,
  { root, start, leftOut, isExcluded }: Walk & Pick<WalkRequest, 'isExcluded'>,
): boolean {
  if (isGitFolder(entry.name)) return true;
  if (!isNameable(entry.name)) {
    leftOut.unnameable += 1;
    return true;
  }
  if (isExcluded(path.join(root.shown, entry.isFolder ? entry.path.slice(0, -1) : entry.path))) {
    leftOut.excluded += 1;
    return true;
  }
  if (layers.length === 0 || !isIgnored(layers, start.folder + entry.path)) return false;
  leftOut.ignoredCount += 1;
  if (leftOut.ignored.length < maxIgnoredNames) leftOut.ignored.push(entry.path);
  return true;
}
