// Calls that must be refused: two places could be meant, or the text is not there as the model believes.
import { commentMark, editLines, newStatement, pickBlock, renameOne, textsOf, WORDS } from '../block.ts';
import type { EditCall, Kind, KindContext } from '../edit-case.ts';
import { kind, lineCase, refusal } from '../edit-case.ts';
import { elementAt } from '../random.ts';
import { countOf, fold, indentOf, indentUnit, isBlank } from '../source-file.ts';
import { CODE } from './near.ts';
import { indented, minIndent } from './shapes.ts';

const ambiguous = (name: string, what: string, make: Kind['make']): Kind => kind({ name, group: 'ambiguous' }, what, make);
const refuse = (name: string, what: string, make: Kind['make'], langs: Kind['langs'] = null): Kind =>
  kind({ name, group: 'refuse', langs }, what, make);

function twiceExactly({ random, file: source }: KindContext): EditCall | null {
  const block = pickBlock(random, source, { min: 1, max: 8 });
  if (block === null) return null;
  const at = random.chance(0.5) ? block.end : random.int(0, block.start);
  const file = source.insert(at, at === block.end ? ['', ...block.lines] : [...block.lines, '']);
  const edited = editLines(random, block.lines, file.lang);
  return edited && refusal(file, block.lines.join('\n'), textsOf(edited));
}

function twiceInline({ random, file }: KindContext): EditCall | null {
  const pieces = [...new Set(file.text.match(/[A-Za-z_]\w{3,}[ (.:=]+\w+/g) ?? [])];
  const repeated = pieces.filter((piece) => countOf(file.text, piece) >= 2);
  if (repeated.length === 0) return null;
  const piece = random.pick(repeated);
  return refusal(file, piece, `${piece}Next`);
}

function twiceIndented({ random, file: source }: KindContext): EditCall | null {
  const unit = indentUnit(source);
  const block = pickBlock(random, source, { min: 2, max: 8, ok: indented(unit.length) });
  if (block === null) return null;
  const copy = block.lines.map((line) => (isBlank(line) ? line : unit + line));
  const at = random.pick([block.end, block.start]);
  const file = source.insert(at, at === block.end ? ['', ...copy] : [...copy, '']);
  const edited = editLines(random, block.lines, file.lang);
  if (edited === null) return null;
  const further = random.chance(0.5);
  const cut = minIndent(block.lines);
  const shift = (text: string): string => (further ? unit + unit + text : text.slice(cut));
  const garble = (text: string): string => (isBlank(text) ? text : shift(text));
  const old = block.lines.map(garble).join('\n');
  return file.text.includes(old) ? null : refusal(file, old, edited.map(({ text }) => garble(text)).join('\n'));
}

function exactBeatsLoose(context: KindContext): EditCall | null {
  const { random } = context;
  const unit = indentUnit(context.file);
  const block = pickBlock(random, context.file, { min: 3, max: 8, ok: indented(unit.length) });
  if (block === null) return null;
  const copy = block.lines.map((line) => (isBlank(line) ? line : unit + line));
  const before = random.chance(0.6);
  const file = before ? context.file.insert(block.start, [...copy, '']) : context.file.insert(block.end, ['', ...copy]);
  const shift = before ? copy.length + 1 : 0;
  const moved = { start: block.start + shift, end: block.end + shift, lines: block.lines };
  const call = lineCase(context, { file, block: moved, tail: false });
  return call !== null && countOf(call.content, call.old) === 1 ? call : null;
}

function replaceAllSpaced({ random, file }: KindContext): EditCall | null {
  const ok = (lines: readonly string[], start: number): boolean => start > 1 && lines.every((line) => line === line.trimEnd());
  const block = pickBlock(random, file, { min: 2, max: 6, ok });
  const edited = block && editLines(random, block.lines, file.lang, { types: ['modify'] });
  if (block === null || edited === null) return null;
  const at = random.int(0, edited.length - 1);
  const spaced = (lines: readonly string[], space: string): readonly string[] => lines.with(at, elementAt(lines, at) + space);
  const twice = (lines: readonly string[], first: string, second: string): string =>
    file.replace(block.start, block.end, [...spaced(lines, first), '', ...spaced(lines, second)]).text;
  const texts = edited.map(({ text }) => text);
  const old = block.lines.join('\n');
  const start = file.lines.slice(0, block.start).join('\n').length + 1;
  return {
    ...{ src: file.path, lang: file.lang, content: twice(block.lines, ' ', '\t'), old, new: texts.join('\n') },
    ...{ replaceAll: true, expect: 'apply', accept: [twice(texts, ' ', '\t'), twice(texts, '', '')] },
    region: [start, start + 2 * old.length + 12],
  };
}

function absent({ random, file, files }: KindContext): EditCall | null {
  const other = random.pick(files.filter((each) => each.lang === file.lang && each !== file));
  const block = pickBlock(random, other, { min: 1, max: 10 });
  if (block === null) return null;
  const edited = editLines(random, block.lines, other.lang);
  const old = block.lines.join('\n');
  return edited && !fold(file.text).includes(fold(old)) ? refusal(file, old, textsOf(edited)) : null;
}

function lookAlike({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 5, max: 12 });
  if (block === null) return null;
  const last = block.lines.length - 1;
  const inner = block.lines.flatMap((line, index) => {
    return index > 0 && index < last && !isBlank(line) && /[A-Za-z_]{4,}/.test(line) ? [index] : [];
  });
  if (inner.length < 3) return null;
  const shuffled = random.shuffle(inner);
  const other = new Set(shuffled.slice(0, Math.ceil(inner.length * (0.4 + 0.3 * random.next()))));
  const old = block.lines.map((line, index) => {
    if (!other.has(index)) return line;
    let count = 0;
    return line.replace(/[A-Za-z_]{4,}/g, (word) => (count++ < 3 ? random.pick(WORDS) : word));
  });
  const edited = editLines(random, old, file.lang, { keep: (index) => index === 0 || index === last });
  return edited && !file.text.includes(old.join('\n')) ? refusal(file, old.join('\n'), textsOf(edited)) : null;
}

