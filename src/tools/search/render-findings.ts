// What a search found as the model reads it, and what it did not look at. Pure.
import { keepWithin } from '../keep-within.ts';
import { quote, showPath } from '../shown-path.ts';
import type { Findings, FoundFile } from './findings.ts';
import { countOf, cutShort, describeIgnored, describeTrouble, maxAnswerBytes } from './left-out.ts';
import type { FoundLine } from './search-file.ts';
import type { SearchRoot } from './search-root.ts';
import type { LeftOut } from './walk.ts';

export interface FindingsAnswer {
  readonly findings: Findings;
  readonly root: SearchRoot;
  readonly leftOut: LeftOut;
  readonly pattern: string;
  readonly glob?: string | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly isWhole: boolean;
}

/** `path:line: text` for what matches, `path-line- text` for what stands around it, and a last line that counts. */
export function renderFindings(answer: FindingsAnswer): string {
  const { findings } = answer;
  if (findings.matchingLines === 0) return renderNothing(answer);
  const lines = findings.isFilesOnly
    ? findings.files.map(({ path, count }) => `${showPath(path)}: ${count}`)
    : findings.files.flatMap((file, index) => [...(findings.around > 0 && index > 0 ? ['--'] : []), ...renderFile(file)]);
  const kept = keepWithin(lines, maxAnswerBytes);
  const notes = [describeCount(answer, kept.length < lines.length), ...describeSkipped(answer)];
  return `${kept.join('\n')}\n[${notes.join('; ')}]`;
}

function renderFile({ path, lines }: FoundFile): readonly string[] {
  const shown = showPath(path);
  return lines.flatMap((line, index) => {
    const previous = lines[index - 1];
    const isGap = previous !== undefined && lines.some(({ isMatch }) => !isMatch) && line.number > previous.number + 1;
    return [...(isGap ? ['--'] : []), renderLine(shown, line)];
  });
}

function renderLine(path: string, { number, text, isMatch }: FoundLine): string {
  const mark = isMatch ? ':' : '-';
  return `${path}${mark}${number}${mark}${text === '' ? '' : ` ${text}`}`;
}

function describeCount({ findings, isWhole }: FindingsAnswer, isTooLong: boolean): string {
  const least = isWhole ? '' : 'at least ';
  const inFiles = `in ${countOf(findings.matchingFiles, 'file')}`;
  const total = `${least}${countOf(findings.matchingLines, 'matching line')} ${inFiles}`;
  const narrow = 'narrow it with path, glob or the pattern';
  if (isTooLong) return `${total}, of which as many are shown as fit; ${narrow}`;
  if (findings.isFilesOnly) {
    return findings.files.length < findings.matchingFiles
      ? `the first ${findings.files.length} files of ${total}; ${narrow}`
      : total;
  }
  if (findings.shownLines === findings.matchingLines) return total;
  return `the first ${findings.shownLines} of ${total}; ${narrow}, or see files_only first`;
}

function describeSkipped({ findings, leftOut, isWhole }: FindingsAnswer): readonly string[] {
  return [
    ...describeTrouble({ ...leftOut, unreadable: leftOut.unreadable + findings.unreadable }),
    ...(findings.longLines > 0 ? [`of ${countOf(findings.longLines, 'very long line')} only the beginning was searched`] : []),
    ...(isWhole ? [] : [cutShort]),
  ];
}

/** Nothing is an answer, not a failure; what was searched is said, so that the next search can be a wider one. */
function renderNothing(answer: FindingsAnswer): string {
  const { findings, root, leftOut, pattern, glob } = answer;
  const searched = countOf(findings.seen - findings.binary - findings.unreadable, 'text file');
  const where = root.shown === '.' ? 'the workspace' : showPath(root.shown);
  const files = glob === undefined || root.isFile ? '' : ` named ${glob}`;
  const binary = findings.binary > 0 ? [`left out: ${countOf(findings.binary, 'binary file')}`] : [];
  const hints = [...adviceFor(answer), ...describeSkipped(answer), ...binary, ...describeIgnored(leftOut, root.shown)];
  const first = `No line matches ${quote(pattern)} in ${searched}${files} of ${where}.`;
  return [first, ...hints.map((hint) => `[${hint}]`)].join('\n');
}

function adviceFor({ findings, pattern, glob, root, ignore_case }: FindingsAnswer): readonly string[] {
  return [
    findings.seen === 0 && glob !== undefined
      ? `no file matches the glob, which is relative to ${root.shown === '.' ? 'the workspace' : 'path'}`
      : '',
    /\\[|()+?{}]/.test(pattern) ? 'a backslash makes | ( ) + ? { } plain characters; without one they are signs' : '',
    /(^|[^[^\\])\\n|\n/.test(pattern) ? 'lines are searched one by one, so \\n matches nothing' : '',
    ignore_case !== true && /[A-Za-z]/.test(pattern) ? 'capital letters count; see ignore_case' : '',
  ].filter((hint) => hint !== '');
}
