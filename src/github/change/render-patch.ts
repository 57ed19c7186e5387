// A change as a unified diff in git's form, for people and for `git apply`; nothing is ever published from it.
import { formatPatch, structuredPatch } from 'diff';
import type { FileMode } from '../../schema/bundle.ts';
import { decodeText } from '../checkout/read-base.ts';

/** One side of a change: what a file holds, or the text of a link. */
export interface PatchSide {
  readonly mode: FileMode;
  readonly bytes: Buffer;
}

/** Nobody reads a longer diff in a reply; the whole content is in the bundle. */
const maxPatchChars = 512 * 1024;
/** Bound of the search for the shortest diff; what differs more is shown as replaced. */
const maxEditLength = 4_000;
const contextLines = 3;

/** The diff between two sides; null: the file is not there. Binary and very big files get one line that says so. */
export function renderPatch(path: string, before: PatchSide | null, after: PatchSide | null): string {
  const isTypeChange = before !== null && after !== null && (before.mode === '120000') !== (after.mode === '120000');
  if (isTypeChange) return renderPatch(path, before, null) + renderPatch(path, null, after);
  const oldText = before === null ? '' : decodeText(before.bytes);
  const newText = after === null ? '' : decodeText(after.bytes);
  const header = {
    isGit: true,
    isCreate: before === null,
    isDelete: after === null,
    oldFileName: before === null ? '/dev/null' : `a/${path}`,
    newFileName: after === null ? '/dev/null' : `b/${path}`,
    oldHeader: undefined,
    newHeader: undefined,
    ...modesOf(before, after),
  };
  if (oldText === null || newText === null) return `${formatPatch({ ...header, hunks: [] })}${noteBinary(header)}\n`;
  const options = { context: contextLines, maxEditLength };
  const patch = structuredPatch(header.oldFileName, header.newFileName, oldText, newText, undefined, undefined, options);
  const hunks = patch?.hunks ?? replaced(oldText, newText);
  const text = formatPatch({ ...header, hunks });
  return text.length <= maxPatchChars ? text : cut(text);
}

function modesOf(before: PatchSide | null, after: PatchSide | null): { oldMode?: string; newMode?: string } {
  if (before === null) return after === null ? {} : { newMode: after.mode };
  if (after === null) return { oldMode: before.mode };
  return before.mode === after.mode ? {} : { oldMode: before.mode, newMode: after.mode };
}

function noteBinary(header: { readonly oldFileName: string; readonly newFileName: string }): string {
  return `Binary files ${header.oldFileName} and ${header.newFileName} differ`;
}

/** The whole file out, the whole file in. */
function replaced(oldText: string, newText: string) {
  const oldLines = linesOf(oldText, '-');
  const newLines = linesOf(newText, '+');
  const count = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('\\')).length;
  return [{ oldStart: 1, oldLines: count(oldLines), newStart: 1, newLines: count(newLines), lines: [...oldLines, ...newLines] }];
}

function linesOf(text: string, sign: '+' | '-'): string[] {
  if (text === '') return [];
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n').map((line) => sign + line);
  return isEnded ? lines : [...lines, '\\ No newline at end of file'];
}

function cut(text: string): string {
  const end = text.lastIndexOf('\n', maxPatchChars);
  const left = text.slice(end + 1).split('\n').length - 1;
  return `${text.slice(0, end + 1)}\\ ${left} more lines of this diff are not shown\n`;
}
