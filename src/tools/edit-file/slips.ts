// The small ways in which a line that the edit leaves alone may differ from the file's. Safe because the file's line stays as it is: the
// line only says where, and it must still say so without doubt. No digit may differ, and no word that the file knows. Pure.
import { isWordCode } from './fold.ts';
import { sharedHead, sharedTail } from './similarity.ts';

export type Slip = 'quotes' | 'end' | 'comment' | 'spacing' | 'backslashes' | 'word';

/** How `old` differs from `file` (keys, see fold), or undefined when by more than a slip. `isKnown`: whether the file has the word. */
export function slipOf(old: string, file: string, isKnown: (word: string) => boolean): Slip | undefined {
  if (differInQuotesOnly(old, file)) return 'quotes';
  if (withoutEnd(old) === withoutEnd(file)) return 'end';
  if (isCommentLeftOut(old, file)) return 'comment';
  if (withoutSpacing(old) === withoutSpacing(file)) return 'spacing';
  if (old.replaceAll('\\', '') === file.replaceAll('\\', '')) return 'backslashes';
  return isMisspelt(old, file, isKnown) ? 'word' : undefined;
}

/** Whether the lines (keys, see fold) are the same in another style of quotes. */
export function differInQuotesOnly(old: string, file: string): boolean {
  return old.length === file.length && withoutQuotes(old) === withoutQuotes(file);
}

function withoutQuotes(text: string): string {
  return text.replace(/['"`]/g, '"');
}

/** A semicolon or comma forgotten, or one too many. */
function withoutEnd(text: string): string {
  return text.replace(/ ?[;,]$/, '');
}

function isCommentLeftOut(old: string, file: string): boolean {
  return file.startsWith(`${old} `) && /^ (?:\/\/|\/\*|#|--|<!--|;|%)/.test(file.slice(old.length));
}

/** As formatters differ: `if(a)` and `if (a)`. */
function withoutSpacing(text: string): string {
  return text.replace(/ ?([^\p{L}\p{N}\p{M}_ ]) ?/gu, '$1');
}

const letters = /^[\p{L}\p{M}_]*$/u;
const minWordChars = 5;
/** Letters that make another word when they are put to the end of one. */
const endings = /^[sdrnyt]$/i;

/** One word in other capitals; or with a letter too many, missing or another, or two exchanged, so that no other word comes of it. */
function isMisspelt(old: string, file: string, isKnown: (word: string) => boolean): boolean {
  const head = sharedHead(old, file);
  const end = sharedTail(old, file, head);
  const [before, after] = [wordTail(file.slice(0, head)), wordHead(file.slice(file.length - end))];
  const [oldMiddle, fileMiddle] = [old.slice(head, old.length - end), file.slice(head, file.length - end)];
  const [oldWord, fileWord] = [before + oldMiddle + after, before + fileMiddle + after];
  if (oldWord.toLowerCase() === fileWord.toLowerCase()) return !isKnown(oldWord);
  if (before === '' || fileWord.length < minWordChars || !letters.test(oldMiddle + fileMiddle)) return false;
  return isOneSlip(oldMiddle, fileMiddle, { before, after }) && !isKnown(oldWord);
}

function isOneSlip(old: string, file: string, { before, after }: { readonly before: string; readonly after: string }): boolean {
  if (old.length === 2 && file.length === 2 && old[0] === file[1] && old[1] === file[0]) return true;
  if (old.length > 1 || file.length > 1) return false;
  const isOther = old.length === 1 && file.length === 1;
  // `set` and `get` are two words, and so are `order` and `orders`, `parse` and `parser`.
  if (isOther) return !startsPart(before, old) && !startsPart(before, file) && !startsPart(before + file, after);
  return !startsPart(before + old + file, after) || before.endsWith(old + file) || !endings.test(old + file);
}

/** Whether a name has a new part after `before`: `get` and `Width` in `getWidth`, `max` and `count` in `max_count`. */
function startsPart(before: string, next: string): boolean {
  return !/\p{L}$/u.test(before) || !/^\p{L}?/u.test(next) || (/\p{Ll}$/u.test(before) && /^\p{Lu}/u.test(next));
}

function wordTail(text: string): string {
  let start = text.length;
  while (isWordCode(text.charCodeAt(start - 1))) start -= 1;
  return text.slice(start);
}

function wordHead(text: string): string {
  let end = 0;
  while (isWordCode(text.charCodeAt(end))) end += 1;
  return text.slice(0, end);
}
