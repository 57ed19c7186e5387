// The refusal of an edit whose place is found, but not what the edit means there. Pure.
import { EditError } from './edit-error.ts';
import { lineEnd, lineStart } from './file-lines.ts';
import type { PlacedEdit } from './placed-edit.ts';
import { lineAt, quoteLine } from './places.ts';

const maxShown = 12;

/** Throws an EditError with the lines of the place as they are, to be copied. `why`: a clause. */
export function refuseUnclear({ content, place }: Pick<PlacedEdit, 'content' | 'place'>, why: string): never {
  const [start, end] = [place[0]?.start ?? 0, place.at(-1)?.end ?? 0];
  const lines = content.slice(lineStart(content, start), lineEnd(content, end)).split('\n');
  const [first, last] = [lineAt(content, start), lineAt(content, end)];
  const where = first === last ? `Line ${first} is` : `Lines ${first}-${last} are`;
  const shown = lines.slice(0, maxShown).map((line, index) => `\nline ${first + index}: ${quoteLine(line)}`);
  const more = lines.length > maxShown ? `\n[... and ${lines.length - maxShown} more lines]` : '';
  throw new EditError(
    'UNCLEAR',
    `old_string is not in the file as it is given. ${where} nearly it, but ${why}. Copy old_string exactly from there:${shown.join('')}${more}`,
  );
}

/** The same, where the lines that a change needs for itself are not so in the file. */
export function refuseLayout(place: Pick<PlacedEdit, 'content' | 'place'>): never {
  return refuseUnclear(place, 'the lines to change lie differently there');
}
