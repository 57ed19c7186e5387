// Which pieces of a secret are hidden wherever they stand, and which are words that ordinary texts hold too. Pure.

/** Words seldom have five consonants or digits in a row, a random piece of this length nearly always does. */
const minRun = 5;
/** `000000000001` and `xxxxxxxxxxxx` are no secrets. */
const minKinds = 5;
/** As many neighbours of the alphabet or of the digits in a row are somebody's constant. */
const maxSequence = 5;

/** Whether a piece, in lower case, looks random enough to be found by chance nowhere. */
export function isTelling(piece: string): boolean {
  return (
    /[a-z]/.test(piece) && new Set(piece).size >= minKinds && longestRun(piece) >= minRun && longestSequence(piece) < maxSequence
  );
}

function longestRun(piece: string): number {
  return Math.max(...piece.split(/[aeiouy]/).map((run) => run.length));
}

function longestSequence(piece: string): number {
  let longest = 1;
  let length = 1;
  for (let index = 1; index < piece.length; index += 1) {
    length = piece.charCodeAt(index) - piece.charCodeAt(index - 1) === 1 ? length + 1 : 1;
    longest = Math.max(longest, length);
  }
  return longest;
}
