// The lines of one file that match, with those around them, in bounded memory; all of them are counted, the first ones kept. Prints nothing.
import { closeSync, constants, openSync } from 'node:fs';
import { isOpenedAt } from '../open-file.ts';
import type { LinePattern } from './line-pattern.ts';
import type { Pace } from './pace.ts';
import { openText, type TextBlock } from './text-blocks.ts';

export interface FoundLine {
  /** From 1. */
  readonly number: number;
  /** A long one is cut around its match. */
  readonly text: string;
  /** False: it stands beside one that matches. */
  readonly isMatch: boolean;
}

export type FileAnswer =
  | { readonly kind: 'text'; readonly count: number; readonly lines: readonly FoundLine[]; readonly longLines: number }
  | { readonly kind: 'binary' }
  | { readonly kind: 'unreadable' };

export interface FileRequest {
  readonly pattern: LinePattern;
  /** Matching lines to keep. */
  readonly wanted: number;
  /** Lines to keep before and after each of them. */
  readonly around: number;
  readonly buffer: Buffer;
  readonly pace: Pace;
}

/** Searches the file at `real`, as far as the pace lets it. */
export async function searchFile(real: string, request: FileRequest): Promise<FileAnswer> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const blocks = openText(descriptor, request.buffer, request.pattern.maxLineChars);
    if (blocks === undefined) return { kind: 'binary' };
    const answer = await searchBlocks(blocks, request);
    // What is not said needs no guard: a path that was swapped for a link meanwhile is looked at when there is something to say (F1).
    return answer.count > 0 && !isOpenedAt(descriptor, real) ? { kind: 'unreadable' } : { kind: 'text', ...answer };
  } catch {
    // Not allowed, gone meanwhile, a link or a device by now.
    return { kind: 'unreadable' };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

async function searchBlocks(blocks: Iterable<TextBlock>, { pattern, wanted, around, pace }: FileRequest): Promise<Found> {
  const found = new FoundLines(pattern, wanted, around);
  for (const block of blocks) {
    if (pace.isDue()) await pace.rest();
    if (!found.needsEveryLine && !pattern.mayMatch(block.bytes)) {
      found.pass(block);
    } else {
      await searchLines(block, found, pace);
    }
    if (pace.isOver()) break;
  }
  return found;
}

async function searchLines(block: TextBlock, found: FoundLines, pace: Pace): Promise<void> {
  const text = block.bytes.toString('utf8');
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    found.add(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end), block.isCut && newline === -1);
    start = end + 1;
    if (!pace.isDue()) continue;
    await pace.rest();
    if (pace.isOver()) return;
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

interface Found {
  readonly count: number;
  readonly lines: readonly FoundLine[];
  readonly longLines: number;
}

class FoundLines implements Found {
  readonly #pattern: LinePattern;
  readonly #wanted: number;
  readonly #around: number;
  readonly #before: FoundLine[] = [];
  #number = 0;
  #left = 0;
  count = 0;
  longLines = 0;
  readonly lines: FoundLine[] = [];

  constructor(pattern: LinePattern, wanted: number, around: number) {
    this.#pattern = pattern;
    this.#wanted = wanted;
    this.#around = around;
  }

  /** Whether lines without a match matter, since they may stand beside one with. */
  get needsEveryLine(): boolean {
    return this.#around > 0 && (this.#left > 0 || this.count < this.#wanted);
  }

  /** Without a match in the block; how many lines it has matters only to those after it. */
  pass({ bytes, isCut, isLast }: TextBlock): void {
    if (!isLast) this.#number += countLines(bytes);
    if (!isCut) return;
    this.#number += 1;
    this.longLines += 1;
  }

  add(whole: string, isCut: boolean): void {
    this.#number += 1;
    const isLong = isCut || whole.length > this.#pattern.maxLineChars;
    const line = { text: isLong ? whole.slice(0, this.#pattern.maxLineChars) : whole, isLong };
    if (isLong) this.longLines += 1;
    const isMatch = this.#pattern.test(line.text);
    if (isMatch) this.count += 1;
    if (isMatch && this.count <= this.#wanted) this.#keepMatch(line);
    else if (this.#left > 0) this.#keepAfter(line);
    else if (this.#around > 0 && this.count < this.#wanted) this.#remember(line);
  }

  #keepMatch(line: SearchedLine): void {
    this.lines.push(...this.#before.splice(0), this.#found(line, true));
    this.#left = this.#around;
  }

  #keepAfter(line: SearchedLine): void {
    this.lines.push(this.#found(line, false));
    this.#left -= 1;
  }

  #remember(line: SearchedLine): void {
    this.#before.push(this.#found(line, false));
    if (this.#before.length > this.#around) this.#before.shift();
  }

  #found(line: SearchedLine, isMatch: boolean): FoundLine {
    const at = isMatch && line.text.length > maxShownChars ? this.#pattern.indexIn(line.text) : 0;
    return { number: this.#number, text: cutAround(line, at), isMatch };
  }
}

interface SearchedLine {
  readonly text: string;
  /** Only the beginning of a line. */
  readonly isLong: boolean;
}

/** Of a line. Minified code is one line of megabytes. */
const maxShownChars = 300;
/** What is before a match tells less than the match and what follows. */
const shownBefore = 80;

function cutAround({ text, isLong }: SearchedLine, at: number): string {
  if (text.length <= maxShownChars) return text;
  const start = Math.max(0, Math.min(at - shownBefore, text.length - maxShownChars));
  const end = start + maxShownChars;
  const shown = text.slice(start, end).toWellFormed();
  const total = `${isLong ? 'more than ' : ''}${text.length} characters`;
  return `${start > 0 ? '…' : ''}${shown}${isLong || end < text.length ? '…' : ''} [line cut: ${total}]`;
}
