// Which indentation the new lines of an edit get at a place of the file. Pure.
import type { BlockLine } from './block.ts';
import type { Change, NewLine } from './changes.ts';
import { touches } from './changes.ts';
import { isBlank, lineStart } from './file-lines.ts';
import type { IndentMap, IndentPair } from './indentation.ts';
import { createIndentMap } from './indentation.ts';
import type { PlacedEdit } from './placed-edit.ts';
import { refuseUnclear } from './unclear.ts';

interface Known {
  readonly placed: PlacedEdit;
  /** By old line; undefined where it has no line of the file for itself. */
  readonly pairs: readonly (IndentPair | undefined)[];
  readonly map: IndentMap;
}

/** The indentation of each of `news`. Throws an EditError, then or now, where it does not follow from what old_string and the file have. */
export function createNewIndent(placed: PlacedEdit, news: readonly NewLine[]): (each: NewLine) => string {
  const pairs = placed.place.map((_span, index) => pairAt(placed, index));
  const known: Known = { placed, pairs, map: createIndentMap(placed.content, pairs) };
  if (isOneLineOpen(known)) return () => refuseUnknown(placed);
  if (!speaksTheFiles(known, news)) return (each) => mapped(known, each) ?? refuseUnknown(placed);
  // A line further out than the whole place would stand outside of what the place is in: it cannot be the file's own indentation.
  const outermost = Math.min(...pairs.map((pair) => pair?.file.length ?? Number.POSITIVE_INFINITY));
  if (news.some(({ line }) => line.indent.length < outermost)) return (each) => mapped(known, each) ?? refuseUnknown(placed);
  const isClear = news.every((each) => (mapped(known, each) ?? each.line.indent) === each.line.indent);
  // Nobody changes a text and moves it by just as much as it stood elsewhere; a mere move may be one that is done already.
  const isMoreThanMove = news.some((each) => !isMove(known, each)) || placed.changes.some(takesLines);
  const [first] = placed.edit.new.lines;
  if (isClear || isMoreThanMove)
    return (each) => (each.line === first && isLost(pairs[0], first) ? pairs[0].file : each.line.indent);
  return refuseUnclear(
    placed.content,
    placed.place,
    'old_string and new_string are indented differently, and they like new_string',
  );
}

function refuseUnknown({ content, place }: PlacedEdit): never {
  return refuseUnclear(content, place, 'they are indented otherwise, and from that does not follow how new_string is meant');
}

function pairAt({ content, edit, place }: PlacedEdit, index: number): IndentPair | undefined {
  const [line, span] = [edit.old.lines[index], place[index]];
  // The rest of a line of the file that old_string breaks in two has no indentation of its own.
  if (line === undefined || span === undefined || place[index - 1]?.start === span.start) return undefined;
  const from = lineStart(content, span.start);
  if (!isBlank(content, from, span.start)) return undefined;
  // Only the file's beginning has a byte order mark there, which is no indentation.
  return { old: line.indent, file: content.slice(from, span.start).replace(/^\uFEFF/, '') };
}

function mapped(known: Known, each: NewLine): string | undefined {
  const { placed, pairs, map } = known;
  const { line, counterpart } = each;
  const own = counterpart === undefined ? undefined : pairs[counterpart];
  if (line === placed.edit.new.lines[0]) {
    const found = firstIndent(known, line.indent, isMove(known, each) ? own : undefined);
    if (found !== undefined) return found.indent;
  }
  return own?.old === line.indent ? own.file : map(each);
}

/**
 * What the first lines alone say of the first new one, if anything: it stands where that of old_string does. `moved`: of the line that it
 * is, when it is another one of old_string.
 */
function firstIndent(
  { pairs }: Known,
  indent: string,
  moved: IndentPair | undefined,
): { readonly indent: string | undefined } | undefined {
  const [first] = pairs;
  // The first line may begin within a line of the file; what new_string has in front of it is then text.
  if (first === undefined) return { indent };
  // Only the first line is often indented otherwise than the others, in both strings: then another one comes first, where it is.
  if (first.old !== indent) return moved?.file === indent ? { indent } : undefined;
  if (moved === undefined || indent !== '' || moved.file === first.file) return { indent: first.file };
  // Without indentation in both: left out of all lines, or lost.
  const others = pairs.slice(1).filter((pair) => pair !== undefined);
  if (others.every(({ old, file }) => file === first.file + old)) return { indent: first.file };
  return { indent: others.every(({ old, file }) => file === old) ? moved.file : undefined };
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
  const [first, ...others] = pairs;
  const isDedented = others.every((pair) => pair === undefined || pair.file === `${first?.file}${pair.old}`);
  const isKept = (index: number) => (index > 0 || isDedented) && !placed.changes.some((change) => touches(change, index));
  if (pairs.some((pair, index) => pair !== undefined && pair.old !== pair.file && isKept(index))) return false;
  const inFile = new Set(pairs.map((pair) => pair?.file));
  return !news.some(({ line }) => !inFile.has(line.indent) && pairs.some((pair) => pair?.old === line.indent));
}
