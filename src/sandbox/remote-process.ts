// One process of the tool host as the main process has it: its streams and its end. Knows neither the host nor the protocol.
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessEnd, RunningProcess } from '../schema/running-process.ts';
import { piecesOf } from './protocol.ts';
import { UnreadOutput } from './unread-output.ts';

/** What a process can be told, once the host has been asked to start it. */
export interface ProcessLine {
  /** One piece; the next one only after `takeInputTaken`. */
  sendInput(piece: Buffer): void;
  endInput(): void;
  kill(): void;
}

/** Of both streams together: what nobody reads must not fill our memory. */
const maxUnreadBytes = 32 * 1024 * 1024;
/** Over the grace that the host gives a process. */
const killTimeoutMs = 5000;

/** A process before, while and after the host runs it. The abort of `signal` kills it. */
export class RemoteProcess implements RunningProcess {
  readonly stdin: Writable;
  readonly stdout = new UnreadOutput();
  readonly stderr = new UnreadOutput();
  readonly end: Promise<ProcessEnd>;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.kill();
  readonly #begun = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<ProcessEnd>();
  #line: ProcessLine | undefined;
  #inputTaken: (() => void) | undefined;
  #isKilled = false;
  #isOver = false;
  #fault: ProcessEnd | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.end = this.#ended.promise;
    this.stdin = new Writable({
      construct: (done) => void this.#begun.promise.then(() => done()),
      write: (chunk: Buffer, _encoding, done) => void this.#write(chunk).then(() => done()),
      // After its end as well: a writer that gives up must not leave the process waiting.
      destroy: (error, done) => {
        if (!this.#isOver) this.#line?.endInput();
        done(error);
      },
    });
    if (signal.aborted) this.kill();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  kill(): void {
    if (this.#isOver || this.#isKilled) return;
    this.#isKilled = true;
    if (this.#line === undefined) {
      this.fail('it was cancelled before it began');
      return;
    }
    this.#line.kill();
    void delay(killTimeoutMs, undefined, { ref: false }).then(() => {
      this.fail('it was to be killed, and the tool host did not say in time that it is dead');
    });
  }

  /** The host has been asked to start it: what was written meanwhile goes there. */
  begin(line: ProcessLine): void {
    this.#line = line;
    this.#begun.resolve();
  }

  takeOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    if (this.#isOver || this.#fault !== undefined) return;
    this[stream].add(chunk);
    if (this.stdout.costBytes + this.stderr.costBytes <= maxUnreadBytes) return;
    this.#fault = { kind: 'failed', reason: 'it was killed: over 32 MB of its output were not read' };
    this.kill();
  }

  takeInputTaken(): void {
    this.#inputTaken?.();
  }

  fail(reason: string): void {
    this.finish({ kind: 'failed', reason });
  }

  /** The first end holds. */
  finish(end: ProcessEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#begun.resolve();
    this.#inputTaken?.();
    this.stdout.finish();
    this.stderr.finish();
    this.#ended.resolve(this.#fault ?? end);
  }

  /** What a process that has ended does not read any more is dropped in silence. */
  async #write(chunk: Buffer): Promise<void> {
    for (const piece of piecesOf(chunk)) {
      if (this.#isOver) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#inputTaken = resolve;
      this.#line?.sendInput(piece);
      await promise;
    }
  }
}
