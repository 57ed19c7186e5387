// Which indentation the new lines of an edit get at a place of the file. Pure.
import type { BlockLine } from './block.ts';
import type { Change, NewLine } from './changes.ts';
import { touches } from './changes.ts';
import type { IndentPair, IndentPairs } from './indent-pairs.ts';
import type { IndentMap } from './indentation.ts';
import { createIndentMap } from './indentation.ts';
import type { PlacedEdit } from './placed-edit.ts';
import { refuseUnclear } from './refuse-unclear.ts';

interface Known {
  readonly placed: PlacedEdit;
  readonly pairs: IndentPairs;
  readonly map: IndentMap;
}

/**
 * The indentation of each of `news`: new_string has either old_string's or the file's. Throws an EditError, then or now, where it does not
 * follow from what old_string and the file have.
 */
export function createNewIndent(placed: PlacedEdit, pairs: IndentPairs, news: readonly NewLine[]): (each: NewLine) => string {
  const known: Known = { placed, pairs, map: createIndentMap(placed.content, pairs) };
  if (isOneLineOpen(known)) return () => refuseUnknown(placed);
  if (!speaksTheFiles(known, news)) return (each) => mapped(known, each) ?? refuseUnknown(placed);
  // Nobody changes a text and moves it by just as much as it stood elsewhere; a mere move may be one that is done already.
  const isMoveAlone = news.every((each) => isMove(known, each)) && !placed.changes.some(takesLines);
  if (isMoveAlone && news.some((each) => (mapped(known, each) ?? each.line.indent) !== each.line.indent))
    return refuseUnclear(placed, 'old_string and new_string are indented differently, and they like new_string');
  const [first] = placed.edit.new.lines;
  return (each) => (each.line === first && isLost(pairs[0], first) ? pairs[0].file : each.line.indent);
}

function refuseUnknown(placed: PlacedEdit): never {
  return refuseUnclear(placed, 'they are indented otherwise, and from that does not follow how new_string is meant');
}

function mapped(known: Known, each: NewLine): string | undefined {
  const { placed, pairs, map } = known;
  const { line, counterpart } = each;
  const own = counterpart === undefined ? undefined : pairs[counterpart];
  const told = own?.old === line.indent ? own.file : map(each);
  return line === placed.edit.new.lines[0]
    ? firstIndent(known, { indent: line.indent, moved: isMove(known, each) ? own : undefined, told })
    : told;
}

interface FirstLine {
  readonly indent: string;
  /** Of the old line that it is, when it is one. */
  readonly moved: IndentPair | undefined;
  /** What it would get if it were not the first. */
  readonly told: string | undefined;
}

/** Of the first new line: it stands where that of old_string does, which is the one whose indentation is most often lost, or wrong. */
function firstIndent({ pairs }: Known, { indent, moved, told }: FirstLine): string | undefined {
  const [first] = pairs;
  // The first line may begin within a line of the file; what new_string has in front of it is then text.
  if (first === undefined) return indent;
  // Only the first line is often indented otherwise than the others, in both strings: then another one comes first, where it is.
  if (first.old !== indent) return moved?.file === indent ? indent : told;
  if (moved === undefined || indent !== '' || moved.file === first.file || isDedented(pairs)) return first.file;
  // Without indentation in both, and not left out of all lines: lost, if all others are as they are in the file.
  return pairs.slice(1).every((pair) => pair?.old === pair?.file) ? moved.file : undefined;
}

/** Whether all lines have lost as much indentation as the first, which has none left. */
function isDedented([first, ...others]: Known['pairs']): boolean {
  return others.every((pair) => pair === undefined || pair.file === `${first?.file}${pair.old}`);
}

/**
 * Whether the one line of old_string has lost its indentation, and the lines after the first one of new_string may have it or stand deeper:
 * nobody can tell which.
 */
function isOneLineOpen({ placed: { edit }, pairs: [pair, ...more] }: Known): boolean {
  const [first, ...others] = edit.new.lines;
  if (first === undefined || more.length > 0 || !isLost(pair, first) || others.length === 0) return false;
  return others.every(({ indent }) => indent.startsWith(pair.file));
}

/** Whether the first lines of both strings begin behind the indentation of the file's. */
function isLost(pair: IndentPair | undefined, { indent }: BlockLine): pair is IndentPair {
  return pair !== undefined && pair.old === '' && pair.file !== '' && indent === '';
}

function takesLines(change: Change): boolean {
  return change.kind === 'run' && change.oldTo > change.oldFrom;
}

function isMove({ placed }: Known, { line, counterpart }: NewLine): boolean {
  return counterpart !== undefined && placed.edit.old.lines[counterpart]?.body === line.body;
}

/**
 * Whether new_string has the file's indentation where old_string has not: every line that it only moves stands there already, none that it
 * leaves alone stands elsewhere, and no other has an indentation that old_string alone has. The first line may have lost its own in both.
 */
function speaksTheFiles(known: Known, news: readonly NewLine[]): boolean {
  const { placed, pairs } = known;
  const moved = news.filter((each) => isMove(known, each));
  if (moved.length === 0 || moved.some(({ line, counterpart }) => pairs[counterpart ?? -1]?.file !== line.indent)) return false;
  const isKept = (index: number) => (index > 0 || isDedented(pairs)) && !placed.changes.some((change) => touches(change, index));
  if (pairs.some((pair, index) => pair !== undefined && pair.old !== pair.file && isKept(index))) return false;
  // A line further out than the whole place would stand outside of what the place is in.
  const outermost = Math.min(...pairs.map((pair) => pair?.file.length ?? Number.POSITIVE_INFINITY));
  const inFile = new Set(pairs.map((pair) => pair?.file));
  const isOldStrings = (indent: string) => !inFile.has(indent) && pairs.some((pair) => pair?.old === indent);
  return news.every(({ line: { indent } }) => indent.length >= outermost && !isOldStrings(indent));
}
