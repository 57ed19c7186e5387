// How much may run at the same time: the rest waits its turn, first come, first served.
import { untilAborted } from './until-aborted.ts';

/**
 * Runs `work` when there is room for it. Rejects with the signal's reason when it aborts before that, and `work` is then not begun; without a
 * signal it is waited for to the end.
 */
export type Slots = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Room for `limit` pieces of work; 0 = for all. */
export function createSlots(limit: number): Slots {
  let free = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  const waiting = new Set<() => void>();
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else if (waiting.delete(next)) next();
  };
  const enter = async (signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    waiting.add(turn.resolve);
    try {
      await (signal === undefined ? turn.promise : untilAborted(turn.promise, signal));
    } catch (error) {
      // The turn may have come in the same moment: then it is somebody else's.
      if (!waiting.delete(turn.resolve)) leave();
      throw error;
    }
  };
  return async (work, signal) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
