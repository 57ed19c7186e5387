// Replaces a piece of a text where it must be meant, everywhere when asked to, or not at all. Pure; no package, nothing newer than Node 20.
import { EditError } from './edit-error.ts';
import { explainMiss } from './explain-miss.ts';
import type { Replacement } from './levels.ts';
import { levels } from './levels.ts';
import { narrow } from './narrow.ts';
import { findPlaceholder } from './placeholder.ts';
import { describeLines } from './places.ts';

/** Of the result, in UTF-16 code units: replace_all can multiply a text by a million (F4). */
const maxResultLength = 64 * 1024 * 1024;

export interface EditOptions {
  readonly replaceAll?: boolean | undefined;
}

/**
 * `content` with `oldString` replaced by `newString`, both taken literally. Every character outside the edit stays.
 * Throws an EditError whose message tells the model how to mend the call; when in doubt it refuses.
 */
export function applyEdit(content: string, oldString: string, newString: string, options: EditOptions = {}): string {
  return splice(content, planEdit(content, oldString, newString, options));
}

/** What `applyEdit` will do, in ascending order and without overlap. Throws as it does. */
export function planEdit(content: string, oldText: string, newText: string, options: EditOptions = {}): readonly Replacement[] {
  // A byte order mark belongs to the file, not to its first line; nobody can mean to change it (G4-07).
  const oldString = withoutByteOrderMark(oldText);
  const newString = withoutByteOrderMark(newText);
  refuseSenseless(oldString, newString);
  const places = findPlaces(content, oldString, newString);
  if (places.length === 0) throw explainMiss(content, oldString, newString);
  if (places.length > 1 && options.replaceAll !== true) {
    const lines = describeLines(
      content,
      places.map(({ start }) => start),
    );
    throw new EditError(
      'NOT_UNIQUE',
      `old_string is there ${places.length} times (lines ${lines}). Add lines around it until it is there once, or set replace_all.`,
    );
  }
  const chosen = narrow(content, refuseHuge(content, withoutOverlap(places)));
  if (chosen.every(({ start, end, text }) => content.slice(start, end) === text)) {
    throw new EditError(
      'LINE_ENDS_ONLY',
      'old_string and new_string differ in line ends only; line ends follow the file. Use bash to change them.',
    );
  }
  return chosen;
}

/** `content` with ascending replacements done. */
export function splice(content: string, replacements: readonly Replacement[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(content.slice(at, start), text);
    at = end;
  }
  return pieces.concat(content.slice(at)).join('');
}

function refuseSenseless(oldString: string, newString: string): void {
  if (oldString === '') {
    throw new EditError(
      'EMPTY_OLD_STRING',
      'old_string is empty. Give the text to replace; to make or fill a file use write_file.',
    );
  }
  if (oldString === newString) throw new EditError('IDENTICAL', 'old_string and new_string are identical: nothing would change.');
  const placeholder = findPlaceholder(oldString, newString);
  if (placeholder !== undefined) {
    throw new EditError(
      'PLACEHOLDER',
      `new_string holds "${placeholder}", which would stand in the file instead of the code. Write the code out, or edit a smaller part.`,
    );
  }
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function refuseHuge(content: string, replacements: readonly Replacement[]): readonly Replacement[] {
  const length = replacements.reduce((sum, { start, end, text }) => sum + text.length - (end - start), content.length);
  if (length <= maxResultLength) return replacements;
  throw new EditError('TOO_LARGE', `the result would have ${length} characters, over the ${maxResultLength} allowed.`);
}

function findPlaces(content: string, oldString: string, newString: string): readonly Replacement[] {
  for (const level of levels) {
    const places = level(content, oldString, newString);
    if (places.length > 0) return places;
  }
  return [];
}

function withoutOverlap(places: readonly Replacement[]): readonly Replacement[] {
  let end = 0;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}
