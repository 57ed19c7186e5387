// What a search has found so far: the first matches to be shown, and the count of all. Prints nothing.
import type { FileAnswer, FoundLine } from './search-file.ts';

export interface FoundFile {
  /** Relative to the workspace. */
  readonly path: string;
  /** Lines that match. */
  readonly count: number;
  readonly lines: readonly FoundLine[];
}

export interface FindingsOptions {
  /** Matching lines, or files when only these are wanted. */
  readonly limit: number;
  readonly around: number;
  readonly isFilesOnly: boolean;
}

/** Collects answers of files in the order in which they come. */
export class Findings {
  readonly #limit: number;
  readonly around: number;
  readonly isFilesOnly: boolean;
  readonly files: FoundFile[] = [];
  /** Files that were looked at. */
  seen = 0;
  matchingLines = 0;
  matchingFiles = 0;
  shownLines = 0;
  binary = 0;
  unreadable = 0;
  longLines = 0;

  constructor({ limit, around, isFilesOnly }: FindingsOptions) {
    this.#limit = limit;
    this.around = around;
    this.isFilesOnly = isFilesOnly;
  }

  /** Of the next file. */
  get linesWanted(): number {
    return this.isFilesOnly ? 0 : this.#limit - this.shownLines;
  }

  add(path: string, answer: FileAnswer): void {
    if (answer.kind !== 'text') {
      this[answer.kind] += 1;
      return;
    }
    this.longLines += answer.longLines;
    if (answer.count === 0) return;
    this.matchingLines += answer.count;
    this.matchingFiles += 1;
    const isShown = this.isFilesOnly ? this.files.length < this.#limit : answer.lines.length > 0;
    if (!isShown) return;
    this.files.push({ path, count: answer.count, lines: answer.lines });
    this.shownLines += answer.lines.filter(({ isMatch }) => isMatch).length;
  }
}
