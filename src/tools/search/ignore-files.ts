// What git ignores in a folder and below: its .gitignore files and .git/info/exclude, read without git, whose configuration may run programs.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { lastMatch, parseIgnoreLines } from '../../schema/ignore-rules.ts';
import type { PathPattern } from '../../schema/path-pattern.ts';

/** The rules of one file. `folder`: where they hold, relative to the repository, with a slash at its end; empty for the repository itself. */
interface IgnoreLayer {
  readonly folder: string;
  readonly patterns: readonly PathPattern[];
}

/** The deepest first: it has the last word. */
export type IgnoreLayers = readonly IgnoreLayer[];

export interface IgnoreStart {
  readonly layers: IgnoreLayers;
  /** The folder, as `folder` of a layer. */
  readonly folder: string;
  /** Git ignores the place itself, so that no rule says anything of what lies in it. */
  readonly isIgnored: boolean;
}

/** A longer one is no list that somebody wrote. */
const maxFileBytes = 256 * 1024;
/** Of all files that hold at one place. What a fork brings along in a hundred nested folders would fill the memory. */
const maxPatterns = 50_000;

/** The rules that hold in `folder`: from the repository around the workspace, or from the workspace where there is none, down to it. */
export function loadIgnoreStart(workspace: string, folder: string): IgnoreStart {
  const repository = findRepository(workspace);
  const names = path
    .relative(repository, folder)
    .split(path.sep)
    .filter((name) => name !== '');
  let layers: IgnoreLayers = withFile([], '', path.join(repository, '.git/info/exclude'));
  let at = '';
  for (const name of names) {
    layers = withFolder(layers, at, path.join(repository, at));
    at += `${name}/`;
    if (isIgnored(layers, at)) return { layers: [], folder: `${names.join('/')}/`, isIgnored: true };
  }
  return { layers, folder: at, isIgnored: false };
}

/** Whether the rules ignore `file`, relative to the repository, a folder with a slash at its end. Its parents are known not to be ignored. */
export function isIgnored(layers: IgnoreLayers, file: string): boolean {
  for (const { folder, patterns } of layers) {
    const decisive = lastMatch(patterns, file.slice(folder.length));
    if (decisive !== undefined) return !decisive.isNegated;
  }
  return false;
}

/** With the rules of the .gitignore in `folder`, which is at `real`. */
export function withFolder(layers: IgnoreLayers, folder: string, real: string): IgnoreLayers {
  return withFile(layers, folder, path.join(real, '.gitignore'));
}

function withFile(layers: IgnoreLayers, folder: string, file: string): IgnoreLayers {
  const room = maxPatterns - layers.reduce((sum, layer) => sum + layer.patterns.length, 0);
  const patterns = parseIgnoreLines(readRules(file)).slice(0, room);
  return patterns.length === 0 ? layers : [{ folder, patterns }, ...layers];
}

/** Empty where there is none. A link is not followed, as git does not. */
function readRules(file: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, maxFileBytes));
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } catch {
    // A directory of that name.
    return '';
  } finally {
    closeSync(descriptor);
  }
}

function findRepository(workspace: string): string {
  for (let folder = workspace; ; folder = path.dirname(folder)) {
    if (lstatSync(path.join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder;
    if (path.dirname(folder) === folder) return workspace;
  }
}
