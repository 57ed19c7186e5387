// The signals of one run: called off, time for the wrap-up, time over. Decides nothing.
import { Harness9Error } from '../schema/error.ts';
import type { Clock } from '../schema/world.ts';

/** `cancel`: somebody called it off. `work` also ends when the wrap-up must begin, `wrapUp` when the time is over. */
export interface RunSignals {
  readonly cancel: AbortSignal;
  readonly work: AbortSignal;
  readonly wrapUp: AbortSignal;
  /** Stops the timers; every run must call it. */
  readonly dispose: () => void;
}

/** The signals of a run that starts now. `timeoutMs` 0 = no time limit. */
export function startSignals(clock: Clock, cancel: AbortSignal, limits: { timeoutMs: number; workMs: number }): RunSignals {
  if (limits.timeoutMs === 0) return { cancel, work: cancel, wrapUp: cancel, dispose: () => {} };
  const timers = new AbortController();
  const work = startTimer(clock, limits.workMs, timers.signal);
  const wrapUp = startTimer(clock, limits.timeoutMs, timers.signal);
  return {
    cancel,
    work: AbortSignal.any([cancel, work]),
    wrapUp: AbortSignal.any([cancel, wrapUp]),
    dispose: () => timers.abort(),
  };
}

/** A signal that aborts after `ms`, unless `stop` comes first. */
export function startTimer(clock: Clock, ms: number, stop: AbortSignal): AbortSignal {
  const controller = new AbortController();
  clock.sleep(ms, stop).then(
    () => controller.abort(new Harness9Error({ code: 'TIME_IS_UP', message: `The time of ${ms} ms is over.` })),
    () => {},
  );
  return controller.signal;
}
