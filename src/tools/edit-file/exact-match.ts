// The places where old_string stands as it is, line ends aside (G4-01, G4-02). Pure.
import { viewWithLineFeeds } from './line-ends.ts';
import type { Span } from './places.ts';
import { offsetsOf } from './places.ts';
import type { Replacement } from './replacement.ts';

/** All of them, overlapping ones too, each replaced by `newString`. Places with the very same line ends win over the others. */
export function findExactly(content: string, oldString: string, newString: string): readonly Replacement[] {
  const lines = oldString.replaceAll('\r\n', '\n').split('\n');
  const places = lines.length > 1 && content.includes('\r\n') ? findLines(content, lines) : findText(content, lines.join('\n'));
  const same = places.filter(({ start, end }) => content.slice(start, end) === oldString);
  return (same.length > 0 ? same : places).map((place) => ({ ...place, text: newString }));
}

function findText(content: string, text: string): readonly Span[] {
  return offsetsOf(content, text).map((start) => ({ start, end: start + text.length }));
}

/** By the longest of the lines, at full speed; then what is before and after it, whatever line ends are between. */
function findLines(content: string, lines: readonly string[]): readonly Span[] {
  const longest = lines.reduce((best, line, index) => (line.length > (lines[best]?.length ?? 0) ? index : best), 0);
  const anchor = lines[longest] ?? '';
  if (anchor === '') return findNewlines(content, lines.length - 1);
  return offsetsOf(content, anchor).flatMap((at) => {
    const start = lines.slice(0, longest).reduceRight((offset, line) => stepBack(content, offset, line), at);
    const end = lines.slice(longest + 1).reduce((offset, line) => stepForward(content, offset, line), at + anchor.length);
    return start === -1 || end === -1 ? [] : [{ start, end }];
  });
}

function findNewlines(content: string, count: number): readonly Span[] {
  const view = viewWithLineFeeds(content);
  return offsetsOf(view.text, '\n'.repeat(count)).map((offset) => ({
    start: view.toOriginal(offset),
    end: view.toOriginal(offset + count),
  }));
}

/** Where `line` begins when a line end and `offset` follow it, or -1. */
function stepBack(content: string, offset: number, line: string): number {
  if (offset < 1 || content[offset - 1] !== '\n') return -1;
  const end = content[offset - 2] === '\r' ? offset - 2 : offset - 1;
  return content.startsWith(line, end - line.length) ? end - line.length : -1;
}

/** Where `line` ends when it follows a line end at `offset`, or -1. */
function stepForward(content: string, offset: number, line: string): number {
  if (offset === -1) return -1;
  const start = content.startsWith('\r\n', offset) ? offset + 2 : offset + 1;
  return content[start - 1] === '\n' && content.startsWith(line, start) ? start + line.length : -1;
}
