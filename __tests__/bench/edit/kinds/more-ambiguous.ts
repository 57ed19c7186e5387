// Two places could be meant, or it is no edit of real lines at all. Nothing may be changed.
import { commentMark, editLines, pickBlock, renameOne, textsOf, WORDS } from '../block.ts';
import type { EditCall, Kind, KindContext } from '../edit-case.ts';
import { kind, lineCase, refusal } from '../edit-case.ts';
import type { Random } from '../random.ts';
import { elementAt } from '../random.ts';
import type { SourceFile } from '../source-file.ts';
import { countOf, indentOf, indentUnit, isBlank } from '../source-file.ts';
import { CODE } from './near.ts';
import { crlf, entities, hasEntity, indented, LINE_NUMBERS, minIndent, mistype, numberLines } from './shapes.ts';

const ambiguous = (name: string, what: string, make: Kind['make'], langs: Kind['langs'] = null): Kind =>
  kind({ name, group: 'more: ambiguous', langs }, what, make);
const notReal = (name: string, what: string, make: Kind['make'], langs: Kind['langs'] = null): Kind =>
  kind({ name, group: 'more: not real', langs }, what, make);

/** How the model writes a block that is there twice; null when the block has nothing for it. */
type Writing = (lines: readonly string[], random: Random) => ((text: string) => string) | null;

/** The block is there twice, and old_string is neither of them exactly. */
function twice(write: Writing): Kind['make'] {
  return ({ random, file: source }) => {
    const ok = (lines: readonly string[]): boolean => lines.every((line) => line === line.trimEnd());
    const block = pickBlock(random, source, { min: 2, max: 7, ok });
    const garble = block && write(block.lines, random);
    if (block === null || garble === null) return null;
    const far = random.int(0, block.start);
    const file = random.chance(0.5) ? source.insert(block.end, ['', ...block.lines]) : source.insert(far, [...block.lines, '']);
    const edited = editLines(random, block.lines, file.lang);
    if (edited === null) return null;
    const old = garble(block.lines.join('\n'));
    return file.text.includes(old) ? null : refusal(file, old, garble(textsOf(edited)));
  };
}

const eachLine =
  (change: (line: string) => string) =>
  (text: string): string =>
    text.split('\n').map(change).join('\n');

const spaced: Writing = () => (text) => text.replace('\n', '  \n');
const lineEnds: Writing = () => (text) => crlf(text.replace('\n', ' \n'));
const shifted: Writing = () => eachLine((line) => (isBlank(line) ? line : `   ${line}`));
const asEntities: Writing = (lines) => {
  const fits = lines.some((line) => /[<>&]/.test(line)) && !lines.some(hasEntity);
  return fits ? (text) => entities(text, 0, undefined) : null;
};
const curled: Writing = (lines) => (lines.some((line) => line.includes("'")) ? (text) => text.replaceAll("'", '\u2019') : null);
const asFence: Writing = (lines) => (lines.some((line) => line.includes('```')) ? null : (text) => `\`\`\`\n${text}\n\`\`\``);
/** Numbers far from both places. */
const numbers: Writing = (_lines, random) => {
  const first = random.int(5_000, 9_000);
  return (text) => numberLines(text.split('\n'), first, LINE_NUMBERS.padded).join('\n');
};

/** One line, at two indentations; old_string has a third. */
function oneLineTwice({ random, file: source }: KindContext): EditCall | null {
  const block = pickBlock(random, source, { min: 1, max: 1 });
  if (block === null) return null;
  const line = elementAt(block.lines, 0).trim();
  const indent = indentOf(elementAt(block.lines, 0));
  const file = source.insert(random.chance(0.5) ? block.end : block.start, [`${indent}    ${line}`]);
  const renamed = renameOne(random, line);
  const old = `${indent}          ${line}`;
  if (renamed === null || file.text.includes(old)) return null;
  return refusal(file, old, `${indent}          ${renamed}`);
}

