// Habits of models that no other kind has: what they wrap strings in, how they break lines, what they see that is not there.
import type { Block, EditedLine } from '../block.ts';
import { editLines, pickBlock, textsOf, unchanged } from '../block.ts';
import type { EditCall, Kind, KindContext } from '../edit-case.ts';
import { isMade, kind, lineCase, refusal } from '../edit-case.ts';
import { elementAt } from '../random.ts';
import { indentOf, indentUnit, isBlank } from '../source-file.ts';
import { CODE } from './near.ts';
import { indented, minIndent, mistype } from './shapes.ts';

const habit = (name: string, what: string, make: Kind['make'], langs: Kind['langs'] = null): Kind =>
  kind({ name, group: 'more: habits', langs }, what, make);

/** Refusing is as right. */
const orRefuse = (call: EditCall | null): EditCall | null => call && { ...call, expect: 'either' };

function pickIndented({ random, file }: KindContext): Block | null {
  return pickBlock(random, file, { min: 2, max: 8, ok: indented(indentUnit(file).length) });
}

/** old_string has lost its indentation, new_string has it as it belongs: it must not come twice. */
function indentInNew(context: KindContext): EditCall | null {
  const block = pickIndented(context);
  if (block === null) return null;
  const cut = minIndent(block.lines);
  return lineCase(context, {
    ...{ block, tail: false, notExact: true },
    garble: (text, _index, made) => (made !== undefined || isBlank(text) ? text : text.slice(cut)),
  });
}

/** The common indentation is missing, and the edit is what `edit` makes of the block. */
function cutBlock(context: KindContext, block: Block, edited: readonly EditedLine[], file = context.file): EditCall | null {
  const cut = minIndent(block.lines);
  const garble = (text: string): string => (isBlank(text) ? text : text.slice(cut));
  return lineCase(context, { file, block, edited, garble, tail: false, notExact: true });
}

/** new_string is old_string twice. */
function doubled(context: KindContext): EditCall | null {
  const block = pickIndented(context);
  if (block === null) return null;
  const copy = block.lines.map((text, like) => ({ text, from: null, like }));
  return cutBlock(context, block, [...unchanged(block.lines), ...copy]);
}

/** One of three equal lines goes. */
function oneOfThree(context: KindContext): EditCall | null {
  const picked = pickIndented(context);
  if (picked === null) return null;
  const repeated = elementAt(picked.lines, 1);
  const lines = picked.lines.toSpliced(1, 0, repeated, repeated);
  const file = context.file.replace(picked.start, picked.end, lines);
  const edited = unchanged(lines).toSpliced(2, 1);
  return cutBlock(context, { start: picked.start, end: picked.start + lines.length, lines }, edited, file);
}

/** A line goes in behind one that is mistyped. */
function behindSlip(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 5, max: 9, twin: 0.5 });
  if (block === null) return null;
  const at = block.lines.length - 1;
  const last = elementAt(block.lines, at);
  const bad = mistype(context.random, last);
  if (bad === null) return null;
  const edited = [...unchanged(block.lines), { text: `${indentOf(last)}appended(1)`, from: null, like: at }];
  const garble = (text: string, index: number, made?: EditedLine): string => (index === at && !isMade(made) ? bad : text);
  return orRefuse(lineCase(context, { block, edited, garble, notExact: true }));
}

/** Two lines that do not stand together are left out of both strings. */
function twoDropped(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 9, max: 14, twin: 0.5, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const dropped = [2, block.lines.length - 3];
  const keep = (index: number): boolean => dropped.some((at) => Math.abs(at - index) <= 1);
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'], keep });
  if (edited === null) return null;
  const drop = (lines: readonly string[]): readonly string[] => lines.filter((_, index) => !dropped.includes(index));
  return orRefuse(lineCase(context, { block, edited, notExact: true, reshape: (old, made) => [drop(old), drop(made)] }));
}

/** A line that stays is broken after its first comma. */
function brokenLine(context: KindContext): EditCall | null {
  const { random, file } = context;
  const hasComma = (line: string): boolean => /\w\(.*, .*\)/.test(line);
  const ok = (lines: readonly string[]): boolean => lines.some(hasComma) && !lines.some(isBlank);
  const block = pickBlock(random, file, { min: 4, max: 9, ok });
  if (block === null) return null;
  const at = block.lines.findIndex(hasComma);
  const line = elementAt(block.lines, at);
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'], keep: (index) => index === at });
  if (edited === null) return null;
  const comma = line.indexOf(', ');
  const broken = [line.slice(0, comma + 1), `${indentOf(line)}    ${line.slice(comma + 2)}`];
  const split = (lines: readonly string[]): readonly string[] => lines.flatMap((each) => (each === line ? broken : [each]));
  return orRefuse(lineCase(context, { block, edited, notExact: true, reshape: (old, made) => [split(old), split(made)] }));
}

