// An edit laid over the place that was found: only what the model changed is written, every other byte of the place stays the file's. Pure.
import type { LineChange, RunChange } from './changes.ts';
import { blanksBefore } from './changes.ts';
import { isBlank, lineEnd, lineStart, skipBlanksAfter, skipBlanksBefore } from './file-lines.ts';
import { toIndentPairs } from './indent-pairs.ts';
import { createLineEndFinder } from './line-ends.ts';
import type { Alignment } from './loose-match.ts';
import type { PlacedEdit } from './placed-edit.ts';
import type { Span } from './places.ts';
import { refuseOtherLines } from './refuse-other-lines.ts';
import { refuseLayout } from './refuse-unclear.ts';
import { renderChanges } from './render-changes.ts';
import type { Replacement } from './replacement.ts';

/** The replacements that do the edit there. Throws an EditError where the file's lines do not lie as the changes need them. */
export function mergeEdit(placed: PlacedEdit): readonly Replacement[] {
  const { content, changes, edit, place } = placed;
  const pairs = toIndentPairs(placed);
  const rendered = renderChanges(placed, pairs);
  const runs = changes.map((change) => (change.kind === 'run' ? change : asRun(change)));
  for (const run of runs) requireOwnLines(placed, run);
  refuseOtherLines(placed, pairs, runs);
  const lineEndAt = createLineEndFinder(content);
  return runs.map((run, index) => {
    const lines = rendered[index] ?? [];
    const lineBreak = lineEndAt(place[Math.max(0, run.oldFrom - 1)]?.start ?? 0) ?? '\n';
    if (changes[index]?.kind === 'line') return replaceLines(placed, run, { lines, lineBreak, lead: 0, trail: 0 });
    if (run.oldFrom === run.oldTo) return insertLines(placed, run, { lines, lineBreak });
    if (lines.length === 0) return removeLines(placed, run, lineBreak);
    const lead = blanksBefore(edit.new, run.newFrom) - blanksBefore(edit.old, run.oldFrom);
    const trail = blanksBefore(edit.new, run.newTo) - blanksBefore(edit.old, run.oldTo);
    return replaceLines(placed, run, { lines, lineBreak, lead, trail });
  });
}

function asRun({ old, new: wanted }: LineChange): RunChange {
  return { kind: 'run', oldFrom: old, oldTo: old + 1, newFrom: wanted, newTo: wanted + 1 };
}

interface NewText {
  readonly lines: readonly string[];
  readonly lineBreak: string;
}

/** A new text with how many blank lines come, or go, before and after it. */
interface SpacedText extends NewText {
  readonly lead: number;
  readonly trail: number;
}

/**
 * A change needs the lines that it touches, and its neighbours, for itself: nothing of the file between them, no other line on theirs.
 * Only the first line of old_string may begin, and its last one end, within a line of the file.
 */
function requireOwnLines({ content, place }: PlacedEdit, { oldFrom, oldTo }: RunChange): void {
  const touched = place.slice(Math.max(0, oldFrom - 1), oldTo + 1);
  touched.forEach(({ end }, index) => {
    const next = touched[index + 1];
    if (next === undefined) return;
    const gap = content.slice(end, next.start);
    if (!isBlank(gap, 0, gap.length) || !gap.includes('\n')) refuseLayout({ content, place });
  });
}

function replaceLines(
  { content, edit, place }: PlacedEdit,
  { oldFrom, oldTo }: RunChange,
  { lines, lineBreak, lead, trail }: SpacedText,
): Replacement {
  const [first, last] = [spanAt(place, oldFrom), spanAt(place, oldTo - 1)];
  const [top, bottom] = [lineStart(content, first.start), lineEnd(content, last.end)];
  const startsLine = isBlank(content, top, first.start);
  // One line, or a piece of it, that nobody quoted to its end leaves the blanks after it.
  const [only, ...others] = edit.old.lines;
  const isPiece = others.length === 0 && only?.trailing === '' && !edit.isClosed && trail === 0;
  const endsLine = !isPiece && isBlank(content, last.end, bottom);
  if ((!startsLine && lead !== 0) || (!endsLine && trail !== 0)) refuseLayout({ content, place });
  return {
    start: startsLine ? skipBlanksBefore(content, withoutMark(content, top), Math.max(0, -lead)) : first.start,
    end: endsLine ? skipBlanksAfter(content, bottom, Math.max(0, -trail)).offset : last.end,
    text: lineBreak.repeat(Math.max(0, lead)) + lines.join(lineBreak) + lineBreak.repeat(Math.max(0, trail)),
  };
}

