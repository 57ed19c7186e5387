// A pattern of the built-in search as ripgrep understands it, so that it finds at least the files in which the former finds a line. Pure.
import type { LinePattern } from './line-pattern.ts';

/** Alternatives: a file in which none is found has no line that matches, and is no binary file. */
export type Question = readonly string[];

/** Undefined where the two might read the pattern in different ways; the built-in search answers such a one alone. */
export function toQuestion({ source }: Pick<LinePattern, 'source'>): Question | undefined {
  // Beyond ASCII they may differ in what a capital letter is.
  if (!/^[ -~]*$/.test(source)) return undefined;
  const tokens = [...source.matchAll(token)];
  if (tokens.reduce((length, [text]) => length + text.length, 0) !== source.length) return undefined;
  if (!tokens.every(([text], at) => isPlain(text, tokens[at - 1]?.[0], tokens[at + 1]?.[0]))) return undefined;
  const question = tokens.map(([text, set]) => (set === undefined ? translate(text) : translateSet(set))).join('');
  return [question, `(?-u:[${doubtfulBytes(tokens.map(([text]) => text))}])`];
}

/** What both know and read alike. Flags, classes of Unicode, `\A`, `\<`, sets within sets and unusual escapes are none of it. */
const token = new RegExp(
  [
    // A character, a sign, a group.
    /[^\\^$.|?*+()[\]{}]|[.^$|)]|\((?:\?:)?/,
    /\\[dDwWsSbBt\\^$.|?*+()[\]{}/]/,
    /[*+?]|\{\d{1,3}(?:,(?:\d{1,3})?)?\}/,
    // A set of characters, of ranges, and of \d, \w and \s.
    /\[(\^?(?:[^\\^[\]&~-](?:-[A-Za-z0-9])?|\\[dws\\^$.|?*+()[\]{}/-](?!-))+-?)\]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gy',
);

/** Ends of a line where they can stand (ripgrep finds no empty line by `$^`); repeated is what has characters, and no group begins with `?`. */
function isPlain(text: string, before: string | undefined, after: string | undefined): boolean {
  if (text === '^') return before === undefined || /^(?:\(|\|)/.test(before);
  if (text === '$') return after === undefined || /^[)|]$/.test(after);
  return !/^[*+?{]/.test(text) || (before !== undefined && !/^(?:[\^|]|\(.*|\\b|\\B)$/.test(before));
}

const asciiSets: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r ' };

function translate(text: string): string {
  const [, letter = ''] = /^\\([dwsDWSbB])$/.exec(text) ?? [];
  if (letter === '') return text === '\\/' ? '/' : text;
  if (letter === 'b' || letter === 'B') return `(?-u:\\${letter})`;
  return `[${letter === letter.toLowerCase() ? '' : '^'}${asciiSets[letter.toLowerCase()] ?? ''}]`;
}

function translateSet(set: string): string {
  return `[${set.replaceAll(/\\(.)/g, (written, letter: string) => (letter === '/' ? '/' : (asciiSets[letter] ?? written)))}]`;
}

/**
 * NUL makes a file binary, which is to be told. A line's end may have `\r` before it, and what is beyond ASCII may be no UTF-8: where that matters
 * to a pattern, a file with such a byte is not ripgrep's to judge.
 */
function doubtfulBytes(tokens: readonly string[]): string {
  const mindsEnds = tokens.includes('$');
  const takesAny = tokens.some((text) => /^(?:\.|\\[DWS]|\[\^.*)$/.test(text));
  return `\\x00${mindsEnds ? '\\r' : ''}${takesAny ? '\\x80-\\xff' : ''}`;
}
