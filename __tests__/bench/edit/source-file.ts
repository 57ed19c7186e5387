// A file that edits are made for, as lines; and what of it is unique, however loosely one looks. Reads nothing from the disk.
import { elementAt } from './random.ts';

export type Language = 'ts' | 'js' | 'py' | 'go' | 'md' | 'yaml' | 'make' | 'json' | 'xml' | 'toml' | 'ini' | 'csv';

/** Line ends are \n here; kinds that are about others put them in at the end. */
export class SourceFile {
  readonly path: string;
  readonly lang: Language;
  readonly lines: readonly string[];
  readonly finalNewline: boolean;
  private folded: readonly string[] | undefined;
  private glued: string | undefined;

  constructor(path: string, lang: Language, lines: readonly string[], finalNewline: boolean) {
    this.path = path;
    this.lang = lang;
    this.lines = lines;
    this.finalNewline = finalNewline;
  }

  /** The same file with other lines. */
  with(lines: readonly string[]): SourceFile {
    return new SourceFile(this.path, this.lang, lines, this.finalNewline);
  }

  /** The same file with lines put in before the line `at`. */
  insert(at: number, extra: readonly string[]): SourceFile {
    return this.with([...this.lines.slice(0, at), ...extra, ...this.lines.slice(at)]);
  }

  /** The lines `start` to `end` (not included) replaced. */
  replace(start: number, end: number, lines: readonly string[]): SourceFile {
    return this.with([...this.lines.slice(0, start), ...lines, ...this.lines.slice(end)]);
  }

  /** The line `index`, which must be there. */
  line(index: number): string {
    return elementAt(this.lines, index);
  }

  get text(): string {
    return this.lines.join('\n') + (this.finalNewline ? '\n' : '');
  }

  /** Where the line begins in the text. */
  offsetOf(line: number): number {
    return line === 0 ? 0 : this.lines.slice(0, line).join('\n').length + 1;
  }

  /** No other place looks like these lines: not by white space and typography, and none of the same length has `twin` of the lines. */
  isUnique(start: number, end: number, twin = 0.7): boolean {
    const folded = this.foldedLines();
    const part = folded
      .slice(start, end)
      .filter((line) => line !== '')
      .join(' ');
    if (part.length < 15 || countOf(this.gluedText(), part) !== 1) return false;
    const size = end - start;
    if (size < 3) return true;
    for (let other = 0; other + size <= this.lines.length; other += 1) {
      if (other !== start && sharedLines(folded, other, start, size) >= twin) return false;
    }
    return true;
  }

  private foldedLines(): readonly string[] {
    this.folded ??= this.lines.map(fold);
    return this.folded;
  }

  private gluedText(): string {
    this.glued ??= this.foldedLines()
      .filter((line) => line !== '')
      .join(' ');
    return this.glued;
  }
}

/** A file from a text with whatever line ends. */
export function parseSource(path: string, lang: Language, text: string): SourceFile {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n');
  const finalNewline = lines.at(-1) === '';
  return new SourceFile(path, lang, finalNewline ? lines.slice(0, -1) : lines, finalNewline);
}

/** The share of lines that two windows of one size have in common. */
function sharedLines(folded: readonly string[], one: number, other: number, size: number): number {
  let same = 0;
  let total = 0;
  for (let index = 0; index < size; index += 1) {
    const [left, right] = [folded[one + index], folded[other + index]];
    if (left === '' && right === '') continue;
    total += 1;
    if (left === right) same += 1;
  }
  return total === 0 ? 0 : same / total;
}

/** A line without what loose matching may overlook: compatibility forms, curly quotes, dashes, white space. */
export function fold(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201A\u201B]/g, "'")
    .replace(/[\u201C\u201D\u201E\u201F]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

export function isBlank(line: string): boolean {
  return line.trim() === '';
}

export function countOf(text: string, piece: string): number {
  return piece === '' ? 0 : text.split(piece).length - 1;
}

/** What one level of indentation is here: a tab, or the commonest step in spaces. */
export function indentUnit(file: SourceFile): string {
  let tabs = 0;
  let before = 0;
  const steps = new Map<number, number>();
  for (const line of file.lines) {
    if (isBlank(line)) continue;
    const indent = indentOf(line);
    if (indent.startsWith('\t')) {
      tabs += 1;
      continue;
    }
    const step = indent.length - before;
    if (step > 1) steps.set(step, (steps.get(step) ?? 0) + 1);
    before = indent.length;
  }
  if (tabs > file.lines.length / 10) return '\t';
  // Of equally common steps the smallest.
  const [commonest] = [...steps].sort(([a], [b]) => a - b).sort(([, a], [, b]) => b - a);
  return ' '.repeat(commonest?.[0] ?? 4);
}
