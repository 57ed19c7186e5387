// Patterns in which `*` stands for any characters, none included. Linear, without regular expressions: the text comes from the model. Pure.

/** What stands between the stars; one piece: a text without any. */
export type TextGlob = readonly string[];

export function parseGlob(text: string): TextGlob {
  return text.split('*');
}

export function isLiteral(glob: TextGlob): boolean {
  return glob.length === 1;
}

export function matchesGlob(glob: TextGlob, text: string): boolean {
  const [first = '', ...rest] = glob;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** Whether it matches everything that begins with `prefix`. */
export function matchesAllFrom(glob: TextGlob, prefix: string): boolean {
  const [first = '', last] = glob;
  return glob.length === 2 && last === '' && prefix.startsWith(first);
}

/** Whether it can match anything that begins with `prefix`. */
export function canBeginWith(glob: TextGlob, prefix: string): boolean {
  const [first = ''] = glob;
  return first.startsWith(prefix) || (!isLiteral(glob) && prefix.startsWith(first));
}
