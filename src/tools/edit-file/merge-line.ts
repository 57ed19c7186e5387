// One changed line: what the model changed in it, over the line as the file has it. Pure. Says undefined where both changed the same.
import { alignLists } from './align.ts';
import { foldCode, keyOf, spaceCode } from './fold.ts';

/** A word, a run of white space, three dots, or one other character; with what is unseen in it or after it. */
const token = /(?:\s+|[\p{L}\p{N}\p{M}\p{Cf}_]+|\.{3}|.)(?:\p{Cf}|\ufe0e|\ufe0f)*/gsu;

/**
 * `wanted` with everything that it has in common with `old` as it stands in `file`: quotes, inner spaces, line breaks. `old` and `file`
 * say the same but for those. `adapt` is laid over what is new.
 */
export function mergeLine(
  { file, old, wanted }: { readonly file: string; readonly old: string; readonly wanted: string },
  adapt: (text: string) => string,
): string | undefined {
  if (wanted === old) return file;
  const [fileTokens, oldTokens, newTokens] = [tokensOf(file), tokensOf(old), tokensOf(wanted)];
  if (fileTokens.length !== oldTokens.length) return undefined;
  const partners = alignLists(newTokens, oldTokens, worthOfToken, isSameToken);
  const kept = new Set(partners);
  const isConflict = oldTokens.some((text, index) => !kept.has(index) && isSpace(text) && fileTokens[index] !== text);
  const merged = newTokens.map((text, index) => fileTokens[partners[index] ?? -1] ?? adapt(text)).join('');
  return isConflict && merged !== file ? undefined : merged;
}

function tokensOf(text: string): readonly string[] {
  return [...text.matchAll(token)].map(([found]) => found).filter((found) => isSpace(found) || keyOf(found) !== '');
}

function isSpace(text: string): boolean {
  return foldCode(text.charCodeAt(0)) === spaceCode;
}

function isSameToken(a: string, b: string): boolean {
  return a === b;
}

/** Words hold a line together, spaces do not. */
function worthOfToken(a: string, b: string): number {
  if (a !== b) return 0;
  return isSpace(a) ? 0.1 : a.length;
}

/** The characters of typography that the model wrote where the file has others, each with the file's; only where all of them agree. */
export function typographyOf(pairs: readonly { readonly old: string; readonly file: string }[]): (text: string) => string {
  const found = new Map<string, string | undefined>();
  for (const { old, file } of pairs) {
    // Plain lines say nothing of typography.
    if (old === file && !/[^ -~\t]|["'`]/.test(old)) continue;
    const [oldTokens, fileTokens] = [tokensOf(old), tokensOf(file)];
    if (oldTokens.length !== fileTokens.length) continue;
    oldTokens.forEach((text, index) => {
      const inFile = fileTokens[index] ?? text;
      // Spaces only where the model wrote an odd one for a plain one.
      const isOther = isSpace(text) ? text > '\x7f' && inFile.length === 1 : !/[\p{L}\p{N}]/u.test(text);
      if (text.length !== 1 || !isOther) return;
      found.set(text, found.has(text) && found.get(text) !== inFile ? undefined : inFile);
    });
  }
  // A plain character becomes no other: which curly quote it would be depends on the text, and code needs the plain one.
  const changes = [...found].filter(([from, to]) => to !== undefined && to !== from && from > '\x7f');
  // Who has bent one quote has bent all of them.
  const curly = [...found].filter(([from]) => isCurlyQuote(from));
  const isPlain = curly.length > 0 && curly.every(([, to]) => isPlainQuote(to));
  if (isPlain) changes.push(...[...curlyQuotes].map((from): [string, string] => [from, plainOf(from)]));
  return (text) => changes.reduce((result, [from, to = from]) => result.replaceAll(from, to), text);
}

const curlyQuotes = '\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f';

function isCurlyQuote(text: string): boolean {
  return curlyQuotes.includes(text);
}

function plainOf(quote: string): string {
  return String.fromCharCode(foldCode(quote.charCodeAt(0)));
}

function isPlainQuote(text: string | undefined): boolean {
  return text === '"' || text === "'" || text === '`';
}