/** A long line that stays is cut, as tools that read show it. */
function cutLine(context: KindContext): EditCall | null {
  const { random, file } = context;
  const isLong = (line: string): boolean => line.length > 50;
  const block = pickBlock(random, file, { min: 3, max: 8, twin: 0.5, ok: (lines) => lines.some(isLong) });
  if (block === null) return null;
  const at = block.lines.findIndex(isLong);
  const cut = elementAt(block.lines, at).slice(0, random.int(30, 45)) + random.pick(['...', '\u2026 [truncated]', '\u2026']);
  return orRefuse(
    lineCase(context, {
      ...{ block, notExact: true, edit: { types: ['modify', 'insert'], keep: (index) => index === at } },
      garble: (text, index, made) => (index === at && !isMade(made) ? cut : text),
    }),
  );
}

/** Around both strings, as they stand in prompts, patches and answers. */
const WRAPPERS: readonly ((old: string, made: string) => readonly [string, string])[] = [
  (old, made) => [`<code>\n${old}\n</code>`, `<code>\n${made}\n</code>`],
  (old, made) => [`<![CDATA[${old}]]>`, `<![CDATA[${made}]]>`],
  (old, made) => [`<<<<<<< SEARCH\n${old}\n=======`, `${made}\n>>>>>>> REPLACE`],
  (old, made) => [`"""${old}"""`, `"""${made}"""`],
  (old, made) => [`\u001B[32m${old}\u001B[0m`, `\u001B[32m${made}\u001B[0m`],
  (old, made) => [`@@ -1,4 +1,4 @@\n${old.replace(/^/gm, '-')}`, `@@ -1,4 +1,4 @@\n${made.replace(/^/gm, '+')}`],
];

const packed = (context: KindContext): EditCall | null =>
  orRefuse(
    lineCase(context, {
      ...{ pick: { min: 2, max: 8 }, tail: false, notExact: true },
      wrap: context.random.pick(WRAPPERS),
    }),
  );

/** How tools that search print lines: the found one with a colon, those around it with a hyphen. */
function searchOutput(context: KindContext): EditCall | null {
  const { random } = context;
  const block = pickBlock(random, context.file, { min: 2, max: 8 });
  if (block === null) return null;
  const found = random.int(0, block.lines.length - 1);
  const path = random.pick(['', 'src/main.ts']);
  const print = (lines: readonly string[]): readonly string[] =>
    lines.map((line, index) => {
      const mark = index === found ? ':' : '-';
      return `${path === '' ? '' : path + mark}${block.start + 1 + index}${mark}${line}`;
    });
  const reshape = (old: readonly string[], made: readonly string[]) => [print(old), print(made)] as const;
  return orRefuse(lineCase(context, { block, tail: false, notExact: true, reshape }));
}

/** A line that stays is another call: its arguments have changed places, there is one more, or a word of the language is missing. */
function otherContext(change: (line: string) => string): Kind['make'] {
  return ({ random, file }) => {
    const ok = (lines: readonly string[]): boolean => lines.some((line) => change(line) !== line);
    const block = pickBlock(random, file, { min: 3, max: 8, ok });
    if (block === null) return null;
    const at = block.lines.findIndex((line) => change(line) !== line);
    const old = block.lines.with(at, change(elementAt(block.lines, at)));
    const edited = editLines(random, old, file.lang, { types: ['modify', 'insert'], keep: (index) => index === at });
    if (edited === null || file.text.includes(old.join('\n'))) return null;
    return refusal(file, old.join('\n'), textsOf(edited));
  };
}

const swapArguments = (line: string): string => line.replace(/\((\w+), (\w+)\)/, '($2, $1)');
const addArgument = (line: string): string => line.replace(/\((\w+)\)/, '($1, extra)');
const dropWord = (line: string): string =>
  line.replace(/(\w+ )(?:not|async|await|static|const|export|no|never|new|return) (\w)/, '$1$2');

export const HABIT_KINDS: readonly Kind[] = [
  habit('indent-in-new', 'the indentation is missing in old_string only', indentInNew),
  habit('doubled', 'new_string is old_string twice; the common indentation is missing', doubled),
  habit('one-of-three', 'one of three equal lines goes; the common indentation is missing', oneOfThree),
  habit('behind-slip', 'a line behind a mistyped one: refuse, or keep the file’s line', behindSlip),
  habit('two-dropped', 'two lines are left out of both strings: refuse, or keep them', twoDropped),
  habit('broken-line', 'a line that stays is broken into two: refuse, or keep it', brokenLine, CODE),
  habit('cut-line', 'a long line that stays is cut: refuse, or keep it', cutLine),
  habit('packed', 'both strings are packed in marks of prompts and patches: refuse, or unpack', packed),
  habit('search-output', 'both strings are copied from a search: refuse, or leave its marks out', searchOutput),
  habit('swapped-arguments', 'the arguments of a line that stays have changed places', otherContext(swapArguments), CODE),
  habit('added-argument', 'a line that stays has one argument more', otherContext(addArgument), CODE),
  habit('dropped-word', 'a line that stays has lost a word of the language', otherContext(dropWord)),
];
