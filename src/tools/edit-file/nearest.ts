// The place of the file that is most like old_string, for the error that the model reads. Decides nothing. Pure.
import type { BlockLine } from './block.ts';
import { keyOf, plainPieces } from './fold.ts';
import type { FileLine, Seed } from './seeds.ts';
import { FileLines, findSeeds } from './seeds.ts';
import { similarityOf } from './similarity.ts';

/** A line of old_string beside the one that stands in its place; undefined beyond the file's ends. */
export interface LinePair {
  readonly old: BlockLine;
  readonly file: FileLine | undefined;
  readonly isSame: boolean;
}

/** Of a line that is compared for lack of a better one. */
const minSimilarity = 0.5;
const maxCandidates = 50;
const maxWords = 3;

/** `lines` beside the place that has the most of them, or, where it has none, beside the line most like the longest of them. */
export function findNearest(content: string, lines: readonly BlockLine[]): readonly LinePair[] | undefined {
  const fileLines = new FileLines(content);
  const seeds = findSeeds({ content, lines, fileLines, minChars: 1 });
  const places = (seeds.length > 0 ? seeds : findAlike(content, lines, fileLines)).map((seed) =>
    pairAround(seed, lines, fileLines),
  );
  return places.reduce<readonly LinePair[] | undefined>(
    (best, place) => (best === undefined || worthOf(place) > worthOf(best) ? place : best),
    undefined,
  );
}

function worthOf(pairs: readonly LinePair[]): number {
  return pairs.reduce((sum, { old, isSame }) => sum + (isSame ? old.body.length : 0), 0);
}

function pairAround({ index, line }: Seed, lines: readonly BlockLine[], fileLines: FileLines): readonly LinePair[] {
  const found: (FileLine | undefined)[] = [];
  found[index] = line;
  for (let at = index + 1; at < lines.length; at += 1) found[at] = neighbour(found[at - 1], 1, fileLines);
  for (let at = index - 1; at >= 0; at -= 1) found[at] = neighbour(found[at + 1], -1, fileLines);
  return lines.map((old, at) => {
    const file = found[at];
    return { old, file, isSame: file?.key === keyOf(old.body) };
  });
}

function neighbour(line: FileLine | undefined, direction: 1 | -1, fileLines: FileLines): FileLine | undefined {
  return line === undefined ? undefined : fileLines.next(line, direction);
}

function findAlike(content: string, lines: readonly BlockLine[], fileLines: FileLines): readonly Seed[] {
  const index = lines.reduce((best, line, at) => (line.body.length > (lines[best]?.body.length ?? 0) ? at : best), 0);
  const body = lines[index]?.body ?? '';
  const key = keyOf(body);
  let best: { readonly line: FileLine; readonly similarity: number } | undefined;
  for (const { text: word } of plainPieces(body).slice(0, maxWords)) {
    let count = 0;
    for (let at = content.indexOf(word); at !== -1 && count < maxCandidates; at = content.indexOf(word, at + word.length)) {
      count += 1;
      const line = fileLines.at(at);
      const similarity = similarityOf(key, line.key);
      if (similarity >= minSimilarity && similarity > (best?.similarity ?? 0)) best = { line, similarity };
    }
  }
  return best === undefined ? [] : [{ index, line: best.line }];
}
