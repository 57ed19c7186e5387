// The model believes something else of the file than what is there. Nothing may be changed.
import type { Block } from '../block.ts';
import { commentMark, editLines, newStatement, pickBlock, renameOne, textsOf, unchanged, WORDS } from '../block.ts';
import type { EditCall, Kind, KindContext } from '../edit-case.ts';
import { isMade, kind, lineCase, refusal } from '../edit-case.ts';
import type { Random } from '../random.ts';
import { elementAt } from '../random.ts';
import { countOf, indentOf, indentUnit, isBlank } from '../source-file.ts';
import { CODE } from './near.ts';
import { mistype, withBlock } from './shapes.ts';

const stale = (name: string, what: string, make: Kind['make'], langs: Kind['langs'] = null): Kind =>
  kind({ name, group: 'more: stale', langs }, what, make);

/** A line with another meaning. null when the line has nothing of the sort. */
type Turn = (line: string, random: Random) => string | null;

/** Words of opposite meaning, each way. */
const OPPOSITES = [
  ...[
    ['get', 'set'],
    ['enable', 'disable'],
    ['width', 'height'],
    ['start', 'end'],
    ['min', 'max'],
    ['true', 'false'],
  ],
  ...[
    ['add', 'remove'],
    ['first', 'last'],
    ['open', 'close'],
    ['before', 'after'],
    ['push', 'pop'],
    ['read', 'write'],
  ],
  ...[
    ['left', 'right'],
    ['and', 'or'],
    ['show', 'hide'],
    ['input', 'output'],
    ['next', 'previous'],
    ['allow', 'deny'],
  ],
  ...[
    ['local', 'remote'],
    ['public', 'private'],
    ['success', 'error'],
    ['key', 'value'],
    ['row', 'column'],
    ['if', 'elif'],
  ],
] as const;

/** One word (or the first or last part of a name) by its opposite, in the case that it has. */
const opposite: Turn = (line, random) => {
  const turns = OPPOSITES.flatMap(([a, b]) => [...wordTurns(line, a, b), ...wordTurns(line, b, a)]);
  return turns.length === 0 ? null : random.pick(turns);
};

function wordTurns(line: string, from: string, to: string): readonly string[] {
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const small = new RegExp(`(?<![a-z])${from}(?![a-z])`);
  const big = new RegExp(`${capital(from)}(?![a-z])`);
  return [line.replace(small, to), line.replace(big, capital(to))].filter((turned) => turned !== line);
}

