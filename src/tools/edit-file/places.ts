// Where a text stands in another: offsets, counts, line numbers. Pure; offsets are UTF-16 code units, lines count from 1.

/** More do not help to tell them apart. */
const maxLinesNamed = 10;

/** A piece of a text, from and to. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Every offset at which `needle` stands in `text`, twice for `aa` in `aaa`: both could be meant. */
export function offsetsOf(text: string, needle: string): readonly number[] {
  const offsets: number[] = [];
  if (needle === '') return offsets;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) offsets.push(at);
  return offsets;
}

/** How often `needle` stands in `text`, without overlap. */
export function countOf(text: string, needle: string): number {
  if (needle === '') return 0;
  let count = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) count += 1;
  return count;
}

/** The line that `offset` lies on. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** `3, 17, 40 and 12 more`: the lines of the first offsets; each costs a look at `text` from its start. */
export function describeLines(text: string, offsets: readonly number[]): string {
  const lines = offsets.slice(0, maxLinesNamed).map((offset) => lineAt(text, offset));
  const more = offsets.length - lines.length;
  return more > 0 ? `${lines.join(', ')} and ${more} more` : lines.join(', ');
}

const maxQuotedChars = 200;

/** A line in quotes, its tabs as `\t`, cut when it is long. */
export function quoteLine(line: string): string {
  return JSON.stringify(line.length <= maxQuotedChars ? line : `${line.slice(0, maxQuotedChars)}…`);
}
