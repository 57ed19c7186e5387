// Characters, line ends and escapes beyond those of the shared benchmark, in lines that the edit leaves alone. All can be applied.
import type { Block } from '../block.ts';
import { editLines, newStatement, pickBlock, textsOf, unchanged, WORDS } from '../block.ts';
import type { EditCall, Garble, Kind, KindContext } from '../edit-case.ts';
import { isMade, kind, lineCase, mapFile } from '../edit-case.ts';
import { elementAt } from '../random.ts';
import { indentOf, isBlank } from '../source-file.ts';
import { crlf, withBlock } from './shapes.ts';

const characters = (name: string, what: string, make: Kind['make'], langs: Kind['langs'] = null): Kind =>
  kind({ name, group: 'more: characters', langs }, what, make);

/** The same line as the file has it and as the model writes it. */
type Spellings = (line: string, word: string) => readonly [inFile: string, inOld: string];

/** One line of the block that the edit leaves alone is spelled in another way by the model; the file's own stays. */
function otherSpelling(spell: Spellings): Kind['make'] {
  return (context) => {
    const { random } = context;
    const picked = pickBlock(random, context.file, { min: 3, max: 9, ok: (lines) => lines.some((line) => /\w \w/.test(line)) });
    if (picked === null) return null;
    const at = random.pick(picked.lines.flatMap((line, index) => (/\w \w/.test(line) ? [index] : [])));
    const [inFile, inOld] = spell(elementAt(picked.lines, at), random.pick(WORDS));
    const { file, block } = withBlock(context.file, picked, picked.lines.with(at, inFile));
    const edited = editLines(random, block.lines, file.lang, { keep: (index) => index === at });
    if (edited === null) return null;
    return lineCase(context, {
      ...{ file, block, edited, notExact: true },
      garble: (text, index, made) => (index === at && !isMade(made) ? inOld : text),
    });
  };
}

const between = (line: string, piece: string): string =>
  line.replace(/(\w) (\w)/, (_, a: string, b: string) => `${a}${piece}${b}`);
const swapped =
  (spell: Spellings): Spellings =>
  (line, word) => {
    const [inFile, inOld] = spell(line, word);
    return [inOld, inFile];
  };

const zeroWidth: Spellings = (line) => [between(line, ' \u200B'), line];
const softHyphen: Spellings = (line) => [between(line, ' \u00AD'), line];
const ellipsis: Spellings = (line, word) => [between(line, ` ${word}\u2026 `), between(line, ` ${word}... `)];
const fullWidth: Spellings = (line, word) => [between(line, ` \uFF08${word}\uFF09\uFF0C `), between(line, ` (${word}), `)];
const decomposed: Spellings = (line, word) => [between(line, ` ${word}e\u0301 `), between(line, ` ${word}\u00E9 `)];
/** As emoji have it. */
const variation: Spellings = (line, word) => [between(line, ` ${word} \u26A0\uFE0F `), between(line, ` ${word} \u26A0 `)];
const innerMark: Spellings = (line) => [between(line, ' \uFEFF'), line];
const dashes: Spellings = (line, word) => [between(line, ` ${word}\u2011${word} \u2013 `), between(line, ` ${word}-${word} - `)];
const narrowSpace: Spellings = (line) => [between(line, '\u202F'), line];

/** All indentation of both strings is no-break spaces. */
const noBreakIndent = (context: KindContext): EditCall | null =>
  lineCase(context, {
    pick: {
      min: 2,
      max: 8,
      ok: (lines) => lines.some((line) => /^ {2}/.test(line)) && !lines.some((line) => line.startsWith('\t')),
    },
    garble: (text) => '\u00A0'.repeat(indentOf(text).length) + text.slice(indentOf(text).length),
    notExact: true,
  });

/** Each line has an end of its own; the ones that are left alone keep it, changed ones too. */
function mixedLineEnds(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 3, max: 9 });
  const edited = block && editLines(context.random, block.lines, context.file.lang, { types: ['modify'] });
  if (block === null || edited === null) return null;
  const call = lineCase(context, { block, edited, tail: false });
  // By the line's number, so that it is the same before and after an edit that changes one line.
  const mix = (text: string): string => {
    let line = 0;
    return text.replace(/\n/g, () => (line++ % 3 === 1 ? '\r\n' : '\n'));
  };
  return call && mapFile(call, mix);
}

function carriageReturns(context: KindContext): EditCall | null {
  const call = lineCase(context, { pick: { min: 2, max: 9 }, tail: false });
  return call && mapFile(call, (text) => text.replaceAll('\n', '\r'));
}