/** The file with the block once more, one of whose lines has a slip of the pen; old_string has another slip in the same line. */
function nearTwins(slipsOfTwin: number): Kind['make'] {
  return ({ random, file: source }) => {
    const ok = (lines: readonly string[]): boolean => !lines.some(isBlank);
    const block = pickBlock(random, source, { min: 5, max: 9, twin: 0.5, ok });
    if (block === null) return null;
    const at = random.int(0, block.lines.length - 1);
    const line = elementAt(block.lines, at);
    const other = mistypeOften(random, line, slipsOfTwin);
    const bad = mistype(random, line);
    if (other === null || bad === null || other === bad || other === line) return null;
    const file = source.insert(random.chance(0.5) ? block.end : block.start, ['', ...block.lines.with(at, other), '']);
    const old = block.lines.with(at, bad);
    const edited = editLines(random, old, file.lang, { types: ['modify', 'insert'], keep: (index) => index === at });
    return edited && !file.text.includes(old.join('\n')) ? refusal(file, old.join('\n'), textsOf(edited)) : null;
  };
}

function mistypeOften(random: Random, line: string, times: number): string | null {
  let bad: string | null = line;
  for (let slip = 0; slip < times && bad !== null; slip += 1) bad = mistype(random, bad);
  return bad;
}

