// Why old_string is not in the file, in words that help the model to mend the call. Chooses no place and changes nothing. Pure.
import { toLineEdit } from './block.ts';
import { EditError } from './edit-error.ts';
import { findLoosely } from './loose-match.ts';
import type { LinePair } from './nearest.ts';
import { findNearest } from './nearest.ts';
import { lineAt, quoteLine } from './places.ts';

const maxShown = 3;

/** The EditError for an edit that no place was found for. Texts have LF only. */
export function explainMiss(content: string, oldText: string, newText: string): EditError {
  const edit = toLineEdit(oldText, newText);
  const nearest = findNearest(content, edit.old.lines);
  const done = findLoosely(content, { ...edit, old: edit.new }, { wholeLines: false })[0]?.[0]?.start;
  // A place that is more like old_string says that nothing was applied.
  if (done !== undefined && (nearest === undefined || isAround(nearest, done))) {
    return new EditError(
      'ALREADY_APPLIED',
      `old_string is not in the file, but new_string is (line ${lineAt(content, done)}): the edit was probably applied already. Read the file before you go on.`,
    );
  }
  const where = nearest === undefined ? ' Nothing like it is there: read the file again.' : describeNearest(content, nearest);
  return new EditError('NOT_FOUND', `old_string is not in the file.${where}`);
}

function isAround(nearest: readonly LinePair[], offset: number): boolean {
  return nearest.some(({ file }) => file !== undefined && file.start <= offset && offset <= file.end);
}

/** White space can be seen in what is quoted (G4-11). */
function describeNearest(content: string, pairs: readonly LinePair[]): string {
  const places = pairs.flatMap(({ file }) => (file === undefined ? [] : [file.start]));
  const [first, last] = [Math.min(...places), Math.max(...places)].map((offset) => lineAt(content, offset));
  const same = pairs.filter(({ isSame }) => isSame).length;
  const different = pairs.filter(({ isSame }) => !isSame);
  const shown = different.slice(0, maxShown).map(({ old, file }) => {
    if (file === undefined) return `\nold_string goes on beyond the end of the file: ${quoteLine(old.body)}`;
    return `\nline ${lineAt(content, file.start)} is ${quoteLine(content.slice(file.start, file.end))}, old_string has ${quoteLine(old.indent + old.body)}`;
  });
  const more = different.length > maxShown ? `\n[... ${different.length - maxShown} more lines differ]` : '';
  const place = first === last ? `line ${first}` : `lines ${first}-${last}, of which ${same} of ${pairs.length} are the same`;
  return ` Nearest: ${place}. Copy these lines exactly, without line numbers.${shown.join('')}${more}`;
}
