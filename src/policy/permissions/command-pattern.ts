// What stands in `bash(…)`: the words of one simple command, written as for a shell. `*` within a word, `:*` at the end for any further words.
import { isLiteral, type TextGlob } from './text-glob.ts';

export interface CommandPattern {
  /** `NAME=value` before the command, each meant to the letter. */
  readonly assignments: readonly string[];
  readonly words: readonly TextGlob[];
  /** Any further words may follow. */
  readonly hasRest: boolean;
}

export type ParsedPattern =
  | { readonly kind: 'pattern'; readonly pattern: CommandPattern }
  | { readonly kind: 'any' }
  | { readonly kind: 'broken'; readonly expected: string };

/** `any`: `*` alone, which is the whole tool. */
export function parseCommandPattern(text: string): ParsedPattern {
  const trimmed = text.trim();
  if (/^:?\*$/.test(trimmed)) return { kind: 'any' };
  const hasColon = /[^\\]:\*$/.test(trimmed);
  const words = splitWords(hasColon ? trimmed.slice(0, -2) : trimmed);
  if (typeof words === 'string') return broken(words);
  const hasStar = !hasColon && words.length > 1 && words.at(-1)?.join('*') === '*' && /\s\*$/.test(trimmed);
  const kept = hasStar ? words.slice(0, -1) : words;
  const firstWord = kept.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word[0] ?? ''));
  if (firstWord === -1) return broken('the words of a command');
  const slip = findSlip(kept.slice(firstWord));
  if (slip !== undefined) return broken(slip);
  const assignments = kept.slice(0, firstWord);
  if (!assignments.every(isLiteral)) return broken('the values of variables to the letter, without *');
  const pattern = {
    assignments: assignments.map(([value = '']) => value),
    words: kept.slice(firstWord),
    hasRest: hasColon || hasStar,
  };
  return { kind: 'pattern', pattern };
}

/** What no command is written like, and so would match none. */
function findSlip(words: readonly TextGlob[]): string | undefined {
  const [program = '', last = ''] = [words[0]?.join('*'), words.at(-1)?.join('*')];
  if (/\s/.test(program) && !program.includes('/'))
    return 'the words of the command without quotes around them, as in git push:*';
  const isColon = last.endsWith(':') || (program.includes(':') && !program.includes('/'));
  return isColon ? 'blanks between the words, and :* at the very end for any further words, as in git push:*' : undefined;
}

/** Whether it leaves nothing open: who wrote it has seen the whole command. */
export function isExact({ words, hasRest }: CommandPattern): boolean {
  return !hasRest && words.every(isLiteral);
}

/** Whether the word at `index` stands in it to the letter. */
export function spells({ words }: CommandPattern, index: number): boolean {
  const word = words[index];
  return word !== undefined && isLiteral(word);
}

/** The pattern of the command that begins at `index` of the one that it is about. */
export function patternFrom({ words, hasRest }: CommandPattern, index: number): CommandPattern {
  const assignments = words
    .slice(0, index)
    .filter((word) => isLiteral(word) && /^[A-Za-z_]\w*=/.test(word[0] ?? ''))
    .map(([value = '']) => value);
  return { assignments, words: words.slice(index), hasRest };
}

function broken(expected: string): ParsedPattern {
  return { kind: 'broken', expected };
}

/** The words, or what is wrong with them. */
function splitWords(text: string): readonly TextGlob[] | string {
  const words: TextGlob[] = [];
  for (let at = 0; at < text.length; ) {
    const blank = /[ \t]+/y;
    blank.lastIndex = at;
    if (blank.test(text)) {
      at = blank.lastIndex;
      continue;
    }
    const read = readWord(text, at);
    if (typeof read === 'string') return read;
    words.push(read.word);
    at = read.end;
  }
  return words;
}

const token = /'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\(.)|(\*)|([^\s'"\\*$`|&;()<>]+)/y;

function readWord(text: string, from: number): { readonly word: TextGlob; readonly end: number } | string {
  const word = [''];
  let at = from;
  while (at < text.length && text[at] !== ' ' && text[at] !== '\t') {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) return describeOdd(text[at] ?? '');
    const [whole, single, double, escaped, star, plain] = match;
    if (star === undefined) word[word.length - 1] += single ?? double?.replace(/\\([$`"\\])/g, '$1') ?? escaped ?? plain ?? '';
    else word.push('');
    at += whole.length;
  }
  return { word, end: at };
}

function describeOdd(char: string): string {
  if (char === "'" || char === '"') return 'every quote closed';
  if ('$`'.includes(char)) return 'words without variables and $(…), or these in single quotes';
  if ('<>'.includes(char)) return 'no redirects: write_file(…) and read_file(…) are about the files that a command opens';
  return 'the words of one command: each command of a line is judged by itself, so write a rule for each';
}
