// Waiting that can be cut short, for what may not listen to its signal itself. Decides nothing.

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
