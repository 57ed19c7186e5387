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
/** Bound of the search for the shortest diff, which takes its square (a second); what differs more is shown as replaced. */
const maxEditLength = 4_000;
/** As many whole searches as one change may take. */
const maxSearches = 5;
const contextLines = 3;

/**
 * The diff between two sides; null: the file is not there. Binary and very big files get one line that says so.
 * `files` is how many the change has: the more, the less is searched for each.
 */
export function renderPatch(path: string, before: PatchSide | null, after: PatchSide | null, files = 1): string {
  const isTypeChange = before !== null && after !== null && (before.mode === '120000') !== (after.mode === '120000');
  if (isTypeChange) return renderPatch(path, before, null, files) + renderPatch(path, null, after, files);
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
  const searched = Math.floor(maxEditLength * Math.sqrt(Math.min(1, maxSearches / files)));
  const options = { context: contextLines, maxEditLength: searched };
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
