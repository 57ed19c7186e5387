// A page of lines out of an open file, in one pass and bounded memory: long lines are cut while they are read (G4-21).
import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { decodeWhole } from '../schema/head-and-tail.ts';

const chunkBytes = 256 * 1024;
/** Of a page, line numbers included. */
const maxPageBytes = 16 * 1024;
/** Of a line, in bytes: minified code is one line of megabytes. */
const maxLineBytes = 2000;
/** Line number and tab. */
const lineOverheadBytes = 8;
/** After the page, lines are counted up to here and no further. */
const maxCountedBytes = 64 * 1024 * 1024;

export interface LinePage {
  readonly firstLine: number;
  /** Without line ends; long ones cut with a mark. */
  readonly lines: readonly string[];
  /** Lines in the file; when `isTotalKnown` is false, at least so many and one more. */
  readonly totalLines: number;
  readonly isTotalKnown: boolean;
  readonly isUtf8: boolean;
  readonly endings: 'lf' | 'crlf' | 'mixed' | 'none';
  readonly lacksFinalNewline: boolean;
}

/** Reads from line `offset` (from 1) until `limit` lines or the page is full, then counts on to the total. Rejects with the signal's reason. */
export async function readLines(
  handle: FileHandle,
  { offset, limit, signal }: { readonly offset: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<LinePage> {
  const page = new PageBuilder(offset, limit);
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let position = 0;
  while (!page.isFull || position < maxCountedBytes) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) return page.finish(true);
    position += bytesRead;
    page.add(buffer.subarray(0, bytesRead));
  }
  return page.finish(false);
}

class PageBuilder {
  readonly #offset: number;
  readonly #limit: number;
  readonly #lines: string[] = [];
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #pageBytes = 0;
  #completeLines = 0;
  #lineBytes = 0;
  #lastByte = 0;
  #isUtf8 = true;
  #crlf = 0;
  #lf = 0;
  isFull = false;

  constructor(offset: number, limit: number) {
    this.#offset = offset;
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      const newline = chunk.indexOf(0x0a, start);
      const end = newline === -1 ? chunk.length : newline;
      this.#extend(chunk.subarray(start, end));
      if (newline !== -1) this.#endLine(true);
      start = end + 1;
    }
  }

  finish(isAtEnd: boolean): LinePage {
    const lacksFinalNewline = isAtEnd && this.#lineBytes > 0;
    const isLastShown = !this.isFull && this.#completeLines + 1 >= this.#offset;
    if (lacksFinalNewline) this.#endLine(false);
    return {
      firstLine: this.#offset,
      lines: this.#lines,
      totalLines: this.#completeLines,
      isTotalKnown: isAtEnd,
      isUtf8: this.#isUtf8,
      endings: this.#endings(),
      lacksFinalNewline: lacksFinalNewline && isLastShown,
    };
  }

  #isWanted(): boolean {
    return !this.isFull && this.#completeLines + 1 >= this.#offset;
  }

  #extend(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#lineBytes += bytes.length;
    this.#lastByte = bytes[bytes.length - 1] ?? 0;
    const room = maxLineBytes + 4 - this.#pendingBytes;
    if (!this.#isWanted() || room <= 0) return;
    // A copy: the read buffer is used again.
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#pending.push(kept);
    this.#pendingBytes += kept.length;
  }

  #endLine(hasNewline: boolean): void {
    if (this.#isWanted()) this.#take(hasNewline);
    this.#completeLines += 1;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#lineBytes = 0;
    this.#lastByte = 0;
  }

  #take(hasNewline: boolean): void {
    const isCrlf = hasNewline && this.#lastByte === 0x0d;
    const lineBytes = isCrlf ? this.#lineBytes - 1 : this.#lineBytes;
    const text = this.#decode(lineBytes);
    const bytes = Buffer.byteLength(text) + lineOverheadBytes;
    if (this.#lines.length > 0 && this.#pageBytes + bytes > maxPageBytes) {
      this.isFull = true;
      return;
    }
    if (isCrlf) this.#crlf += 1;
    else if (hasNewline) this.#lf += 1;
    this.#lines.push(text);
    this.#pageBytes += bytes;
    if (this.#lines.length >= this.#limit) this.isFull = true;
  }

  #decode(lineBytes: number): string {
    const kept = Buffer.concat(this.#pending);
    const shown = Math.min(lineBytes, maxLineBytes);
    const text = decodeWhole(kept, 0, shown);
    if (!isUtf8(Buffer.from(kept.subarray(0, shown))) && Buffer.byteLength(text) !== 0 && text.includes('\uFFFD'))
      this.#isUtf8 = false;
    const withoutMark = this.#completeLines === 0 ? text.replace(/^\uFEFF/, '') : text;
    return lineBytes > maxLineBytes ? `${withoutMark}… [line cut: ${lineBytes} bytes]` : withoutMark;
  }

  #endings(): LinePage['endings'] {
    if (this.#crlf > 0 && this.#lf > 0) return 'mixed';
    if (this.#crlf > 0) return 'crlf';
    return this.#lf > 0 ? 'lf' : 'none';
  }
}
