// A place that is old_string but for a slip of the pen in lines that the edit leaves alone. Safe because the lines to change must be there
// as the model believes, nearly all others too, no other place may be even half as like, and the file's own lines stay. Pure.
import type { LineEdit } from './block.ts';
import type { Change } from './changes.ts';
import { touches } from './changes.ts';
import { isWordCode, keyOf } from './fold.ts';
import type { Alignment } from './loose-match.ts';
import type { Span } from './places.ts';
import type { FileLine, Seed } from './seeds.ts';
import { FileLines, findSeeds } from './seeds.ts';
import type { Slip } from './slips.ts';
import { differInQuotesOnly, slipOf } from './slips.ts';

/** Fewer lines do not say where they belong once one of them is wrong. */
const minLines = 3;
/** A shorter line is everywhere. */
const minSeedChars = 8;
/** One slip is forgiven, and another for each so many lines more. */
const linesPerSlip = 4;
/** Of what the place has of old_string: another one that has so much of it could be meant as well. */
const rivalShare = 0.5;
/** Lines that were one, or are one, in the other text. */
const maxJoined = 5;

/** The one place that can be meant, or undefined. */
export function findNear(content: string, edit: LineEdit, changes: readonly Change[]): Alignment | undefined {
  const { lines } = edit.old;
  if (lines.length < minLines) return undefined;
  const fileLines = new FileLines(content);
  const search: Search = {
    content,
    fileLines,
    keys: lines.map(({ body }) => keyOf(body)),
    isChanged: lines.map((_line, index) => changes.some((change) => touches(change, index))),
    isKnown: (word) => hasWord(content, word),
  };
  const seeds = findSeeds({ content, lines, fileLines, minChars: minSeedChars });
  const places = new Map<number, Grown>();
  for (const seed of seeds) {
    const grown = growPlace(search, seed);
    if (grown !== undefined) places.set(grown.place[0]?.start ?? 0, grown);
  }
  const [grown] = places.values();
  if (grown === undefined || places.size > 1) return undefined;
  const isOther = ({ index, line }: Seed) => grown.place[index]?.start !== bodyOf(content, line).start;
  const hasRival = seeds.some((seed) => isOther(seed) && copiedAt(search, seed) >= grown.copied * rivalShare);
  return hasRival ? undefined : grown.place;
}

/** A place, and how much of old_string it has without a slip, in characters of its lines. */
interface Grown {
  readonly place: Alignment;
  readonly copied: number;
}

interface Search {
  readonly content: string;
  readonly fileLines: FileLines;
  /** Of the old lines. */
  readonly keys: readonly string[];
  readonly isChanged: readonly boolean[];
  readonly isKnown: (word: string) => boolean;
}

/** What one step from a line to the next finds: the old lines from…to stand in the file's first…last, with what slip. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly first: FileLine;
  readonly last: FileLine;
  readonly slip: StepSlip | undefined;
}

/** One in a line, or in how lines are broken, or a whole line left out. */
type StepSlip = Slip | 'line' | 'width' | 'newlines';

function growPlace(search: Search, { index, line }: Seed): Grown | undefined {
  const isCopied = line.key === search.keys[index];
  if (!isCopied && search.isChanged[index] === true) return undefined;
  const steps = [
    growFrom(search, { at: index + 1, from: line, direction: 1 }),
    growFrom(search, { at: index - 1, from: line, direction: -1 }),
  ];
  const found = steps.flatMap((each) => each ?? []);
  if (steps.includes(undefined) || !isForgivable(isCopied ? found : [{ slip: 'quotes' }, ...found], search.keys.length))
    return undefined;
  const spans: Span[] = [];
  spans[index] = bodyOf(search.content, line);
  let copied = search.keys[index]?.length ?? 0;
  for (const { from, to, first, last, slip } of found) {
    const span = { start: bodyOf(search.content, first).start, end: bodyOf(search.content, last).end };
    for (let at = from; at <= to; at += 1) spans[at] = span;
    const keys = search.keys.slice(from, to + 1);
    if (slip === undefined || isHabit(slip)) copied += keys.reduce((sum, key) => sum + key.length, 0);
  }
  return { place: spans, copied };
}

/** The steps from a line to the end of old_string, downwards or upwards; undefined where one fails. */
function growFrom(search: Search, start: Position): readonly Step[] | undefined {
  const steps: Step[] = [];
  let position = start;
  while (position.at >= 0 && position.at < search.keys.length) {
    const step = takeStep(search, position);
    if (step === undefined) return undefined;
    steps.push(step);
    const isDown = position.direction === 1;
    position = { ...position, at: isDown ? step.to + 1 : step.from - 1, from: isDown ? step.last : step.first };
  }
  return steps;
}