/**
 * Blank lines alone may be inserted, or taken away, too. They go after the line before, and so do new lines unless the blank lines that
 * old_string has there are before them in new_string: then, and at the top, they go before the line after.
 */
function insertLines(placed: PlacedEdit, run: RunChange, text: NewText): Replacement {
  const { edit, place, changes } = placed;
  const { oldFrom, newFrom, newTo } = run;
  const [lead, trail] = [blanksBefore(edit.new, newFrom), text.lines.length === 0 ? 0 : blanksBefore(edit.new, newTo)];
  const believed = blanksBefore(edit.old, oldFrom);
  const spaced = { ...text, lead, trail, believed };
  const isChanged = (index: number) => changes.some((change) => change.kind === 'line' && change.old === index);
  // The file may have more blank lines there than both strings: what changes stays together.
  const isNextTo = trail !== believed || (isChanged(oldFrom) && !isChanged(oldFrom - 1));
  const isBefore = place[oldFrom] !== undefined && text.lines.length > 0 && lead === believed && isNextTo;
  return oldFrom === 0 || isBefore ? insertBefore(placed, oldFrom, spaced) : insertAfter(placed, oldFrom - 1, spaced);
}

/** `believed`: the blank lines that old_string has where the text goes. */
interface InsertedText extends SpacedText {
  readonly believed: number;
}

function insertAfter(
  { content, place }: PlacedEdit,
  index: number,
  { lines, lineBreak, lead, trail, believed }: InsertedText,
): Replacement {
  const before = spanAt(place, index);
  const end = lineEnd(content, before.end);
  if (!isBlank(content, before.end, end)) refuseLayout({ content, place });
  const more = (lines.length === 0 ? lead : trail) - believed;
  const blanks = lines.length === 0 ? 0 : lead;
  const text = lineBreak.repeat(blanks) + lines.map((line) => lineBreak + line).join('') + lineBreak.repeat(Math.max(0, more));
  return { start: end, end: skipBlanksAfter(content, end, Math.max(0, -more)).offset, text };
}

function insertBefore(
  { content, place }: PlacedEdit,
  index: number,
  { lines, lineBreak, lead, trail, believed }: InsertedText,
): Replacement {
  const after = spanAt(place, index);
  const top = lineStart(content, after.start);
  if (!isBlank(content, top, after.start)) refuseLayout({ content, place });
  const more = lead - believed;
  const text = lineBreak.repeat(Math.max(0, more)) + lines.map((line) => line + lineBreak).join('') + lineBreak.repeat(trail);
  const start = withoutMark(content, top);
  return { start: skipBlanksBefore(content, start, Math.max(0, -more)), end: start, text };
}

function removeLines({ content, edit, place }: PlacedEdit, { oldFrom, oldTo, newTo }: RunChange, lineBreak: string): Replacement {
  const more = blanksBefore(edit.new, newTo) - blanksBefore(edit.old, oldFrom) - blanksBefore(edit.old, oldTo);
  const [first, last] = [spanAt(place, oldFrom), spanAt(place, oldTo - 1)];
  const [top, bottom] = [lineStart(content, first.start), lineEnd(content, last.end)];
  if (!isBlank(content, top, first.start) || !isBlank(content, last.end, bottom)) refuseLayout({ content, place });
  const below = skipBlanksAfter(content, bottom, Math.min(Math.max(0, -more), blanksBefore(edit.old, oldTo)));
  const start = skipBlanksBefore(content, withoutMark(content, top), Math.max(0, -more - below.count));
  const newline = content.indexOf('\n', below.offset);
  const text = lineBreak.repeat(Math.max(0, more));
  if (newline !== -1 || start === 0) return { start, end: newline === -1 ? content.length : newline + 1, text };
  // The last line of a file without a final newline takes the line end before it along.
  return { start: lineEnd(content, start - 1), end: content.length, text };
}

/** A byte order mark belongs to the file, not to its first line. */
function withoutMark(content: string, offset: number): number {
  return offset === 0 && content.startsWith('\uFEFF') ? 1 : offset;
}

function spanAt(place: Alignment, index: number): Span {
  const span = place[index];
  if (span === undefined) throw new RangeError(`no span ${index} of ${place.length}`);
  return span;
}