/** A form feed stands on an empty line, as in old C and Python. */
function formFeed(context: KindContext): EditCall | null {
  const ok = (lines: readonly string[]): boolean => lines.slice(1, -1).filter((line) => line === '').length === 1;
  const picked = pickBlock(context.random, context.file, { min: 4, max: 10, ok });
  if (picked === null) return null;
  const at = picked.lines.indexOf('');
  const { file, block } = withBlock(context.file, picked, picked.lines.with(at, '\f'));
  const edited = editLines(context.random, block.lines, file.lang, { types: ['modify'] });
  if (edited === null) return null;
  return lineCase(context, { file, block, edited, notExact: true, garble: (text) => (text === '\f' ? '' : text) });
}

/** Both strings begin and end inside a line; a line between has space at its end in the file. */
function midline(context: KindContext): EditCall | null {
  const { random } = context;
  const isLong = (line: string): boolean => line.trim().length > 16;
  const picked = pickBlock(random, context.file, {
    ...{ min: 4, max: 7 },
    ok: (lines) => isLong(elementAt(lines, 0)) && isLong(elementAt(lines, lines.length - 1)) && !lines.some(isBlank),
  });
  if (picked === null) return null;
  const clean = picked.lines.map((line) => line.trimEnd());
  const at = random.int(1, clean.length - 2);
  const { file, block } = withBlock(context.file, picked, clean.with(at, `${elementAt(clean, at)}  `));
  const edited = editLines(random, block.lines, file.lang, {
    ...{ types: ['modify', 'insert'] },
    keep: (index) => index === 0 || index === at || index === clean.length - 1,
  });
  if (edited === null) return null;
  const lead = indentOf(elementAt(clean, 0)).length + random.int(2, 5);
  const cut = random.int(2, 5);
  const inside = (text: string): string => text.slice(lead, text.length - cut);
  return lineCase(context, {
    ...{ file, block, edited, tail: false, notExact: true },
    garble: (text) => text.trimEnd(),
    wrap: (old, made) => [inside(old), inside(made)],
  });
}

/** One blank too many inside a piece of a line. The rest of the line stays. */
function inlineSpace({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 1, max: 1, ok: ([line = '']) => (line.match(/\w \w/g) ?? []).length > 2 });
  if (block === null) return null;
  const line = elementAt(block.lines, 0);
  const piece = /\w+ \w+ \w.*\w/.exec(line)?.[0];
  if (piece === undefined || piece.length < 20) return null;
  const [first = '', ...rest] = piece.split(' ');
  const old = `${first}  ${rest.join(' ')}`;
  const renamed = `${piece}Next`;
  const made = `${old}Next`;
  if (file.text.includes(old)) return null;
  const build = (text: string): string => file.replace(block.start, block.end, [line.replace(piece, () => text)]).text;
  const from = file.offsetOf(block.start);
  return {
    ...{ src: file.path, lang: file.lang, content: file.text, old, new: made, expect: 'apply' },
    accept: [build(renamed), build(made)],
    region: [from, from + line.length],
  };
}

// ---- escapes ----

const every = (encode: Garble, affects: (lines: readonly string[]) => boolean, spoils: RegExp): Kind['make'] => {
  return (context) => {
    const ok = (lines: readonly string[]): boolean => affects(lines) && !lines.some((line) => spoils.test(line));
    return lineCase(context, { pick: { min: 1, max: 9, ok }, garble: encode, notExact: true });
  };
};

const has =
  (pattern: RegExp) =>
  (lines: readonly string[]): boolean =>
    lines.some((line) => pattern.test(line));

