// Every call of a port that a run can do without (the session, the background's end): within a time, and what goes wrong is noted.
import { messageOf } from '../schema/error.ts';
import type { Clock, Log } from '../schema/world.ts';
import { withinTime } from './abort.ts';

/** Something that people should know though it does not end the run, in words; the same words count once. */
export type Note = (text: string) => void;

/** What a failed call means: `code` for the log, `text` for people. */
export interface Trouble {
  readonly code: string;
  readonly text: string;
}

/** Makes one call; undefined when it failed or took too long, which is then noted. */
export type NotedCall = <T>(trouble: Trouble, work: () => T | Promise<T>) => Promise<{ readonly value: T } | undefined>;

/** Who does not answer must not hold the run's end up; what is saved here takes milliseconds, what is stopped a few seconds. */
const limitMs = 10_000;

export function createNotedCall(clock: Clock, log: Log, note: Note): NotedCall {
  return async (trouble, work) => {
    try {
      return { value: await withinTime({ clock, limitMs }, work) };
    } catch (error) {
      const message = messageOf(error);
      log(`warning=${trouble.code} error=${message}`);
      note(`${trouble.text}: ${message}`);
      return undefined;
    }
  };
}
