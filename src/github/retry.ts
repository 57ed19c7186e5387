// Owns when a call to GitHub is tried again and for how long (threats.md §4); knows nothing of routes or of octokit.
import type { Clock, Log } from '../schema/world.ts';

/** One failed attempt, read off the answer once. `status` null: there was no answer (refused, reset, timed out, cut off). */
export interface Failure {
  readonly status: number | null;
  readonly isRateLimit: boolean;
  /** The header `retry-after` as it came: seconds or a date. */
  readonly retryAfter: string | undefined;
  /** When the primary limit is filled up again, from `x-ratelimit-reset`, in ms since 1970. */
  readonly resetAtMs: number | undefined;
}

export interface Attempt {
  readonly failure: Failure;
  /** How many attempts were made, this one included. */
  readonly number: number;
  readonly elapsedMs: number;
  /** Whether doing it twice is the same as doing it once; false for a POST that creates. */
  readonly isRepeatable: boolean;
  readonly nowMs: number;
  /** Between 0 and 1. */
  readonly random: number;
}

export type RetryDecision =
  | { readonly kind: 'retry'; readonly waitMs: number }
  /** `untilMs`: when GitHub would answer again, where the wait does not fit the budget. */
  | { readonly kind: 'stop'; readonly untilMs: number | null };

const maxAttempts = 6;
/** All waits of one call together; longer and the run's own deadline is in danger. */
const retryBudgetMs = 120_000;
const baseDelayMs = 500;
const maxDelayMs = 30_000;
/** GitHub asks for at least a minute where a secondary limit comes without a header (G1-31). */
const secondaryLimitMs = 60_000;

/**
 * Whether to try again and after how long. A refusal by a rate limit was never applied, so even a POST that creates may be sent again;
 * after a lost or broken answer only what is repeatable may.
 */
export function decideRetry(attempt: Attempt): RetryDecision {
  const { failure, elapsedMs } = attempt;
  const isFault = failure.status === null || failure.status === 408 || failure.status >= 500;
  if (!failure.isRateLimit && !(isFault && attempt.isRepeatable)) return { kind: 'stop', untilMs: null };
  const waitMs = failure.isRateLimit ? limitWait(attempt) : faultWait(attempt);
  if (elapsedMs + waitMs > retryBudgetMs) return { kind: 'stop', untilMs: failure.isRateLimit ? attempt.nowMs + waitMs : null };
  return attempt.number >= maxAttempts ? { kind: 'stop', untilMs: null } : { kind: 'retry', waitMs };
}

function limitWait({ failure, number, nowMs, random }: Attempt): number {
  // Of a reset that is over and refuses all the same it is our clock that is ahead: the waits grow until it is caught up.
  const reset = failure.resetAtMs === undefined ? null : Math.max(failure.resetAtMs - nowMs, baseDelayMs * 2 ** number);
  const asked = parseRetryAfter(failure.retryAfter, nowMs) ?? reset;
  // Up to a second on top, so that runs that were refused together do not come back together.
  return Math.max(0, asked ?? secondaryLimitMs) + Math.floor(random * 1_000);
}

function faultWait({ failure, number, nowMs, random }: Attempt): number {
  const jitter = Math.floor(random * Math.min(maxDelayMs, baseDelayMs * 2 ** number));
  return Math.max(jitter, parseRetryAfter(failure.retryAfter, nowMs) ?? 0);
}

/** Milliseconds to wait; null for what is neither a count of seconds nor a date. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1_000;
  // Only a date holds letters; `-5` and `2.5` would pass for dates too.
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

export interface RetryPorts {
  readonly clock: Clock;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly log: Log;
}

export interface RetryCall {
  /** For the log: the route, never its parameters. */
  readonly name: string;
  readonly isRepeatable: boolean;
  /** The caller comes back by itself: nothing is waited for. */
  readonly isOnce?: boolean;
  /** Reads a rejection; null for what is no failure of the call (an abort, a fault of ours): it is thrown on. */
  readonly failureOf: (error: unknown) => Failure | null;
}

/** What a call gave up with, so that its error can name the time of the limit's end. */
export interface GaveUp {
  readonly error: unknown;
  readonly failure: Failure;
  readonly untilMs: number | null;
}

export type RetryResult<T> = { readonly kind: 'done'; readonly value: T } | ({ readonly kind: 'gave_up' } & GaveUp);

/** Runs `attempt` until it succeeds or decideRetry says stop. Rejects with the signal's reason, and with what `failureOf` does not know. */
export async function retry<T>(
  attempt: () => Promise<T>,
  call: RetryCall,
  ports: RetryPorts,
  signal: AbortSignal,
): Promise<RetryResult<T>> {
  const startedMs = ports.clock.monotonicMs();
  for (let number = 1; ; number += 1) {
    signal.throwIfAborted();
    try {
      return { kind: 'done', value: await attempt() };
    } catch (error) {
      signal.throwIfAborted();
      const failure = call.failureOf(error);
      if (failure === null) throw error;
      const elapsedMs = ports.clock.monotonicMs() - startedMs;
      const nowMs = ports.clock.now().getTime();
      const { isRepeatable } = call;
      const decision = decideRetry({ failure, number, elapsedMs, isRepeatable, nowMs, random: ports.random() });
      if (decision.kind === 'stop') return { kind: 'gave_up', error, failure, untilMs: decision.untilMs };
      if (call.isOnce === true) return { kind: 'gave_up', error, failure, untilMs: null };
      ports.log(`[github] retry=${number} status=${failure.status ?? 'none'} wait_ms=${decision.waitMs} route=${call.name}`);
      await ports.clock.sleep(decision.waitMs, signal);
    }
  }
}
