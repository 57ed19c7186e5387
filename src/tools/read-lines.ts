// A page of lines out of UTF-8 that comes in pieces, in one pass and bounded memory: long lines are cut while they are read (G4-21).
import { isUtf8 } from 'node:buffer';
import { isContinuation } from '../schema/head-and-tail.ts';

/** Of a page, line numbers included. */
export const maxPageBytes = 16 * 1024;
/** Of a line, in bytes: minified code is one line of megabytes. */
const maxLineBytes = 2000;
/** Line number and tab. */
const lineOverheadBytes = 8;
/** After the page, lines are counted up to here and no further. */
const maxCountedBytes = 64 * 1024 * 1024;

export interface LineRequest {
  /** The first line, from 1. */
  readonly offset: number;
  readonly limit: number;
  /** The first character of every line, from 1. */
  readonly column: number;
  readonly signal: AbortSignal;
}

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

/** Reads from line `offset` until `limit` lines or the page is full, then counts on to the total. Rejects with the signal's reason. */
export async function readLines(chunks: AsyncIterable<Buffer> | Iterable<Buffer>, request: LineRequest): Promise<LinePage> {
  const page = new PageBuilder(request);
  let position = 0;
  for await (const chunk of chunks) {
    request.signal.throwIfAborted();
    if (page.isFull && position >= maxCountedBytes) return page.finish(false);
    position += chunk.length;
    page.add(chunk);
  }
  return page.finish(true);
}

class PageBuilder {
  readonly #request: LineRequest;
  readonly #lines: string[] = [];
  #pageBytes = 0;
  #completeLines = 0;
  #line = newLine();
  #isUtf8 = true;
  #crlf = 0;
  #lf = 0;
  isFull = false;

  constructor(request: LineRequest) {
    this.#request = request;
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
    const lacksFinalNewline = isAtEnd && !this.#line.isEmpty;
    if (lacksFinalNewline) this.#endLine(false);
    const isLastShown = this.#request.offset + this.#lines.length > this.#completeLines;
    return {
      firstLine: this.#request.offset,
      lines: this.#lines,
      totalLines: this.#completeLines,
      isTotalKnown: isAtEnd,
      isUtf8: this.#isUtf8,
      endings: this.#endings(),
      lacksFinalNewline: lacksFinalNewline && isLastShown,
    };
  }

  #isWanted(): boolean {
    return !this.isFull && this.#completeLines + 1 >= this.#request.offset;
  }

  #extend(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#line.isEmpty = false;
    if (this.#isWanted()) extendLine(this.#line, bytes, this.#request.column);
  }

  #endLine(hasNewline: boolean): void {
    if (this.#isWanted()) this.#take(hasNewline);
    this.#completeLines += 1;
    this.#line = newLine();
  }

  #take(hasNewline: boolean): void {
    const isCrlf = hasNewline && this.#line.lastByte === 0x0d;
    const { text, isUtf8: isValid } = renderLine(this.#line, isCrlf, this.#request.column);
    const bytes = Buffer.byteLength(text) + lineOverheadBytes;
    if (this.#lines.length > 0 && this.#pageBytes + bytes > maxPageBytes) {
      this.isFull = true;
      return;
    }
    this.#isUtf8 &&= isValid;
    if (isCrlf) this.#crlf += 1;
    else if (hasNewline) this.#lf += 1;
    this.#lines.push(text);
    this.#pageBytes += bytes;
    if (this.#lines.length >= this.#request.limit) this.isFull = true;
  }

  #endings(): LinePage['endings'] {
    if (this.#crlf > 0 && this.#lf > 0) return 'mixed';
    if (this.#crlf > 0) return 'crlf';
    return this.#lf > 0 ? 'lf' : 'none';
  }
}

/** A line that is being read. */
interface Line {
  isEmpty: boolean;
  /** The first bytes from the wanted column on. */
  readonly pieces: Buffer[];
  keptBytes: number;
  /** From the wanted column on. */
  bytes: number;
  /** In all. */
  characters: number;
  lastByte: number;
}

function newLine(): Line {
  return { isEmpty: true, pieces: [], keptBytes: 0, bytes: 0, characters: 0, lastByte: 0 };
}

function extendLine(line: Line, bytes: Buffer, column: number): void {
  let start = column === 1 || line.characters >= column ? 0 : bytes.length;
  for (let at = 0; at < bytes.length; at += 1) {
    if (isContinuation(bytes[at])) continue;
    line.characters += 1;
    if (line.characters === column) start = at;
  }
  line.lastByte = bytes[bytes.length - 1] ?? 0;
  line.bytes += bytes.length - start;
  // A copy: the buffer may be used again.
  const kept = Buffer.from(bytes.subarray(start, start + Math.max(0, maxLineBytes + 4 - line.keptBytes)));
  if (kept.length > 0) line.pieces.push(kept);
  line.keptBytes += kept.length;
}

function renderLine(line: Line, isCrlf: boolean, column: number): { readonly text: string; readonly isUtf8: boolean } {
  const bytes = isCrlf ? Math.max(0, line.bytes - 1) : line.bytes;
  const kept = Buffer.concat(line.pieces);
  const shown = kept.subarray(0, bytes <= maxLineBytes ? bytes : wholeCharacters(kept, maxLineBytes));
  const text = shown.toString('utf8');
  if (bytes === shown.length) return { text, isUtf8: isUtf8(shown) };
  const next = column + shown.reduce((sum, byte) => (isContinuation(byte) ? sum : sum + 1), 0);
  const total = isCrlf ? line.characters - 1 : line.characters;
  return { text: `${text}… [cut: characters ${column}-${next - 1} of ${total}; column=${next} reads on]`, isUtf8: isUtf8(shown) };
}

/** How many bytes at most `most` are whole characters; of what is no UTF-8, all. */
function wholeCharacters(bytes: Buffer, most: number): number {
  const end = [most, most - 1, most - 2, most - 3].find((place) => !isContinuation(bytes[place]));
  return end ?? most;
}
