// White space that differs between the file and old_string, in ways that mean nothing to the model.
import type { Block } from '../block.ts';
import { editLines, pickBlock } from '../block.ts';
import type { EditCall, Kind, KindContext } from '../edit-case.ts';
import { isMade, kind, lineCase } from '../edit-case.ts';
import { elementAt } from '../random.ts';
import { indentOf, indentUnit, isBlank, SourceFile } from '../source-file.ts';
import { indented, minIndent, reindent, tabbed, withBlock } from './shapes.ts';

const whitespace = (name: string, what: string, make: Kind['make']): Kind => kind({ name, group: 'whitespace' }, what, make);
const LINE_END_SPACE = [' ', '  ', '\t'];
const isTrimmed = (line: string): boolean => line === line.trimEnd();

export function trailingInFile(context: KindContext): EditCall | null {
  const { random } = context;
  const picked = pickBlock(random, context.file, { min: 2, max: 10 });
  if (picked === null) return null;
  const clean = picked.lines.map((line) => line.trimEnd());
  const hit = random.int(0, clean.length - 1);
  const lines = picked.lines.map((line, index) =>
    index === hit || random.chance(0.4) ? elementAt(clean, index) + random.pick(LINE_END_SPACE) : line,
  );
  const { file, block } = withBlock(context.file, picked, lines);
  const edited = editLines(random, clean, file.lang);
  if (edited === null) return null;
  const full = edited.map((made) => (made.from === null ? made : { ...made, text: elementAt(lines, made.from) }));
  return lineCase(context, {
    ...{ file, block, edited: full, literalOk: true, notExact: true },
    garble: (text) => text.trimEnd(),
  });
}

const trailingInOld = (context: KindContext): EditCall | null =>
  lineCase(context, {
    pick: { min: 2, max: 10, ok: (lines) => lines.every(isTrimmed) },
    garble: (text, index, made) => {
      if (made !== undefined) return text;
      return index === 0 || context.random.chance(0.4) ? text + context.random.pick(LINE_END_SPACE) : text;
    },
    notExact: true,
  });

/** The common indentation of a block of `min` to `max` lines is missing in both strings. */
export function indentMissing(context: KindContext, { min = 2, max = 12, unitAtLeast = true } = {}): EditCall | null {
  const unit = indentUnit(context.file);
  const block = pickBlock(context.random, context.file, { min, max, ok: indented(unitAtLeast ? unit.length : 1) });
  if (block === null) return null;
  const cut = minIndent(block.lines);
  return lineCase(context, { block, garble: (text) => (isBlank(text) ? text : text.slice(cut)), notExact: true });
}

function indentShifted(context: KindContext): EditCall | null {
  const unit = indentUnit(context.file);
  const further = context.random.chance(0.5);
  const block = pickBlock(context.random, context.file, { min: 2, max: 12, ok: indented(unit.length) });
  if (block === null) return null;
  const shift = (text: string): string => (further ? unit + text : text.slice(unit.length));
  return lineCase(context, { block, garble: (text) => (isBlank(text) ? text : shift(text)), notExact: true });
}

function indentFlat(context: KindContext): EditCall | null {
  const hasLevels = (lines: readonly string[]): boolean =>
    new Set(lines.filter((line) => !isBlank(line)).map(indentOf)).size > 1 && lines.every(isTrimmed);
  const block = pickBlock(context.random, context.file, { min: 3, max: 10, ok: hasLevels });
  if (block === null) return null;
  return lineCase(context, {
    ...{ block, edit: { types: ['modify', 'delete'] }, notExact: true },
    garble: (text) => text.trimStart(),
  });
}

function indentFirstLine(context: KindContext): EditCall | null {
  const unit = indentUnit(context.file);
  const block = pickBlock(context.random, context.file, { min: 2, max: 10, ok: (lines) => lines.length > 1 });
  if (block === null) return null;
  const wrong = indentOf(elementAt(block.lines, 0)) + unit;
  return lineCase(context, {
    ...{ block, edit: { types: ['modify', 'delete'], keep: (index) => index === 0 }, notExact: true },
    garble: (text, index, made) => (index === 0 && (made === undefined || made.from === 0) ? wrong + text.trimStart() : text),
  });
}

