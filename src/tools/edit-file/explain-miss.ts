// Why old_string is not in the file, in words that help the model to mend the call. Chooses no place and changes nothing.
import { EditError } from './edit-error.ts';
import { viewWithLineFeeds } from './line-ends.ts';
import { lineAt } from './places.ts';

const numberedLine = /^ *\d+\t/;
const maxNearLines = 3;
const maxLineChars = 200;

/** The EditError for an edit that no level found a place for. */
export function explainMiss(content: string, oldString: string, newString: string): EditError {
  const text = viewWithLineFeeds(content).text;
  const old = oldString.replaceAll('\r\n', '\n');
  const wanted = newString.replaceAll('\r\n', '\n');
  if (old.endsWith('\n') && text.endsWith(old.slice(0, -1)) && old.length > 1) {
    return new EditError(
      'NO_FINAL_NEWLINE',
      'old_string ends in a newline, but the file has no newline at its end. Leave the last newline out.',
    );
  }
  if (old.split('\n').every((line, index, lines) => numberedLine.test(line) || (line === '' && index === lines.length - 1))) {
    return new EditError(
      'LINE_NUMBERS',
      'old_string is not in the file: its lines begin with line numbers and tabs, which read_file adds. Leave them out, in new_string too.',
    );
  }
  const near = describeNearLines(text, old);
  const at = wanted.trim() === '' ? -1 : text.indexOf(wanted);
  // A line that is nearly old_string says that nothing was applied.
  if (at !== -1 && near === '') {
    return new EditError(
      'ALREADY_APPLIED',
      `old_string is not in the file, but new_string is (line ${lineAt(text, at)}): the edit was probably applied already. Read the file before you go on.`,
    );
  }
  return new EditError(
    'NOT_FOUND',
    `old_string is not in the file. Copy it exactly as it stands there, white space included.${near}`,
  );
}

/** File lines that equal the longest line of `old` but for white space and case, quoted so that white space can be seen (G4-11). */
function describeNearLines(text: string, old: string): string {
  const longest = old.split('\n').reduce((best, line) => (line.trim().length > best.trim().length ? line : best), '');
  const wanted = fold(longest);
  if (wanted === '') return '';
  const near = text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => fold(line) === wanted);
  if (near.length === 0) return '';
  const shown = near
    .slice(0, maxNearLines)
    .map(({ line, number }) => `\nline ${number}: ${JSON.stringify(line.slice(0, maxLineChars))}`);
  const more = near.length > maxNearLines ? `\n[… ${near.length - maxNearLines} more …]` : '';
  return `\nNearest, white space shown as \\t and spaces:${shown.join('')}${more}`;
}

function fold(line: string): string {
  return line.replace(/\s+/g, '').toLowerCase();
}
