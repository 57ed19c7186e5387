// What the compactors can be told, checked when they are made. Starts nothing.
import { Harness9Error } from '../../schema/error.ts';

export interface RatioOptions {
  /** The part of the window that a request may take before it is cut. Default 0.8. */
  readonly budgetRatio?: number | undefined;
  /** The part of the window that a cut leaves. Default 0.5. */
  readonly keepRatio?: number | undefined;
}

export interface Ratios {
  readonly budgetRatio: number;
  readonly keepRatio: number;
}

/** Both ratios with their defaults. Throws COMPACTION_BAD_OPTION when a cut would leave more than may stay. */
export function parseRatios({ budgetRatio = 0.8, keepRatio = 0.5 }: RatioOptions): Ratios {
  if (budgetRatio > 0 && budgetRatio <= 1 && keepRatio > 0 && keepRatio < budgetRatio) return { budgetRatio, keepRatio };
  throw badOption(
    `budgetRatio is ${budgetRatio} and keepRatio ${keepRatio}`,
    'keepRatio above 0 and below budgetRatio, budgetRatio at most 1',
  );
}

/** A whole number from `least` to `most`. Throws COMPACTION_BAD_OPTION. */
export function parseWhole(
  name: string,
  value: number,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw badOption(`${name} is ${value}`, `a whole number from ${least} to ${most}`);
}

function badOption(seen: string, expected: string): Harness9Error {
  return new Harness9Error({
    code: 'COMPACTION_BAD_OPTION',
    message: `The compactor cannot be made: ${seen}, expected ${expected}.`,
    hint: 'Mend the options that it is made with.',
  });
}
