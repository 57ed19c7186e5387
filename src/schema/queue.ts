// Work that takes turns. Knows nothing of what is done in them.

/** Runs one piece of work after the other, in the order of the calls; one that fails does not stop the next. */
export function createQueue(): <T>(work: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
