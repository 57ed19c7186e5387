// One output stream of a command in bounded memory: decoded, cleaned, its head and its tail kept, the middle counted (G5-09, G5-11, G5-16).
import { StringDecoder } from 'node:string_decoder';
import { cutMiddle, joinEnds } from '../../schema/head-and-tail.ts';
import { TerminalText } from './terminal-text.ts';

/** Of each end; what the model gets is cut from these. */
const keptBytes = 64 * 1024;

/** Collects a stream. Invalid bytes become U+FFFD; nothing ever throws. */
export class OutputWindow {
  readonly #decoder = new StringDecoder('utf8');
  readonly #terminal = new TerminalText();
  #head = '';
  #headBytes = 0;
  #tail: string[] = [];
  #tailBytes = 0;
  #totalBytes = 0;

  add(chunk: Buffer): void {
    this.#keep(this.#terminal.add(this.#decoder.write(chunk)));
  }

  /** Bytes of cleaned text so far. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Ends the stream's decoding: what waits for more is kept as it is. */
  end(): void {
    this.#keep(this.#terminal.add(this.#decoder.end()) + this.#terminal.end());
  }

  /** At most about `maxBytes`, with the omitted bytes said. */
  render(maxBytes: number): string {
    const tail = this.#tail.join('');
    const missing = this.#totalBytes - this.#headBytes - this.#tailBytes;
    if (missing === 0) return cutMiddle(this.#head + tail, maxBytes);
    return joinEnds(Buffer.from(this.#head), Buffer.from(tail), { totalBytes: this.#totalBytes, maxBytes });
  }

  #keep(text: string): void {
    if (text === '') return;
    const bytes = Buffer.byteLength(text);
    this.#totalBytes += bytes;
    if (this.#headBytes < keptBytes) {
      this.#head += text;
      this.#headBytes += bytes;
      return;
    }
    this.#tail.push(text);
    this.#tailBytes += bytes;
    while (this.#tail.length > 1 && this.#tailBytes - Buffer.byteLength(this.#tail[0] ?? '') >= keptBytes) {
      this.#tailBytes -= Buffer.byteLength(this.#tail.shift() ?? '');
    }
  }
}
