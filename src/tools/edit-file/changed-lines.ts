// The lines that an edit touched, as they are now, for the model to check. Pure; ASCII of its own only, since the text may be Latin-1.
import type { Replacement } from './levels.ts';
import { lineAt } from './places.ts';

const CONTEXT_LINES = 2;
const MAX_PLACES = 3;
const MAX_LINES_PER_PLACE = 30;
const MAX_LINE_CHARS = 300;

/** Numbered lines of `result` around each of the `replacements`, which are in offsets of the text before. */
export function renderChangedLines(result: string, replacements: readonly Replacement[]): string {
  // After a final newline there is no line.
  const lines = result.replace(/\n$/, '').split('\n');
  let shift = 0;
  const blocks = replacements.slice(0, MAX_PLACES).map(({ start, end, text }) => {
    const first = lineAt(result, start + shift);
    const last = lineAt(result, start + shift + text.length);
    shift += text.length - (end - start);
    return renderBlock(lines, Math.max(1, first - CONTEXT_LINES), Math.min(lines.length, last + CONTEXT_LINES));
  });
  const more = replacements.length - blocks.length;
  return blocks.join('\n...\n') + (more > 0 ? `\n[... and ${more} more places]` : '');
}

function renderBlock(lines: readonly string[], first: number, last: number): string {
  const numbered = lines
    .slice(first - 1, Math.min(last, first - 1 + MAX_LINES_PER_PLACE))
    .map((line, index) => `${first + index}\t${cut(line.replace(/\r$/, ''))}`);
  const left = last - (first - 1) - numbered.length;
  return numbered.join('\n') + (left > 0 ? `\n[... ${left} more lines]` : '');
}

function cut(line: string): string {
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS)} [cut: ${line.length} characters]`;
}