/** The model dropped a line, and the file has the block both with another line there and with the dropped one. */
function twinWithoutLine({ random, file: source }: KindContext): EditCall | null {
  const block = pickBlock(random, source, { min: 6, max: 10, twin: 0.5, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const at = random.int(2, block.lines.length - 3);
  const other = renameOne(random, elementAt(block.lines, at));
  if (other === null) return null;
  const file = source.insert(block.end, ['', ...block.lines.with(at, other), '']);
  const old = block.lines.toSpliced(at, 1);
  const edited = editLines(random, old, file.lang, { types: ['modify'], keep: (index) => Math.abs(index - at) <= 1 });
  return edited && !file.text.includes(old.join('\n')) ? refusal(file, old.join('\n'), textsOf(edited)) : null;
}

/** The block once exactly, and once with space at a line end: the exact one. */
function exactAndSpaced(context: KindContext): EditCall | null {
  const { random } = context;
  const ok = (lines: readonly string[]): boolean => lines.every((line) => line === line.trimEnd());
  const block = pickBlock(random, context.file, { min: 3, max: 8, ok });
  if (block === null) return null;
  const copy = block.lines.map((line, index) => (index === 1 ? `${line}  ` : line));
  const file = context.file.insert(block.start, [...copy, '']);
  const shift = copy.length + 1;
  const moved = { start: block.start + shift, end: block.end + shift, lines: block.lines };
  const call = lineCase(context, { file, block: moved, tail: false });
  return call !== null && countOf(call.content, call.old) === 1 ? call : null;
}

/** One place is exactly as old_string has it, and looks escaped, numbered or marked; another is what it would be without. The exact one. */
function exactBeatsUndone(context: KindContext): EditCall | null {
  const { random } = context;
  const word = `${random.pick(WORDS)} ${random.int(100, 999)}`;
  const [plain, dressed] = random.pick([
    [`see("<b>${word}</b>")`, `see("&lt;b&gt;${word}&lt;/b&gt;")`] as const,
    [`- ${word} of all`, `12: - ${word} of all`] as const,
    [`the ${word} is here`, `> the ${word} is here`] as const,
    [`put("${word}\\n")`, `put("${word}\\\\n")`] as const,
    [`say "${word}"`, `say \\"${word}\\"`] as const,
  ]);
  const at = random.int(2, context.file.lines.length - 2);
  const far = random.int(1, at - 1);
  const file = context.file.insert(at, [dressed]).insert(far, [plain]);
  const block = { start: at + 1, end: at + 2, lines: [dressed] };
  const edited = [{ text: dressed.replace(word, () => `${word} more`), from: null, like: 0 }];
  const call = lineCase(context, { file, block, edited, tail: false });
  return call !== null && countOf(call.content, call.old) === 1 ? call : null;
}

/** A, B, A, B, A: both the first and the last three lines are A, B, A. */
function overlapping(isExact: boolean): Kind['make'] {
  return ({ random, file: source }) => {
    const block = pickBlock(random, source, { min: 2, max: 2, ok: (lines) => !lines.some((line) => line.startsWith('\t')) });
    if (block === null) return null;
    const [first, second] = [elementAt(block.lines, 0), elementAt(block.lines, 1)];
    const file = source.replace(block.start, block.end, [first, second, first, second, first]);
    const renamed = renameOne(random, second);
    if (renamed === null || first === second) return null;
    const shift = isExact ? '' : '   ';
    const write = (middle: string): string => [first, middle, first].map((line) => shift + line).join('\n');
    return isExact || !file.text.includes(write(second)) ? refusal(file, write(second), write(renamed)) : null;
  };
}

/** The code is there in comments only. */
function commentedOut({ random, file: source }: KindContext): EditCall | null {
  const mark = commentMark(source.lang);
  const ok = (lines: readonly string[]): boolean => !lines.some((line) => isBlank(line) || line.includes(mark));
  const block = pickBlock(random, source, { min: 1, max: 6, ok });
  const edited = block && editLines(random, block.lines, source.lang);
  if (block === null || edited === null) return null;
  const cut = minIndent(block.lines);
  const off = block.lines.map((line) => `${line.slice(0, cut)}${mark} ${line.slice(cut)}`);
  const file = source.replace(block.start, block.end, off);
  // With the indentation that it would have, so that it is no piece of the comment.
  const old = block.lines.map((line) => `  ${line}`).join('\n');
  const made = edited.map(({ text }) => `  ${text}`).join('\n');
  return file.text.includes(old) ? null : refusal(file, old, made);
}

/** Numbers in front of the lines that no tool prints: they go down, or jump about. */
function randomNumbers({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 3, max: 8 });
  const edited = block && editLines(random, block.lines, file.lang);
  if (block === null || edited === null) return null;
  const first = random.int(400, 900);
  const print = random.pick([LINE_NUMBERS.colon, LINE_NUMBERS.tab, LINE_NUMBERS.tightBar]);
  const down = (lines: readonly string[]): string => lines.map((line, index) => print(first - 7 * index, line)).join('\n');
  const old = down(block.lines);
  return file.text.includes(old) ? null : refusal(file, old, down(edited.map(({ text }) => text)));
}

const PLACEHOLDERS = [
  ...['... (rest of the function remains the same)', '... other code ...', '(unchanged)', '[previous implementation]'],
  ...['same as before', '...', '\u2026', 'keep existing code', 'existing logic here', 'omitted for brevity', '... etc ...'],
  ...['remaining code unchanged', 'rest of the code stays the same', 'code continues here', '... snip ...', 'no changes below'],
  ...['... existing implementation ...', 'rest of the file is unchanged', '<existing code>', '{/* existing code */}'],
  ...['... the rest remains unchanged', 'previous code here', '[... rest of method ...]', 'other methods remain the same'],
];

/** new_string has a remark where real lines were, in any of the ways that models say it. */
function placeholder({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 7, max: 14 });
  if (block === null) return null;
  const first = renameOne(random, elementAt(block.lines, 0));
  if (first === null) return null;
  const mark = `${commentMark(file.lang)} ${random.pick(PLACEHOLDERS)}`;
  const made = [first, indentOf(elementAt(block.lines, 1)) + mark, ...block.lines.slice(-1)];
  return refusal(file, block.lines.join('\n'), made.join('\n'));
}

/** The same, and both strings have lost their indentation. */
function placeholderLoose(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 7, max: 14, ok: indented(indentUnit(file).length) });
  if (block === null) return null;
  const cut = minIndent(block.lines);
  const lines = block.lines.map((line) => (isBlank(line) ? line : line.slice(cut)));
  const first = renameOne(random, elementAt(lines, 0));
  const old = lines.join('\n');
  if (first === null || file.text.includes(old)) return null;
  const made = [first, `${commentMark(file.lang)} ${random.pick(PLACEHOLDERS)}`, ...lines.slice(-1)];
  return refusal(file, old, made.join('\n'));
}

