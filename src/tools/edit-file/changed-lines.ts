// The lines that an edit touched, as they are now, for the model to check. Pure; ASCII of its own only, since the text may be Latin-1.

import { lineAt } from './places.ts';
import type { Replacement } from './replacement.ts';

const contextLines = 2;
const maxPlaces = 3;
const maxLinesPerPlace = 30;
const maxLineChars = 300;

/** Numbered lines of `result` around each of the `replacements`, which are in offsets of the text before. */
export function renderChangedLines(result: string, replacements: readonly Replacement[]): string {
  // After a final newline there is no line.
  const lines = result.replace(/\n$/, '').split('\n');
  let shift = 0;
  const blocks = replacements.slice(0, maxPlaces).map(({ start, end, text }) => {
    const first = lineAt(result, start + shift);
    const last = lineAt(result, start + shift + text.length);
    shift += text.length - (end - start);
    return renderBlock(lines, Math.max(1, first - contextLines), Math.min(lines.length, last + contextLines));
  });
  const more = replacements.length - blocks.length;
  return blocks.join('\n...\n') + (more > 0 ? `\n[... and ${more} more places]` : '');
}

function renderBlock(lines: readonly string[], first: number, last: number): string {
  const numbered = lines
    .slice(first - 1, Math.min(last, first - 1 + maxLinesPerPlace))
    .map((line, index) => `${first + index}\t${cut(line.replace(/\r$/, ''))}`);
  const left = last - (first - 1) - numbered.length;
  return numbered.join('\n') + (left > 0 ? `\n[... ${left} more lines]` : '');
}

function cut(line: string): string {
  return line.length <= maxLineChars ? line : `${line.slice(0, maxLineChars)} [cut: ${line.length} characters]`;
}