function tabsInFile(context: KindContext): EditCall | null {
  const file = tabbed(context.file);
  const pureTabs = (lines: readonly string[]): boolean =>
    lines.every((line) => isBlank(line) || /^\t*$/.test(indentOf(line))) && lines.some((line) => line.startsWith('\t'));
  const block = pickBlock(context.random, file, { min: 2, max: 12, ok: pureTabs });
  if (block === null) return null;
  const width = context.random.pick([2, 4, 8]);
  return lineCase(context, { file, block, garble: reindent((indent) => ' '.repeat(indent.length * width)), notExact: true });
}

function tabsInOld(context: KindContext): EditCall | null {
  const unit = indentUnit(context.file);
  if (unit === '\t') return null;
  const even = (line: string): boolean => !indentOf(line).includes('\t') && indentOf(line).length % unit.length === 0;
  const ok = (lines: readonly string[]): boolean =>
    lines.every((line) => isBlank(line) || even(line)) && lines.some((line) => line.startsWith(unit));
  const block = pickBlock(context.random, context.file, { min: 2, max: 12, ok });
  if (block === null) return null;
  return lineCase(context, { block, garble: reindent((indent) => '\t'.repeat(indent.length / unit.length)), notExact: true });
}

function innerSpace(context: KindContext): EditCall | null {
  const { random } = context;
  const hasRuns = (lines: readonly string[]): boolean => lines.some((line) => / = /.test(line) || /, /.test(line));
  const picked = pickBlock(random, context.file, { min: 2, max: 8, ok: hasRuns });
  if (picked === null) return null;
  const widen = (line: string): string => {
    if (/ = /.test(line)) return line.replace(' = ', random.pick(['   = ', '\t= ', ' =  ']));
    return random.chance(0.3) ? line.replace(', ', ',  ') : line;
  };
  const wide = picked.lines.map(widen);
  if (wide.join() === picked.lines.join()) return null;
  const { file, block } = withBlock(context.file, picked, wide);
  const edited = editLines(random, wide, file.lang, { keep: (index) => wide[index] !== picked.lines[index] });
  if (edited === null) return null;
  return lineCase(context, {
    ...{ file, block, edited, literalOk: true, notExact: true },
    garble: (text, index, made) => (isMade(made) ? text : elementAt(picked.lines, index)),
  });
}

function blankLines(context: KindContext): EditCall | null {
  const { random } = context;
  const mode = random.pick(['missing', 'doubled', 'collapsed']);
  const oneBlank = (lines: readonly string[]): boolean =>
    lines.slice(1, -1).filter(isBlank).length === 1 && lines.every((line) => !isBlank(line) || line === '');
  const picked = pickBlock(random, context.file, { min: 4, max: 12, ok: oneBlank });
  if (picked === null) return null;
  const { file, block } = mode === 'collapsed' ? doubleTheBlank(context.file, picked) : { file: context.file, block: picked };
  const at = block.lines.findIndex(isBlank);
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'] });
  if (edited === null) return null;
  const warp = (lines: readonly string[]): readonly string[] =>
    mode === 'doubled' ? [...lines.slice(0, at), '', ...lines.slice(at)] : [...lines.slice(0, at), ...lines.slice(at + 1)];
  return lineCase(context, {
    ...{ file, block, edited, notExact: true },
    reshape: (old, made) => [warp(old), warp(made)],
    alsoOk: [(literal) => literal],
  });
}

function doubleTheBlank(source: SourceFile, { start, end, lines }: Block) {
  const file = source.insert(start + lines.findIndex(isBlank), ['']);
  return { file, block: { start, end: end + 1, lines: file.lines.slice(start, end + 1) } };
}

