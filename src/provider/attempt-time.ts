// How long one attempt at a call may take: until its answer begins, and in all. It decides when, not what comes of it.
import { longestTimerMs } from '../schema/system-clock.ts';
import type { Connection } from './connection.ts';
import { timeoutError } from './fault.ts';

/** `signal` aborts with the caller's reason, or with a ProviderError when the time is up. Disposing of it stops the timers. */
export interface AttemptTime extends Disposable {
  readonly signal: AbortSignal;
  /** The answer has begun: from here on whoever reads it watches for silence. */
  readonly begun: () => void;
}

/** Starts now. A whole answer begins when it is done, and may be silent until then; a stream may not. */
export function startAttempt(connection: Connection, mode: 'whole' | 'stream', outer: AbortSignal): AttemptTime {
  const { totalTimeoutMs, idleTimeoutMs } = connection;
  const over = new AbortController();
  const startTimer = (ms: number, what: string) =>
    setTimeout(() => over.abort(timeoutError(connection, `${what} ${ms / 1000} s`)), Math.min(ms, longestTimerMs));
  const total = startTimer(totalTimeoutMs, 'the answer was not whole after');
  const head = mode === 'stream' ? startTimer(idleTimeoutMs, 'no answer began within') : undefined;
  return {
    signal: AbortSignal.any([outer, over.signal]),
    begun: () => clearTimeout(head),
    [Symbol.dispose]: () => {
      clearTimeout(total);
      clearTimeout(head);
    },
  };
}
