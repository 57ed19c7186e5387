// Waiting that has an end, for what may never settle. Decides nothing.
import type { Clock } from './world.ts';

/** What `work` comes to, or undefined when that takes longer than `ms`; `work` goes on then. Rejects as it does within the time. */
export async function waitAtMost<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([work, clock.sleep(ms, done.signal).then(() => undefined)]);
  } finally {
    done.abort();
  }
}
