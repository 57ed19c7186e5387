// Owns the finding and reading of instruction files (AGENTS.md) through a reader that the caller gives; never opens a path itself (B8).
import { posix } from 'node:path';
import { cutAtLine } from '../schema/cut-at-line.ts';

/** Files by paths relative to the repository. On a pull request they are the base commit's, never the head's. */
export interface InstructionFiles {
  /** The paths of all files below `folder`, '' for the repository itself; it may leave out what lies deep. */
  list(folder: string): Promise<readonly string[]>;
  /** A file's text, or null where there is none. Many at once are fine. */
  read(path: string): Promise<string | null>;
}

export interface Instructions {
  readonly path: string;
  /** For whose files they hold; '' is the whole repository. */
  readonly folder: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** `leftOut`: paths of files that are there, but had no room. */
export interface LoadedInstructions {
  readonly shown: readonly Instructions[];
  readonly leftOut: readonly string[];
}

/** All files together: they go with every request of a run. */
const defaultCapBytes = 32_768;
/** A repository with more of them is looked at from its root down to here. */
const maxSources = 200;

/** Where many agents look for AGENTS.md, some have only looked for this. */
const fallbackNames: Readonly<Record<string, string>> = { 'AGENTS.md': 'CLAUDE.md' };

/** Other people's code comes with other people's instructions. Folders with a dot in front are tools' own. */
const foreignFolders = new Set(['node_modules', 'bower_components', 'vendor', 'third_party', 'site-packages']);

/**
 * The instruction files that say something, those of the whole repository first, then by depth and path; cut at a line where the cap ends.
 * A name without a slash is looked for in every folder (AGENTS.md, else CLAUDE.md there); a path is that file, for the whole repository.
 */
export async function loadInstructions(
  files: InstructionFiles,
  names: readonly string[],
  capBytes = defaultCapBytes,
): Promise<LoadedInstructions> {
  const shown: Instructions[] = [];
  const leftOut: string[] = [];
  let left = capBytes;
  const sources = findSources(await files.list(''), names);
  for (const found of await Promise.all(sources.map((source) => loadSource(files, source)))) {
    if (found === undefined) continue;
    if (left === 0) {
      leftOut.push(found.path);
      continue;
    }
    const text = cutAtLine(found.text, left);
    const isCut = text.length < found.text.length;
    shown.push({ ...found, text, isCut });
    // After a cut there is no room, be the next one ever so small: the order says which ones matter more.
    left = isCut ? 0 : left - Buffer.byteLength(text);
  }
  return { shown, leftOut };
}

/** One text: the first of `paths` that says something. */
interface Source {
  readonly folder: string;
  readonly paths: readonly string[];
}

async function loadSource(files: InstructionFiles, { folder, paths }: Source) {
  for (const path of paths) {
    const text = (await files.read(path))?.trim() ?? '';
    if (text !== '') return { path, folder, text };
  }
  return undefined;
}

function findSources(listed: readonly string[], names: readonly string[]): readonly Source[] {
  const sources = names.flatMap((name) => (name.includes('/') ? [namedSource(name)] : findByName(listed, name)));
  const once = sources.filter(({ paths: [path] }, index) => sources.findIndex(({ paths }) => paths[0] === path) === index);
  // The sort keeps the order of names within a folder.
  return once.sort((a, b) => depthOf(a.folder) - depthOf(b.folder) || compare(a.folder, b.folder)).slice(0, maxSources);
}

function namedSource(name: string): Source {
  return { folder: '', paths: [posix.normalize(name)] };
}

function findByName(listed: readonly string[], name: string): readonly Source[] {
  const alternatives = Object.hasOwn(fallbackNames, name) ? [name, fallbackNames[name] ?? name] : [name];
  const there = new Set(listed.filter((path) => alternatives.includes(posix.basename(path)) && !isForeign(path)));
  const folders = new Set([...there].map((path) => posix.dirname(path)));
  return [...folders].map((folder) => ({
    folder: folder === '.' ? '' : folder,
    paths: alternatives.map((each) => posix.join(folder, each)).filter((path) => there.has(path)),
  }));
}

/** Also those whose name could leave its line in the prompt. */
function isForeign(path: string): boolean {
  const folders = path.split('/').slice(0, -1);
  return (
    folders.some((folder) => folder.startsWith('.') || foreignFolders.has(folder)) || /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(path)
  );
}

function depthOf(folder: string): number {
  return folder === '' ? 0 : folder.split('/').length;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