function isForgivable(steps: readonly Pick<Step, 'slip'>[], lines: number): boolean {
  const slips = steps.flatMap(({ slip }) => slip ?? []);
  const habits = new Set(slips.filter(isHabit)).size;
  const others = slips.filter((slip) => !isHabit(slip)).length;
  return habits + others <= Math.max(1, Math.floor(lines / linesPerSlip));
}

/** Quotes and spaces of another style, and newlines for `\n`, are one slip however often they show. */
function isHabit(slip: StepSlip): boolean {
  return slip === 'quotes' || slip === 'spacing' || slip === 'newlines';
}

interface Position {
  readonly at: number;
  readonly from: FileLine;
  readonly direction: 1 | -1;
}

function takeStep(search: Search, position: Position): Step | undefined {
  const { fileLines, keys, isChanged, isKnown } = search;
  const key = keys[position.at] ?? '';
  const next = fileLines.next(position.from, position.direction);
  if (next === undefined) return undefined;
  const step = { from: position.at, to: position.at, first: next, last: next };
  if (next.key === key) return { ...step, slip: undefined };
  const beyond = fileLines.next(next, position.direction);
  // A line of the file that the model left out; of two that are the same it is not known which.
  const isLeftOut = beyond?.key === key && next.key !== position.from.key && isInside(position, keys.length);
  if (isChanged[position.at] !== true) {
    const slip = isLeftOut ? undefined : slipOf(key, next.key, isKnown);
    if (slip !== undefined) return { ...step, slip };
    const joined = joinOldLines(search, position, next) ?? joinFileLines(search, position, next);
    if (joined !== undefined) return joined;
  }
  return isLeftOut ? { ...step, first: beyond, last: beyond, slip: 'line' } : undefined;
}

/** Two lines on either side say that a line between them was left out; with less it may as well be another place. */
function isInside({ at, direction }: Position, lines: number): boolean {
  const before = direction === 1 ? at : at + 1;
  return before >= 2 && lines - before >= 2;
}

/** Several old lines are one of the file: broken at its `\n`, or by another width. */
function joinOldLines({ keys, isChanged }: Search, { at, direction }: Position, line: FileLine): Step | undefined {
  for (let taken = 2; taken <= maxJoined; taken += 1) {
    const end = at + (taken - 1) * direction;
    if (end < 0 || end >= keys.length || isChanged[end] === true) return undefined;
    const [from, to] = direction === 1 ? [at, end] : [end, at];
    const joined = keys.slice(from, to + 1);
    const slip = slipOfJoined(joined.join(' '), line.key);
    if (slip !== undefined) return { from, to, first: line, last: line, slip };
  }
  return undefined;
}

function slipOfJoined(old: string, file: string): StepSlip | undefined {
  if (old === file) return 'width';
  return withoutNewlines(old) === withoutNewlines(file) ? 'newlines' : undefined;
}

/** White space beside a `\n` has become that of a line end, and two of them a blank line. */
function withoutNewlines(text: string): string {
  return keyOf(text.replaceAll('\\n', ' '));
}

/** One old line is several of the file. */
function joinFileLines({ fileLines, keys }: Search, { at, direction }: Position, line: FileLine): Step | undefined {
  const lines = [line];
  for (let taken = 2; taken <= maxJoined; taken += 1) {
    const next = fileLines.next(lines.at(-1) ?? line, direction);
    if (next === undefined) return undefined;
    lines.push(next);
    const ordered = direction === 1 ? lines : [...lines].reverse();
    const [first = line, last = line] = [ordered[0], ordered.at(-1)];
    if (ordered.map(({ key }) => key).join(' ') === keys[at]) return { from: at, to: at, first, last, slip: 'width' };
  }
  return undefined;
}

/** How much of old_string, in characters of its lines, stands where it should when the seed is where it is. */
function copiedAt({ fileLines, keys }: Search, { index, line }: Seed): number {
  let same = keys[index]?.length ?? 0;
  for (const direction of [1, -1] as const) {
    let next = fileLines.next(line, direction);
    for (let at = index + direction; at >= 0 && at < keys.length && next !== undefined; at += direction) {
      const key = keys[at] ?? '';
      if (next.key === key || differInQuotesOnly(key, next.key)) same += key.length;
      next = fileLines.next(next, direction);
    }
  }
  return same;
}

function bodyOf(content: string, { start, end }: FileLine): Span {
  const text = content.slice(start, end);
  return { start: end - text.trimStart().length, end: start + text.trimEnd().length };
}

function hasWord(content: string, word: string): boolean {
  for (let at = content.indexOf(word); at !== -1; at = content.indexOf(word, at + 1)) {
    if (!isWordCode(content.charCodeAt(at - 1)) && !isWordCode(content.charCodeAt(at + word.length))) return true;
  }
  return false;
}
