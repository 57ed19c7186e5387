// Lines that stand for code instead of being code ("// ... rest of the function ..."): written into a file, they delete it. Pure.

const commentMarks = /^(?:\/\/+|\/\*+|#+|<!--|--|;+|%+|\{\/\*)\s*|\s*(?:\*\/\}?|-->)$/g;
const ellipsis = /\.{3}|…/;
const codeStandIn =
  /^(?:the |all )*(?:rest of|existing|unchanged|remaining|other|same|previous|more)\b.{0,40}$|^.{0,20}\b(?:unchanged|stays? the same|as before)$/i;

/** The first line of `newString` that stands for code which it leaves out, or undefined. A line that `oldString` has too is the file's own. */
export function findPlaceholder(oldString: string, newString: string): string | undefined {
  const known = new Set(oldString.split('\n').map((line) => line.trim()));
  return newString
    .split('\n')
    .map((line) => line.trim())
    .find((line) => !known.has(line) && standsForCode(line));
}

function standsForCode(line: string): boolean {
  if (line.length > 120 || !ellipsis.test(line)) return false;
  const words = line.replace(commentMarks, '').replaceAll(new RegExp(ellipsis, 'g'), ' ').trim();
  return codeStandIn.test(words);
}
