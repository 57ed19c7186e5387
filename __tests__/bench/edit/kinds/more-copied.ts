// What models copy along from tools and messages, data formats, and several faults at once. All can be applied.
import { editLines, pickBlock, unchanged } from '../block.ts';
import type { EditCall, Kind, KindContext } from '../edit-case.ts';
import { isMade, kind, lineCase, mapFile } from '../edit-case.ts';
import type { Random } from '../random.ts';
import { elementAt } from '../random.ts';
import { indentOf, isBlank } from '../source-file.ts';
import { crlf, entities, hasEntity, indented, LINE_NUMBERS, minIndent, mistype, numberLines } from './shapes.ts';

const copied = (name: string, what: string, make: Kind['make'], langs: Kind['langs'] = null): Kind =>
  kind({ name, group: 'more: copied', langs }, what, make);
const format = (name: string, what: string, make: Kind['make'], langs: Kind['langs']): Kind =>
  kind({ name, group: 'more: formats', langs }, what, make);

type Reshape = (
  old: readonly string[],
  made: readonly string[],
  random: Random,
) => readonly [readonly string[], readonly string[]];

/** A block of solid lines, written by the model with something in front of each of them. */
function marked(reshape: Reshape): Kind['make'] {
  return (context) =>
    lineCase(context, {
      ...{ pick: { min: 2, max: 9 }, tail: false, notExact: true },
      reshape: (old, made) => reshape(old, made, context.random),
    });
}

const prefix = (lines: readonly string[], mark: string): readonly string[] => lines.map((line) => mark + line);
const asRemovedAndAdded: Reshape = (old, made) => [prefix(old, '-'), prefix(made, '+')];
const asContext: Reshape = (old, made) => [prefix(old, ' '), prefix(made, ' ')];
const asQuote: Reshape = (old, made, random) => {
  const mark = random.pick(['> ', '| ']);
  return [prefix(old, mark), prefix(made, mark)];
};
/** As in a patch: common lines with a space, the others with - and +. */
const asPatch: Reshape = (old, made) => [
  old.map((line) => (made.includes(line) ? ` ${line}` : `-${line}`)),
  made.map((line) => (old.includes(line) ? ` ${line}` : `+${line}`)),
];

const FORMATS = Object.values(LINE_NUMBERS);

function numbersInOld(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 2, max: 9 });
  if (block === null) return null;
  const print = context.random.pick(FORMATS);
  return lineCase(context, {
    ...{ block, tail: false, notExact: true },
    reshape: (old, made) => [numberLines(old, block.start + 1, print), made],
  });
}

/** old_string is exact, the lines of new_string carry numbers: nobody wants these in the file. Refusing is as right. */
function numbersInNew(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 3, max: 9 });
  if (block === null) return null;
  const print = context.random.pick([LINE_NUMBERS.padded, LINE_NUMBERS.bar, LINE_NUMBERS.arrow]);
  const call = lineCase(context, {
    ...{ block, tail: false },
    reshape: (old, made) => [old, numberLines(made, block.start + 1, print)],
  });
  return call && { ...call, expect: 'either' };
}

/** Empty lines lost their numbers, as trimmed ones do. */
function numbersWithGaps(context: KindContext): EditCall | null {
  const ok = (lines: readonly string[]): boolean => lines.includes('');
  const block = pickBlock(context.random, context.file, { min: 3, max: 10, ok });
  if (block === null) return null;
  const print = context.random.pick([LINE_NUMBERS.padded, LINE_NUMBERS.bar, LINE_NUMBERS.arrow]);
  const number = (lines: readonly string[]): readonly string[] =>
    lines.map((line, index) => (line === '' ? '' : print(block.start + 1 + index, line)));
  return lineCase(context, {
    ...{ block, tail: false, notExact: true },
    reshape: (old, made) => [number(old), number(made)],
  });
}

/** The numbers are those of an older state of the file. The text is there once, so nothing else can be meant; refusing is as right. */
function oldNumbers(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 2, max: 9 });
  if (block === null) return null;
  const first = block.start + 1 + context.random.int(3, 60);
  const number = (lines: readonly string[]): readonly string[] => numberLines(lines, first, LINE_NUMBERS.padded);
  const call = lineCase(context, {
    ...{ block, tail: false, notExact: true },
    reshape: (old, made) => [number(old), number(made)],
  });
  return call && { ...call, expect: 'either' };
}

// ---- several faults at once ----

interface Fault {
  readonly name: string;
  readonly fits: (lines: readonly string[]) => boolean;
  /** Of the lines of either string. */
  readonly lines?: (lines: readonly string[], first: number) => readonly string[];
  readonly file?: (text: string) => string;
}

