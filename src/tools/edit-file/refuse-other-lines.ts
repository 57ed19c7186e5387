// Refusals of a change beside lines of old_string that may be other ones of the file: which one is meant, their depth alone would tell. Pure.
import type { RunChange } from './changes.ts';
import type { IndentPairs } from './indent-pairs.ts';
import type { PlacedEdit } from './placed-edit.ts';
import { refuseLayout, refuseUnclear } from './refuse-unclear.ts';

/** Throws an EditError when a line that one of `runs` touches, or stands beside, could be another one. */
export function refuseOtherLines(placed: PlacedEdit, pairs: IndentPairs, runs: readonly RunChange[]): void {
  const other = indexOfOtherDepth(placed, pairs);
  for (const run of runs) {
    if (other !== undefined && other >= run.oldFrom - 1 && other <= run.oldTo) refuseLayout(placed);
    if (run.oldTo > run.oldFrom && run.newTo === run.newFrom && isEitherGone(placed, pairs, run))
      refuseUnclear(placed, 'of lines that are the same in old_string, which one goes is not clear');
  }
}

/** The one line of signs alone, not the first, that stands elsewhere while all others stand as in old_string: it closes something else. */
function indexOfOtherDepth({ edit }: PlacedEdit, pairs: IndentPairs): number | undefined {
  const [index = 0, ...more] = pairs.flatMap((pair, at) => (pair !== undefined && pair.old !== pair.file ? [at] : []));
  return more.length === 0 && index > 0 && !hasWord.test(edit.old.lines[index]?.body ?? '') ? index : undefined;
}

const hasWord = /[\p{L}\p{N}_]/u;

/** Whether old_string has the same line twice where the file has it at two depths, and one of them goes: it does not say which. */
function isEitherGone({ edit: { old } }: PlacedEdit, pairs: IndentPairs, { oldFrom, oldTo }: RunChange): boolean {
  const isTwo = (one: number, other: number) => {
    const [a, b] = [old.lines[one], old.lines[other]];
    const isSame = a !== undefined && a.body === b?.body && a.indent === b.indent;
    return isSame && pairs[one]?.file !== pairs[other]?.file;
  };
  return isTwo(oldFrom - 1, oldTo - 1) || isTwo(oldFrom, oldTo);
}
