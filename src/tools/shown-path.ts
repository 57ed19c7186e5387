// A path or a pattern as the model reads it: one line, with what nobody can see written out. Pure.

/** Line ends, escape sequences, marks that turn the reading direction around. */
const invisible = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** `path` as it is, or, where a character of it cannot be seen, in quotes as JSON has it: so it can be given back. */
export function showPath(path: string): string {
  if (path.search(invisible) === -1) return path;
  return JSON.stringify(path).replaceAll(invisible, (character) => character.split('').map(escapeUnit).join(''));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Whether a tool could be told of a name that the system lists: bytes that are no UTF-8 are shown as what they are not. */
export function isNameable(name: string): boolean {
  return !name.includes('\uFFFD');
}

/** Of a pattern that is refused. */
const maxQuotedChars = 200;

/** A pattern in quotes; of one that is too long, how it begins. */
export function quote(pattern: string): string {
  return `${JSON.stringify(pattern.slice(0, maxQuotedChars).toWellFormed())}${pattern.length > maxQuotedChars ? '…' : ''}`;
}