function extraBlankEdges(context: KindContext): EditCall | null {
  const { random, file } = context;
  const standsClose = (_lines: readonly string[], start: number, end: number): boolean =>
    !isBlank(file.line(start - 1)) && end < file.lines.length && !isBlank(file.line(end));
  const block = pickBlock(random, file, { min: 2, max: 8, ok: standsClose });
  if (block === null) return null;
  const [before, after] = random.pick([['\n', ''] as const, ['', '\n\n'] as const, ['\n', '\n\n'] as const]);
  return lineCase(context, {
    ...{ block, tail: false, notExact: true },
    wrap: (old, made) => [before + old + after, before + made + after],
    alsoOk: [(literal) => [...(before === '' ? [] : ['']), ...literal, ...(after === '' ? [] : [''])]],
  });
}

function finalNewline(context: KindContext): EditCall | null {
  const { random } = context;
  const total = context.file.lines.length;
  const size = random.int(1, 6);
  const had = random.chance(0.5);
  const file = new SourceFile(context.file.path, context.file.lang, context.file.lines, had);
  const start = total - size;
  const lines = file.lines.slice(start);
  if (isBlank(elementAt(lines, 0)) || isBlank(elementAt(lines, size - 1)) || !file.isUnique(start, total)) return null;
  const edited = editLines(random, lines, file.lang);
  if (edited === null) return null;
  const newline = had ? '\n\n' : '\n';
  const call = lineCase(context, {
    ...{ file, block: { start, end: total, lines }, edited, tail: false, notExact: true },
    wrap: (old, made) => [old + newline, made + newline],
  });
  return call && { ...call, accept: [...call.accept, `${elementAt(call.accept, 0)}\n`] };
}

function oneLineIndent(context: KindContext): EditCall | null {
  const unit = indentUnit(context.file);
  const block = pickBlock(context.random, context.file, { min: 1, max: 1 });
  return block && lineCase(context, { block, garble: (text) => unit + text, notExact: true });
}

function reflow(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 4, max: 10, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const at = random.int(1, block.lines.length - 3);
  const keep = (index: number): boolean => index === at || index === at + 1;
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'], keep });
  if (edited === null) return null;
  const glue = (lines: readonly string[]): readonly string[] => [
    ...lines.slice(0, at),
    `${elementAt(lines, at).trimEnd()} ${elementAt(lines, at + 1).trimStart()}`,
    ...lines.slice(at + 2),
  ];
  return lineCase(context, {
    ...{ block, edited, literalOk: true, notExact: true },
    reshape: (old, made) => [glue(old), glue(made)],
  });
}

export const WHITESPACE_KINDS: readonly Kind[] = [
  whitespace('trailing-ws-file', 'the file has spaces at line ends, old_string not', trailingInFile),
  whitespace('trailing-ws-old', 'old_string has spaces at line ends, the file not', trailingInOld),
  whitespace('indent-missing', 'the common indentation is missing in both strings', (context) => indentMissing(context)),
  whitespace('indent-shifted', 'all lines are indented one level too far or too little', indentShifted),
  whitespace('indent-flat', 'every line has lost all its indentation', indentFlat),
  whitespace('indent-first-line', 'only the first line is indented wrongly', indentFirstLine),
  whitespace('tabs-file', 'the file has tabs, both strings have spaces', tabsInFile),
  whitespace('tabs-old', 'the file has spaces, both strings have tabs', tabsInOld),
  whitespace('inner-ws', 'runs of spaces inside lines differ', innerSpace),
  whitespace('blank-lines', 'a blank line inside the block is missing, doubled or extra', blankLines),
  whitespace('extra-blank-edges', 'both strings begin or end with extra blank lines', extraBlankEdges),
  whitespace('final-newline', 'the last line of the file; old_string has a newline too many', finalNewline),
  whitespace('one-line-indent', 'a single line, indented too far; new_string adds lines', oneLineIndent),
  whitespace('long-block-indent', '25 to 60 lines with the common indentation missing', (context) =>
    indentMissing(context, { min: 25, max: 60, unitAtLeast: false }),
  ),
  kind(
    { name: 'reflow', group: 'whitespace', langs: ['ts', 'js', 'go', 'md'] },
    'two lines of the file are one line in both strings',
    reflow,
  ),
];
