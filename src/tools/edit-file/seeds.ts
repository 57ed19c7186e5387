// Lines of old_string that the file has, with where: from them a place is told that is nearly, but not quite, old_string. Pure.
import type { BlockLine } from './block.ts';
import { isBlank, lineEnd, lineStart } from './file-lines.ts';
import { keyOf, plainPieces } from './fold.ts';
import { differInQuotesOnly } from './slips.ts';

/** So many of the longest lines: at least one of them is copied right, or the text is another one. */
const maxSeedLines = 4;
/** Each costs a look through the whole file. */
const maxTried = 10;
/** A word that is there more often leads nowhere; then the next longest is tried. */
const maxOccurrences = 400;
const maxWords = 4;

/** Minified code is one line of megabytes; nobody quotes it with a slip. */
const maxLineChars = 10_000;

/** A line of the file that says something; `key` as in fold. */
export interface FileLine {
  readonly start: number;
  readonly end: number;
  readonly key: string;
}

/** The old line at `index` stands there, in whatever style of quotes. */
export interface Seed {
  readonly index: number;
  readonly line: FileLine;
}

/** Reads lines of the file, each once. */
export class FileLines {
  readonly #content: string;
  readonly #known = new Map<number, FileLine>();

  constructor(content: string) {
    this.#content = content;
  }

  /** The line of `offset`. */
  at(offset: number): FileLine {
    const start = lineStart(this.#content, offset);
    const known = this.#known.get(start);
    if (known !== undefined) return known;
    const end = lineEnd(this.#content, start);
    const key = end - start > maxLineChars ? '' : keyOf(this.#content.slice(start, end));
    const line = { start, end, key };
    this.#known.set(start, line);
    return line;
  }

  /** The next line that is not blank, downwards or upwards. */
  next({ start, end }: FileLine, direction: 1 | -1): FileLine | undefined {
    let [from, to] = [start, end];
    for (;;) {
      if (direction === 1) {
        from = this.#content.indexOf('\n', to) + 1;
        if (from === 0 || from === this.#content.length) return undefined;
      } else {
        if (from === 0) return undefined;
        from = lineStart(this.#content, from - 1);
      }
      to = lineEnd(this.#content, from);
      if (!isBlank(this.#content, from, to)) return this.at(from);
    }
  }
}

interface SeedSearch {
  readonly content: string;
  readonly lines: readonly BlockLine[];
  readonly fileLines: FileLines;
  /** Shorter lines are no seeds. */
  readonly minChars: number;
}

/** All places of the longest of `lines`; lines that the file has not, or too often, give none. */
export function findSeeds({ content, lines, fileLines, minChars }: SeedSearch): readonly Seed[] {
  const longest = lines
    .map(({ body }, index) => ({ key: keyOf(body), index }))
    .filter(({ key }) => key.length >= minChars)
    .sort((a, b) => b.key.length - a.key.length);
  const seeds: Seed[] = [];
  let found = 0;
  for (const { key, index } of longest.slice(0, maxTried)) {
    const places = linesWith(content, key, fileLines);
    seeds.push(...places.map((line) => ({ index, line })));
    if (places.length > 0) found += 1;
    if (found === maxSeedLines) break;
  }
  return seeds;
}

function linesWith(content: string, key: string, fileLines: FileLines): readonly FileLine[] {
  for (const { text: word } of plainPieces(key).slice(0, maxWords)) {
    const lines = linesWithWord(content, word, fileLines);
    if (lines !== undefined) return lines.filter((line) => line.key === key || differInQuotesOnly(line.key, key));
  }
  return [];
}

/** The lines that have the word, each once, or undefined when it is there too often. */
function linesWithWord(content: string, word: string, fileLines: FileLines): readonly FileLine[] | undefined {
  const lines = new Set<FileLine>();
  for (let at = content.indexOf(word), count = 0; at !== -1; at = content.indexOf(word, at + word.length), count += 1) {
    if (count === maxOccurrences) return undefined;
    lines.add(fileLines.at(at));
  }
  return [...lines];
}
