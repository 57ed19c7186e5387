// The kinds beyond the shared benchmark, scored apart so that the shared score stays comparable.
import type { Kind } from '../edit-case.ts';
import { AMBIGUOUS_KINDS } from './more-ambiguous.ts';
import { CHARACTER_KINDS } from './more-characters.ts';
import { COPIED_KINDS } from './more-copied.ts';
import { HABIT_KINDS } from './more-habits.ts';
import { STALE_KINDS } from './more-stale.ts';
import { STRUCTURE_KINDS } from './more-structure.ts';

export const MORE_KINDS: readonly Kind[] = [
  ...STRUCTURE_KINDS,
  ...CHARACTER_KINDS,
  ...COPIED_KINDS,
  ...HABIT_KINDS,
  ...STALE_KINDS,
  ...AMBIGUOUS_KINDS,
];

/** The seed of a kind by its name: another one beside it changes nothing. */
export const namedSeedOf =
  (seed: number) =>
  ({ name }: Kind): number =>
    [...name].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, seed);
