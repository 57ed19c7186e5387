// One stream of a process in bounded memory: its beginning and its end are kept, what lies between is counted. Reads nothing itself.
import { stripVTControlCharacters } from 'node:util';
import { cutAtLine } from '../../schema/cut-at-line.ts';

/** Collects a stream. `keptBytes`: of each end. */
export class KeptOutput {
  readonly #keptBytes: number;
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #totalBytes = 0;

  constructor(keptBytes: number) {
    this.#keptBytes = keptBytes;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  add(chunk: Buffer): void {
    const room = this.#keptBytes - this.#headBytes;
    const first = chunk.subarray(0, room);
    const rest = chunk.subarray(room);
    this.#totalBytes += chunk.length;
    this.#headBytes += first.length;
    if (first.length > 0) this.#head.push(first);
    if (rest.length > 0) this.#keepTail(rest);
  }

  #keepTail(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= this.#keptBytes) {
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
    }
  }

  /** All of it; undefined when it is more than what is kept of the beginning. */
  whole(): Buffer | undefined {
    return this.#totalBytes === this.#headBytes ? Buffer.concat(this.#head) : undefined;
  }

  /** For people and the model: without terminal codes, about `maxBytes`, of which the beginning has a third (summaries stand at the end). */
  render(maxBytes: number): string {
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)];
    const isWhole = this.#totalBytes === head.length + tail.length;
    const [first, last] = isWhole ? ['', plainText(Buffer.concat([head, tail]))] : [plainText(head), plainText(tail)];
    if (isWhole && Buffer.byteLength(last) <= maxBytes) return last;
    const start = cutAtLine(isWhole ? last : first, Math.floor(maxBytes / 3));
    // A cut within a character leaves replacement characters at the beginning.
    const end = Buffer.from(last)
      .subarray(-Math.ceil((maxBytes * 2) / 3))
      .toString()
      .replace(/^\ufffd+/, '');
    const left = this.#totalBytes - Buffer.byteLength(start) - Buffer.byteLength(end);
    return `${start.trimEnd()}\n[… ${left} bytes left out …]\n${end}`;
  }
}

/** What a terminal would show in the end: no escape sequences, of a redrawn line its last state, no other control characters. */
function plainText(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString())
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
