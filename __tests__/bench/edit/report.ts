// What the edit benchmark measured. Pure data.
import type { BigCase } from './big-file.ts';
import type { Score } from './judge.ts';

export interface BigResult {
  readonly name: BigCase['name'];
  readonly ms: number;
  readonly result: 'right' | 'refused' | 'wrong';
}

export interface EditingReport {
  readonly perKind: number;
  readonly digest: string;
  readonly shared: Score;
  readonly more: Score;
  /** The shared set by the tool that knows exact matches only. */
  readonly floor: Score;
  readonly big: readonly BigResult[];
  /** The exact edit of the big file by indexOf and slice. */
  readonly bigFloorMs: number;
}
