// Long work in one thread, in slices: others get their turn between them, and a limit in time is noticed. Knows no work.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** As long as others may have to wait for their turn. */
const sliceMs = 10;

/** `while (more) { if (pace.isDue()) await pace.rest(); if (pace.isOver()) break; … }` */
export interface Pace {
  /** Whether a slice is used up; cheap enough to be asked for every line. */
  isDue(): boolean;
  rest(): Promise<void>;
  /** The time is over, or nobody wants the answer any more: end with what there is. */
  isOver(): boolean;
  /** Aborts then. */
  readonly signal: AbortSignal;
}

/** A pace that is over after `limitMs`, or when `signal` aborts. */
export function createPace(signal: AbortSignal, limitMs: number): Pace {
  const end = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  let sliceEndMs = performance.now() + sliceMs;
  return {
    isDue: () => performance.now() >= sliceEndMs,
    rest: async () => {
      await nextTurn();
      sliceEndMs = performance.now() + sliceMs;
    },
    isOver: () => end.aborted,
    signal: end,
  };
}
