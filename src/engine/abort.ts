// Waiting that can be cut short: a promise against a signal, and the signals of one run. Decides nothing.
import { Harness9Error } from '../schema/error.ts';
import type { Clock } from '../schema/world.ts';

/** Settles as `work` does, or rejects at once with the signal's reason, whether `work` listens to it or not. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // A signal of our own: a long-lived one would warn about its many listeners.
  const own = AbortSignal.any([signal]);
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(own.reason);
  if (own.aborted) onAbort();
  own.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    own.removeEventListener('abort', onAbort);
  }
}

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
