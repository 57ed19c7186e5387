// What the model may have meant by its two strings beside what they say: texts copied with line numbers, in a fence, as a patch, or escaped
// once too often. Safe because each is undone as a whole, in both strings alike, and must then stand in the file at one place. Pure.
import type { EditTexts } from './block.ts';
import { anyEscape, codeEscape, quoteEscape, withoutEntities, withoutEscapes } from './escapes.ts';
import { withoutNumbers } from './line-numbers.ts';

/** The two strings of an edit as they may be meant. */
export interface Reading extends EditTexts {
  /** The text was lines of a listing: it begins and ends where lines do. */
  readonly wholeLines: boolean;
  /** What was undone, in words for the model; none in the strings as given. */
  readonly undone: readonly string[];
}

interface Undo {
  readonly what: string;
  readonly wholeLines: boolean;
  /** The texts without it, or undefined when they have it not. */
  readonly undo: (texts: EditTexts, content: string) => EditTexts | undefined;
}

/** In the order in which a text gets them: what is around lines, what is before each, what is within. */
const undos: readonly Undo[] = [
  { what: 'a code fence', wholeLines: true, undo: withoutFence },
  { what: 'line numbers', wholeLines: true, undo: withoutNumbers },
  { what: 'quote marks', wholeLines: true, undo: (texts) => withoutMarks(texts, /^[>|](?: |$)/, /^[>|](?: |$)/) },
  { what: 'HTML entities', wholeLines: false, undo: withoutEntities },
  { what: 'a level of backslashes', wholeLines: false, undo: (texts) => withoutEscapes(texts, anyEscape) },
  { what: 'backslashes before quotes', wholeLines: false, undo: (texts) => withoutEscapes(texts, quoteEscape) },
  { what: 'escapes by code', wholeLines: false, undo: (texts) => withoutEscapes(texts, codeEscape) },
  { what: 'another form of accents', wholeLines: false, undo: (texts) => inForm(texts, 'NFC') },
  { what: 'another form of accents', wholeLines: false, undo: (texts) => inForm(texts, 'NFD') },
];

/** All readings, the plainest first; those of most strings are one. `content` tells what a listing's marks are. */
export function readingsOf(content: string, texts: EditTexts): readonly Reading[] {
  const asGiven: Reading = { ...texts, wholeLines: false, undone: [] };
  // The lines of a patch must not be read as lines with a blank too many.
  const patch = withoutPatchMarks(asGiven);
  const readings: Reading[] =
    patch === undefined ? [asGiven] : [{ ...patch, wholeLines: true, undone: ["a patch's marks"] }, asGiven];
  for (const { what, wholeLines, undo } of undos) {
    for (const reading of [...readings]) {
      const undone = undo(reading, content);
      if (undone === undefined || undone.old === reading.old) continue;
      readings.push({ ...undone, wholeLines: wholeLines || reading.wholeLines, undone: [...reading.undone, what] });
    }
  }
  return readings;
}

/** Both wrapped in a code fence; a new_string without one is code all the same. */
function withoutFence(texts: EditTexts): EditTexts | undefined {
  const old = insideFence(texts.old);
  return old === undefined ? undefined : { old, new: insideFence(texts.new) ?? texts.new };
}

function insideFence(text: string): string | undefined {
  const lines = text.trim().split('\n');
  const fence = /^(?:`{3,}|~{3,})/.exec(lines[0] ?? '')?.[0];
  return fence !== undefined && lines.length > 2 && lines.at(-1)?.trim() === fence ? lines.slice(1, -1).join('\n') : undefined;
}

/** Lines of a unified patch: ` ` and `-` before those of old_string, ` ` and `+` before those of new_string, at least one of them marked. */
function withoutPatchMarks(texts: EditTexts): EditTexts | undefined {
  const isMarked = /^-/m.test(texts.old) || /^\+/m.test(texts.new);
  return isMarked ? withoutMarks(texts, /^(?:[ -]|$)/, /^(?:[ +]|$)/) : undefined;
}

function withoutMarks(texts: EditTexts, oldMark: RegExp, newMark: RegExp): EditTexts | undefined {
  const [old, wanted] = [texts.old.split('\n'), texts.new.split('\n')];
  const isMarked = (lines: readonly string[], mark: RegExp) =>
    lines.every((line, index) => mark.test(line) || (line === '' && index === lines.length - 1));
  if (!isMarked(old, oldMark) || !isMarked(wanted, newMark)) return undefined;
  return {
    old: old.map((line) => line.replace(oldMark, '')).join('\n'),
    new: wanted.map((line) => line.replace(newMark, '')).join('\n'),
  };
}

function inForm(texts: EditTexts, form: 'NFC' | 'NFD'): EditTexts {
  return { old: texts.old.normalize(form), new: texts.new.normalize(form) };
}
