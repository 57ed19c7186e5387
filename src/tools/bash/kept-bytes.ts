// The beginning and the end of a stream of bytes, in bounded memory however much comes between. Knows no text.

const blockBytes = 256 * 1024;
/** A third, as of everything that is cut: what matters most stands at the end. Both together are 5 MB (D9). */
const headBlocks = 7;
const tailBlocks = 13;

/** Collects a stream. The memory of what is no more kept is used again. */
export class KeptBytes {
  readonly #blocks: Buffer[] = [];
  /** Bytes in the last block. */
  #used = blockBytes;
  #totalBytes = 0;
  #missingBytes = 0;

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#used === blockBytes) this.#beginBlock();
      const copied = bytes.copy(this.#blocks.at(-1) ?? bytes, this.#used, at);
      this.#used += copied;
      at += copied;
    }
    this.#totalBytes += bytes.length;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Between the beginning and the end. */
  get missingBytes(): number {
    return this.#missingBytes;
  }

  /** The beginning, a piece at a time: everything, as long as nothing is missing. Valid until the next `add`. */
  head(): readonly Buffer[] {
    return this.#missingBytes === 0 ? this.#filled() : this.#filled().slice(0, headBlocks);
  }

  /** The end, as the beginning. A piece before the last is larger than what is ever shown. */
  tail(): readonly Buffer[] {
    return this.#missingBytes === 0 ? this.#filled() : this.#filled().slice(headBlocks);
  }

  #filled(): readonly Buffer[] {
    return this.#blocks.map((block, index) => (index === this.#blocks.length - 1 ? block.subarray(0, this.#used) : block));
  }

  #beginBlock(): void {
    this.#used = 0;
    const isFull = this.#blocks.length > headBlocks + tailBlocks;
    const [oldest] = isFull ? this.#blocks.splice(headBlocks, 1) : [];
    if (oldest !== undefined) this.#missingBytes += blockBytes;
    this.#blocks.push(oldest ?? Buffer.allocUnsafe(blockBytes));
  }
}
