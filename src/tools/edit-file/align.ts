// Pairing the members of two lists in order so that the pairs are worth the most together. Pure; knows nothing of texts.

/** More cells than this are not worth their time: then only what both lists begin and end with is paired. */
const maxCells = 1_000_000;

/** What a pair is worth; 0: it must not be made. */
export type Worth<T> = (left: T, right: T) => number;

/**
 * For each member of `left` the index of its partner in `right`, or -1; partners ascend. `isSame` are pairs that are always right at both
 * ends of the lists; between them the sum of `worth` decides.
 */
export function alignLists<T>(
  left: readonly T[],
  right: readonly T[],
  worth: Worth<T>,
  isSame: (a: T, b: T) => boolean,
): number[] {
  const partners = left.map(() => -1);
  const shortest = Math.min(left.length, right.length);
  let head = 0;
  while (head < shortest && isSamePair(left[head], right[head], isSame)) {
    partners[head] = head;
    head += 1;
  }
  let tail = 0;
  while (tail < shortest - head && isSamePair(left[left.length - 1 - tail], right[right.length - 1 - tail], isSame)) {
    partners[left.length - 1 - tail] = right.length - 1 - tail;
    tail += 1;
  }
  alignMiddle(left.slice(head, left.length - tail), right.slice(head, right.length - tail), worth).forEach((partner, index) => {
    if (partner !== -1) partners[head + index] = head + partner;
  });
  return partners;
}

function isSamePair<T>(a: T | undefined, b: T | undefined, isSame: (a: T, b: T) => boolean): boolean {
  return a !== undefined && b !== undefined && isSame(a, b);
}

function alignMiddle<T>(left: readonly T[], right: readonly T[], worth: Worth<T>): number[] {
  const partners = left.map(() => -1);
  const width = right.length + 1;
  if (left.length === 0 || right.length === 0 || left.length * width > maxCells) return partners;
  const best = fillBest(left, right, worth);
  let row = 0;
  let column = 0;
  while (row < left.length && column < right.length) {
    const here = best[row * width + column] ?? 0;
    if (here === best[(row + 1) * width + column]) row += 1;
    else if (here === best[row * width + column + 1]) column += 1;
    else {
      partners[row] = column;
      row += 1;
      column += 1;
    }
  }
  return partners;
}

/** Cell (row, column): the most that the pairs of what follows row and column are worth. */
function fillBest<T>(left: readonly T[], right: readonly T[], worth: Worth<T>): Float64Array {
  const width = right.length + 1;
  const best = new Float64Array((left.length + 1) * width);
  left
    .map((member, row) => ({ member, row }))
    .reverse()
    .forEach(({ member, row }) => {
      for (let column = right.length - 1; column >= 0; column -= 1) {
        const other = right[column];
        const value = other === undefined ? 0 : worth(member, other);
        const below = (row + 1) * width + column;
        const without = Math.max(best[below] ?? 0, best[row * width + column + 1] ?? 0);
        best[row * width + column] = value > 0 ? Math.max(without, value + (best[below + 1] ?? 0)) : without;
      }
    });
  return best;
}