const cutIndent = (lines: readonly string[], cut: number): readonly string[] =>
  lines.map((line) => (isBlank(line) ? line : line.slice(cut)));

/** In the order in which they come into a copy; each works on what the one before left. */
function faultsFor(blockLines: readonly string[]): readonly Fault[] {
  const cut = minIndent(blockLines);
  return [
    { name: 'indent', fits: indented(1), lines: (lines) => cutIndent(lines, cut) },
    { name: 'space', fits: () => true, lines: (lines) => lines.map((line, index) => (index === 0 ? `${line} ` : line)) },
    {
      name: 'entities',
      fits: (lines) => lines.some((line) => /[<>&]/.test(line)) && !lines.some(hasEntity),
      lines: (lines) => lines.map((line, index) => entities(line, index, undefined)),
    },
    { name: 'numbers', fits: () => true, lines: (lines, first) => numberLines(lines, first, LINE_NUMBERS.padded) },
    {
      name: 'fence',
      fits: (lines) => !lines.some((line) => line.includes('```')),
      lines: (lines) => ['```', ...lines, '```'],
    },
    { name: 'crlf', fits: () => true, file: crlf },
  ];
}

/** `count` faults at once. Changed and new lines of new_string carry them as well. */
function combined(count: number): Kind['make'] {
  return (context) => {
    const { random, file } = context;
    const ok = (lines: readonly string[]): boolean => lines.every((line) => line === line.trimEnd());
    const block = pickBlock(random, file, { min: 3, max: 9, ok });
    if (block === null) return null;
    const possible = faultsFor(block.lines).filter((fault) => fault.fits(block.lines));
    const chosen = new Set(random.shuffle(possible).slice(0, count));
    const faults = possible.filter((fault) => chosen.has(fault));
    if (faults.length < count) return null;
    const edited = editLines(random, block.lines, file.lang, { keep: (index) => index === 0 });
    if (edited === null) return null;
    const garble = (lines: readonly string[]): readonly string[] =>
      faults.reduce((done, fault) => fault.lines?.(done, block.start + 1) ?? done, lines);
    const call = lineCase(context, {
      ...{ block, edited, tail: false, notExact: true },
      reshape: (old, made) => [garble(old), garble(made)],
    });
    return call && faults.reduce((done, fault) => (fault.file === undefined ? done : mapFile(done, fault.file)), call);
  };
}

/** A slip of the pen in a line that stays, below a comment that is mistyped as well, with edits above and below them. */
function twoSlips(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 8, max: 14, twin: 0.5, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const spots = [2, block.lines.length - 3] as const;
  const bad = new Map(spots.map((at) => [at, mistype(random, elementAt(block.lines, at))]));
  if ([...bad.values()].includes(null)) return null;
  const edited = editLines(random, block.lines, file.lang, { types: ['modify', 'insert'], keep: (index) => bad.has(index) });
  if (edited === null) return null;
  return lineCase(context, {
    ...{ block, edited, notExact: true },
    garble: (text, index, made) => (isMade(made) ? text : (bad.get(index) ?? text)),
  });
}

// ---- data formats ----

/** An entry more of a data format, which the strings write without the common indentation, and with a comma before it where it needs one. */
function addedEntry(after: RegExp, entry: (indent: string, random: Random) => readonly string[], comma = false): Kind['make'] {
  return (context) => {
    const { random, file } = context;
    const ok = (lines: readonly string[]): boolean => lines.slice(0, -1).some((line) => after.test(line));
    const block = pickBlock(random, file, { min: 3, max: 9, ok });
    if (block === null) return null;
    const at = block.lines.findIndex((line, index) => index < block.lines.length - 1 && after.test(line));
    const line = elementAt(block.lines, at);
    const edited = unchanged(block.lines);
    if (comma) edited[at] = { text: `${line},`, from: null, like: at };
    edited.splice(at + 1, 0, ...entry(indentOf(line), random).map((text) => ({ text, from: null, like: at })));
    const cut = minIndent(block.lines);
    if (cut > 0) return lineCase(context, { block, edited, notExact: true, garble: (text) => text.slice(cut) });
    // Nothing to leave out: old_string has space at the end of its first line.
    const garble = (text: string, index: number, made: unknown): string =>
      made === undefined && index === 0 ? `${text} ` : text;
    return lineCase(context, { block, edited, notExact: true, garble });
  };
}

