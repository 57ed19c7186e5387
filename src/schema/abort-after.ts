// Time that runs out, as a signal. Decides nothing.
import type { Clock } from './world.ts';

/** A signal that aborts after `ms` with what `reason` makes, unless `stop` comes first. */
export function abortAfter(clock: Clock, ms: number, stop: AbortSignal, reason: () => unknown): AbortSignal {
  const controller = new AbortController();
  clock.sleep(ms, stop).then(
    () => controller.abort(reason()),
    () => {},
  );
  return controller.signal;
}
