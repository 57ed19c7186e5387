// Cuts finished Markdown to what GitHub takes, where nothing that was made harmless comes apart: between paragraphs, or between lines of code. Pure.
import { joinBlocks } from './join-blocks.ts';

/** GitHub's limit for a comment and for a pull request's body, in UTF-16 units; the marker counts. */
export const maxBodyChars = 65_536;
/** For what a run says: the marker and what the egress puts in need the rest. */
export const maxTextChars = maxBodyChars - 536;

const cutNote = '_The rest is cut here: GitHub takes no more in one text._';

interface Fence {
  readonly prefix: string;
  readonly mark: string;
}

/** A place where the text may end, and what has to be closed there. */
interface Place {
  readonly end: number;
  readonly closing: string;
}

/** The blocks, cut from behind where they are too long, and `last`, which is always whole. */
export function boundBlocks(blocks: readonly string[], last: string, maxChars: number): string {
  const room = maxChars - last.length - 2;
  return joinBlocks([boundMarkdown(joinBlocks(blocks), room), last]);
}

/** At most `maxChars` of the text; open fences and `<details>` are closed, and a note says that something is missing. */
export function boundMarkdown(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const place = lastPlace(text, maxChars - cutNote.length - 2);
  return joinBlocks([`${text.slice(0, place.end).trimEnd()}${place.closing}`, cutNote]);
}

function lastPlace(text: string, maxChars: number): Place {
  let best: Place = { end: 0, closing: '' };
  let end = 0;
  let fence: Fence | null = null;
  let details = 0;
  for (const line of text.split('\n')) {
    end += line.length + 1;
    if (end > maxChars) break;
    const isInCode: boolean = fence !== null;
    fence = fenceAfter(fence, line);
    if (!isInCode && fence === null) details = Math.max(0, details + detailsOpenedIn(line));
    const closing = `${fence === null ? '' : `\n${fence.prefix}${fence.mark}`}${'\n\n</details>'.repeat(details)}`;
    const mayEnd = fence !== null || isInCode || line.trim() === '';
    if (mayEnd && end + closing.length <= maxChars) best = { end, closing };
  }
  return best;
}

function fenceAfter(open: Fence | null, line: string): Fence | null {
  const [, prefix = '', mark, rest = ''] = /^([\s>]*)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (mark === undefined) return open;
  if (open === null) return mark.startsWith('`') && rest.includes('`') ? null : { prefix, mark };
  const closes = mark.startsWith(open.mark) && rest.trim() === '';
  return closes ? null : open;
}

function detailsOpenedIn(line: string): number {
  return (line.match(/<details\b/gi)?.length ?? 0) - (line.match(/<\/details>/gi)?.length ?? 0);
}
