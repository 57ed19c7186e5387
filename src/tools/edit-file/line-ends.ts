// Texts with every CRLF seen as one LF, and the way back to the original's offsets; and which line end holds at a place. Pure.

/** `text` has LF only. `toOriginal` maps an offset in it to the original: a CRLF is never split. */
export interface LineFeedView {
  readonly text: string;
  toOriginal(offset: number): number;
}

/** The view of `content`. */
export function viewWithLineFeeds(content: string): LineFeedView {
  if (!content.includes('\r\n')) return { text: content, toOriginal: (offset) => offset };
  // Where, in the view, the line feeds stand that were CRLF.
  const shortened: number[] = [];
  for (let at = content.indexOf('\r\n'); at !== -1; at = content.indexOf('\r\n', at + 2)) shortened.push(at - shortened.length);
  return { text: content.replaceAll('\r\n', '\n'), toOriginal: (offset) => offset + countBelow(shortened, offset) };
}

/**
 * Tells the line end in force at an offset of `content`: of the line it lies on, else of the line before; undefined in a text of one line.
 * Asked in ascending order it passes over `content` once: a million places may lie on one line (F4).
 */
export function createLineEndFinder(content: string): (offset: number) => '\n' | '\r\n' | undefined {
  const last = content.lastIndexOf('\n');
  let from = 0;
  let newline = content.indexOf('\n');
  return (offset) => {
    if (last === -1) return undefined;
    if (offset > last) newline = last;
    else if (offset < from || offset > newline) newline = content.indexOf('\n', offset);
    from = offset;
    return content[newline - 1] === '\r' ? '\r\n' : '\n';
  };
}

/** How many of the ascending `numbers` are below `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
