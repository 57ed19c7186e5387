// old_string is copied right: whatever new_string holds goes in as it is.
import type { BlockWish } from '../block.ts';
import { pickBlock, renameOne, unchanged, WORDS } from '../block.ts';
import type { EditCall, Kind, KindContext } from '../edit-case.ts';
import { kind, lineCase } from '../edit-case.ts';
import { elementAt } from '../random.ts';
import type { SourceFile } from '../source-file.ts';
import { countOf, indentOf, isBlank } from '../source-file.ts';

const exact = (name: string, what: string, make: Kind['make']): Kind => kind({ name, group: 'exact' }, what, make);

/** One place of the file, replaced as it stands. */
export function spliceCase(file: SourceFile, old: string, made: string): EditCall {
  const { text } = file;
  const at = text.indexOf(old);
  return {
    ...{ src: file.path, lang: file.lang, content: text, old, new: made, expect: 'apply' },
    accept: [text.slice(0, at) + made + text.slice(at + old.length)],
    region: [at, at + old.length],
  };
}

function inline({ random, file }: KindContext): EditCall | null {
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const line = file.line(random.int(0, file.lines.length - 1));
    const words = [...line.matchAll(/[A-Za-z_][\w.]*/g)];
    if (words.length < 3) continue;
    const { index } = random.pick(words.slice(0, -1));
    const piece = line.slice(index, index + random.int(10, 40));
    if (piece.length < 10 || countOf(file.text, piece) !== 1) continue;
    const renamed = renameOne(random, piece);
    if (renamed !== null) return spliceCase(file, piece, renamed);
  }
  return null;
}

function midline({ random, file }: KindContext): EditCall | null {
  const isLong = (line: string | undefined): boolean => (line ?? '').trim().length > 12;
  const block = pickBlock(random, file, { min: 2, max: 6, ok: (lines) => isLong(lines[0]) && isLong(lines.at(-1)) });
  if (block === null) return null;
  const all = block.lines.join('\n');
  const lead = indentOf(all).length + random.int(2, 5);
  const old = all.slice(lead, all.length - random.int(2, 5));
  if (countOf(file.text, old) !== 1) return null;
  const cut = old.indexOf('\n');
  return spliceCase(file, old, `${old.slice(0, cut)} ${random.pick(WORDS)}X${old.slice(cut)}`);
}

/** The block with one more line somewhere, as it stands. */
function withLine(context: KindContext, texts: readonly string[], wish: BlockWish, textFirst: boolean): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 1, ...wish });
  if (block === null) return null;
  const drawn = textFirst ? random.pick(texts) : null;
  const at = random.int(1, block.lines.length);
  const edited = unchanged(block.lines);
  const text = indentOf(elementAt(block.lines, 0)) + (drawn ?? random.pick(texts));
  edited.splice(at, 0, { text, from: null, like: 0 });
  return lineCase(context, { block, edited });
}

