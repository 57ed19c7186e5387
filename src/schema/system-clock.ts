// The machine's own clock: the default of everything that takes a Clock. Knows nothing but time.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './world.ts';

/** A timer of Node that is set for longer than this fires at once. */
export const longestTimerMs = 2_147_483_647;

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let leftMs = ms;
  try {
    do {
      const stepMs = Math.min(leftMs, longestTimerMs);
      await delay(stepMs, undefined, { signal });
      leftMs -= stepMs;
    } while (leftMs > 0);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep,
};
