// Lines of bytes, with a bound on what one line may hold. Bytes are put together before they become text, so no character is torn.

const lineEnd = 0x0a;

export interface Line {
  readonly text: string;
  /** It is longer than it may be: `text` is its beginning, the rest is dropped. */
  readonly isCut: boolean;
}

/** Takes chunks, gives lines. A line that is too long is given as soon as it is. */
export class LineReader {
  readonly #maxBytes: number;
  #pending: Buffer[] = [];
  #size = 0;
  #isSkipping = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end within `chunk`. */
  read(chunk: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, start)) {
      lines.push(...this.#add(chunk.subarray(start, end)), ...this.#end());
      start = end + 1;
    }
    lines.push(...this.#add(chunk.subarray(start)));
    return lines;
  }

  /** The last line, where nothing ended it. */
  rest(): readonly Line[] {
    return this.#size === 0 ? [] : this.#end();
  }

  #add(piece: Buffer): readonly Line[] {
    if (this.#isSkipping) return [];
    this.#pending.push(piece);
    this.#size += piece.length;
    if (this.#size <= this.#maxBytes) return [];
    const text = Buffer.concat(this.#pending).toString('utf8', 0, this.#maxBytes);
    this.#reset(true);
    return [{ text, isCut: true }];
  }

  #end(): readonly Line[] {
    const text = Buffer.concat(this.#pending).toString('utf8').replace(/\r$/, '');
    const wasSkipping = this.#isSkipping;
    this.#reset(false);
    return wasSkipping ? [] : [{ text, isCut: false }];
  }

  #reset(isSkipping: boolean): void {
    this.#pending = [];
    this.#size = 0;
    this.#isSkipping = isSkipping;
  }
}
