// Work that does not wait but may go on for ever (a pattern that backtracks, branches that branch), ended by a watchdog. Blocks meanwhile.
import { runInNewContext } from 'node:vm';
import { hasCode } from '../schema/error.ts';

/** What `work` returns, or what it throws; undefined when it took longer than `ms` milliseconds. */
export function withinTime<T>(work: () => T, ms: number): { readonly result: T } | undefined {
  let done: { readonly result: T } | undefined;
  const keep = (): void => {
    done = { result: work() };
  };
  try {
    runInNewContext('work()', { work: keep }, { timeout: ms });
  } catch (error) {
    if (!hasCode(error, 'ERR_SCRIPT_EXECUTION_TIMEOUT')) throw error;
    return undefined;
  }
  return done;
}
