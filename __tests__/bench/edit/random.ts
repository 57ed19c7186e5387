// Random choices that a seed names for good (mulberry32): the same cases on every machine.

export interface Random {
  /** 0 ≤ x < 1. */
  next(): number;
  /** `low` ≤ n ≤ `high`. */
  int(low: number, high: number): number;
  chance(share: number): boolean;
  /** Throws for an empty list. */
  pick<T>(choices: readonly T[]): T;
  shuffle<T>(list: readonly T[]): readonly T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (share) => next() < share,
    pick: (choices) => elementAt(choices, Math.floor(next() * choices.length)),
    shuffle: (list) => {
      const rest = [...list];
      // From the end: a picked element leaves the place to the last one that is still there.
      for (let last = rest.length - 1; last > 0; last -= 1) {
        const other = Math.floor(next() * (last + 1));
        const moved = elementAt(rest, last);
        rest[last] = elementAt(rest, other);
        rest[other] = moved;
      }
      return rest;
    },
  };
}

/** The element that must be there. Throws when it is not. */
export function elementAt<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new Error(`no element ${index} in a list of ${list.length}`);
  return element;
}
