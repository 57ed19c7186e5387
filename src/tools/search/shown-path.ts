// A path or a pattern as the model reads it: one line, with what nobody can see written out. Pure.

/** Line ends, escape sequences, marks that turn the reading direction around. */
const invisible = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** `path` as it is, or in quotes with `\u{…}` for each character that cannot be seen. */
export function showPath(path: string): string {
  const visible = path.replaceAll(invisible, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return visible === path ? path : `"${visible}"`;
}

/** Of a pattern that is refused. */
const maxQuotedChars = 200;

/** A pattern in quotes; of one that is too long, how it begins. */
export function quote(pattern: string): string {
  return `${JSON.stringify(pattern.slice(0, maxQuotedChars).toWellFormed())}${pattern.length > maxQuotedChars ? '…' : ''}`;
}