function staleValue({ random, file }: KindContext): EditCall | null {
  const value = /\b\d{1,5}\b/;
  const block = pickBlock(random, file, { min: 2, max: 9, ok: (lines) => lines.some((line) => value.test(line)) });
  if (block === null) return null;
  const at = random.pick(block.lines.flatMap((line, index) => (value.test(line) ? [index] : [])));
  const line = elementAt(block.lines, at);
  const put = (other: number): string => block.lines.with(at, line.replace(value, String(other))).join('\n');
  const was = Number(value.exec(line)?.[0]);
  const believed = was + random.int(1, 9);
  const wanted = was + random.int(10, 99);
  return file.text.includes(put(believed)) ? null : refusal(file, put(believed), put(wanted));
}

function shortAbsent({ random, file }: KindContext): EditCall | null {
  const words = [...new Set(file.text.match(/[A-Za-z_]{4,9}[;,(){}: ]{0,2}/g) ?? [])];
  if (words.length === 0) return null;
  const word = random.pick(words);
  const at = random.int(1, 3);
  const old = word.slice(0, at) + random.pick(['x', 'q', 'z']) + word.slice(at + 1);
  return fold(file.text).includes(fold(old)) ? null : refusal(file, old, `${word}Next`);
}

function replaceAllAbsent(context: KindContext): EditCall | null {
  const call = context.random.pick([absent, lookAlike, shortAbsent])(context);
  return call && { ...call, replaceAll: true };
}

function blankOld({ random, file }: KindContext): EditCall | null {
  const old = random.pick([' ', '\n', '  \n', '\t', '\n\n', '    ']);
  return countOf(file.text, old) === 1 ? null : refusal(file, old, newStatement(random, file.lang));
}

function emptyOld({ random, file }: KindContext): EditCall {
  const made = `${newStatement(random, file.lang)}\n`;
  return refusal(file, '', made, random.chance(0.2));
}

function identical({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 1, max: 8 });
  return block && refusal(file, block.lines.join('\n'), block.lines.join('\n'));
}

function ellipsisInOld({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 7, max: 16 });
  if (block === null) return null;
  const line = (index: number): string => elementAt(block.lines, index);
  const dots = indentOf(line(2)) + random.pick(['...', '// ...', '# ...', '// ... existing code ...']);
  const old = [line(0), line(1), dots, ...block.lines.slice(-2)].join('\n');
  const made = [line(0), indentOf(line(1)) + newStatement(random, file.lang), ...block.lines.slice(-1)].join('\n');
  return refusal(file, old, made);
}

const PLACEHOLDERS = [
  ...['... existing code ...', '... rest of code ...', 'rest of code ...'],
  ...['unchanged code ...', 'rest of method ...', '... unchanged ...'],
];

function placeholderInNew({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 7, max: 14 });
  if (block === null) return null;
  const first = renameOne(random, elementAt(block.lines, 0));
  if (first === null) return null;
  const mark = `${commentMark(file.lang)} ${random.pick(PLACEHOLDERS)}`.trim();
  const made = [first, indentOf(elementAt(block.lines, 1)) + mark, ...block.lines.slice(-1)];
  return refusal(file, block.lines.join('\n'), made.join('\n'));
}

function shuffled({ random, file }: KindContext): EditCall | null {
  const ok = (lines: readonly string[]): boolean => !lines.some(isBlank) && new Set(lines.map(fold)).size === lines.length;
  const block = pickBlock(random, file, { min: 4, max: 8, ok });
  if (block === null) return null;
  const old = random.shuffle(block.lines);
  if (old.filter((line, index) => line !== block.lines[index]).length < 3) return null;
  const edited = editLines(random, old, file.lang);
  return edited && !file.text.includes(old.join('\n')) ? refusal(file, old.join('\n'), textsOf(edited)) : null;
}

export const REFUSE_KINDS: readonly Kind[] = [
  ambiguous('dup-exact', 'the block is there twice', twiceExactly),
  ambiguous('dup-inline', 'a short piece that is there many times', twiceInline),
  ambiguous('dup-indent', 'twice, at two indentations; old_string has a third', twiceIndented),
  ambiguous('exact-beats-loose', 'one exact place, one at another indentation: the exact one', exactBeatsLoose),
  ambiguous('replace-all-ws', 'replace_all; the copies have different spaces at line ends', replaceAllSpaced),
  refuse('absent', 'a block of another file', absent),
  refuse('absent-decoy', 'only a look-alike is there: same first and last line, 40-70 % of the rest differ', lookAlike),
  refuse('stale-value', 'the very line to change has another value in the file', staleValue),
  refuse('short-absent', 'a short old_string that is one letter off something short', shortAbsent),
  refuse('replace-all-absent', 'replace_all with an old_string that is not there', replaceAllAbsent),
  refuse('empty-old', 'an empty old_string on a file with text', emptyOld),
  refuse('blank-old', 'old_string is only white space', blankOld),
  refuse('identical', 'old_string and new_string are the same', identical),
  refuse('ellipsis-unpaired', '"..." for the middle in old_string only', ellipsisInOld),
  refuse('placeholder-new', 'new_string says "... rest of code ..." for real lines', placeholderInNew, CODE),
  refuse('shuffled', 'the lines are there, in another order', shuffled),
];
