// Which indentation the new lines of an edit get at a place of the file. Pure.
import type { Change, NewLine } from './changes.ts';
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
  const known: Known = { placed, pairs, map: createIndentMap(pairs) };
  if (!speaksTheFiles(known, news)) return (each) => mapped(known, each) ?? refuseUnknown(placed);
  // A line further out than the whole place would stand outside of what the place is in: it cannot be the file's own indentation.
  const outermost = Math.min(...pairs.map((pair) => pair?.file.length ?? Number.POSITIVE_INFINITY));
  if (news.some(({ line }) => line.indent.length < outermost)) return (each) => mapped(known, each) ?? refuseUnknown(placed);
  const isClear = news.every((each) => (mapped(known, each) ?? each.line.indent) === each.line.indent);
  // Nobody changes a text and moves it by just as much as it stood elsewhere; a mere move may be one that is done already.
  const isMoreThanMove = news.some((each) => !isMove(known, each)) || placed.changes.some(takesLines);
  if (isClear || isMoreThanMove) return ({ line }) => line.indent;
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

function mapped({ placed: { edit }, pairs, map }: Known, { line, counterpart, after }: NewLine): string | undefined {
  // The first line may begin within a line of the file; what new_string has in front of it is then text.
  if (line === edit.new.lines[0] && pairs[0] === undefined) return line.indent;
  const own = counterpart === undefined ? undefined : pairs[counterpart];
  return own?.old === line.indent ? own.file : map(line.indent, after);
}

function takesLines(change: Change): boolean {
  return change.kind === 'run' && change.oldTo > change.oldFrom;
}

function isMove({ placed }: Known, { line, counterpart }: NewLine): boolean {
  return counterpart !== undefined && placed.edit.old.lines[counterpart]?.body === line.body;
}

/** Whether new_string has the file's indentation where old_string has not: every line that it only moves stands there already. */
function speaksTheFiles(known: Known, news: readonly NewLine[]): boolean {
  const moved = news.filter((each) => isMove(known, each));
  return moved.length > 0 && moved.every(({ line, counterpart }) => known.pairs[counterpart ?? -1]?.file === line.indent);
}
