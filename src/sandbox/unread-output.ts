// A process's output in the main process, with a count of what nobody has read yet. Drops nothing; the bound is the caller's.
import { Readable } from 'node:stream';

/** What a chunk costs beside its bytes: a flood of single bytes fills the memory as well. */
const chunkCostBytes = 256;

/** Chunks in, a stream out. Without a reader everything waits; what comes after the reader destroyed it is dropped. */
export class UnreadOutput extends Readable {
  /** A queue as two stacks: taking from the front of a long array would move all of it. */
  #added: (Buffer | null)[] = [];
  #next: (Buffer | null)[] = [];
  #costBytes = 0;
  #isWanted = false;

  /** Memory that the waiting chunks hold, about. */
  get costBytes(): number {
    return this.#costBytes;
  }

  add(chunk: Buffer): void {
    this.#enqueue(chunk);
  }

  /** No more is to come: the stream ends after what waits. */
  finish(): void {
    this.#enqueue(null);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#pass();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#added = [];
    this.#next = [];
    this.#costBytes = 0;
    callback(error);
  }

  #enqueue(chunk: Buffer | null): void {
    if (this.destroyed) return;
    this.#added.push(chunk);
    this.#costBytes += costOf(chunk);
    this.#pass();
  }

  #pass(): void {
    while (this.#isWanted) {
      if (this.#next.length === 0) [this.#next, this.#added] = [this.#added.reverse(), []];
      const next = this.#next.pop();
      if (next === undefined) return;
      this.#costBytes -= costOf(next);
      this.#isWanted = this.push(next);
    }
  }
}

function costOf(chunk: Buffer | null): number {
  return chunkCostBytes + (chunk?.length ?? 0);
}
