// Events on their way out: to `onEvent`, which cannot hurt the run, and to the reader of a stream, who may be slow or leave.
import { messageOf } from '../schema/error.ts';
import type { EngineEvent } from '../schema/run.ts';
import type { Log } from '../schema/world.ts';
import { callWatcher } from './watchers.ts';

export type Emit = (event: EngineEvent) => void;

/** Calls every listener in turn; what one of them throws is logged and goes no further. Nothing follows a run's last word. */
export function createEmit(log: Log, listeners: readonly Emit[]): Emit {
  let isOver = false;
  return (event) => {
    if (isOver) return;
    isOver = event.type === 'done' || event.type === 'error';
    const tell = (error: unknown): void => log(`warning=event_listener_failed event=${event.type} error=${messageOf(error)}`);
    for (const listener of listeners) callWatcher(() => listener(event), tell);
  };
}

/** A run as a stream: `start` begins at the first read, `cancel` is called when the reader leaves. */
interface StreamSource {
  readonly start: (emit: Emit) => Promise<unknown>;
  readonly cancel: () => void;
}

/** Keeps every event until it is read. Leaving cancels the run and waits for its end, so that its history is saved. */
export class EventStream implements AsyncIterableIterator<EngineEvent> {
  readonly #source: StreamSource;
  #unread: EngineEvent[] = [];
  #next = 0;
  #running: Promise<void> | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(source: StreamSource) {
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<EngineEvent, undefined>> {
    this.#running ??= this.#run();
    for (;;) {
      const event = this.#take();
      if (event !== undefined) return { done: false, value: event };
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isOver) return { done: true, value: undefined };
      const { promise, resolve } = Promise.withResolvers<void>();
      const wakeOthers = this.#wake;
      this.#wake = () => {
        wakeOthers();
        resolve();
      };
      await promise;
    }
  }

  async return(): Promise<IteratorResult<EngineEvent, undefined>> {
    this.#running ??= Promise.resolve();
    this.#isOver = true;
    this.#unread = [];
    this.#next = 0;
    this.#source.cancel();
    this.#wakeReaders();
    await this.#running;
    return { done: true, value: undefined };
  }

  async #run(): Promise<void> {
    try {
      await this.#source.start((event) => this.#push(event));
    } catch (error) {
      this.#failure = { error };
    }
    this.#isOver = true;
    this.#wakeReaders();
  }

  #push(event: EngineEvent): void {
    if (this.#isOver) return;
    this.#unread.push(event);
    this.#wakeReaders();
  }

  #take(): EngineEvent | undefined {
    const event = this.#unread[this.#next];
    if (event === undefined) return undefined;
    this.#next += 1;
    if (this.#next === this.#unread.length) {
      this.#unread = [];
      this.#next = 0;
    }
    return event;
  }

  #wakeReaders(): void {
    const wake = this.#wake;
    this.#wake = () => {};
    wake();
  }
}
