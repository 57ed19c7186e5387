// The end of what a stream shows, as a terminal of endless width: bytes of text, and a cursor that may go back in them. Knows no escape sequence.
import { isContinuation } from '../../schema/head-and-tail.ts';

/** When so much is there, all but the last `reachBytes` is passed on for good. */
const roomBytes = 128 * 1024;
/** So far back, about, a redraw finds its lines; of a longer line, its end. */
const reachBytes = 16 * 1024;
/** No terminal is wider or higher: what moves further moves so far. */
const maxColumns = 1000;
const maxRows = 100;

const newline = 0x0a;
const space = 0x20;

/** Text goes in at the cursor, over what stands there. Nothing is decoded: a character is a byte with the continuation bytes after it. */
export class Screen {
  readonly #pass: (text: Buffer) => void;
  readonly #text = Buffer.allocUnsafe(roomBytes);
  #length = 0;
  #cursor = 0;

  /** `pass` gets what can no more be changed, in order; it must copy it. */
  constructor(pass: (text: Buffer) => void) {
    this.#pass = pass;
  }

  /** Printable bytes, tabs and line feeds. */
  write(bytes: Buffer, from: number, to: number): void {
    let at = from;
    for (; at < to && this.#cursor < this.#length; at += 1) this.#overwrite(bytes[at] ?? 0);
    while (at < to) {
      if (this.#length === roomBytes) this.#passOn();
      const copied = bytes.copy(this.#text, this.#length, at, to);
      at += copied;
      this.#length += copied;
      this.#cursor = this.#length;
    }
  }

  /** What a line feed does in a terminal: to the first column of the next line, which may be there already. */
  feedLine(): void {
    const end = this.#rowEnd();
    if (end < this.#length) this.#cursor = end + 1;
    else this.#beginRow();
  }

  carriageReturn(): void {
    this.#cursor = this.#rowStart(this.#cursor);
  }

  back(steps: number): void {
    for (let left = Math.min(steps, maxColumns); left > 0 && !this.#isAtRowStart(this.#cursor); left -= 1)
      this.#cursor = this.#before();
  }

  /** Beyond the end of the line it is filled with spaces. */
  forward(steps: number): void {
    const missing = this.#stepForward(Math.min(steps, maxColumns));
    if (missing === 0) return;
    this.#replace(0, missing);
    this.#text.fill(space, this.#cursor, this.#cursor + missing);
    this.#cursor += missing;
  }

  /** In the same column, or at the end of a line that is shorter. */
  up(rows: number): void {
    const column = this.#column();
    this.carriageReturn();
    for (
      let left = Math.min(rows, maxRows);
      left > 0 && this.#cursor > this.#length - reachBytes && this.#cursor > 0;
      left -= 1
    ) {
      this.#cursor = this.#rowStart(this.#cursor - 1);
    }
    this.#stepForward(column);
  }

  /** Not below the last line. */
  down(rows: number): void {
    const column = this.#column();
    for (let left = Math.min(rows, maxRows); left > 0; left -= 1) {
      const end = this.#rowEnd();
      if (end === this.#length) break;
      this.#cursor = end + 1;
    }
    this.carriageReturn();
    this.#stepForward(column);
  }

  /** Takes text of the cursor's line away; the rest moves up to it. */
  eraseInRow(what: 'left' | 'right' | 'all'): void {
    const end = what === 'left' ? this.#cursor : this.#rowEnd();
    if (what !== 'right') this.carriageReturn();
    this.#replace(end - this.#cursor, 0);
  }

  eraseBelow(): void {
    this.#length = this.#cursor;
  }

  /** On from an empty line after everything: what cannot be placed is lost for nobody. */
  freshRow(): void {
    this.#cursor = this.#length;
    if (!this.#isAtRowStart(this.#length)) this.#beginRow();
  }

  /** Passes the rest on. */
  end(): void {
    this.#pass(this.#text.subarray(0, this.#length));
    this.#length = 0;
    this.#cursor = 0;
  }

  #beginRow(): void {
    if (this.#length === roomBytes) this.#passOn();
    this.#text[this.#length] = newline;
    this.#length += 1;
    this.#cursor = this.#length;
  }

  #overwrite(byte: number): void {
    if (byte === newline) {
      this.feedLine();
      return;
    }
    // A continuation byte belongs to the character that was just begun.
    const replaced = isContinuation(byte) || this.#text[this.#cursor] === newline ? 0 : this.#after() - this.#cursor;
    this.#replace(replaced, 1);
    this.#text[this.#cursor] = byte;
    this.#cursor += 1;
  }

  /** Makes room for `added` bytes at the cursor in place of `removed` ones. */
  #replace(removed: number, added: number): void {
    if (removed === added) return;
    if (this.#length + added - removed > roomBytes) this.#passOn();
    this.#text.copyWithin(this.#cursor + added, this.#cursor + removed, this.#length);
    this.#length += added - removed;
  }

  /** The cursor stays in its place; where that is gone, the end takes what is written there. */
  #passOn(): void {
    const lineEnd = this.#text.indexOf(newline, this.#length - reachBytes);
    let cut = lineEnd === -1 || lineEnd >= this.#length - 1 ? this.#length - reachBytes : lineEnd + 1;
    while (cut < this.#length && isContinuation(this.#text[cut])) cut += 1;
    this.#pass(this.#text.subarray(0, cut));
    this.#text.copyWithin(0, cut, this.#length);
    this.#length -= cut;
    this.#cursor = this.#cursor >= cut ? this.#cursor - cut : this.#length;
  }

  #isAtRowStart(at: number): boolean {
    return at === 0 || this.#text[at - 1] === newline;
  }

  #rowStart(at: number): number {
    return at === 0 ? 0 : this.#text.lastIndexOf(newline, at - 1) + 1;
  }

  #rowEnd(): number {
    if (this.#cursor === this.#length) return this.#length;
    const end = this.#text.indexOf(newline, this.#cursor);
    return end === -1 || end > this.#length ? this.#length : end;
  }

  /** Of the cursor, in characters. */
  #column(): number {
    let column = 0;
    for (let at = this.#rowStart(this.#cursor); at < this.#cursor && column < maxColumns; at += 1) {
      if (!isContinuation(this.#text[at])) column += 1;
    }
    return column;
  }

  /** The steps that the line was too short for. */
  #stepForward(steps: number): number {
    for (let left = steps; left > 0; left -= 1) {
      if (this.#cursor === this.#length || this.#text[this.#cursor] === newline) return left;
      this.#cursor = this.#after();
    }
    return 0;
  }

  #after(): number {
    let at = this.#cursor + 1;
    while (at < this.#length && isContinuation(this.#text[at])) at += 1;
    return at;
  }

  #before(): number {
    let at = this.#cursor - 1;
    while (at > 0 && isContinuation(this.#text[at])) at -= 1;
    return at;
  }
}
