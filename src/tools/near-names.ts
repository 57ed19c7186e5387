// Names that a missing path could have meant, for the error that the model reads.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { distance } from 'fastest-levenshtein';
import { holdDirectory } from './open-file.ts';
import { isNameable } from './shown-path.ts';

const maxNames = 3;
/** A directory of more entries is not searched: the hint is not worth the time. */
const maxEntries = 5000;
/** Looked through for a file of the same name, those near the root first. */
const maxDirectories = 200;
/** Full of files that nobody means. */
const passedOver = new Set(['.git', 'node_modules']);

/** "There is no X", with what is near it: other case, other Unicode form (G4-28), a slip of the pen; else the same name elsewhere. */
export async function describeMissing(realPath: string, root: string, input: string): Promise<string> {
  const directory = path.dirname(realPath);
  const entries = await entriesOf(directory);
  const near = nearNames(path.basename(realPath), entries ?? []).map((name) => path.join(directory, name));
  const found = near.length > 0 ? near : await sameNames(path.basename(realPath), root);
  const shown = (file: string) => (path.isAbsolute(input) ? file : path.relative(root, file));
  const names = found.map((file) => JSON.stringify(shown(file))).join(', ');
  const where = shown(directory);
  const missing =
    entries === undefined
      ? `There is no "${input}": the directory "${where}" does not exist.`
      : `There is no "${input}"${found.length === 0 ? ` in ${where || 'the workspace'}` : ''}.`;
  if (found.length === 0) return missing;
  return `${missing} ${near.length > 0 ? 'Near names' : 'Of that name there is'}: ${names}.`;
}

function nearNames(name: string, entries: readonly Dirent[]): readonly string[] {
  if (entries.length > maxEntries) return [];
  const wanted = fold(name);
  return entries
    .map((entry) => ({ entry: entry.name, far: distance(wanted, fold(entry.name)) }))
    .filter(({ far }) => far <= Math.max(1, Math.floor(wanted.length / 3)))
    .sort((a, b) => a.far - b.far || (a.entry < b.entry ? -1 : 1))
    .slice(0, maxNames)
    .map(({ entry }) => entry);
}

/** Files of this name anywhere below `root`, as far as the search goes; links are not followed. */
async function sameNames(name: string, root: string): Promise<readonly string[]> {
  const wanted = fold(name);
  const queue = [root];
  const found: string[] = [];
  for (let at = 0; at < Math.min(queue.length, maxDirectories) && found.length < maxNames; at += 1) {
    const directory = queue[at] ?? root;
    const entries = (await entriesOf(directory)) ?? [];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const place = path.join(directory, entry.name);
      if (entry.isDirectory() && !passedOver.has(entry.name)) queue.push(place);
      if (!entry.isDirectory() && fold(entry.name) === wanted) found.push(place);
    }
  }
  return found.slice(0, maxNames);
}

/** Of exactly this directory: by its path alone it could be another one by now. */
async function entriesOf(directory: string): Promise<readonly Dirent[] | undefined> {
  try {
    await using held = await holdDirectory(directory);
    const entries = await readdir(held.at('.'), { withFileTypes: true });
    return entries.filter(({ name }) => isNameable(name));
  } catch {
    return undefined;
  }
}

function fold(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}
