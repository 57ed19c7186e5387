// Line ends, byte order marks, typography and escapes that differ between the file and both strings; and what was copied from a tool's output.
import type { Block } from '../block.ts';
import { editLines, pickBlock, textsOf } from '../block.ts';
import type { EditCall, Garble, Kind, KindContext } from '../edit-case.ts';
import { isMade, kind, lineCase, mapFile } from '../edit-case.ts';
import type { Random } from '../random.ts';
import { elementAt } from '../random.ts';
import { countOf, isBlank } from '../source-file.ts';
import type { LineNumber } from './shapes.ts';
import { crlf, entities, hasEntity, hasNoQuotes, LINE_NUMBERS, numberLines, withBlock } from './shapes.ts';

const BOM = '\uFEFF';

const eol = (name: string, what: string, make: Kind['make']): Kind => kind({ name, group: 'eol' }, what, make);
const encoding = (name: string, what: string, make: Kind['make']): Kind => kind({ name, group: 'encoding' }, what, make);

function crlfInFile(context: KindContext): EditCall | null {
  const call = lineCase(context, { pick: { min: 2, max: 12 } });
  return call && mapFile(call, crlf);
}

function crlfInOld(context: KindContext): EditCall | null {
  const call = lineCase(context, { pick: { min: 2, max: 12 } });
  return call && { ...call, old: crlf(call.old), new: crlf(call.new) };
}

function crlfOneLine(context: KindContext): EditCall | null {
  const block = pickBlock(context.random, context.file, { min: 1, max: 1 });
  const call = block && lineCase(context, { block, edit: { types: ['insert', 'both'] }, tail: false });
  return call && mapFile(call, crlf);
}

function crlfReplaceAll(context: KindContext): EditCall | null {
  const { random, file } = context;
  const block = pickBlock(random, file, { min: 2, max: 4 });
  const edited = block && editLines(random, block.lines, file.lang);
  if (block === null || edited === null) return null;
  const twice = (lines: readonly string[]): string => file.replace(block.start, block.end, [...lines, '', ...lines]).text;
  const content = twice(block.lines);
  const old = block.lines.join('\n');
  if (countOf(content, old) !== 2) return null;
  const start = file.offsetOf(block.start);
  return mapFile(
    {
      ...{ src: file.path, lang: file.lang, content, old, new: textsOf(edited), replaceAll: true, expect: 'apply' },
      accept: [twice(edited.map(({ text }) => text))],
      region: [start, start + 2 * old.length + 2],
    },
    crlf,
  );
}

/** The first lines of the file, when they can be a block. */
function topBlock({ random, file }: KindContext): Block | null {
  const end = random.int(1, 6);
  const lines = file.lines.slice(0, end);
  if (isBlank(elementAt(lines, 0)) || isBlank(elementAt(lines, end - 1)) || !file.isUnique(0, end)) return null;
  return { start: 0, end, lines };
}

function bomInFile(context: KindContext): EditCall | null {
  const block = topBlock(context);
  if (block === null) return null;
  const spaced = context.random.chance(0.5);
  const call = lineCase(context, {
    block,
    wrap: (old, made) => [spaced ? old.replace(/\n|$/, ' $&') : old, made],
  });
  return call && mapFile(call, (text) => BOM + text);
}

function bomInOld(context: KindContext): EditCall | null {
  const atTop = context.random.chance(0.5);
  if (!atTop) return lineCase(context, { pick: { min: 1, max: 8 }, wrap: (old, made) => [BOM + old, BOM + made] });
  const block = topBlock(context);
  const call = block && lineCase(context, { block, wrap: (old, made) => [BOM + old, made] });
  return call && mapFile(call, (text) => BOM + text);
}

