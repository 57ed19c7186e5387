// Which of the places where old_string stands are meant. Of several it never picks one. Pure.
import { EditError } from './edit-error.ts';
import { lineEnd, lineStart } from './file-lines.ts';
import type { Span } from './places.ts';
import { describeLines, lineAt, quoteLine } from './places.ts';

const maxPlacesShown = 3;

/** The one place, or with `isAll` all of them that do not overlap. Throws when there are several and one is asked for. */
export function choosePlaces<T extends Span>(content: string, places: readonly T[], isAll: boolean): readonly T[] {
  if (places.length > 1 && !isAll) throw notUnique(content, places);
  let end = 0;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

/** Where the places are; when they do not say the same, also how their lines begin, white space and all (G4-11). */
function notUnique(content: string, places: readonly Span[]): EditError {
  const offsets = places.map(({ start }) => start);
  const isSame = places.every(({ start, end }) => content.slice(start, end) === content.slice(places[0]?.start, places[0]?.end));
  const shown = offsets.slice(0, maxPlacesShown);
  const isIndentedAlike = new Set(shown.map((offset) => content.slice(lineStart(content, offset), offset))).size === 1;
  const lines = shown.map((offset) => {
    const line = content.slice(lineStart(content, offset), lineEnd(content, offset));
    return `\nline ${lineAt(content, offset)}: ${quoteLine(line)}`;
  });
  return new EditError(
    'NOT_UNIQUE',
    `old_string is there ${places.length} times (lines ${describeLines(content, offsets)}). Add lines around it until it is there once, or set replace_all.` +
      (isSame && isIndentedAlike ? '' : lines.join('')),
  );
}
