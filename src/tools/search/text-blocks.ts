// An open file as blocks of whole lines in UTF-8, in bounded memory whatever its size and its lines. Searches nothing.
import { readSync } from 'node:fs';
import { createTranscoder, detectEncoding, type TextEncoding } from '../text-encoding.ts';

/** Whole lines, but for the last one of a file and one that was cut. */
export interface TextBlock {
  readonly bytes: Buffer;
  /** It ends within a line that was too long; the rest of that line is left out. */
  readonly isCut: boolean;
  readonly isLast: boolean;
}

/** Most files are read at once. A NUL in a first block makes a file binary. */
const blockBytes = 256 * 1024;

/** What one search reads all its files with, one after the other. */
export function createReadBuffer(): Buffer {
  return Buffer.allocUnsafe(blockBytes);
}

/**
 * The text of the file from its start, in whatever encoding its beginning is; undefined when that is no text. A block is good until the next
 * one is asked for. Throws the system's errors.
 */
export function openText(descriptor: number, buffer: Buffer, maxLineBytes: number): Iterable<TextBlock> | undefined {
  const first = fill(descriptor, buffer);
  const encoding = detectEncoding(first, first.length === buffer.length);
  return encoding === undefined ? undefined : toBlocks(readText(first, encoding, { descriptor, buffer }), maxLineBytes);
}

interface Source {
  readonly descriptor: number;
  readonly buffer: Buffer;
}

/** Until the buffer is full or the file over. */
function fill(descriptor: number, buffer: Buffer): Buffer {
  let length = 0;
  while (length < buffer.length) {
    const bytesRead = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

interface Piece {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** The bytes of the text in UTF-8, without the mark. */
function* readText(first: Buffer, encoding: TextEncoding, { descriptor, buffer }: Source): Generator<Piece> {
  const toUtf8 = createTranscoder(encoding);
  let isLast = first.length < buffer.length;
  yield { bytes: toUtf8(first.subarray(encoding.mark.length)), isLast };
  while (!isLast) {
    const next = fill(descriptor, buffer);
    isLast = next.length < buffer.length;
    yield { bytes: toUtf8(next), isLast };
  }
}

const newline = 0x0a;
const nothing = Buffer.alloc(0);

function* toBlocks(pieces: Iterable<Piece>, maxLineBytes: number): Generator<TextBlock> {
  let begun = nothing;
  let isSkipping = false;
  for (const piece of pieces) {
    const bytes: Buffer | undefined = isSkipping ? afterNewline(piece.bytes) : piece.bytes;
    isSkipping = bytes === undefined;
    if (bytes === undefined) continue;
    const end = piece.isLast ? bytes.length : bytes.lastIndexOf(newline) + 1;
    if (end > 0 || piece.isLast) yield { bytes: joined(begun, bytes.subarray(0, end)), isCut: false, isLast: piece.isLast };
    // A copy: the buffer is read into again.
    begun = Buffer.concat([end > 0 ? nothing : begun, bytes.subarray(end)]);
    if (begun.length <= maxLineBytes) continue;
    yield { bytes: begun.subarray(0, maxLineBytes), isCut: true, isLast: false };
    begun = nothing;
    isSkipping = true;
  }
}

function afterNewline(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf(newline);
  return end === -1 ? undefined : bytes.subarray(end + 1);
}

function joined(first: Buffer, second: Buffer): Buffer {
  if (first.length === 0) return second;
  return second.length === 0 ? first : Buffer.concat([first, second]);
}
