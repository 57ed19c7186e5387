// Why old_string is not in the file, in words that help the model to mend the call. Chooses no place and changes nothing. Pure.
import type { BlockLine, EditTexts } from './block.ts';
import { toLineEdit } from './block.ts';
import { EditError } from './edit-error.ts';
import { findLoosely } from './loose-match.ts';
import type { LinePair } from './nearest.ts';
import { findNearest } from './nearest.ts';
import { lineAt, quoteLine } from './places.ts';

const maxShown = 3;

/** The EditError for an edit that no place was found for. Texts have LF only. */
export function explainMiss(content: string, texts: EditTexts): EditError {
  const edit = toLineEdit(texts);
  if (edit.old.lines.length === 0) {
    return new EditError(
      'NOT_FOUND',
      'old_string is white space that the file has not. Give it with a line of text before or after it.',
    );
  }
  const nearest = findNearest(content, edit.old.lines);
  const [done, more] = findLoosely(content, { ...edit, old: edit.new }, { wholeLines: false }).map(
    (place) => place[0]?.start ?? 0,
  );
  // A place that is more like old_string says that nothing was applied.
  if (done !== undefined && more === undefined && (nearest === undefined || isAround(nearest, done))) {
    return new EditError(
      'ALREADY_APPLIED',
      `old_string is not in the file, but new_string is (line ${lineAt(content, done)}): if you made this edit before, it is done; else read the file again.`,
    );
  }
  const where = nearest === undefined ? ' Nothing like it is there: read the file again.' : describeNearest(content, nearest);
  return new EditError('NOT_FOUND', `old_string is not in the file.${describeGap(edit.old.lines)}${where}`);
}

/** Models leave lines out as people do. */
function describeGap(lines: readonly BlockLine[]): string {
  const gap = lines.find(({ body }) => /^(?:\W*)(?:\.{3}|…)/.test(body));
  return gap === undefined ? '' : ` It leaves lines out (${quoteLine(gap.body)}), which must be written out.`;
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
  return ` Nearest: ${place}. If they are meant, give them as they are in the file:${shown.join('')}${more}`;
}