/** The strings are written without the blanks after : and , that the file has; they are no part of a string there. */
function compactJson(context: KindContext): EditCall | null {
  const squeeze = (text: string): string => text.replace(/": /g, '":');
  return lineCase(context, {
    pick: { min: 4, max: 9, ok: (lines) => lines.some((line) => line.includes('": ')) },
    edit: { types: ['modify', 'delete'], plain: (line) => !line.includes('": ') },
    ...{ garble: squeeze, literalOk: true, notExact: true },
  });
}

/** A row more in a file with CRLF. */
function csvRow(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 2, max: 5 });
  if (block === null) return null;
  const edited = unchanged(block.lines);
  edited.splice(1, 0, { text: `${context.random.int(10, 99)},"a, b",c,${context.random.int(10, 99)}`, from: null, like: 0 });
  const call = lineCase(context, { block, edited });
  return call && mapFile(call, crlf);
}

/** A level of a nested list or mapping more. */
const nestedItem = (indent: string, random: Random): string => `${indent}- the item ${random.int(100, 999)}`;

function markdownList(context: KindContext): EditCall | null {
  const { random, file: source } = context;
  const at = random.int(2, source.lines.length - 2);
  const number = random.int(100, 999);
  const lines = [
    `- first of ${number}`,
    '  - inner thing',
    `    - innermost ${number}`,
    '  - another inner',
    `- second of ${number}`,
  ];
  const file = source.insert(at, ['', ...lines, '']);
  const block = { start: at + 2, end: at + 5, lines: lines.slice(1, 4) };
  const edited = unchanged(block.lines);
  edited.splice(2, 0, { text: nestedItem('    ', random), from: null, like: 1 });
  return lineCase(context, { file, block, edited, notExact: true, garble: (text) => text.slice(2) });
}

const recipeLine = (context: KindContext): EditCall | null => {
  const block = pickBlock(context.random, context.file, {
    min: 2,
    max: 7,
    ok: (lines) => lines.some((line) => line.startsWith('\t')),
  });
  if (block === null) return null;
  const at = block.lines.findIndex((line) => line.startsWith('\t'));
  const edited = unchanged(block.lines);
  const indent = indentOf(elementAt(block.lines, at));
  edited.splice(at, 0, { text: `${indent}@echo step ${context.random.int(100, 999)}`, from: null, like: at });
  const width = context.random.pick([4, 8]);
  return lineCase(context, { block, edited, notExact: true, garble: (text) => text.replaceAll('\t', ' '.repeat(width)) });
};

export const COPIED_KINDS: readonly Kind[] = [
  copied('diff-signs', 'each line of old_string has a -, each of new_string a +', marked(asRemovedAndAdded)),
  copied('diff-context', 'each line of both strings has the space of a patch', marked(asContext)),
  copied('diff-patch', 'lines have the space, - and + of a patch', marked(asPatch)),
  copied('quoted', 'each line of both strings has "> " or "| "', marked(asQuote)),
  copied('lineno-old', 'line numbers in old_string only', numbersInOld),
  copied('lineno-new', 'line numbers in new_string only: refuse, or leave them out', numbersInNew),
  copied('lineno-gaps', 'line numbers, but for empty lines', numbersWithGaps),
  copied('lineno-stale', 'line numbers of an older state: refuse, or the one place', oldNumbers),
  copied('combo-two', 'two faults at once', combined(2)),
  copied('combo-three', 'three faults at once', combined(3)),
  copied('two-slips', 'two mistyped words in lines that the edit leaves alone', twoSlips),
  format(
    'json-entry',
    'a property more, and a comma before it',
    addedEntry(/^\s+"\w+": [\d\w"]+$/, (i, r) => [`${i}"more": ${r.int(1, 99)}`], true),
    ['json'],
  ),
  format('json-compact', 'no blank after : in both strings', compactJson, ['json']),
  format(
    'xml-entry',
    'an element more',
    addedEntry(/<\/(title|price)>$/, (i, r) => [`${i}<note>${r.int(1, 99)} &amp; more</note>`]),
    ['xml'],
  ),
  format(
    'toml-entry',
    'a key more',
    addedEntry(/ = /, (_, r) => [`more = ${r.int(1, 99)}`]),
    ['toml'],
  ),
  format(
    'ini-entry',
    'a key more',
    addedEntry(/=/, (_, r) => [`more=${r.int(1, 99)}`]),
    ['ini'],
  ),
  format(
    'yaml-entry',
    'a nested mapping more',
    addedEntry(/^\s+[\w-]+: \S/, (i, r) => [`${i}more:`, `${i}  deep: ${r.int(1, 99)}`]),
    ['yaml'],
  ),
  format('csv-row', 'a row more in a file with CRLF', csvRow, ['csv']),
  format('markdown-list', 'an item of a nested list more; the common indentation is missing', markdownList, ['md']),
  format('make-recipe', 'a line of a recipe more; spaces for tabs in both strings', recipeLine, ['make']),
];
