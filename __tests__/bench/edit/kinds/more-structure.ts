// Edits that change the shape of the text, with a fault in the indentation of both strings. All can be applied.
import type { Block, EditedLine } from '../block.ts';
import { newStatement, pickBlock, renameOne, unchanged, WORDS } from '../block.ts';
import type { EditCall, Kind, KindContext, LineCaseOptions } from '../edit-case.ts';
import { kind, lineCase } from '../edit-case.ts';
import type { Random } from '../random.ts';
import { elementAt } from '../random.ts';
import type { Language } from '../source-file.ts';
import { indentOf, indentUnit, isBlank } from '../source-file.ts';
import { indented, minIndent, reindent, withBlock } from './shapes.ts';

const structure = (name: string, what: string, make: Kind['make'], langs: Kind['langs'] = null): Kind =>
  kind({ name, group: 'more: structure', langs }, what, make);

const BRACES: readonly Language[] = ['ts', 'js', 'go'];
const isTrimmed = (line: string): boolean => line === line.trimEnd();
const lineMade = (text: string, like: number): EditedLine => ({ text, from: null, like });

/** The common indentation is missing in both strings. */
function withoutIndent(context: KindContext, block: Block, options: LineCaseOptions): EditCall | null {
  const cut = minIndent(block.lines);
  const garble = (text: string): string => (isBlank(text) ? text : text.slice(cut));
  return lineCase(context, { ...options, block, garble, notExact: true });
}

/** A block with at least one level of indentation, of lines without space at their ends. */
function pickIndented({ random, file }: KindContext, min: number, max: number): Block | null {
  const hasUnit = indented(indentUnit(file).length);
  return pickBlock(random, file, { min, max, ok: (lines) => hasUnit(lines) && lines.every(isTrimmed) });
}

/** The file has one number of spaces for a level, the strings another. */
function rescaled(context: KindContext): EditCall | null {
  const unit = indentUnit(context.file);
  if (unit === '\t') return null;
  const other = unit.length === 2 ? 4 : 2;
  const level = (line: string): number => indentOf(line).length / unit.length;
  const ok = (lines: readonly string[]): boolean => {
    const solid = lines.filter((line) => !isBlank(line));
    const levels = solid.map(level);
    return solid.every((line) => /^ *\S/.test(line)) && levels.every(Number.isInteger) && new Set(levels).size > 1;
  };
  const block = pickBlock(context.random, context.file, { min: 3, max: 10, ok });
  if (block === null) return null;
  const garble = reindent((indent) => ' '.repeat((indent.length / unit.length) * other));
  return lineCase(context, { block, garble, notExact: true });
}

