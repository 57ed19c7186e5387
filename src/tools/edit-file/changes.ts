// What an edit changes: lines in another form, and runs of lines that come, go or are replaced, between lines that it leaves alone. Pure.
import { alignLists } from './align.ts';
import type { Block, BlockLine, LineEdit } from './block.ts';
import { similarityOf } from './similarity.ts';

/** Two lines less alike than this are two lines, not one in another form. */
const minSimilarity = 0.4;
/** Comparing more lines with each other is not worth its time. */
const maxComparisons = 2500;

/** One old line in another form. */
export interface LineChange {
  readonly kind: 'line';
  readonly old: number;
  readonly new: number;
}

/** Old lines [oldFrom, oldTo) give way to new lines [newFrom, newTo); either may be none, both when only blank lines come or go. */
export interface RunChange {
  readonly kind: 'run';
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

export type Change = LineChange | RunChange;

/** The changes of `edit` in order. */
export function toChanges({ old, new: wanted }: LineEdit): readonly Change[] {
  const partners = pairLines(old.lines, wanted.lines);
  const changes: Change[] = [];
  let [oldFrom, newFrom] = [0, 0];
  const endRun = (oldTo: number, newTo: number) => {
    const isEmpty = oldTo === oldFrom && newTo === newFrom;
    if (isEmpty && blanksBefore(old, oldTo) === blanksBefore(wanted, newTo)) return;
    changes.push({ kind: 'run', oldFrom, oldTo, newFrom, newTo });
  };
  partners.forEach((partner, index) => {
    const [line, form] = [old.lines[index], wanted.lines[partner]];
    if (line === undefined || form === undefined) return;
    endRun(index, partner);
    if (!isSameLine(line, form)) changes.push({ kind: 'line', old: index, new: partner });
    [oldFrom, newFrom] = [index + 1, partner + 1];
  });
  endRun(old.lines.length, wanted.lines.length);
  return changes;
}

/** Whether the old line at `index` is one that `change` alters or takes away. */
export function touches(change: Change, index: number): boolean {
  return change.kind === 'line' ? change.old === index : change.oldFrom <= index && index < change.oldTo;
}

/** A new line, the old line that it is another form of, if any, and the index of the last old line before it. */
export interface NewLine {
  readonly line: BlockLine;
  readonly counterpart: number | undefined;
  readonly after: number;
  /** No other new line stands beside it. */
  readonly isAlone: boolean;
}

/** The new lines that a change brings. */
export function newLinesOf(change: Change, { new: { lines } }: LineEdit): readonly NewLine[] {
  if (change.kind === 'line') {
    return lines
      .slice(change.new, change.new + 1)
      .map((line) => ({ line, counterpart: change.old, after: change.old, isAlone: true }));
  }
  const brought = lines.slice(change.newFrom, change.newTo);
  const isAlone = brought.length === 1;
  return brought.map((line) => ({ line, counterpart: undefined, after: change.oldTo - 1, isAlone }));
}

/** Blank lines before the line at `index`; before the end of the block when there is none. */
export function blanksBefore({ lines, blanksAfter }: Block, index: number): number {
  return lines[index]?.blanksBefore ?? blanksAfter;
}

/** For each old line the new one that it stays or becomes, or -1: first the lines that are the same, then, between them, the similar ones. */
function pairLines(olds: readonly BlockLine[], news: readonly BlockLine[]): readonly number[] {
  const partners = alignLists(olds, news, worthOfSame, isSameLine);
  let [oldFrom, newFrom] = [0, 0];
  const pairRun = (oldTo: number, newTo: number) => {
    if ((oldTo - oldFrom) * (newTo - newFrom) > maxComparisons) return;
    const found = alignLists(olds.slice(oldFrom, oldTo), news.slice(newFrom, newTo), worthOfSimilar, () => false);
    found.forEach((partner, index) => {
      if (partner !== -1) partners[oldFrom + index] = newFrom + partner;
    });
  };
  for (const [index, partner] of [...partners, news.length].entries()) {
    if (partner === -1) continue;
    pairRun(index, partner);
    [oldFrom, newFrom] = [index + 1, partner + 1];
  }
  return partners;
}

function isSameLine(a: BlockLine, b: BlockLine): boolean {
  return a.body === b.body && a.indent === b.indent;
}

/** Whatever its indentation, which may be another in all of new_string. Long lines say more about what belongs together than braces do. */
function worthOfSame(a: BlockLine, b: BlockLine): number {
  if (a.body !== b.body) return 0;
  return 1 + Math.min(a.body.length, 100) / 200 + (a.indent === b.indent ? 0.1 : 0);
}

function worthOfSimilar(a: BlockLine, b: BlockLine): number {
  const similarity = similarityOf(a.body, b.body);
  return similarity < minSimilarity ? 0 : similarity;
}
