// How much two lines have in common. Pure.

/** The rest of a longer line, minified code, says no more. */
const maxChars = 2000;
const word = /[\p{L}\p{N}_]+/gu;

/** From 0 to 1: the share of their words, long ones counting more, or of their beginning and end, whichever says more. */
export function similarityOf(a: string, b: string): number {
  return a === b ? 1 : Math.max(shareOfWords(a, b), shareOfEnds(a, b));
}

function shareOfWords(a: string, b: string): number {
  const left = wordsOf(a);
  const right = wordsOf(b);
  const total = lengthOf(left) + lengthOf(right);
  if (total === 0) return 0;
  const open = [...right];
  const common = left.filter((text) => {
    const at = open.indexOf(text);
    if (at !== -1) open.splice(at, 1);
    return at !== -1;
  });
  return (2 * lengthOf(common)) / total;
}

function wordsOf(text: string): readonly string[] {
  return text.slice(0, maxChars).match(word) ?? [];
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, text) => sum + text.length, 0);
}

function shareOfEnds(a: string, b: string): number {
  const head = sharedHead(a, b);
  return (head + sharedTail(a, b, head)) / Math.max(a.length, b.length);
}

/** How many characters both begin with. */
export function sharedHead(a: string, b: string): number {
  const shortest = Math.min(a.length, b.length);
  let length = 0;
  while (length < shortest && a[length] === b[length]) length += 1;
  return length;
}

/** How many characters both end with, after the first `head` ones. */
export function sharedTail(a: string, b: string, head: number): number {
  const shortest = Math.min(a.length, b.length) - head;
  let length = 0;
  while (length < shortest && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
  return length;
}
