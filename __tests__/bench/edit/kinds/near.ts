// Two faults at once, and slips of the pen in lines that the edit leaves alone: the file's own lines stay.
import { commentMark, editLines, pickBlock, WORDS } from '../block.ts';
import type { EditCall, Kind, KindContext } from '../edit-case.ts';
import { isMade, kind, lineCase, mapFile } from '../edit-case.ts';
import { elementAt } from '../random.ts';
import { indentOf, indentUnit, isBlank } from '../source-file.ts';
import { wantsEntities } from './encoding.ts';
import { crlf, entities, hasNoQuotes, indented, LINE_NUMBERS, minIndent, mistype, numberLines, withBlock } from './shapes.ts';
import { indentMissing, trailingInFile } from './whitespace.ts';

export const CODE = ['ts', 'js', 'go', 'py'] as const;

const combination = (name: string, what: string, make: Kind['make']): Kind => kind({ name, group: 'combo' }, what, make);
const near = (name: string, what: string, make: Kind['make'], langs: Kind['langs'] = null): Kind =>
  kind({ name, group: 'near', langs }, what, make);

const { padded, tab, bar, arrow } = LINE_NUMBERS;

function crlfAndIndent(context: KindContext): EditCall | null {
  const call = indentMissing(context);
  return call && mapFile(call, crlf);
}

function numbersAndLineEndSpace(context: KindContext): EditCall | null {
  const call = trailingInFile(context);
  if (call === null || call.old.endsWith('\n')) return null;
  const first = call.content.slice(0, call.region[0]).split('\n').length;
  const number = (text: string): string => numberLines(text.split('\n'), first, padded).join('\n');
  return { ...call, old: number(call.old), new: number(call.new) };
}

function numbersAndIndent(context: KindContext): EditCall | null {
  const unit = indentUnit(context.file);
  const block = pickBlock(context.random, context.file, { min: 2, max: 10, ok: indented(unit.length) });
  if (block === null) return null;
  const cut = minIndent(block.lines);
  const format = context.random.pick([padded, tab, bar, arrow]);
  const number = (lines: readonly string[]): readonly string[] => numberLines(lines, block.start + 1, format);
  return lineCase(context, {
    ...{ block, tail: false, notExact: true },
    garble: (text) => (isBlank(text) ? text : text.slice(cut)),
    reshape: (old, made) => [number(old), number(made)],
  });
}

function entitiesAndIndent(context: KindContext): EditCall | null {
  const unit = indentUnit(context.file);
  const ok = (lines: readonly string[]): boolean => indented(unit.length)(lines) && wantsEntities(lines);
  const block = pickBlock(context.random, context.file, { min: 2, max: 9, ok });
  if (block === null) return null;
  const cut = minIndent(block.lines);
  return lineCase(context, {
    ...{ block, notExact: true },
    garble: (text, ...rest) => entities(isBlank(text) ? text : text.slice(cut), ...rest),
  });
}

function typoAndIndent(context: KindContext): EditCall | null {
  const unit = indentUnit(context.file);
  const block = pickBlock(context.random, context.file, { min: 5, max: 12, twin: 0.5, ok: indented(unit.length) });
  if (block === null) return null;
  const cut = minIndent(block.lines);
  const at = context.random.int(0, block.lines.length - 1);
  const bad = mistype(context.random, elementAt(block.lines, at));
  if (bad === null) return null;
  return lineCase(context, {
    ...{ block, edit: { types: ['modify', 'insert'], keep: (index) => index === at }, notExact: true },
    garble: (text, index, made) => {
      const written = index === at && !isMade(made) ? bad : text;
      return isBlank(written) ? written : written.slice(cut);
    },
  });
}

// ---- near matches ----

function typoInContext(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 5, max: 14, twin: 0.5 });
  if (block === null) return null;
  const at = context.random.int(0, block.lines.length - 1);
  const bad = mistype(context.random, elementAt(block.lines, at));
  if (bad === null) return null;
  return lineCase(context, {
    ...{ block, edit: { types: ['modify', 'insert'], keep: (index) => index === at }, notExact: true },
    garble: (text, index, made) => (index === at && !isMade(made) ? bad : text),
  });
}

function droppedLine(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 6, max: 14, twin: 0.5, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const at = random.int(2, block.lines.length - 3);
  const keep = (index: number): boolean => Math.abs(index - at) <= 1;
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'], keep });
  if (edited === null) return null;
  const drop = (lines: readonly string[]): readonly string[] => lines.filter((_, index) => index !== at);
  return lineCase(context, { block, edited, reshape: (old, made) => [drop(old), drop(made)], notExact: true });
}