/** Two neighbours have changed places in both strings; another line is edited. Whoever applies it keeps the file's order. */
function swappedNeighbours(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 5, max: 9, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const at = random.int(0, block.lines.length - 2);
  if (block.lines[at] === block.lines[at + 1]) return null;
  const keep = (index: number): boolean => Math.abs(index - at) <= 2;
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'], keep });
  if (edited === null) return null;
  const swap = (lines: readonly string[]): readonly string[] =>
    lines.toSpliced(at, 2, elementAt(lines, at + 1), elementAt(lines, at));
  const call = lineCase(context, { block, edited, notExact: true, reshape: (old, made) => [swap(old), swap(made)] });
  return call && { ...call, expect: 'either' };
}

/** Both strings have a line that the file has not; another line is edited. Whoever applies it does not bring it in. */
function inventedLine(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 5, max: 9, ok: (lines) => !lines.some(isBlank) });
  if (block === null) return null;
  const at = random.int(2, block.lines.length - 2);
  const invented = `${indentOf(elementAt(block.lines, at))}check(${random.int(100, 999)})`;
  const keep = (index: number): boolean => Math.abs(index - at) <= 1;
  const edited = editLines(random, block.lines, file.lang, { types: ['modify'], keep });
  if (edited === null) return null;
  const put = (lines: readonly string[]): readonly string[] => lines.toSpliced(at, 0, invented);
  const call = lineCase(context, { block, edited, notExact: true, reshape: (old, made) => [put(old), put(made)] });
  return call && { ...call, expect: 'either' };
}

/** An empty file, or one of white space: there is nothing to change in it. */
function emptyFile({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 1, max: 5 });
  const edited = block && editLines(random, block.lines, file.lang);
  if (block === null || edited === null) return null;
  const blank: SourceFile = file.with(Array.from({ length: random.int(0, 3) }, () => random.pick(['', '  '])));
  return refusal(blank, block.lines.join('\n'), textsOf(edited), random.chance(0.3));
}

export const AMBIGUOUS_KINDS: readonly Kind[] = [
  ambiguous('twice-space', 'the block is there twice; space at a line end of old_string', twice(spaced)),
  ambiguous('twice-crlf', 'the block is there twice; CRLF and space in old_string', twice(lineEnds)),
  ambiguous('twice-indent', 'the block is there twice; old_string is indented otherwise', twice(shifted)),
  ambiguous('twice-entities', 'the block is there twice; entities in old_string', twice(asEntities)),
  ambiguous('twice-quotes', 'the block is there twice; curly quotes in old_string', twice(curled)),
  ambiguous('twice-fence', 'the block is there twice; old_string is fenced', twice(asFence)),
  ambiguous('twice-numbers', 'the block is there twice; the line numbers are those of neither', twice(numbers)),
  ambiguous('one-line-twice', 'one line at two indentations; old_string has a third', oneLineTwice),
  ambiguous('near-twins', 'two blocks, each one slip of the pen away', nearTwins(1)),
  ambiguous('nearer-twin', 'two blocks, one a slip of the pen away, the other a little more', nearTwins(2)),
  ambiguous('twin-without-line', 'two blocks that differ in the line that both strings leave out', twinWithoutLine),
  ambiguous('exact-and-spaced', 'one exact place, one with space at a line end: the exact one', exactAndSpaced),
  ambiguous(
    'exact-beats-undone',
    'one exact place, one that old_string is an escaped or marked copy of: the exact one',
    exactBeatsUndone,
  ),
  ambiguous('overlapping-exact', 'old_string is there twice, and the places overlap', overlapping(true)),
  ambiguous('overlapping-loose', 'the same; old_string is indented otherwise', overlapping(false)),
  ambiguous('swapped-neighbours', 'two lines that stay have changed places: refuse, or keep their order', swappedNeighbours),
  ambiguous('invented-line', 'a line that the file has not: refuse, or leave it out', inventedLine),
  notReal('commented-out', 'the code is there in comments only', commentedOut, CODE),
  notReal('random-numbers', 'numbers in front of the lines that no tool prints', randomNumbers),
  notReal('placeholder-words', 'new_string has a placeholder for real lines, in many wordings', placeholder, CODE),
  notReal('placeholder-loose', 'the same; the common indentation is missing', placeholderLoose, CODE),
  notReal('empty-file', 'the file has no text', emptyFile),
];
