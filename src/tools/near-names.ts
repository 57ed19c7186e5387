// Names that a missing path could have meant, for the error that the model reads.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { distance } from 'fastest-levenshtein';

const maxNames = 3;
/** A directory of more entries is not searched: the hint is not worth the time. */
const maxEntries = 5000;

/** "There is no X", with what is near it: other case, other Unicode form (G4-28), a slip of the pen; or the first missing directory. */
export async function describeMissing(realPath: string, root: string, input: string): Promise<string> {
  const directory = path.dirname(realPath);
  const entries = await readdir(directory).catch(() => undefined);
  if (entries === undefined) return `There is no "${input}": the directory "${path.relative(root, directory)}" does not exist.`;
  const near = nearNames(path.basename(realPath), entries).map((name) =>
    JSON.stringify(path.join(path.relative(root, directory), name)),
  );
  const where = path.relative(root, directory) || 'the workspace';
  return near.length === 0 ? `There is no "${input}" in ${where}.` : `There is no "${input}". Near names: ${near.join(', ')}.`;
}

function nearNames(name: string, entries: readonly string[]): readonly string[] {
  if (entries.length > maxEntries) return [];
  const wanted = fold(name);
  return entries
    .map((entry) => ({ entry, far: distance(wanted, fold(entry)) }))
    .filter(({ far }) => far <= Math.max(1, Math.floor(wanted.length / 3)))
    .sort((a, b) => a.far - b.far || (a.entry < b.entry ? -1 : 1))
    .slice(0, maxNames)
    .map(({ entry }) => entry);
}

function fold(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}
