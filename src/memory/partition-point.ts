// The one binary search of the sizes that fit. Pure.

/** The first of 0…`count` - 1 for which `isBeyond` holds, where it holds for all behind that one, too; `count` when it holds for none. */
export function partitionPoint(count: number, isBeyond: (index: number) => boolean): number {
  let from = 0;
  let to = count;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isBeyond(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
