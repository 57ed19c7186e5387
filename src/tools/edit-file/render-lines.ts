// The new lines of an edit as they belong into the file: its indentation, its quotes, its spaces. Pure.
import type { BlockLine, LineEdit } from './block.ts';
import type { Change } from './changes.ts';
import { EditError } from './edit-error.ts';
import { isBlank, lineEnd, lineStart } from './file-lines.ts';
import type { IndentMap, IndentPair } from './indentation.ts';
import { createIndentMap } from './indentation.ts';
import type { Merge } from './merge.ts';
import { mergeLine, typographyOf } from './merge-line.ts';

/** A new line, the old line that it is another form of, if any, and the index of the last old line before it. */
interface NewLine {
  readonly line: BlockLine;
  readonly counterpart: number | undefined;
  readonly after: number;
}

/** The new lines of each change as text, blank ones between them included. Throws an EditError where the file's form of one is not known. */
export function renderChanges(merge: Merge): readonly (readonly string[])[] {
  const { content, edit, changes, place } = merge;
  const news = changes.map((change) => newLinesOf(change, edit));
  const indents = place.map((_span, index) => indentPairAt(merge, index));
  const indentOf = chooseIndent(news.flat(), { edit, indents });
  const adapt = typographyOf(
    place.map(({ start, end }, index) => ({ old: edit.old.lines[index]?.body ?? '', file: content.slice(start, end) })),
  );
  return news.map((lines) =>
    lines.flatMap((each, position) => {
      const text = indentOf(each) + renderBody(merge, each, adapt) + trailingOf(merge, each);
      return position === 0 ? [text] : [...Array.from({ length: each.line.blanksBefore }, () => ''), text];
    }),
  );
}

function newLinesOf(change: Change, { new: { lines } }: LineEdit): readonly NewLine[] {
  if (change.kind === 'run') {
    return lines.slice(change.newFrom, change.newTo).map((line) => ({ line, counterpart: undefined, after: change.oldTo - 1 }));
  }
  const line = lines[change.new];
  return line === undefined ? [] : [{ line, counterpart: change.old, after: change.old }];
}

function indentPairAt({ content, edit, place }: Merge, index: number): IndentPair | undefined {
  const [line, span] = [edit.old.lines[index], place[index]];
  // The rest of a line of the file that old_string breaks in two has no indentation of its own.
  if (line === undefined || span === undefined || place[index - 1]?.start === span.start) return undefined;
  const from = lineStart(content, span.start);
  if (!isBlank(content, from, span.start)) return undefined;
  // Only the file's beginning has a byte order mark there, which is no indentation.
  return { old: line.indent, file: content.slice(from, span.start).replace(/^\uFEFF/, '') };
}

function chooseIndent(
  news: readonly NewLine[],
  { edit, indents }: { readonly edit: Merge['edit']; readonly indents: readonly (IndentPair | undefined)[] },
): (each: NewLine) => string {
  const map = createIndentMap(indents);
  const mapped = (each: NewLine) => mapIndent(each, { edit, indents, map });
  if (!speaksTheFiles(news, { edit, indents })) {
    return (each) => mapped(each) ?? refuse('the indentation of new_string does not follow from that of old_string');
  }
  const isClear = news.every((each) => (mapped(each) ?? each.line.indent) === each.line.indent);
  if (isClear) return ({ line }) => line.indent;
  // A line further out than the whole place would stand outside of what the place is in.
  const outermost = Math.min(...indents.map((pair) => pair?.file.length ?? Number.POSITIVE_INFINITY));
  if (!news.some(({ line }) => line.indent.length < outermost)) {
    refuse('old_string and new_string are indented differently, and the file like new_string already');
  }
  return (each) => mapped(each) ?? refuse('the indentation of new_string does not follow from that of old_string');
}

function mapIndent(
  { line, counterpart, after }: NewLine,
  {
    edit,
    indents,
    map,
  }: { readonly edit: Merge['edit']; readonly indents: readonly (IndentPair | undefined)[]; readonly map: IndentMap },
): string | undefined {
  // The first line may begin within a line of the file; what new_string has in front of it is then text.
  if (line === edit.new.lines[0] && indents[0] === undefined) return line.indent;
  const own = counterpart === undefined ? undefined : indents[counterpart];
  const isSame = counterpart !== undefined && edit.old.lines[counterpart]?.indent === line.indent;
  return isSame && own !== undefined ? own.file : map(line.indent, after);
}

/** Whether new_string has the file's indentation where old_string has not: every line that it only moves stands there already. */
function speaksTheFiles(
  news: readonly NewLine[],
  { edit, indents }: { readonly edit: Merge['edit']; readonly indents: readonly (IndentPair | undefined)[] },
): boolean {
  const moved = news.filter(
    ({ line, counterpart }) => counterpart !== undefined && edit.old.lines[counterpart]?.body === line.body,
  );
  return moved.length > 0 && moved.every(({ line, counterpart }) => indents[counterpart ?? -1]?.file === line.indent);
}

function renderBody({ content, edit, place }: Merge, { line, counterpart }: NewLine, adapt: (text: string) => string): string {
  const [old, span] = counterpart === undefined ? [] : [edit.old.lines[counterpart], place[counterpart]];
  if (old === undefined || span === undefined) return adapt(line.body);
  const merged = mergeLine({ file: content.slice(span.start, span.end), old: old.body, wanted: line.body }, adapt);
  return (
    merged ?? refuse(`new_string changes white space that is not in the file as old_string has it ("${old.body.slice(0, 80)}")`)
  );
}

/** As the model wrote it; but what it wrote at the end of the old line too is its own slip where the file has it not. */
function trailingOf({ content, edit, place }: Merge, { line, counterpart }: NewLine): string {
  const [old, span] = counterpart === undefined ? [] : [edit.old.lines[counterpart], place[counterpart]];
  if (old === undefined || span === undefined || line.trailing === '' || old.trailing !== line.trailing) return line.trailing;
  const end = lineEnd(content, span.end);
  return isBlank(content, span.end, end) ? content.slice(span.end, end) : '';
}

function refuse(why: string): never {
  throw new EditError(
    'UNCLEAR',
    `old_string is not in the file as it is given, and ${why}. Copy old_string exactly from the file.`,
  );
}
