// How the lines of old_string are indented there and in the file. Pure; maps nothing.
import { isBlank, lineStart } from './file-lines.ts';
import type { PlacedEdit } from './placed-edit.ts';

/** The indentation of a line in old_string and in the file. */
export interface IndentPair {
  readonly old: string;
  readonly file: string;
}

/** By old line; undefined where it has no line of the file for itself. */
export type IndentPairs = readonly (IndentPair | undefined)[];

export function toIndentPairs(placed: PlacedEdit): IndentPairs {
  return placed.place.map((_span, index) => pairAt(placed, index));
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
