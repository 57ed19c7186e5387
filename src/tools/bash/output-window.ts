// One output stream of a command in bounded memory: cleaned as it comes, its head and its tail kept, decoded once, at the end (G5-09, G5-11, G5-16).
import { wholeCharacters } from '../../schema/head-and-tail.ts';
import { KeptBytes } from './kept-bytes.ts';
import { TerminalText } from './terminal-text.ts';

/** What is missing between the head and the tail that are shown. */
export interface Omission {
  readonly bytes: number;
  /** Of the stream, from 1: where it begins. */
  readonly line: number;
  /** Of that line, from 1. */
  readonly column: number;
}

/** Collects a stream. Invalid bytes become U+FFFD; nothing ever throws. */
export class OutputWindow {
  readonly #kept = new KeptBytes();
  readonly #terminal = new TerminalText((text) => this.#kept.add(text));
  #rawBytes = 0;

  add(chunk: Buffer): void {
    this.#rawBytes += chunk.length;
    this.#terminal.add(chunk);
  }

  /** No more is to come; to be called before anything is read. */
  end(): void {
    this.#terminal.end();
  }

  /** As they came. */
  get rawBytes(): number {
    return this.#rawBytes;
  }

  /** Bytes of cleaned text. */
  get totalBytes(): number {
    return this.#kept.totalBytes;
  }

  /** The text, when it has at most `maxBytes`, else null. */
  text(maxBytes: number): string | null {
    if (this.totalBytes > maxBytes) return null;
    const text = decode(Buffer.concat(this.#kept.head()));
    return Buffer.byteLength(text) <= maxBytes ? text : null;
  }

  /** Head (a third) and tail of the text, at most `maxBytes` and what `mark` says of the omission. */
  excerpt(maxBytes: number, mark: (omission: Omission) => string): string {
    const head = Buffer.concat(this.#kept.head(), Math.min(maxBytes, this.totalBytes));
    const tail = Buffer.concat(this.#kept.tail().slice(-2));
    const first = decodeWithin(head, Math.floor(maxBytes / 3), 'start');
    const last = decodeWithin(tail, Math.ceil((maxBytes * 2) / 3), 'end');
    const lines = first.text.split('\n');
    const column = [...(lines.at(-1) ?? '')].length + 1;
    return `${first.text}\n${mark({ bytes: this.totalBytes - first.bytes - last.bytes, line: lines.length, column })}\n${last.text}`;
  }

  /** For a file: all of it, or as much as was kept, with what is missing said. `missing` null: nothing is. */
  file(): { readonly content: readonly Uint8Array[]; readonly missing: string | null } {
    const head = this.#kept.head();
    if (this.#kept.missingBytes === 0) return { content: head, missing: null };
    const [before = emptyPiece, ...ahead] = head.toReversed();
    const [after = emptyPiece, ...rest] = this.#kept.tail();
    // With half a character the file would not be text any more.
    const wholeBefore = wholeCharacters(before, 0, before.length - maxCharacterBytes);
    const wholeAfter = wholeCharacters(after, 0, after.length);
    const cutBytes = before.length - wholeBefore.length + after.length - wholeAfter.length;
    const missing = `${this.#kept.missingBytes + cutBytes} bytes`;
    const mark = Buffer.from(`\n[… ${missing} omitted …]\n`);
    return { content: [...ahead.toReversed(), wholeBefore, mark, wholeAfter, ...rest], missing };
  }
}

const emptyPiece = Buffer.alloc(0);
const maxCharacterBytes = 4;

/** As much of one end as has at most `maxBytes` when it is decoded: bytes that are no text take three times their room. */
function decodeWithin(bytes: Buffer, maxBytes: number, end: 'start' | 'end'): { readonly text: string; readonly bytes: number } {
  for (let size = Math.min(maxBytes, bytes.length); ; ) {
    const part = end === 'start' ? wholeCharacters(bytes, 0, size) : wholeCharacters(bytes, bytes.length - size, bytes.length);
    const text = decode(part);
    const decodedBytes = Buffer.byteLength(text);
    if (decodedBytes <= maxBytes) return { text, bytes: part.length };
    size = Math.floor((size * maxBytes) / decodedBytes);
  }
}

/** Without a byte order mark, which is no text. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
