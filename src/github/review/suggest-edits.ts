// Owns whether a change can be shown as suggestions to click on the pull request's diff, and which ones: all of it, or none. Pure.
import { structuredPatch } from 'diff';
import type { DiffIndex, FileLines } from './load-diff-index.ts';

/** A text file as the pull request's head has it, and as it is to be. */
export interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Takes the place of the lines `first` to `last` of the head's file; no lines: they go. */
export interface Suggestion {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
}

/** More is read better as one diff, and nobody clicks through it. */
const maxSuggestions = 10;
const maxChangedLines = 100;
/** What is searched for the shortest diff; a suggestion of more lines is none anyway. */
const maxEditLength = 2 * maxChangedLines;
/** Of one suggestion; GitHub takes 65,536 characters. */
const maxChars = 20_000;

/**
 * null: a part of it has no place on the diff, is too long, or is about line ends, which a click does not keep. In each file the
 * suggestions are in order and share no line, so that they can be taken in any order, and together they are the change.
 */
export function suggestEdits(edits: readonly Edit[], index: DiffIndex): readonly Suggestion[] | null {
  const suggestions: Suggestion[] = [];
  let changed = 0;
  for (const edit of edits) {
    const file = index.get(edit.path);
    const hunks = file === undefined ? null : hunksOf(edit);
    if (file === undefined || hunks === null) return null;
    const placed = placeHunks(hunks, edit, file);
    if (placed === null) return null;
    suggestions.push(...placed);
    changed += hunks.reduce((sum, { removed, added }) => sum + removed + added.length, 0);
  }
  const isSmall = suggestions.length <= maxSuggestions && changed <= maxChangedLines;
  const isShort = suggestions.every(({ lines }) => lines.join('\n').length <= maxChars);
  return isSmall && isShort && suggestions.length > 0 ? suggestions : null;
}

/** `first`: the first line that goes; where none does, the one that the added ones stand before. */
interface Hunk {
  readonly first: number;
  readonly removed: number;
  readonly added: readonly string[];
}

function hunksOf({ before, after }: Edit): readonly Hunk[] | null {
  if (before.includes('\r') || after.includes('\r')) return null;
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 0, maxEditLength });
  // A line that has no end cannot be told from one that has.
  const isEnded = patch?.hunks.every(({ lines }) => !lines.some((line) => line.startsWith('\\')));
  if (patch === undefined || isEnded !== true) return null;
  return patch.hunks.map(({ oldStart, oldLines, lines }) => ({
    first: oldStart,
    removed: oldLines,
    added: lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1)),
  }));
}

function placeHunks(hunks: readonly Hunk[], { path, before }: Edit, file: FileLines): readonly Suggestion[] | null {
  const old = before.split('\n');
  const placed: Suggestion[] = [];
  for (const hunk of hunks) {
    const taken = placed.at(-1)?.last ?? 0;
    const found = waysOf(hunk, old).find(({ first, last }) => first > taken && isOnDiff({ first, last }, old, file));
    if (found === undefined) return null;
    placed.push({ path, ...found });
  }
  return placed;
}

type Way = Omit<Suggestion, 'path'>;

/** Added lines alone have no line to stand on, and one empty line cannot be told from none: a neighbour is repeated with them. */
function waysOf({ first, removed, added }: Hunk, old: readonly string[]): readonly Way[] {
  const last = first + removed - 1;
  const isClear = removed > 0 && !(added.length === 1 && added[0] === '');
  if (isClear) return [{ first, last, lines: added }];
  const [above, below] = [old[first - 2], old[last]];
  return [
    ...(above === undefined ? [] : [{ first: first - 1, last, lines: [above, ...added] }]),
    ...(below === undefined ? [] : [{ first, last: last + 1, lines: [...added, below] }]),
  ];
}

/** All lines in one part of the diff, and as they were when the run began: what was pushed since has its own diff. */
function isOnDiff({ first, last }: Pick<Way, 'first' | 'last'>, old: readonly string[], { right }: FileLines): boolean {
  const hunk = right.get(first)?.hunk;
  for (let line = first; line <= last; line += 1) {
    const shown = right.get(line);
    if (shown === undefined || shown.hunk !== hunk || shown.text !== old[line - 1]) return false;
  }
  return true;
}
