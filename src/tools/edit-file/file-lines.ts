// Lines of the file by offsets: where they begin and end, and which are blank. Pure.
import { foldCode, nothingCode, spaceCode } from './fold.ts';

/** Where the line of `offset` begins. */
export function lineStart(content: string, offset: number): number {
  return offset === 0 ? 0 : content.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line of `offset` ends, before its line end. */
export function lineEnd(content: string, offset: number): number {
  const newline = content.indexOf('\n', offset);
  if (newline === -1) return content.length;
  return content[newline - 1] === '\r' ? newline - 1 : newline;
}

/** Whether nothing that can be seen stands between. */
export function isBlank(content: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = foldCode(content.charCodeAt(at));
    if (code !== spaceCode && code !== nothingCode) return false;
  }
  return true;
}

/** `offset`, the end of a line, moved over at most `most` blank lines that follow; with their number. */
export function skipBlanksAfter(
  content: string,
  offset: number,
  most: number,
): { readonly offset: number; readonly count: number } {
  let end = offset;
  let count = 0;
  while (count < most) {
    const next = content.indexOf('\n', end) + 1;
    if (next === 0 || next === content.length || !isBlank(content, next, lineEnd(content, next))) break;
    end = lineEnd(content, next);
    count += 1;
  }
  return { offset: end, count };
}

/** `offset`, the beginning of a line, moved back over at most `most` blank lines before it. */
export function skipBlanksBefore(content: string, offset: number, most: number): number {
  let start = offset;
  for (let count = 0; count < most && start > 0; count += 1) {
    const before = lineStart(content, start - 1);
    if (!isBlank(content, before, start)) break;
    start = before;
  }
  return start;
}
