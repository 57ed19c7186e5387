// Every call of the session: within a time, and what goes wrong with one is noted, never fatal.
import { messageOf } from '../schema/error.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import type { Clock, Log } from '../schema/world.ts';
import { startTimer } from './abort.ts';

/** Something that people should know though it does not end the run, in words. */
export type Note = (text: string) => void;

/** What a failed call means: `code` for the log, `text` for people. */
export interface Trouble {
  readonly code: string;
  readonly text: string;
}

/** Makes one call; undefined when it failed or took too long, which is then noted. */
export type SessionCall = <T>(trouble: Trouble, work: () => T | Promise<T>) => Promise<{ readonly value: T } | undefined>;

/** A store that does not answer must not hold the run's end up; what is saved here takes milliseconds. */
const storeLimitMs = 10_000;

export function createSessionCall(clock: Clock, log: Log, note: Note): SessionCall {
  return async (trouble, work) => {
    const done = new AbortController();
    const begun = async () => await work();
    try {
      return { value: await untilAborted(begun(), startTimer(clock, storeLimitMs, done.signal)) };
    } catch (error) {
      const message = messageOf(error);
      log(`warning=${trouble.code} error=${message}`);
      note(`${trouble.text}: ${message}`);
      return undefined;
    } finally {
      done.abort();
    }
  };
}
