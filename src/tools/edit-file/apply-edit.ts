// Replaces a piece of a text where it must be meant, everywhere when asked to, or not at all. Pure; no package, nothing newer than Node 20.
import type { LineEdit } from './block.ts';
import { toLineEdit } from './block.ts';
import { toChanges } from './changes.ts';
import { EditError } from './edit-error.ts';
import { findExactly } from './exact-match.ts';
import { explainMiss } from './explain-miss.ts';
import { isBlank, lineEnd, lineStart } from './file-lines.ts';
import type { Alignment } from './loose-match.ts';
import { findLoosely } from './loose-match.ts';
import { mergeEdit } from './merge.ts';
import { narrow } from './narrow.ts';
import { findNear } from './near-match.ts';
import { describeLines, lineAt, quoteLine } from './places.ts';
import type { Reading } from './readings.ts';
import { readingsOf } from './readings.ts';
import type { Replacement } from './replacement.ts';
import { splice } from './replacement.ts';
import { refuseSenseless } from './sense.ts';

const maxPlacesShown = 3;
/** Each is looked at line by line. */
const maxLoosePlaces = 10_000;
/** Of the result, in UTF-16 code units: replace_all can multiply a text by a million (F4). */
const maxResultLength = 64 * 1024 * 1024;

export interface EditOptions {
  readonly replaceAll?: boolean | undefined;
}

/** What an edit will do. */
export interface EditPlan {
  /** In ascending order and without overlap; a place may have several. */
  readonly replacements: readonly Replacement[];
  readonly places: number;
  /** How old_string was found when it is not in the file as given, in words for the model. */
  readonly note?: string;
}

/**
 * `content` with `oldString` replaced by `newString`, both taken literally. Every character outside the edit stays.
 * Throws an EditError whose message tells the model how to mend the call; when in doubt it refuses.
 */
export function applyEdit(content: string, oldString: string, newString: string, options: EditOptions = {}): string {
  return splice(content, planEdit(content, oldString, newString, options).replacements);
}

/** What `applyEdit` will do. Throws as it does. */
export function planEdit(content: string, oldText: string, newText: string, options: EditOptions = {}): EditPlan {
  // A byte order mark belongs to the file, not to its first line; nobody can mean to change it (G4-07).
  const oldString = withoutByteOrderMark(oldText);
  const newString = withoutByteOrderMark(newText);
  refuseSenseless(oldString, newString);
  if (content.includes('\r') && !content.includes('\n'))
    return planWithCarriageReturns(content, { oldString, newString, options });
  const isAll = options.replaceAll === true;
  const plan = planExact(content, { oldString, newString, isAll }) ?? planLoose(content, { oldString, newString, isAll });
  if (plan === undefined) throw explainMiss(content, withLineFeeds(oldString), withLineFeeds(newString));
  refuseHuge(content, plan.replacements);
  return plan;
}

