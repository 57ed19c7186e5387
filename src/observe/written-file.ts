// A new file that grows by what is written to it, and at its end is compared with that. What goes wrong is kept, not thrown.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { messageOf } from '../schema/error.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** A file of ours in a folder where others can write. After the first failure nothing more is written. */
export class WrittenFile {
  readonly #path: string;
  readonly #onFailure: (problem: string) => void;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #descriptor: number | undefined;
  #problem: string | undefined;

  /** Makes the file, for its owner only. It must not be there yet, not as a link either. */
  constructor(path: string, onFailure: (problem: string) => void) {
    this.#path = path;
    this.#onFailure = onFailure;
    try {
      this.#descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    } catch (error) {
      this.#fail(`could not be made: ${messageOf(error)}`);
    }
  }

  /** The whole text or nothing of it. */
  write(text: string): void {
    if (this.#descriptor === undefined || this.#problem !== undefined) return;
    const bytes = Buffer.from(text);
    try {
      writeAll(this.#descriptor, bytes, this.#bytes);
    } catch (error) {
      this.#fail(`could not be written: ${messageOf(error)}`);
      this.#takeBack();
      return;
    }
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  /** Why the file is not to be used; undefined: it is there, and is what was written. */
  async close(): Promise<string | undefined> {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return this.#problem;
    this.#descriptor = undefined;
    try {
      if (this.#problem === undefined && !(await this.#isUnchanged(descriptor))) {
        this.#fail('is not what was written any more: something else has changed or replaced it');
      }
    } catch (error) {
      this.#fail(`could not be read back: ${messageOf(error)}`);
    } finally {
      closeSync(descriptor);
    }
    return this.#problem;
  }

  async #isUnchanged(descriptor: number): Promise<boolean> {
    const ours = fstatSync(descriptor, { bigint: true });
    // What has taken the file's place may be anything: a link, or a pipe that nobody writes to.
    await using found = await open(this.#path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const there = await found.stat({ bigint: true });
    if (there.ino !== ours.ino || there.dev !== ours.dev || there.size !== BigInt(this.#bytes)) return false;
    const hash = createHash('sha256');
    for await (const chunk of found.createReadStream({ autoClose: false })) hash.update(chunk);
    return hash.digest('hex') === this.#hash.copy().digest('hex');
  }

  /** The file ends with a whole line, for whoever looks at it all the same. */
  #takeBack(): void {
    try {
      if (this.#descriptor !== undefined) ftruncateSync(this.#descriptor, this.#bytes);
    } catch {
      // The first failure is told; there is nothing left to do about the second.
    }
  }

  #fail(what: string): void {
    if (this.#problem !== undefined) return;
    this.#problem = `${this.#path} ${what}`;
    this.#onFailure(this.#problem);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array, position: number): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
}
