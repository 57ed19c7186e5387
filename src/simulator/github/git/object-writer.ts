/** Writes git objects through long-lived `git hash-object` processes, one per type; git checks each object's form. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitPlace } from './git-process.ts';
import { LineProcess } from './line-process.ts';
import type { GitObject } from './object-reader.ts';

type Type = GitObject['type'];

export class ObjectWriter {
  readonly #place: GitPlace;
  readonly #processes = new Map<Type, LineProcess>();
  #count = 0;

  constructor(place: GitPlace) {
    this.#place = place;
  }

  /** Gives the sha of the object; throws a `GitFailure` when git finds it malformed. */
  async write(type: Type, content: string | Uint8Array): Promise<string> {
    this.#count += 1;
    const file = join(this.#place.directory, `incoming-${this.#count}`);
    await writeFile(file, content);
    try {
      return await this.#processFor(type).ask(`${file}\n`, () => true);
    } finally {
      await rm(file);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process.close()));
  }

  #processFor(type: Type): LineProcess {
    const present = this.#processes.get(type);
    if (present !== undefined) return present;
    const process = new LineProcess(this.#place, ['hash-object', '-w', '--no-filters', '-t', type, '--stdin-paths']);
    this.#processes.set(type, process);
    return process;
  }
}
