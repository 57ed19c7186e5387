// Waiting with an end of its own. Decides nothing.
import { abortAfter } from '../schema/abort-after.ts';
import { Harness9Error } from '../schema/error.ts';
import { waitAtMost } from '../schema/wait-at-most.ts';
import type { Clock } from '../schema/world.ts';

/**
 * What `work` comes to. Its signal aborts with `signal`, and when `ms` are over (`MCP_TIMEOUT`): it ends soon then, cleaned up, and this
 * rejects with the reason.
 */
export async function within<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  const done = new AbortController();
  const reason = () => new Harness9Error({ code: 'MCP_TIMEOUT', message: `it was not ready within ${ms / 1000} s` });
  const either = AbortSignal.any([signal, abortAfter(clock, ms, done.signal, reason)]);
  try {
    return await work(either);
  } catch (error) {
    throw either.aborted ? either.reason : error;
  } finally {
    done.abort();
  }
}

/** Resolves when `work` has settled, or after `ms`. */
export async function patiently(ms: number, work: Promise<unknown>, clock: Clock): Promise<void> {
  await waitAtMost(
    clock,
    ms,
    work.catch(() => {}),
  );
}
