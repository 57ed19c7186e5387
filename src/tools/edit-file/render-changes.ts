// The new lines of an edit as they belong into the file: its indentation, its quotes, its spaces. Pure.
import type { NewLine } from './changes.ts';
import { newLinesOf } from './changes.ts';
import { isBlank, lineEnd } from './file-lines.ts';
import type { IndentPairs } from './indent-pairs.ts';
import { mergeLine, typographyOf } from './merge-line.ts';
import { createNewIndent } from './new-indent.ts';
import type { PlacedEdit } from './placed-edit.ts';
import { refuseUnclear } from './refuse-unclear.ts';

/** The new lines of each change as text, blank ones between them included. Throws an EditError where the file's form of one is not known. */
export function renderChanges(placed: PlacedEdit, pairs: IndentPairs): readonly (readonly string[])[] {
  const { content, edit, changes, place } = placed;
  const news = changes.map((change) => newLinesOf(change, edit));
  const indentOf = createNewIndent(placed, pairs, news.flat());
  const adapt = typographyOf(
    place.map(({ start, end }, index) => ({ old: edit.old.lines[index]?.body ?? '', file: content.slice(start, end) })),
  );
  return news.map((lines) =>
    lines.flatMap((each, position) => {
      const text = indentOf(each) + renderBody(placed, each, adapt) + trailingOf(placed, each);
      return position === 0 ? [text] : [...Array.from({ length: each.line.blanksBefore }, () => ''), text];
    }),
  );
}

function renderBody(placed: PlacedEdit, { line, counterpart }: NewLine, adapt: (text: string) => string): string {
  const { content, edit, place } = placed;
  const [old, span] = counterpart === undefined ? [] : [edit.old.lines[counterpart], place[counterpart]];
  if (old === undefined || span === undefined) return adapt(line.body);
  const merged = mergeLine({ file: content.slice(span.start, span.end), old: old.body, wanted: line.body }, adapt);
  return merged ?? refuseUnclear(placed, 'new_string changes white space that they have otherwise than old_string');
}

/** As the model wrote it; but what it wrote at the end of the old line too is its own slip where the file has it not. */
function trailingOf({ content, edit, place }: PlacedEdit, { line, counterpart }: NewLine): string {
  const [old, span] = counterpart === undefined ? [] : [edit.old.lines[counterpart], place[counterpart]];
  if (old === undefined || span === undefined || line.trailing === '' || old.trailing !== line.trailing) return line.trailing;
  const end = lineEnd(content, span.end);
  return isBlank(content, span.end, end) ? content.slice(span.end, end) : '';
}