const replaceOne =
  (pattern: RegExp, other: (found: string, random: Random) => string): Turn =>
  (line, random) => {
    const found = [...line.matchAll(new RegExp(pattern, 'g'))];
    if (found.length === 0) return null;
    const { 0: text, index } = random.pick(found);
    const turned = line.slice(0, index) + other(text, random) + line.slice(index + text.length);
    return turned === line ? null : turned;
  };

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '==': '!=', '!=': '==', '<=': '<', '>=': '>', '&&': '||', '||': '&&', '+=': '-=', '-=': '+=' },
  ...{ ' < ': ' <= ', ' > ': ' >= ', ' + ': ' - ', ' - ': ' + ', ' * ': ' / ', '??': '||', '++': '--', '--': '++', ':=': '=' },
};
const operator = replaceOne(/===|!==|==|!=|<=|>=|&&|\|\||\+=|-=|:=|\?\?|\+\+|--| [<>+*-] /, (found) => OPERATORS[found] ?? found);
/** `x` for `!x` and the reverse; `not x` in Python. */
const negation: Turn = (line) => {
  const turned = /(?<=[( ])!(?=\w)/.test(line)
    ? line.replace(/(?<=[( ])!(?=\w)/, '')
    : line.replace(/(?<=\bif \(?|&& |\|\| |return )(?=[a-z])/, '!');
  return turned === line ? null : turned;
};
const sign = replaceOne(/(?<=[=(,:[] ?)-?\d+\b/, (found) => (found.startsWith('-') ? found.slice(1) : `-${found}`));
const digit = replaceOne(/\d+/, (found, random) => String(Number(found.slice(-6)) + random.int(1, 9)));
/** A letter of a longer text in quotes. */
const quoted = replaceOne(/(?<=["'`])[A-Za-z][\w ]{3,}(?=["'`])/, (found, random) => random.pick(WORDS) + found.slice(4));
const name = replaceOne(/[A-Za-z_]{5,}/, (_found, random) => random.pick(WORDS));
const suffix = replaceOne(/[A-Za-z_]{5,}/, (found) => (found.endsWith('s') ? found.slice(0, -1) : `${found}s`));
const letterCase = replaceOne(/(?<=[A-Za-z_])[a-z](?=[A-Za-z_]{3})/, (found) => found.toUpperCase());
const ADDRESS = (random: Random): string =>
  random.pick(['https://example.org/v2/items', 'sha256:3f9a0c77d1', 'release-1.4.2', 'a41f9e03bc', '/usr/lib/x86_64/libz.so.1']);

/** The first line that can be turned, with its other meaning. */
function turnIn(block: Block, turn: Turn, random: Random): { readonly at: number; readonly turned: string } | null {
  for (const at of random.shuffle(block.lines.map((_, index) => index))) {
    const line = elementAt(block.lines, at);
    const turned = isBlank(line) ? null : turn(line, random);
    if (turned !== null) return { at, turned };
  }
  return null;
}

/** The very line to change means something else in the file. */
function staleLine(turn: Turn): Kind['make'] {
  return ({ random, file }) => {
    const block = pickBlock(random, file, { min: 1, max: 8 });
    const found = block && turnIn(block, turn, random);
    if (block === null || found === null) return null;
    const renamed = renameOne(random, found.turned);
    const old = block.lines.with(found.at, found.turned);
    if (renamed === null || file.text.includes(old.join('\n'))) return null;
    return refusal(file, old.join('\n'), old.with(found.at, renamed).join('\n'));
  };
}

/** A line that the edit leaves alone means something else in the file: the model has not seen this state, or means another place. */
function staleContext(turn: Turn): Kind['make'] {
  return ({ random, file }) => {
    const block = pickBlock(random, file, { min: 3, max: 9 });
    const found = block && turnIn(block, turn, random);
    if (block === null || found === null) return null;
    const old = block.lines.with(found.at, found.turned);
    const edited = editLines(random, old, file.lang, { types: ['modify', 'insert'], keep: (index) => index === found.at });
    if (edited === null || file.text.includes(old.join('\n'))) return null;
    return refusal(file, old.join('\n'), textsOf(edited));
  };
}

/** A version, a hash or an address with another digit, in a line that stays or in the one to change. */
function staleAddress({ random, file: source }: KindContext): EditCall | null {
  const picked = pickBlock(random, source, { min: 3, max: 8, ok: (lines) => !lines.some(isBlank) });
  if (picked === null) return null;
  const at = random.int(0, picked.lines.length - 1);
  const address = ADDRESS(random);
  const line = `${indentOf(elementAt(picked.lines, at))}see("${address}")`;
  const { file, block } = withBlock(source, picked, picked.lines.with(at, line));
  const old = block.lines.with(
    at,
    line.replace(/\d(?=\D*$)/, (found) => String((Number(found) + random.int(1, 8)) % 10)),
  );
  const edited = editLines(random, old, file.lang, { types: ['modify', 'insert'] });
  if (edited === null || file.text.includes(old.join('\n'))) return null;
  return refusal(file, old.join('\n'), textsOf(edited));
}

/** The line to delete has another word. */
function staleDeletion({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 3, max: 8 });
  const found = block && turnIn(block, name, random);
  if (block === null || found === null) return null;
  const old = block.lines.with(found.at, found.turned);
  if (file.text.includes(old.join('\n'))) return null;
  return refusal(file, old.join('\n'), old.toSpliced(found.at, 1).join('\n'));
}

/** One short line with a slip of the pen: nothing else says that this place is meant. */
function shortTypo({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 1, max: 1, ok: ([line = '']) => line.trim().length < 40 });
  if (block === null) return null;
  const bad = mistype(random, elementAt(block.lines, 0));
  const renamed = bad === null ? null : renameOne(random, bad);
  if (bad === null || renamed === null || file.text.includes(bad)) return null;
  return refusal(file, bad, renamed);
}

/** The line to change has a slip of the pen, the others are right. */
function typoInChange({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 3, max: 9 });
  if (block === null) return null;
  const at = random.int(0, block.lines.length - 1);
  const bad = mistype(random, elementAt(block.lines, at));
  const renamed = bad === null ? null : renameOne(random, bad);
  if (bad === null || renamed === null) return null;
  const old = block.lines.with(at, bad);
  const made = old.with(at, renamed);
  if (file.text.includes(old.join('\n'))) return null;
  // What the model wants of the word is plain only when it does not touch it; even then refusing costs one more call.
  return refusal(file, old.join('\n'), made.join('\n'));
}

// ---- already done ----

/** The same call again: what it inserted, deleted or changed is in the file already. */
function doneBefore(type: 'insert' | 'delete' | 'modify'): Kind['make'] {
  return ({ random, file: source }) => {
    const block = pickBlock(random, source, { min: 4, max: 9, twin: 0.5 });
    const edited = block && editLines(random, block.lines, source.lang, { types: [type] });
    if (block === null || edited === null) return null;
    const file = source.replace(
      block.start,
      block.end,
      edited.map(({ text }) => text),
    );
    const old = block.lines.join('\n');
    return file.text.includes(old) ? null : refusal(file, old, textsOf(edited));
  };
}

/** Both strings say the same but for their indentation, and the file has what new_string says. */
function doneIndent({ random, file }: KindContext): EditCall | null {
  const ok = (lines: readonly string[]): boolean => lines.every((line) => !isBlank(line) && indentOf(line).length > 1);
  const block = pickBlock(random, file, { min: 2, max: 8, ok });
  if (block === null) return null;
  const old = block.lines.map((line) => line.slice(1)).join('\n');
  return file.text.includes(`\n${old}`) || file.text.includes(old) ? null : refusal(file, old, block.lines.join('\n'));
}

/** The line to change is left out of old_string; new_string has its new form beside lines that stay. */
function droppedChange({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 5, max: 10, twin: 0.5, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const at = random.int(1, block.lines.length - 2);
  const changed = renameOne(random, elementAt(block.lines, at));
  const old = block.lines.toSpliced(at, 1).join('\n');
  if (changed === null || file.text.includes(old)) return null;
  return refusal(file, old, block.lines.with(at, changed).join('\n'));
}

/** A line goes in where the file has another one that the model does not know of: before or behind it, who can say. */
function insertInGap({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 5, max: 10, twin: 0.5, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const at = random.int(1, block.lines.length - 2);
  const old = block.lines.toSpliced(at, 1);
  if (file.text.includes(old.join('\n'))) return null;
  const made = indentOf(elementAt(block.lines, at)) + newStatement(random, file.lang);
  return refusal(file, old.join('\n'), old.toSpliced(at, 0, made).join('\n'));
}

/** The end of one function and the beginning of a later one, as if nothing stood between; neither stands elsewhere as well. */
function acrossFunctions({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 14, max: 40, ok: (lines) => lines.slice(4, -4).some(isBlank) });
  if (block === null) return null;
  const ends = [block.lines.slice(0, 3), block.lines.slice(-3)];
  const old = ends.flat();
  const edited = editLines(random, old, file.lang, { types: ['modify'] });
  if (edited === null || ends.some((lines) => countOf(file.text, lines.join('\n')) > 1)) return null;
  return file.text.includes(old.join('\n')) ? null : refusal(file, old.join('\n'), textsOf(edited));
}

// ---- white space and look-alikes that mean something ----

/** Two blanks in a text of the line to change, one in old_string. Whoever applies it has to keep the two. */
function blanksInText(context: KindContext): EditCall | null {
  const { random } = context;
  const picked = pickBlock(random, context.file, { min: 2, max: 6 });
  if (picked === null) return null;
  const at = random.int(0, picked.lines.length - 1);
  const word = random.pick(WORDS);
  const line = (blanks: string, id: string): string =>
    `${indentOf(elementAt(picked.lines, at))}print(${id}, "${word}${blanks}${word}")`;
  const { file, block } = withBlock(context.file, picked, picked.lines.with(at, line('   ', 'before')));
  const edited = unchanged(block.lines).with(at, { text: line('   ', 'behind'), from: null, like: at });
  const call = lineCase(context, {
    ...{ file, block, edited, notExact: true },
    garble: (text) => text.replace(`${word}   ${word}`, `${word} ${word}`),
  });
  return call && { ...call, expect: 'either' };
}

/** A Cyrillic letter for a Latin one in the line to change; whoever applies it keeps the file's letters. */
function homoglyph(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 2, max: 7 });
  if (block === null) return null;
  const at = block.lines.findIndex((line) => /[aeo]\w*\W.*\w{4}/.test(line));
  if (at < 0) return null;
  const line = elementAt(block.lines, at);
  const turned = line.replace(/[aeo]/, (letter) => ({ a: '\u0430', e: '\u0435', o: '\u043E' })[letter] ?? letter);
  const edited = unchanged(block.lines).with(at, { text: `${line}Next`, from: null, like: at });
  const call = lineCase(context, {
    ...{ block, edited, notExact: true },
    garble: (text, index, made) => (index === at ? turned + (isMade(made) ? 'Next' : '') : text),
  });
  return call && { ...call, expect: 'either' };
}

/** A remark at the end of the line to change is mistyped. Whoever applies it keeps the file's remark. */
function remarkOfChange(context: KindContext): EditCall | null {
  const { random } = context;
  const picked = pickBlock(random, context.file, { min: 3, max: 7, twin: 0.5, ok: (lines) => !lines.some(isBlank) });
  if (picked === null) return null;
  const at = random.int(0, picked.lines.length - 1);
  const renamed = renameOne(random, elementAt(picked.lines, at));
  const remark = ` ${commentMark(context.file.lang)} keeps the ${random.pick(WORDS)} of the ${random.pick(WORDS)}`;
  const bad = mistype(random, remark);
  if (renamed === null || bad === null || /(\\|\/\/.*|#.*)$/.test(elementAt(picked.lines, at))) return null;
  const { file, block } = withBlock(context.file, picked, picked.lines.with(at, elementAt(picked.lines, at) + remark));
  const edited = unchanged(block.lines).with(at, { text: renamed + remark, from: null, like: at });
  const garble = (text: string): string => text.replace(remark, () => bad);
  const call = lineCase(context, { file, block, edited, garble, notExact: true });
  return call && { ...call, expect: 'either' };
}

/** A line stands one level deeper in both strings than in the file, among others that are right. Whoever applies it keeps the file's. */
function otherDepth(context: KindContext): EditCall | null {
  const { random, file } = context;
  const unit = indentUnit(file);
  const block = pickBlock(random, file, { min: 4, max: 9, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const at = random.int(1, block.lines.length - 2);
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'], keep: (index) => Math.abs(index - at) <= 1 });
  if (edited === null) return null;
  const garble = (text: string, index: number): string => (index === at ? unit + text : text);
  const call = lineCase(context, { block, edited, garble, notExact: true });
  return call && { ...call, expect: 'either' };
}

/** The beginning of a line with the wrong indentation. Whoever applies it keeps the file's indentation and the rest of the line. */
function fragment({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 1, max: 1, ok: ([line = '']) => line.trim().length > 30 });
  if (block === null) return null;
  const line = elementAt(block.lines, 0);
  const indent = indentOf(line);
  const head = /^.{12,24}?\b/.exec(line.trimStart())?.[0] ?? '';
  const renamed = renameOne(random, head);
  const wrong = `${indent}      `;
  if (renamed === null || head.length < 12 || file.text.includes(wrong + head)) return null;
  const from = file.offsetOf(block.start);
  const right = file.replace(block.start, block.end, [indent + renamed + line.slice(indent.length + head.length)]).text;
  return {
    ...{ src: file.path, lang: file.lang, content: file.text, old: wrong + head, new: wrong + renamed },
    ...{ expect: 'either', accept: [right], region: [from, from + line.length] },
  };
}

export const STALE_KINDS: readonly Kind[] = [
  stale('stale-text', 'the line to change has another text in quotes', staleLine(quoted)),
  stale('stale-name', 'the line to change has another name', staleLine(name)),
  stale('stale-plural', 'the line to change has an s more or less', staleLine(suffix)),
  stale('stale-operator', 'the line to change has another operator', staleLine(operator)),
  stale('stale-negation', 'the line to change is negated, or is not', staleLine(negation), CODE),
  stale('stale-sign', 'the line to change has a minus more or less', staleLine(sign)),
  stale('stale-opposite', 'the line to change has a word of opposite meaning', staleLine(opposite)),
  stale('stale-case', 'the line to change has another capital', staleLine(letterCase)),
  stale('stale-number', 'the line to change has another number', staleLine(digit)),
  stale('stale-deletion', 'the line to delete has another word', staleDeletion),
  stale('context-text', 'a line that stays has another text in quotes', staleContext(quoted)),
  stale('context-name', 'a line that stays has another name', staleContext(name)),
  stale('context-operator', 'a line that stays has another operator', staleContext(operator)),
  stale('context-negation', 'a line that stays is negated, or is not', staleContext(negation), CODE),
  stale('context-sign', 'a line that stays has a minus more or less', staleContext(sign)),
  stale('context-opposite', 'a line that stays has a word of opposite meaning', staleContext(opposite)),
  stale('context-number', 'a line that stays has another number', staleContext(digit)),
  stale('stale-address', 'a version, a hash or an address has another digit', staleAddress),
  stale('short-typo', 'one short line with a slip of the pen', shortTypo),
  stale('typo-in-change', 'a slip of the pen in the line to change', typoInChange),
  stale('done-insert', 'the line to insert is there already', doneBefore('insert')),
  stale('done-delete', 'the line to delete is gone already', doneBefore('delete')),
  stale('done-modify', 'the line to change is changed already', doneBefore('modify')),
  stale('done-indent', 'the indentation to write is there already', doneIndent),
  stale('dropped-change', 'the line to change is left out of old_string', droppedChange),
  stale('insert-in-gap', 'a line goes in where the file has one that old_string leaves out', insertInGap),
  stale('across-functions', 'the end of one function and the beginning of a later one', acrossFunctions),
  stale('blanks-in-text', 'blanks of a text in quotes: refuse, or keep them', blanksInText),
  stale('remark-of-change', 'the remark of the line to change is mistyped: refuse, or keep the remark', remarkOfChange, CODE),
  stale('other-depth', 'one line is a level too deep in both strings: refuse, or keep its own depth', otherDepth),
  stale('fragment', 'the beginning of a line, indented too far: refuse, or keep the rest', fragment),
  stale('homoglyph', 'a Cyrillic letter in the line to change: refuse, or keep the Latin one', homoglyph),
];