/** A line that opens something deeper: where it stands in the block, or -1. */
const openerIn = (lines: readonly string[]): number =>
  lines.findIndex((line, index) => {
    const next = lines[index + 1] ?? '';
    return /[{:[(]$/.test(line) && !isBlank(next) && indentOf(next).length > indentOf(line).length;
  });

function deeperInsert(context: KindContext): EditCall | null {
  const { random, file } = context;
  const hasUnit = indented(indentUnit(file).length);
  const ok = (lines: readonly string[]): boolean => hasUnit(lines) && lines.every(isTrimmed) && openerIn(lines) >= 0;
  const block = pickBlock(random, file, { min: 3, max: 10, ok });
  if (block === null) return null;
  const at = openerIn(block.lines);
  const deeper = indentOf(elementAt(block.lines, at + 1));
  const edited = unchanged(block.lines);
  edited.splice(at + 1, 0, lineMade(deeper + newStatement(random, file.lang), at + 1));
  return withoutIndent(context, block, { edited });
}

/** What goes around lines, by language. */
function wrapperOf(random: Random, lang: Language): readonly [string, string | null] {
  const name = random.pick(WORDS);
  if (lang === 'py')
    return random.pick([[`if ${name} is not None:`, null] as const, [`with open(${name}) as handle:`, null] as const]);
  if (lang === 'go') return [`if ${name} != nil {`, '}'];
  return random.pick([[`if (${name} !== null) {`, '}'] as const, [`for (const each of ${name}) {`, '}'] as const]);
}

/** The block inside of something, one level deeper. */
function wrapLines(random: Random, lang: Language, lines: readonly string[], unit: string): readonly string[] {
  const indent = indentOf(elementAt(lines, 0));
  const [open, close] = wrapperOf(random, lang);
  const deeper = lines.map((line) => (isBlank(line) ? line : unit + line));
  return [indent + open, ...deeper, ...(close === null ? [] : [indent + close])];
}

/** Whole statements only: nothing is less indented than the first line. */
const staysInside = (lines: readonly string[]): boolean => minIndent(lines) === indentOf(elementAt(lines, 0)).length;

function pickStatements({ random, file }: KindContext): Block | null {
  const unit = indentUnit(file);
  const hasUnit = (line: string): boolean => isBlank(line) || line.startsWith(unit);
  const isEven = indented(unit.length);
  const ok = (lines: readonly string[]): boolean =>
    isEven(lines) && lines.every((line) => isTrimmed(line) && hasUnit(line)) && staysInside(lines);
  return pickBlock(random, file, { min: 2, max: 7, ok });
}

function wrapped(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickStatements(context);
  if (block === null) return null;
  const edited = wrapLines(random, file.lang, block.lines, indentUnit(file)).map((text) => lineMade(text, 0));
  return withoutIndent(context, block, { edited });
}

function unwrapped(context: KindContext): EditCall | null {
  const picked = pickStatements(context);
  if (picked === null) return null;
  const lines = wrapLines(context.random, context.file.lang, picked.lines, indentUnit(context.file));
  const file = context.file.replace(picked.start, picked.end, lines);
  const edited = picked.lines.map((text) => lineMade(text, 0));
  return withoutIndent(context, { start: picked.start, end: picked.start + lines.length, lines }, { file, edited });
}

/** Tabs and spaces stand for the same levels in the file; the strings have spaces only. The changed line keeps the indentation it had. */
function mixedIndent(context: KindContext): EditCall | null {
  const { random } = context;
  const unit = indentUnit(context.file);
  if (unit === '\t' || unit.length < 2) return null;
  const even = (line: string): boolean => isBlank(line) || /^ *\S/.test(line);
  const ok = (lines: readonly string[]): boolean =>
    lines.every((line) => even(line) && isTrimmed(line) && indentOf(line).length % unit.length === 0) &&
    lines.filter((line) => line.startsWith(unit)).length > 1;
  const picked = pickBlock(random, context.file, { min: 3, max: 9, ok });
  if (picked === null) return null;
  const asTabs = reindent((indent) => '\t'.repeat(indent.length / unit.length));
  const mixed = picked.lines.map((line, index) => (index % 2 === 0 ? asTabs(line) : line));
  if (mixed.join('\n') === picked.lines.join('\n')) return null;
  const { file, block } = withBlock(context.file, picked, mixed);
  return lineCase(context, {
    ...{ file, block, edit: { types: ['modify', 'delete'] }, notExact: true },
    garble: reindent((indent) => indent.replaceAll('\t', unit)),
  });
}

/** A statement of one level goes above its neighbour of the same level. */
function movedLine(context: KindContext): EditCall | null {
  const { random, file } = context;
  const hasUnit = indented(indentUnit(file).length);
  const pairIn = (lines: readonly string[]): number =>
    lines.findIndex((line, index) => {
      const next = lines[index + 1];
      return next !== undefined && line !== next && !isBlank(line) && !isBlank(next) && indentOf(line) === indentOf(next);
    });
  const ok = (lines: readonly string[]): boolean => hasUnit(lines) && pairIn(lines) >= 0;
  const block = pickBlock(random, file, { min: 3, max: 8, ok });
  if (block === null) return null;
  const at = pairIn(block.lines);
  const edited = unchanged(block.lines);
  edited.splice(at, 2, elementAt(edited, at + 1), elementAt(edited, at));
  return withoutIndent(context, block, { edited });
}

function deletedBlock(context: KindContext): EditCall | null {
  const { file } = context;
  const block = pickIndented(context, 3, 12);
  if (block === null) return null;
  const cut = minIndent(block.lines);
  const old = block.lines.map((line) => (isBlank(line) ? line : line.slice(cut))).join('\n');
  if (file.text.includes(old)) return null;
  const withEnd = context.random.chance(0.6);
  const gone = file.replace(block.start, block.end, []).text;
  const from = file.offsetOf(block.start);
  return {
    ...{ src: file.path, lang: file.lang, content: file.text, old: withEnd ? `${old}\n` : old, new: '', expect: 'apply' },
    // Without a newline in old_string an empty line may stay.
    accept: withEnd ? [gone] : [gone, file.replace(block.start, block.end, ['']).text],
    region: [from, from + block.lines.join('\n').length + 1],
  };
}

function replacedBlock(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickStatements(context);
  if (block === null) return null;
  const indent = indentOf(elementAt(block.lines, 0));
  const unit = indentUnit(file);
  const made = Array.from({ length: random.int(3, 6) }, (_, index) => {
    return lineMade(indent + (index % 3 === 1 ? unit : '') + newStatement(random, file.lang), 0);
  });
  return withoutIndent(context, block, { edited: made });
}

/** A line before the first or after the last one of the file, of which old_string has space at a line's end. */
function atTheEdge(context: KindContext): EditCall | null {
  const { random, file } = context;
  const size = random.int(2, 4);
  const atTop = random.chance(0.5);
  const start = atTop ? 0 : file.lines.length - size;
  const lines = file.lines.slice(start, start + size);
  if (isBlank(elementAt(lines, 0)) || isBlank(elementAt(lines, size - 1))) return null;
  if (!lines.every(isTrimmed) || !file.isUnique(start, start + size)) return null;
  const edited = unchanged(lines);
  const statement = lineMade(newStatement(random, file.lang), 0);
  if (atTop) edited.unshift(statement);
  else edited.push(statement);
  return lineCase(context, {
    ...{ block: { start, end: start + size, lines }, edited, tail: false, notExact: true },
    garble: (text, index, made) => (made === undefined && index === 0 ? `${text}  ` : text),
  });
}

/** Several lines changed, one inserted, one deleted, with what stays between them. */
function severalHunks(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickIndented(context, 8, 14);
  if (block === null || block.lines.some(isBlank)) return null;
  const last = block.lines.length - 1;
  const [first, changed] = [renameOne(random, elementAt(block.lines, 1)), renameOne(random, elementAt(block.lines, last - 1))];
  if (first === null || changed === null) return null;
  const edited = unchanged(block.lines);
  edited[1] = lineMade(first, 1);
  edited[last - 1] = lineMade(changed, last - 1);
  const middle = Math.floor(last / 2);
  const statement = indentOf(elementAt(block.lines, middle)) + newStatement(random, file.lang);
  if (random.chance(0.5)) edited.splice(middle, 1);
  else edited.splice(middle + 1, 0, lineMade(statement, middle));
  return withoutIndent(context, block, { edited });
}

/** A parameter more: in the line of the function, and a line that uses it. */
function addedParameter(context: KindContext): EditCall | null {
  const { random, file } = context;
  const signature = /^\s+.*\w\([^()]*\w[^()]*\).*[{:]$/;
  const hasUnit = indented(1);
  const ok = (lines: readonly string[]): boolean => {
    const [head = '', next = ''] = lines;
    return hasUnit(lines) && signature.test(head) && !isBlank(next) && indentOf(next).length > indentOf(head).length;
  };
  const block = pickBlock(random, file, { min: 3, max: 8, ok });
  if (block === null) return null;
  const parameter = `${random.pick(WORDS)}More`;
  const edited = unchanged(block.lines);
  const head = elementAt(block.lines, 0).replace(/\(([^()]*\w[^()]*)\)/, (_, inner: string) => `(${inner}, ${parameter})`);
  edited[0] = lineMade(head, 0);
  edited.splice(1, 0, lineMade(`${indentOf(elementAt(block.lines, 1))}use(${parameter})`, 1));
  return withoutIndent(context, block, { edited });
}

/** An empty line goes in on purpose, while both strings have one too many around them. */
function blankOnPurpose(context: KindContext): EditCall | null {
  const { random, file } = context;
  const ok = (lines: readonly string[], start: number, end: number): boolean =>
    !lines.some(isBlank) && !isBlank(file.line(start - 1)) && end < file.lines.length && !isBlank(file.line(end));
  const block = pickBlock(random, file, { min: 3, max: 8, ok });
  if (block === null) return null;
  const edited = unchanged(block.lines);
  const at = random.int(1, block.lines.length - 1);
  edited.splice(at, 0, lineMade('', at));
  return lineCase(context, {
    ...{ block, edited, tail: false, notExact: true },
    wrap: (old, made) => [`\n${old}\n\n`, `\n${made}\n\n`],
    alsoOk: [(literal) => ['', ...literal, '']],
  });
}

/** Lines are indented otherwise on purpose; old_string is exact. */
function exactReindent(context: KindContext): EditCall | null {
  const unit = indentUnit(context.file);
  const block = pickIndented(context, 2, 8);
  if (block === null) return null;
  const deeper = context.random.chance(0.5);
  const edited = block.lines.map((line, index) => {
    if (isBlank(line)) return { text: line, from: index, like: index };
    return lineMade(deeper ? unit + line : line.slice(unit.length), index);
  });
  return lineCase(context, { block, edited });
}

export const STRUCTURE_KINDS: readonly Kind[] = [
  structure('indent-rescaled', 'the file is indented by 2 (or 4) spaces, both strings by 4 (or 2)', rescaled),
  structure('insert-deeper', 'a line goes in one level deeper; the common indentation is missing', deeperInsert),
  structure('wrapped', 'the lines go into an if, a for or a with; the common indentation is missing', wrapped, [...BRACES, 'py']),
  structure('unwrapped', 'the if around the lines goes; the common indentation is missing', unwrapped, [...BRACES, 'py']),
  structure('mixed-indent', 'tabs and spaces for the same levels in the file, spaces in both strings', mixedIndent, [
    'ts',
    'js',
    'xml',
  ]),
  structure('moved-line', 'a line goes above its neighbour; the common indentation is missing', movedLine),
  structure('deleted-block', 'a whole block goes; its common indentation is missing in old_string', deletedBlock),
  structure('replaced-block', 'nothing of the block stays; the common indentation is missing', replacedBlock),
  structure('file-edges', 'a line at the top or the end of the file; space at a line end of old_string', atTheEdge),
  structure('several-hunks', 'three changes with unchanged lines between; the common indentation is missing', severalHunks),
  structure('added-parameter', 'a parameter more and its use; the common indentation is missing', addedParameter, [
    ...BRACES,
    'py',
  ]),
  structure('blank-on-purpose', 'an empty line goes in; both strings have one too many around them', blankOnPurpose),
  structure('exact-reindent', 'old_string is exact, new_string only indents it otherwise', exactReindent),
];
