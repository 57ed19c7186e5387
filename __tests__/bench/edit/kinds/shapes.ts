// Shapes that several kinds give to files, blocks and lines.
import type { Block } from '../block.ts';
import type { Garble } from '../edit-case.ts';
import type { Random } from '../random.ts';
import type { SourceFile } from '../source-file.ts';
import { indentOf, indentUnit, isBlank } from '../source-file.ts';

/** The block with other lines, as many as before, and the file that has them. */
export function withBlock(source: SourceFile, { start, end }: Block, lines: readonly string[]) {
  return { file: source.replace(start, end, lines), block: { start, end, lines } };
}

/** The characters of indentation that all lines have. */
export function minIndent(lines: readonly string[]): number {
  return Math.min(...lines.filter((line) => !isBlank(line)).map((line) => indentOf(line).length));
}

/** Blocks with that much indentation everywhere, none of it tabs and spaces mixed. */
export function indented(characters: number): (lines: readonly string[]) => boolean {
  return (lines) => minIndent(lines) >= characters && lines.every((line) => isBlank(line) || !/^( *\t+ +| +\t)/.test(line));
}

/** Each line with another indentation. */
export function reindent(change: (indent: string) => string): (text: string) => string {
  return (text) => (isBlank(text) ? text : change(indentOf(text)) + text.trimStart());
}

/** The file with tabs for its levels of indentation. */
export function tabbed(file: SourceFile): SourceFile {
  const unit = indentUnit(file);
  if (unit === '\t') return file;
  return file.with(
    file.lines.map((line) => {
      const indent = indentOf(line);
      if (indent.includes('\t')) return line;
      return (
        '\t'.repeat(Math.floor(indent.length / unit.length)) + ' '.repeat(indent.length % unit.length) + line.slice(indent.length)
      );
    }),
  );
}

export const crlf = (text: string): string => text.replace(/\n/g, '\r\n');

export const hasNoQuotes = (line: string): boolean => !/["']/.test(line);

/** < > & as entities. */
export const entities: Garble = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

export const hasEntity = (line: string): boolean => /&(lt|gt|amp|quot|#?\w+);/.test(line);

/** The line with one word mistyped: a letter lost, doubled or swapped. null when it has no word for it. */
export function mistype(random: Random, line: string): string | null {
  const words = [...line.matchAll(/[A-Za-z_]{6,}/g)];
  if (words.length === 0) return null;
  const { 0: word, index } = random.pick(words);
  const at = random.int(1, word.length - 2);
  const [before, letter, next, after] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)];
  const bad = random.pick([before + next + after, before + letter + letter + next + after, before + next + letter + after]);
  return bad === word ? null : line.slice(0, index) + bad + line.slice(index + word.length);
}

/** How read tools print a line with its number, by name. */
export const LINE_NUMBERS = {
  padded: (line: number, text: string) => `${String(line).padStart(6)}\t${text}`,
  tab: (line: number, text: string) => `${line}\t${text}`,
  colon: (line: number, text: string) => `${line}: ${text}`,
  bar: (line: number, text: string) => `${String(line).padStart(4)} | ${text}`,
  tightBar: (line: number, text: string) => `${line}|${text}`,
  arrow: (line: number, text: string) => `${String(line).padStart(5)}\u2192${text}`,
  zeros: (line: number, text: string) => `${String(line).padStart(5, '0')}| ${text}`,
} as const;
export type LineNumber = (line: number, text: string) => string;

/** Lines with their numbers, the first of which is `from`. */
export function numberLines(lines: readonly string[], from: number, format: LineNumber): readonly string[] {
  return lines.map((line, index) => format(from + index, line));
}
