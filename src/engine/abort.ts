// The signals of one run: called off, time for the wrap-up, time over; and work that gets so much time and no more. Decides nothing.
import { abortAfter } from '../schema/abort-after.ts';
import { Harness9Error } from '../schema/error.ts';
import { untilAborted } from '../schema/until-aborted.ts';
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

const timeIsUp = 'TIME_IS_UP';

/** A signal that aborts after `ms`, unless `stop` comes first. */
export function startTimer(clock: Clock, ms: number, stop: AbortSignal): AbortSignal {
  return abortAfter(clock, ms, stop, () => new Harness9Error({ code: timeIsUp, message: `The time of ${ms} ms is over.` }));
}

/** How long something may take: `limitMs` of the clock (0 = as long as it likes), and until `signal`, if there is one. */
export interface TimeLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

/** Settles as `work` does, or rejects when its time is over. It is told so by the signal that it gets, and not waited for. */
export async function withinTime<T>(
  { clock, limitMs, signal }: TimeLimit,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const timer = limitMs === 0 ? [] : [startTimer(clock, limitMs, done.signal)];
  const either = AbortSignal.any([...timer, ...(signal === undefined ? [] : [signal])]);
  try {
    return await untilAborted(Promise.try(work, either), either);
  } finally {
    done.abort();
  }
}

/** Whether it was the time that ended something. */
export function isTimeUp(error: unknown): boolean {
  return error instanceof Harness9Error && error.code === timeIsUp;
}
