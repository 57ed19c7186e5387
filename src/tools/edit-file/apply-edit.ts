// Replaces a piece of a text where it must be meant, everywhere when asked to, or not at all. Pure; no package, nothing newer than Node 20.
import type { EditTexts, LineEdit } from './block.ts';
import { toLineEdit } from './block.ts';
import { toChanges } from './changes.ts';
import { choosePlaces } from './choose-places.ts';
import { EditError } from './edit-error.ts';
import { findExactly } from './exact-match.ts';
import { explainMiss } from './explain-miss.ts';
import { isBlank, lineStart } from './file-lines.ts';
import type { Alignment } from './loose-match.ts';
import { findLoosely } from './loose-match.ts';
import { mergeEdit } from './merge-edit.ts';
import { narrow } from './narrow-replacements.ts';
import { findNear } from './near-match.ts';
import type { PlacedEdit } from './placed-edit.ts';
import type { Span } from './places.ts';
import type { Reading } from './readings.ts';
import { readingsOf } from './readings.ts';
import { refuseSenseless } from './refuse-senseless.ts';
import type { Replacement } from './replacement.ts';
import { splice } from './replacement.ts';

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
export function planEdit(content: string, oldString: string, newString: string, options: EditOptions = {}): EditPlan {
  // A byte order mark belongs to the file, not to its first line; nobody can mean to change it (G4-07).
  const texts: EditTexts = { old: withoutByteOrderMark(oldString), new: withoutByteOrderMark(newString) };
  refuseSenseless(texts.old, texts.new);
  if (content.includes('\r') && !content.includes('\n')) return planWithCarriageReturns(content, texts, options);
  const isAll = options.replaceAll === true;
  const exact = planExact(content, texts, isAll);
  if (exact !== undefined) return exact;
  const readings = readingsOf(
    content,
    mapTexts(texts, (text) => text.replaceAll('\r\n', '\n')),
  );
  const plan = planLoose(content, readings, isAll) ?? (isAll ? undefined : planNear(content, readings));
  if (plan === undefined) throw explainMiss(content, mapTexts(texts, withLineFeeds));
  return plan;
}

/** A file whose lines end in a carriage return alone is edited as if they ended in a line feed; that changes no offset. */
function planWithCarriageReturns(content: string, texts: EditTexts, options: EditOptions): EditPlan {
  const plan = planEdit(content.replaceAll('\r', '\n'), withLineFeeds(texts.old), withLineFeeds(texts.new), options);
  return { ...plan, replacements: plan.replacements.map((each) => ({ ...each, text: each.text.replaceAll('\n', '\r') })) };
}

function mapTexts({ old, new: wanted }: EditTexts, change: (text: string) => string): EditTexts {
  return { old: change(old), new: change(wanted) };
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Where old_string is as given, line ends aside. */
function planExact(content: string, texts: EditTexts, isAll: boolean): EditPlan | undefined {
  const places = findExactly(content, texts.old, texts.new);
  if (places.length === 0) return undefined;
  const chosen = choosePlaces(content, places, isAll);
  refuseHuge(content, chosen);
  const replacements = narrow(content, chosen);
  if (isNothing(content, replacements)) {
    throw new EditError(
      'LINE_ENDS_ONLY',
      'old_string and new_string differ in line ends only; line ends follow the file. Use bash to change them.',
    );
  }
  const plan = { replacements, places: chosen.length };
  return chosen.some((place) => cutsIndentation(content, place, texts)) ? { ...plan, note: furtherOut } : plan;
}

const furtherOut = 'lines of new_string stand further out than the first, which old_string gave without all of its indentation';

/** Whether one line, given without all of its indentation, becomes several that do not have it either: in Python that is another block. */
function cutsIndentation(content: string, { start }: Span, { old, new: wanted }: EditTexts): boolean {
  const top = lineStart(content, start);
  const more = wanted.split('\n').slice(1);
  if (old.trim().includes('\n') || more.length === 0 || top === start || !isBlank(content, top, start)) return false;
  const indent = content.slice(top, start) + (/^[ \t]*/.exec(old)?.[0] ?? '');
  return more.some((line) => line.trim() !== '' && !line.startsWith(indent));
}

/** Where old_string is not as given, but differs in form only; the first reading that is there counts. */
function planLoose(content: string, readings: readonly Reading[], isAll: boolean): EditPlan | undefined {
  for (const reading of readings) {
    const edit = toLineEdit(reading);
    const places = findLoosely(content, edit, reading);
    if (places.length > 0) return planMerged({ content, edit, changes: toChanges(edit) }, { reading, places, isAll });
  }
  return undefined;
}

/** The one place where old_string is but for slips in lines that stay; as given, or with everything undone that could be. */
function planNear(content: string, readings: readonly Reading[]): EditPlan | undefined {
  for (const reading of new Set([readings[0], readings.at(-1)].flatMap((each) => each ?? []))) {
    const edit = toLineEdit(reading);
    const changes = toChanges(edit);
    const place = findNear(content, edit, changes);
    if (place !== undefined) return planMerged({ content, edit, changes }, { reading, places: [place], isAll: false });
  }
  return undefined;
}

interface Found {
  readonly reading: Reading;
  readonly places: readonly Alignment[];
  readonly isAll: boolean;
}

function planMerged(asked: Omit<PlacedEdit, 'place'>, { reading, places, isAll }: Found): EditPlan {
  const { content, edit, changes } = asked;
  if (changes.length === 0) {
    throw new EditError('IDENTICAL', 'old_string and new_string say the same: nothing would change.');
  }
  if (places.length > maxLoosePlaces) {
    throw new EditError(
      'TOO_LARGE',
      `old_string is there ${places.length} times, not as it is given. Give it exactly, or use bash.`,
    );
  }
  const chosen = choosePlaces(content, places.map(toSpan), isAll);
  refuseDone(content, edit, chosen);
  const replacements = chosen.flatMap(({ place }) => mergeEdit({ ...asked, place }));
  if (isNothing(content, replacements)) refuseNothing();
  refuseHuge(content, replacements);
  const how = reading.undone.length === 0 ? 'old_string is no exact copy' : `without ${reading.undone.join(', ')}`;
  return { replacements, places: chosen.length, note: `${how}; lines that the edit leaves alone are as they were` };
}

function toSpan(place: Alignment): Span & { readonly place: Alignment } {
  return { start: place[0]?.start ?? 0, end: place.at(-1)?.end ?? 0, place };
}

/** What the edit would bring stands around the place already: the same edit again would double it (G4-25). */
function refuseDone(content: string, edit: LineEdit, places: readonly Span[]): void {
  if (edit.new.lines.length <= edit.old.lines.length) return;
  const done = findLoosely(content, { ...edit, old: edit.new }, { wholeLines: true }).map(toSpan);
  if (done.some((wide) => places.some((place) => wide.start <= place.start && place.end <= wide.end))) refuseNothing();
}

function refuseNothing(): never {
  throw new EditError(
    'ALREADY_APPLIED',
    'the file has what new_string says already: nothing would change. Read the file before you go on.',
  );
}

function isNothing(content: string, replacements: readonly Replacement[]): boolean {
  return replacements.every(({ start, end, text }) => content.slice(start, end) === text);
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function refuseHuge(content: string, replacements: readonly Replacement[]): void {
  const length = replacements.reduce((sum, { start, end, text }) => sum + text.length - (end - start), content.length);
  if (length <= maxResultLength) return;
  throw new EditError('TOO_LARGE', `the result would have ${length} characters, over the ${maxResultLength} allowed.`);
}