/** Straight quotes as typographers have them, by turns opening and closing. */
function curl(text: string): string {
  let double = 0;
  let single = 0;
  return text
    .replace(/"/g, () => (double++ % 2 === 1 ? '\u201D' : '\u201C'))
    .replace(/'/g, () => (single++ % 2 === 1 ? '\u2019' : '\u2018'));
}

const smartQuotesInOld = (context: KindContext): EditCall | null =>
  lineCase(context, {
    pick: {
      ...{ min: 2, max: 10 },
      ok: (lines) => lines.some((line) => /["']/.test(line)) && lines.some((line) => hasNoQuotes(line) && !isBlank(line)),
    },
    edit: { types: ['modify', 'insert', 'delete'], plain: hasNoQuotes },
    garble: (text, _index, made) => (isMade(made) ? text : curl(text)),
    notExact: true,
  });

/** The file's lines are fancy, the model writes them plainly and edits one that is plain in both. */
function plainForFancy(
  context: KindContext,
  picked: Block,
  fancy: readonly string[],
  plain: (line: string) => boolean,
): EditCall | null {
  const { file, block } = withBlock(context.file, picked, fancy);
  const edited = editLines(context.random, fancy, file.lang, { types: ['insert', 'modify', 'delete'], plain });
  if (edited === null) return null;
  return lineCase(context, {
    ...{ file, block, edited, literalOk: true, notExact: true },
    garble: (text, index, made) => (isMade(made) ? text : elementAt(picked.lines, index)),
  });
}

function smartQuotesInFile(context: KindContext): EditCall | null {
  const hasTypography = (lines: readonly string[]): boolean =>
    lines.some((line) => /["']| - /.test(line)) && lines.some((line) => line.trim().length > 10);
  const picked = pickBlock(context.random, context.file, { min: 1, max: 8, ok: hasTypography });
  if (picked === null) return null;
  const fancy = picked.lines.map((line) => curl(line).replace(/ - /g, ' \u2014 '));
  return plainForFancy(context, picked, fancy, (line) => hasNoQuotes(line) && !/[\u2014\u2018-\u201D]/.test(line));
}

function noBreakSpaces(context: KindContext): EditCall | null {
  const { random } = context;
  const spaced = /\w \w/;
  const picked = pickBlock(random, context.file, { min: 1, max: 8, ok: (lines) => lines.some((line) => spaced.test(line)) });
  if (picked === null) return null;
  const hit = picked.lines.findIndex((line) => spaced.test(line));
  const odd = picked.lines.map((line, index) =>
    index === hit || random.chance(0.3) ? line.replace(/(\w) (\w)/, '$1\u00A0$2') : line,
  );
  return plainForFancy(context, picked, odd, (line) => !line.includes('\u00A0'));
}

// ---- escapes ----

export const wantsEntities = (lines: readonly string[]): boolean =>
  lines.some((line) => /[<>&]/.test(line)) && !lines.some(hasEntity);

function htmlEntities(context: KindContext): EditCall | null {
  const withQuotes: Garble = (text, ...rest) =>
    entities(text, ...rest)
      .replace(/"/g, '&quot;')
      .replace(/'/g, '&#39;');
  const garble = context.random.chance(0.5) ? entities : withQuotes;
  return lineCase(context, { pick: { min: 1, max: 10, ok: wantsEntities }, garble, notExact: true });
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const escapedAll = (context: KindContext): EditCall | null =>
  lineCase(context, {
    ...{ pick: { min: 2, max: 8 }, tail: false, notExact: true },
    wrap: (old, made) => [escaped(old), escaped(made)],
  });

function underEscaped(context: KindContext): EditCall | null {
  const literal = /[^\\]\\n/;
  const block = pickBlock(context.random, context.file, {
    ...{ min: 3, max: 8 },
    ok: (lines) => lines.slice(1, -1).some((line) => literal.test(line)),
  });
  if (block === null) return null;
  const bad = block.lines.map((line, index) => index > 0 && index < block.lines.length - 1 && literal.test(line));
  return lineCase(context, {
    ...{ block, edit: { types: ['modify', 'insert'], keep: (index) => bad[index] === true }, notExact: true },
    garble: (text, index, made) => (bad[index] === true && !isMade(made) ? text.replace(/([^\\])\\n/g, '$1\n') : text),
  });
}

// ---- copied from a tool's output ----

function numbered(formats: readonly LineNumber[]): Kind['make'] {
  return (context) => {
    const block = pickBlock(context.random, context.file, { min: 1, max: 10 });
    if (block === null) return null;
    const format = context.random.pick(formats);
    const number = (lines: readonly string[]): readonly string[] => numberLines(lines, block.start + 1, format);
    return lineCase(context, {
      ...{ block, tail: false, notExact: true },
      reshape: (old, made) => [number(old), number(made)],
    });
  };
}

function fenced(context: KindContext): EditCall | null {
  const tag = fenceTag(context.random, context.file.lang);
  const fence = (text: string): string => `\`\`\`${tag}\n${text}\n\`\`\``;
  return lineCase(context, {
    pick: { min: 1, max: 10, ok: (lines) => !lines.some((line) => line.includes('```')) },
    tail: false,
    wrap: (old, made) => [fence(old), fence(made)],
  });
}

const fenceTag = (random: Random, lang: string): string => random.pick(['', lang, 'typescript']);

const { padded, tab, arrow, colon, bar, tightBar, zeros } = LINE_NUMBERS;

export const ENCODING_KINDS: readonly Kind[] = [
  eol('crlf-file', 'the file has CRLF, both strings LF', crlfInFile),
  eol('crlf-old', 'the file has LF, both strings CRLF', crlfInOld),
  eol('crlf-one-line', 'a CRLF file; one line becomes several', crlfOneLine),
  eol('crlf-replace-all', 'replace_all of a line pair in a CRLF file', crlfReplaceAll),
  encoding('bom-file', 'the file begins with a BOM; the edit is at its top', bomInFile),
  encoding('bom-old', 'old_string begins with a BOM', bomInOld),
  encoding('smart-quotes-old', 'straight quotes in the file, curly in both strings', smartQuotesInOld),
  kind(
    { name: 'smart-quotes-file', group: 'encoding', langs: ['md', 'ts', 'js', 'py'] },
    'curly quotes and dashes in the file, ASCII in both strings',
    smartQuotesInFile,
  ),
  encoding('nbsp-file', 'no-break spaces in the file, plain ones in both strings', noBreakSpaces),
  kind({ name: 'html-entities', group: 'escape' }, 'both strings have &lt; &gt; &amp; for < > &', htmlEntities),
  kind({ name: 'escaped-all', group: 'escape' }, 'both strings are escaped once too often (\\n for a newline)', escapedAll),
  kind({ name: 'under-escaped', group: 'escape' }, 'a real newline where the file has \\n in a literal', underEscaped),
  kind({ name: 'lineno-tab', group: 'copied' }, 'both strings carry "   12<tab>" line numbers', numbered([padded, tab, arrow])),
  kind(
    { name: 'lineno-pipe', group: 'copied' },
    'both strings carry "12 | ", "12|" or "12: "',
    numbered([colon, bar, tightBar, zeros]),
  ),
  kind(
    { name: 'fenced', group: 'copied', langs: ['ts', 'js', 'go', 'py', 'yaml', 'make'] },
    'both strings are wrapped in a code fence',
    fenced,
  ),
];
