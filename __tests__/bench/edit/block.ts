// Blocks of lines that are unique in a file, and edits of them as a model makes them: change a line, insert one, delete one.
import type { Random } from './random.ts';
import { elementAt } from './random.ts';
import type { Language, SourceFile } from './source-file.ts';
import { indentOf, isBlank } from './source-file.ts';

/** Lines `start` to `end` (not included) of a file. */
export interface Block {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

export interface BlockWish {
  readonly min?: number;
  readonly max?: number;
  readonly ok?: (lines: readonly string[], start: number, end: number) => boolean;
  /** From which share of common lines on another place is a twin. */
  readonly twin?: number;
}

/** A line after the edit. `from`: the old line that it is unchanged; null for a new one, which takes the place or the indentation of `like`. */
export interface EditedLine {
  readonly text: string;
  readonly from: number | null;
  readonly like: number;
}

export interface EditWish {
  readonly types?: readonly ('modify' | 'insert' | 'delete' | 'both')[];
  /** Lines that stay, and after which nothing is inserted. */
  readonly keep?: (index: number) => boolean;
  /** Only lines that hold are changed or deleted. */
  readonly plain?: (line: string) => boolean;
}

const TRIES = 40;

/** A block that is unique however loosely one looks; its first and last line are not blank. null when none was found. */
export function pickBlock(random: Random, file: SourceFile, wish: BlockWish = {}): Block | null {
  const { min = 2, max = 12, ok = () => true } = wish;
  // Two blocks of three begin at their least indented line, as most of those that models quote do; the rest begin anywhere.
  const whole = random.chance(0.67);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const size = random.int(min, max);
    if (size > file.lines.length - 2) continue;
    const start = random.int(1, file.lines.length - size - 1);
    const end = start + size;
    const lines = file.lines.slice(start, end);
    if (!isSolid(lines) || (whole && attempt < TRIES / 2 && dipsBelowItsStart(lines))) continue;
    if (ok(lines, start, end) && file.isUnique(start, end, wish.twin)) return { start, end, lines };
  }
  return null;
}

function isSolid(lines: readonly string[]): boolean {
  if (isBlank(elementAt(lines, 0)) || isBlank(elementAt(lines, lines.length - 1))) return false;
  const inks = lines.map((line) => line.replace(/\s/g, '').length);
  return inks.filter((ink) => ink >= 8).length >= Math.ceil(lines.length / 2) && inks.some((ink) => ink >= 15);
}

function dipsBelowItsStart(lines: readonly string[]): boolean {
  const first = indentOf(elementAt(lines, 0)).length;
  return lines.some((line) => !isBlank(line) && indentOf(line).length < first);
}

export const WORDS = [
  ...['amount', 'result', 'buffer', 'target', 'offset', 'policy', 'record', 'vector'],
  ...['handle', 'column', 'margin', 'prefix', 'region', 'sample', 'thread', 'window'],
];

/** How comments of a line begin; empty where there are none. */
export function commentMark(lang: Language): string {
  if (lang === 'ts' || lang === 'js' || lang === 'go') return '//';
  return lang === 'py' || lang === 'yaml' || lang === 'make' ? '#' : '';
}

export function newStatement(random: Random, lang: Language): string {
  const name = `${random.pick(WORDS)}Next${random.int(2, 99)}`;
  const value = random.int(100, 9999);
  if (lang === 'py') return `${name} = ${value}`;
  if (lang === 'go') return `${name} := ${value}`;
  if (lang === 'ts' || lang === 'js') return `const ${name} = ${value};`;
  if (lang === 'make') return `echo ${name} ${value}`;
  if (lang === 'yaml') return `# ${name}: ${value}`;
  return `The ${name} is ${value} now.`;
}

/** The line with one of its names changed. null when it has none. */
export function renameOne(random: Random, line: string): string | null {
  const names = [...line.matchAll(/[A-Za-z_][A-Za-z0-9_]{3,}/g)];
  if (names.length === 0) return null;
  const { 0: name, index } = random.pick(names);
  const renamed = name + random.pick(['Next', 'Two', 'Main', '9']);
  return line.slice(0, index) + renamed + line.slice(index + name.length);
}

/** The lines, none of them changed. */
export function unchanged(lines: readonly string[]): EditedLine[] {
  return lines.map((text, index) => ({ text, from: index, like: index }));
}

export function textsOf(edited: readonly EditedLine[]): string {
  return edited.map(({ text }) => text).join('\n');
}

const EDIT_TYPES = ['modify', 'insert', 'delete', 'both'] as const;

/** One edit of the lines. null when there is nothing to edit. */
export function editLines(random: Random, lines: readonly string[], lang: Language, wish: EditWish = {}): EditedLine[] | null {
  const { types = EDIT_TYPES, keep = () => false, plain = () => true } = wish;
  const open = lines.flatMap((line, index) => (isBlank(line) || keep(index) ? [] : [index]));
  const spots = open.filter((index) => plain(elementAt(lines, index)));
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const type = random.pick(types);
    if (spots.length === 0) return null;
    const edited = unchanged(lines);
    if (type === 'delete') {
      if (lines.length < 3) continue;
      edited.splice(random.pick(spots), 1);
    }
    if ((type === 'modify' || type === 'both') && !modifyOne(random, edited, spots)) continue;
    if (type === 'insert' || type === 'both') insertOne(random, edited, open, lang);
    return edited;
  }
  return null;
}

/** False when the line that was drawn has nothing to change. */
function modifyOne(random: Random, edited: EditedLine[], spots: readonly number[]): boolean {
  const like = random.pick(spots);
  const text = renameOne(random, elementAt(edited, like).text);
  if (text === null) return false;
  edited[like] = { text, from: null, like };
  return true;
}

function insertOne(random: Random, edited: EditedLine[], open: readonly number[], lang: Language): void {
  const like = random.pick(open);
  const indent = indentOf(elementAt(edited, like).text);
  edited.splice(like + 1, 0, { text: indent + newStatement(random, lang), from: null, like });
}