function ellipsisInBoth(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 8, max: 16, twin: 0.5 });
  if (block === null) return null;
  const from = random.int(2, 3);
  const to = block.lines.length - random.int(2, 3);
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'], keep: (index) => index >= from });
  if (edited === null) return null;
  const dots = `${random.pick([indentOf(elementAt(block.lines, from)), ''])}...`;
  const cut = (lines: readonly string[]): readonly string[] => [...lines.slice(0, from), dots, ...lines.slice(to)];
  return lineCase(context, {
    ...{ block, edited, notExact: true, expect: 'either' },
    reshape: (old, made) => [cut(old), cut(made)],
  });
}

function quoteStyle(context: KindContext): EditCall | null {
  const swap = (text: string): string => text.replace(/["']/g, (quote) => (quote === '"' ? "'" : '"'));
  const ok = (lines: readonly string[]): boolean =>
    lines.some((line) => /(["'])\w[^"'`]*\1/.test(line)) &&
    lines.some((line) => hasNoQuotes(line) && !isBlank(line)) &&
    !lines.some((line) => /\w'\w|\\["']/.test(line));
  return lineCase(context, {
    ...{ pick: { min: 3, max: 9, twin: 0.5, ok }, edit: { types: ['modify', 'insert'], plain: hasNoQuotes }, notExact: true },
    garble: (text, _index, made) => (isMade(made) ? text : swap(text)),
  });
}

function punctuation(context: KindContext): EditCall | null {
  const { random, file } = context;
  const ends = (line: string): boolean => /\w[;,]$/.test(line);
  const block = pickBlock(random, file, { min: 5, max: 12, twin: 0.5, ok: (lines) => lines.some(ends) });
  if (block === null) return null;
  const at = random.pick(block.lines.flatMap((line, index) => (ends(line) ? [index] : [])));
  const edited = editLines(random, block.lines, file.lang, { types: ['modify', 'insert'], keep: (index) => index === at });
  if (edited === null) return null;
  return lineCase(context, {
    ...{ block, edited, notExact: true, tail: at === block.lines.length - 1 ? true : undefined },
    garble: (text, index, made) => (index === at && !isMade(made) ? text.slice(0, -1) : text),
  });
}

function commentDropped(context: KindContext): EditCall | null {
  const { random } = context;
  const picked = pickBlock(random, context.file, { min: 5, max: 10, twin: 0.5, ok: (lines) => !lines.some(isBlank) });
  if (picked === null) return null;
  const at = random.int(1, picked.lines.length - 2);
  const bare = elementAt(picked.lines, at);
  if (/(\\|\/\/.*|#.*)$/.test(bare)) return null;
  const full = `${bare} ${commentMark(context.file.lang)} ${random.pick(WORDS)} ${random.pick(WORDS)}`;
  const { file, block } = withBlock(context.file, picked, picked.lines.with(at, full));
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'], keep: (index) => index === at });
  if (edited === null) return null;
  return lineCase(context, {
    ...{ file, block, edited, notExact: true },
    garble: (text, index, made) => (index === at && !isMade(made) ? bare : text),
  });
}

export const NEAR_KINDS: readonly Kind[] = [
  combination('combo-crlf-indent', 'CRLF file and indentation missing', crlfAndIndent),
  combination('combo-lineno-ws', 'line numbers, and spaces at line ends in the file', numbersAndLineEndSpace),
  combination('combo-entities-indent', 'entities for < > & and indentation missing', entitiesAndIndent),
  combination('combo-lineno-indent', 'line numbers and indentation missing', numbersAndIndent),
  combination('combo-typo-indent', 'one mistyped word and indentation missing', typoAndIndent),
  near('typo-context', 'one mistyped word in a line that the edit leaves alone', typoInContext),
  near('dropped-line', 'one line of the block is left out of both strings; it stays', droppedLine),
  near('ellipsis-paired', 'the middle is "..." in both strings: refuse, or keep the middle', ellipsisInBoth),
  near('quote-style', '" for \' (or the reverse) in lines that the edit leaves alone', quoteStyle, ['ts', 'js', 'py', 'yaml']),
  near('punctuation', 'a ; or , at the end of one line that the edit leaves alone is missing', punctuation, ['ts', 'js']),
  near('comment-dropped', 'a comment at the end of one line is missing in both strings; it stays', commentDropped, CODE),
];