/** A file whose lines end in a carriage return alone is edited as if they ended in a line feed; that changes no offset. */
function planWithCarriageReturns(
  content: string,
  { oldString, newString, options }: { readonly oldString: string; readonly newString: string; readonly options: EditOptions },
): EditPlan {
  const plan = planEdit(content.replaceAll('\r', '\n'), withLineFeeds(oldString), withLineFeeds(newString), options);
  return { ...plan, replacements: plan.replacements.map((each) => ({ ...each, text: each.text.replaceAll('\n', '\r') })) };
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

interface Asked {
  readonly oldString: string;
  readonly newString: string;
  readonly isAll: boolean;
}

function planExact(content: string, asked: Asked): EditPlan | undefined {
  const { oldString, newString, isAll } = asked;
  const places = findExactly(content, oldString, newString);
  if (places.length === 0) return undefined;
  const chosen = choose(content, places, isAll);
  refuseHuge(content, chosen);
  const replacements = narrow(content, chosen);
  if (replacements.every(({ start, end, text }) => content.slice(start, end) === text)) {
    throw new EditError(
      'LINE_ENDS_ONLY',
      'old_string and new_string differ in line ends only; line ends follow the file. Use bash to change them.',
    );
  }
  const plan = { replacements, places: chosen.length };
  return chosen.some((place) => cutsIndentation(content, place, asked)) ? { ...plan, note: furtherOut } : plan;
}

const furtherOut = 'lines of new_string stand further out than the first, which old_string gave without all of its indentation';

/** Whether one line, given without all of its indentation, becomes several that do not have it either: in Python that is another block. */
function cutsIndentation(content: string, { start }: Place, { oldString, newString }: Asked): boolean {
  const top = lineStart(content, start);
  const more = newString.split('\n').slice(1);
  if (oldString.trim().includes('\n') || more.length === 0 || top === start || !isBlank(content, top, start)) return false;
  const indent = content.slice(top, start) + (/^[ \t]*/.exec(oldString)?.[0] ?? '');
  return more.some((line) => line.trim() !== '' && !line.startsWith(indent));
}

/** Where old_string is not as given: first what differs in form only, in every reading; then, for one place, slips in lines that stay. */
function planLoose(content: string, { oldString, newString, isAll }: Asked): EditPlan | undefined {
  const readings = readingsOf(content, oldString.replaceAll('\r\n', '\n'), newString.replaceAll('\r\n', '\n'));
  for (const reading of readings) {
    const edit = toLineEdit(reading.old, reading.new);
    const places = findLoosely(content, edit, reading);
    if (places.length > 0) return merged(content, { reading, places, isAll });
  }
  // The last one has everything undone that could be.
  const clearest = new Set([readings[0], readings.at(-1)].flatMap((reading) => reading ?? []));
  for (const reading of isAll ? [] : clearest) {
    const edit = toLineEdit(reading.old, reading.new);
    const place = findNear(content, edit, toChanges(edit));
    if (place !== undefined) return merged(content, { reading, places: [place], isAll });
  }
  return undefined;
}

function merged(
  content: string,
  { reading, places, isAll }: { readonly reading: Reading; readonly places: readonly Alignment[]; readonly isAll: boolean },
): EditPlan {
  const edit = toLineEdit(reading.old, reading.new);
  const changes = toChanges(edit);
  if (changes.length === 0) {
    throw new EditError('IDENTICAL', 'old_string and new_string say the same: nothing would change.');
  }
  if (places.length > maxLoosePlaces) {
    throw new EditError(
      'TOO_LARGE',
      `old_string is there ${places.length} times, not as it is given. Give it exactly, or use bash.`,
    );
  }
  const chosen = choose(content, places.map(toPlace), isAll);
  refuseDone(content, edit, chosen);
  const replacements = chosen.flatMap(({ place }) => mergeEdit({ content, edit, changes, place }));
  if (replacements.every(({ start, end, text }) => content.slice(start, end) === text)) refuseNothing();
  const how = reading.undone.length === 0 ? 'old_string is no exact copy' : `without ${reading.undone.join(', ')}`;
  return { replacements, places: chosen.length, note: `${how}; lines that the edit leaves alone are as they were` };
}

/** What the edit would bring stands around the place already: the same edit again would double it (G4-25). */
function refuseDone(content: string, edit: LineEdit, places: readonly { readonly start: number; readonly end: number }[]): void {
  if (edit.new.lines.length <= edit.old.lines.length) return;
  const done = findLoosely(content, { ...edit, old: edit.new }, { wholeLines: true }).map(toPlace);
  if (done.some((wide) => places.some((place) => wide.start <= place.start && place.end <= wide.end))) refuseNothing();
}

function refuseNothing(): never {
  throw new EditError(
    'ALREADY_APPLIED',
    'the file has what new_string says already: nothing would change. Read the file before you go on.',
  );
}

function toPlace(place: Alignment): { readonly start: number; readonly end: number; readonly place: Alignment } {
  return { start: place[0]?.start ?? 0, end: place.at(-1)?.end ?? 0, place };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** The one place, or with `isAll` all of them that do not overlap. Throws when there are several and one is asked for. */
function choose<T extends Place>(content: string, places: readonly T[], isAll: boolean): readonly T[] {
  if (places.length > 1 && !isAll) throw notUnique(content, places);
  let end = 0;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

/** Where the places are; when they do not say the same, also how their lines begin, white space and all (G4-11). */
function notUnique(content: string, places: readonly Place[]): EditError {
  const offsets = places.map(({ start }) => start);
  const isSame = places.every(({ start, end }) => content.slice(start, end) === content.slice(places[0]?.start, places[0]?.end));
  const isIndentedAlike =
    new Set(offsets.slice(0, maxPlacesShown).map((offset) => content.slice(lineStart(content, offset), offset))).size === 1;
  const shown = offsets
    .slice(0, maxPlacesShown)
    .map(
      (offset) =>
        `\nline ${lineAt(content, offset)}: ${quoteLine(content.slice(lineStart(content, offset), lineEnd(content, offset)))}`,
    );
  return new EditError(
    'NOT_UNIQUE',
    `old_string is there ${places.length} times (lines ${describeLines(content, offsets)}). Add lines around it until it is there once, or set replace_all.` +
      (isSame && isIndentedAlike ? '' : shown.join('')),
  );
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function refuseHuge(content: string, replacements: readonly Replacement[]): void {
  const length = replacements.reduce((sum, { start, end, text }) => sum + text.length - (end - start), content.length);
  if (length <= maxResultLength) return;
  throw new EditError('TOO_LARGE', `the result would have ${length} characters, over the ${maxResultLength} allowed.`);
}
