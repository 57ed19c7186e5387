// What a character counts as when texts are compared loosely: white space, typography and width do not matter, letters and digits do. Pure.

/** Every white space. */
export const spaceCode = 32;
/** A character that cannot be seen, such as a zero-width space or the mark that chooses a picture's form. */
export const nothingCode = 0;

/** `…`, and three dots in its stead. */
export const ellipsisCode = 0x2026;

const folds = new Map([
  ...charactersAs(
    spaceCode,
    '\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
  ),
  // Soft hyphen, zero-width characters, the marks that choose how a picture is drawn.
  ...charactersAs(nothingCode, '\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f'),
  ...charactersAs(39, '\u2018\u2019\u201a\u201b'),
  ...charactersAs(34, '\u201c\u201d\u201e\u201f'),
  ...charactersAs(45, '\u2010\u2011\u2012\u2013\u2014\u2015\u2212'),
]);

function charactersAs(code: number, characters: string): readonly [number, number][] {
  return [...characters].map((character) => [character.charCodeAt(0), code]);
}

/** The full-width forms of ASCII (U+FF01 to U+FF5E) stand at this distance from it. */
const fullWidthDistance = 0xfee0;

/** The code of the character that `code` counts as. ASCII but for white space counts as itself; so does every letter. */
export function foldCode(code: number): number {
  if (code < 0x80) return code === 32 || (code >= 9 && code <= 13) ? spaceCode : code;
  if (code >= 0xff01 && code <= 0xff5e) return code - fullWidthDistance;
  return folds.get(code) ?? code;
}

/** `text` as it counts: one blank for each run of white space, none at the ends. Two lines with the same key say the same. */
export function keyOf(text: string): string {
  let key = '';
  let isSpacePending = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = foldCode(text.charCodeAt(at));
    if (code === spaceCode) isSpacePending = key !== '';
    else if (code !== nothingCode) {
      key += isSpacePending ? ` ${String.fromCharCode(code)}` : String.fromCharCode(code);
      isSpacePending = false;
    }
  }
  return key.replaceAll('...', '\u2026');
}

/** A piece of a text, and where it begins. */
export interface Piece {
  readonly text: string;
  readonly at: number;
}

/** What to look for at full speed, since no folding changes it, the longest first: runs of letters and digits; where there are none, of signs. */
export function plainPieces(text: string): readonly Piece[] {
  const words = [...text.matchAll(/[A-Za-z0-9_]+/g)];
  const pieces = words.length > 0 ? words : [...text.matchAll(/[^\s'"\u2026-]+/g)];
  return pieces.map((piece) => ({ text: piece[0], at: piece.index })).sort((a, b) => b.text.length - a.text.length);
}

/** Whether the character is one of a word: letters and digits of all scripts, and `_`. */
export function isWordCode(code: number): boolean {
  if (code < 0x80) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
  return /[\p{L}\p{N}\p{M}]/u.test(String.fromCharCode(code));
}