const unicodeEscapes: Garble = (text) =>
  text.replace(/[<>&]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
const numericEntities: Garble = (text) => text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const hexEntities: Garble = (text) => text.replace(/[<>&]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16).toUpperCase()};`);
const doubledBackslashes: Garble = (text) => text.replaceAll('\\', '\\\\');
const escapedQuotes: Garble = (text) => text.replaceAll('"', '\\"');

/** new_string brings text that looks escaped; old_string is exact and has none. It goes in as it is. */
function escapesInNew(context: KindContext): EditCall | null {
  const { random, file } = context;
  const plain = (lines: readonly string[]): boolean => !lines.some((line) => /[&\\]/.test(line));
  const block = pickBlock(random, file, { min: 1, max: 6, ok: plain });
  if (block === null) return null;
  const text = random.pick([
    'put("&lt;b&gt; &amp; &#60;")',
    'put("a\\\\nb \\u003c")',
    "put('\\\\d+\\n')",
    'see &quot;...&quot; &nbsp;',
  ]);
  const edited = unchanged(block.lines);
  edited.splice(1, 0, { text: indentOf(elementAt(block.lines, 0)) + text, from: null, like: 0 });
  return lineCase(context, { block, edited });
}

/** One line becomes several, with CRLF between them; the file has none. */
function crlfInNew(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 1, max: 1 });
  const call = block && lineCase(context, { block, edit: { types: ['insert', 'both'] }, tail: false });
  return call && { ...call, new: crlf(call.new) };
}

/** The block is there twice; both strings have curly quotes, and replace_all is on. */
function replaceAllQuotes({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 2, max: 4, ok: (lines) => lines.some((line) => /'/.test(line)) });
  const edited = block && editLines(random, block.lines, file.lang, { types: ['modify'], plain: (line) => !line.includes("'") });
  if (block === null || edited === null) return null;
  const twice = (lines: readonly string[]): string => file.replace(block.start, block.end, [...lines, '', ...lines]).text;
  const curled = (text: string): string => text.replaceAll("'", '\u2019');
  const from = file.offsetOf(block.start);
  return {
    ...{ src: file.path, lang: file.lang, content: twice(block.lines), replaceAll: true, expect: 'either' },
    ...{ old: curled(block.lines.join('\n')), new: curled(textsOf(edited)), accept: [twice(edited.map(({ text }) => text))] },
    region: [from, from + 2 * block.lines.join('\n').length + 2],
  };
}

/** Every copy has other line ends or space than old_string: each is changed as it stands. */
function replaceAllIndented({ random, file }: KindContext): EditCall | null {
  const ok = (lines: readonly string[], start: number): boolean =>
    start > 1 && lines.every((line) => line === line.trimEnd() && !isBlank(line) && !line.startsWith('\t'));
  const block = pickBlock(random, file, { min: 2, max: 4, ok });
  const edited = block && editLines(random, block.lines, file.lang, { types: ['modify'] });
  if (block === null || edited === null) return null;
  const deeper = (lines: readonly string[], unit: string): readonly string[] => lines.map((line) => unit + line);
  const twice = (lines: readonly string[]): string =>
    file.replace(block.start, block.end, [...deeper(lines, '  '), '', ...deeper(lines, '    ')]).text;
  const texts = edited.map(({ text }) => text);
  const content = twice(block.lines);
  const wrong = deeper(block.lines, '      ').join('\n');
  const from = file.offsetOf(block.start);
  return {
    ...{ src: file.path, lang: file.lang, content, old: wrong, new: deeper(texts, '      ').join('\n') },
    ...{ replaceAll: true, expect: 'either', accept: [twice(texts)] },
    region: [from, from + 2 * block.lines.join('\n').length + 30 * block.lines.length],
  };
}

/** A line of 60 kB; old_string is a piece of it. */
function minifiedLine(context: KindContext): EditCall | null {
  const { random, file: source } = context;
  const statements = Array.from({ length: 1500 }, (_, index) => {
    return `var ${random.pick(WORDS)}${index}=function(a,b){return a*${random.int(2, 999)}+b};`;
  });
  const at = random.int(3, 1400);
  const piece = statements.slice(at, at + 2).join('');
  const made = piece.replace('return a*', 'return b*');
  const line = statements.join('');
  const file = source.insert(1, [line]);
  const block: Block = { start: 1, end: 2, lines: [line] };
  const call = lineCase(context, {
    ...{ file, block, edited: [{ text: line.replace(piece, () => made), from: null, like: 0 }], tail: false },
    wrap: () => [piece, made],
  });
  return call;
}

/** A comment of which one word begins with the other case, while other lines are edited. */
function caseSlip(context: KindContext): EditCall | null {
  const { random } = context;
  const isComment = (line: string): boolean => /^\s*(\/\/|#|\*) ?\w+ \w+ \w/.test(line);
  const picked = pickBlock(random, context.file, { min: 4, max: 10, twin: 0.5, ok: (lines) => lines.some(isComment) });
  if (picked === null) return null;
  const at = picked.lines.findIndex(isComment);
  const line = elementAt(picked.lines, at);
  const slip = line.replace(/[A-Za-z]/, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const edited = editLines(random, picked.lines, context.file.lang, {
    types: ['modify', 'insert'],
    keep: (index) => index === at,
  });
  if (edited === null || textsOf(edited).includes(slip)) return null;
  return lineCase(context, {
    ...{ block: picked, edited, notExact: true },
    garble: (text, index, made) => (index === at && !isMade(made) ? slip : text),
  });
}

/** Real comments and statements that only sound like a placeholder. */
const SOUNDS_LIKE = [
  ...[
    'keep the rest of the arguments in order',
    'the existing code of the error is unchanged',
    'the remaining options are read by the caller',
  ],
  ...['TODO: the other methods follow the same rule', 'spread: f(...rest)', 'etc. is read by the rest of the code'],
];

function realRemark(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 2, max: 8 });
  if (block === null) return null;
  const at = random.int(1, block.lines.length);
  const indent = indentOf(elementAt(block.lines, at - 1));
  const mark = file.lang === 'py' || file.lang === 'yaml' || file.lang === 'make' ? '#' : '//';
  const edited = unchanged(block.lines);
  const remark = { text: `${indent}${mark} ${random.pick(SOUNDS_LIKE)}`, from: null, like: at - 1 };
  edited.splice(at, 0, remark, { text: indent + newStatement(random, file.lang), from: null, like: at - 1 });
  return lineCase(context, { block, edited });
}

export const CHARACTER_KINDS: readonly Kind[] = [
  characters('zero-width-file', 'the file has a zero-width space that both strings have not', otherSpelling(zeroWidth)),
  characters('zero-width-old', 'both strings have a zero-width space that the file has not', otherSpelling(swapped(zeroWidth))),
  characters('soft-hyphen', 'the file has a soft hyphen that both strings have not', otherSpelling(softHyphen)),
  characters('narrow-space', 'the file has a narrow no-break space for a space', otherSpelling(narrowSpace)),
  characters('variation-mark', 'the file has the mark of an emoji that both strings have not', otherSpelling(variation)),
  characters('inner-bom', 'the file has a byte order mark inside of a line', otherSpelling(innerMark)),
  characters('dashes', 'the file has dashes of typographers', otherSpelling(dashes)),
  characters('ellipsis-char', 'the file has \u2026 for ...', otherSpelling(ellipsis)),
  characters('ellipsis-char-old', 'both strings have \u2026 for ...', otherSpelling(swapped(ellipsis))),
  characters('full-width', 'the file has full-width brackets and commas', otherSpelling(fullWidth)),
  characters('decomposed', 'the file has an accent of its own, both strings the composed letter', otherSpelling(decomposed)),
  characters('composed', 'the file has a composed letter, both strings an accent of its own', otherSpelling(swapped(decomposed))),
  characters('nbsp-indent', 'no-break spaces indent both strings', noBreakIndent),
  characters('mixed-eol', 'line ends of both kinds in the file', mixedLineEnds),
  characters('cr-file', 'the file has carriage returns only', carriageReturns),
  characters('form-feed', 'a form feed on an empty line of the file', formFeed),
  characters('midline-space', 'both strings begin and end inside a line; space at a line end between', midline),
  characters('inline-space', 'a piece of a line, with one blank too many in both strings', inlineSpace),
  characters('unicode-escapes', 'both strings have \\u003c and the like', every(unicodeEscapes, has(/[<>&]/), /\\u/)),
  characters('numeric-entities', 'both strings have &#60; and the like', every(numericEntities, has(/[<>&]/), /&#?\w+;/)),
  characters('hex-entities', 'both strings have &#x3C; and the like', every(hexEntities, has(/[<>&]/), /&#?\w+;/)),
  characters('doubled-backslashes', 'every backslash of both strings is doubled', every(doubledBackslashes, has(/\\/), /\\\\/)),
  characters('escaped-quotes', 'both strings have \\" for "', every(escapedQuotes, has(/"/), /\\/)),
  characters('escapes-in-new', 'old_string is exact, new_string brings real escapes', escapesInNew),
  characters('replace-all-indent', 'replace_all; both copies are indented otherwise', replaceAllIndented),
  characters('replace-all-quotes', 'replace_all; curly quotes in both strings', replaceAllQuotes, ['ts', 'js', 'md', 'yaml']),
  characters('crlf-in-new', 'one line becomes several, with CRLF in new_string only', crlfInNew),
  characters('minified', 'a piece of a line of 60 kB', minifiedLine, ['js', 'md']),
  characters('case-slip', 'a comment begins with the other case', caseSlip),
  characters('real-remark', 'new_string brings a remark that only sounds like a placeholder', realRemark),
];
