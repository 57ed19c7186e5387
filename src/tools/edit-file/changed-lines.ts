// The lines that an edit touched, as they are now, for the model to check. Pure; ASCII of its own only, since the text may be Latin-1.
import { lineAt } from './places.ts';
import type { Replacement } from './replacement.ts';

const contextLines = 2;
const maxPlaces = 3;
/** To find the line of one costs a look at the text from its start. */
const maxReplacements = 10;
const maxLinesPerPlace = 30;
const maxLineChars = 300;

interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Numbered lines of `result` around each of the `replacements`, which are in offsets of the text before. */
export function renderChangedLines(result: string, replacements: readonly Replacement[]): string {
  // After a final newline there is no line.
  const lines = result.replace(/\n$/, '').split('\n');
  const ranges = changedRanges(result, replacements.slice(0, maxReplacements), lines.length);
  const blocks = ranges.slice(0, maxPlaces).map((range) => renderBlock(lines, range));
  const more = ranges.length - blocks.length + Math.max(0, replacements.length - maxReplacements);
  return blocks.join('\n...\n') + (more > 0 ? `\n[... and ${more} more places]` : '');
}

/** What is shown of each, with the lines around it; one range where two meet. */
function changedRanges(result: string, replacements: readonly Replacement[], lineCount: number): readonly LineRange[] {
  const ranges: LineRange[] = [];
  let shift = 0;
  for (const { start, end, text } of replacements) {
    const first = Math.max(1, lineAt(result, start + shift) - contextLines);
    const last = Math.min(lineCount, lineAt(result, start + shift + text.length) + contextLines);
    shift += text.length - (end - start);
    const before = ranges.at(-1);
    if (before !== undefined && first <= before.last + 1) ranges[ranges.length - 1] = { first: before.first, last };
    else ranges.push({ first, last });
  }
  return ranges;
}

function renderBlock(lines: readonly string[], { first, last }: LineRange): string {
  const numbered = lines
    .slice(first - 1, Math.min(last, first - 1 + maxLinesPerPlace))
    .map((line, index) => `${first + index}\t${cut(line.replace(/\r$/, ''))}`);
  const left = last - (first - 1) - numbered.length;
  return numbered.join('\n') + (left > 0 ? `\n[... ${left} more lines]` : '');
}

function cut(line: string): string {
  return line.length <= maxLineChars ? line : `${line.slice(0, maxLineChars)} [cut: ${line.length} characters]`;
}
