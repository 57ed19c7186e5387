// The work that goes on beside the turns of one run: what it came to goes into the history, and the run does not end before it.
import { z } from 'zod';
import { messageOf } from '../schema/error.ts';
import { type Message, messageFromRun } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import { untilAborted } from '../schema/until-aborted.ts';
import type { Log } from '../schema/world.ts';
import type { LimitReached } from './guard.ts';
import type { History } from './history.ts';
import type { Meter } from './meter.ts';
import type { Note, NotedCall, Trouble } from './noted-calls.ts';
import { parseAnswer } from './parse-answer.ts';
import type { BackgroundWork, EndedWork } from './ports.ts';

const unstoppable: Trouble = {
  code: 'background_stop_failed',
  text: 'Work in the background could not be stopped, and may still go on',
};

/** A note is a line under the answer. */
const mostNotedChars = 300;
const mostNoted = 5;

const endedSchema = z.array(z.object({ text: z.string(), note: z.string() })).readonly();

interface BackgroundParts {
  readonly work: BackgroundWork | undefined;
  readonly history: History;
  readonly meter: Meter;
  readonly call: NotedCall;
  readonly log: Log;
  readonly note: Note;
}

export class Background {
  readonly #parts: BackgroundParts;
  /** The notes of what the model was given and has not answered yet. */
  #unanswered: string[] = [];
  #stopping: Promise<unknown> | undefined;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
  }

  /**
   * What has ended since the last look, as one message that the next request must carry: a compaction leaves none of it unseen. `more`: what
   * else is said then.
   */
  take(...more: readonly string[]): readonly Message[] {
    const ended = this.#takeEnded();
    if (ended.length === 0) return [];
    const message = messageFromRun(...ended.map(({ text }) => text), ...more);
    this.#unanswered.push(...ended.map(({ note }) => note));
    this.#parts.meter.expect([message]);
    return [message];
  }

  /** The same, put into the history. */
  async bringIn(): Promise<void> {
    const messages = this.take();
    if (messages.length > 0) await this.#parts.history.append(...messages);
  }

  /** A call of the model has succeeded: it has seen all that was brought in. */
  answered(): void {
    this.#unanswered = [];
  }

  /** Waits until nothing goes on any more. False: it was not waited for to the end. */
  async finish(signal: AbortSignal): Promise<boolean> {
    const { work } = this.#parts;
    if (work === undefined) return true;
    try {
      await untilAborted(work.waitForAll(signal), signal);
      return true;
    } catch (error) {
      if (!signal.aborted) this.#tell('could not be waited for', error);
      return false;
    }
  }

  /** Before the wrap-up: waits for it where the limit leaves time and tokens for that, else stops it; what it came to is brought in. */
  async settle({ reason }: LimitReached, signal: AbortSignal): Promise<void> {
    const mayFinish = reason === 'max_turns' || reason === 'repetition';
    const isOver = mayFinish && (await this.finish(signal));
    if (!isOver) await this.#stop();
    await this.bringIn();
  }

  /** At the run's end, whatever it was: stops what still goes on, and keeps what the model will not answer any more. */
  async close(): Promise<void> {
    await this.#stop();
    await this.bringIn();
    const { note } = this.#parts;
    for (const each of this.#unanswered.slice(0, mostNoted)) note(`Too late for the answer: ${oneLine(each, mostNotedChars)}`);
    const more = this.#unanswered.length - mostNoted;
    if (more > 0) note(`Too late for the answer: ${more} more that worked in the background.`);
  }

  async #stop(): Promise<void> {
    const { work, call } = this.#parts;
    if (work !== undefined) this.#stopping ??= call(unstoppable, () => work.stop());
    await this.#stopping;
  }

  #takeEnded(): readonly EndedWork[] {
    const { work } = this.#parts;
    if (work === undefined) return [];
    try {
      return parseAnswer(endedSchema, work.takeEnded()).filter(({ text }) => text.trim() !== '');
    } catch (error) {
      this.#tell('could not say what it came to', error);
      return [];
    }
  }

  #tell(what: string, error: unknown): void {
    const why = oneLine(messageOf(error), mostNotedChars);
    this.#parts.log(`warning=background_failed error=${why}`);
    this.#parts.note(`Work in the background ${what}: ${why}`);
  }
}