const DOLLARS = ["s.replace(/x/g, '$&$1')", 'cost = "$$" + `$`` + "$\'"', 'echo $$HOME $1 $& done', '"$<name> $$$$ $0"'];
const ESCAPES = ['emit("a\\tb\\n")', 'log("say \\"hi\\"\\n")', "put('it\\'s \\\\ here\\n')"];
const hasEscape = (lines: readonly string[]): boolean => lines.some((line) => /\\[nt"]/.test(line));

function wholeLines({ random, file }: KindContext): EditCall | null {
  const block = pickBlock(random, file, { min: 1, max: 8 });
  if (block === null) return null;
  const old = `${block.lines.join('\n')}\n`;
  if (countOf(file.text, old) !== 1) return null;
  const call = spliceCase(file, old, '');
  return { ...call, region: [call.region[0], call.region[1] - 1] };
}

function replaceAll({ random, file }: KindContext): EditCall | null {
  const { text } = file;
  const names = [...new Set(text.match(/\b[A-Za-z_]\w{4,}\b/g) ?? [])].filter((name) => {
    const count = countOf(text, name);
    return count >= 2 && count <= 25;
  });
  if (names.length === 0) return null;
  const name = random.pick(names);
  const renamed = name + random.pick(['Next', '$1', 'Main', '$&x']);
  return {
    ...{ src: file.path, lang: file.lang, content: text, old: name, new: renamed, replaceAll: true, expect: 'apply' },
    accept: [text.split(name).join(renamed)],
    region: [text.indexOf(name), text.lastIndexOf(name) + name.length],
  };
}

function legitEntities(context: KindContext): EditCall | null {
  const { random } = context;
  const at = random.int(2, context.file.lines.length - 2);
  const word = random.pick(WORDS) + random.int(10, 999);
  const indent = indentOf(context.file.line(at));
  const file = context.file.insert(at, [`${indent}const ${word} = "&lt;b&gt; ${word} &amp; co &quot;x&quot;"`]);
  const lines = file.lines.slice(at - 1, at + 2);
  if (isBlank(file.line(at - 1)) || isBlank(file.line(at + 1))) return null;
  const edited = unchanged(lines);
  edited[1] = { text: file.line(at).replace('&amp; co', '&amp; sons &lt;i&gt;'), from: null, like: 1 };
  return lineCase(context, { file, block: { start: at - 1, end: at + 2, lines }, edited });
}

function legitDots(context: KindContext): EditCall | null {
  const { random } = context;
  const at = random.int(2, context.file.lines.length - 2);
  const word = random.pick(WORDS) + random.int(10, 999);
  const indent = indentOf(context.file.line(at));
  const call = `${indent}const ${word} = merge(...args, { ...rest })`;
  const print = `${indent}print("loading ${word} ...")`;
  const file = context.file.insert(at, [call, print]);
  const edited = [
    { text: call.replace('...args', '...args.slice(1)'), from: null, like: 0 },
    { text: print, from: 1, like: 1 },
    { text: `${indent}print("...")`, from: null, like: 1 },
  ];
  return lineCase(context, { file, block: { start: at, end: at + 2, lines: [call, print] }, edited });
}

function legitNumbers(context: KindContext): EditCall | null {
  const { random } = context;
  const at = random.int(2, context.file.lines.length - 2);
  const separator = random.pick(['\t', ' | ', ': ', '. ']);
  const first = random.int(1, 80);
  const lines = [0, 1, 2, 3].map((row) => `${first + row}${separator}${random.pick(WORDS)} ${random.int(100, 9999)}`);
  const edited = unchanged(lines);
  edited[2] = { text: `${elementAt(lines, 2)} kept`, from: null, like: 2 };
  return lineCase(context, { file: context.file.insert(at, lines), block: { start: at, end: at + 4, lines }, edited });
}

export const EXACT_KINDS: readonly Kind[] = [
  exact('exact-block', 'old_string is copied right', (context) => lineCase(context, { pick: { min: 1, max: 12 } })),
  exact('exact-inline', 'a unique piece of one line', inline),
  exact('exact-midline', 'starts and ends inside a line', midline),
  exact('exact-dollar', '$&, $1, $$ in new_string stay as they are', (context) => withLine(context, DOLLARS, { max: 6 }, true)),
  exact('exact-delete', 'new_string is empty: whole lines go', wholeLines),
  exact('exact-replace-all', 'replace_all changes each occurrence', replaceAll),
  exact('exact-legit-escapes', 'real \\n and \\" in literals stay escaped', (context) =>
    withLine(context, ESCAPES, { max: 8, ok: hasEscape }, false),
  ),
  exact('exact-legit-entities', 'real &lt; and &amp; stay escaped', legitEntities),
  exact('exact-legit-dots', 'real "..." (spread, text) in both strings', legitDots),
  exact('exact-legit-numbers', 'lines that really begin with a number', legitNumbers),
];
