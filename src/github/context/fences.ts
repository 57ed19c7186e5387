// Owns where a fenced block stands and ends, in lists and quotes too; what cannot be told is said, and then nothing is taken for code.

/** How the lines of a fenced block are known: by the quote signs before them, and by how far they and its closing line are indented. */
export interface FencePlace {
  readonly quotes: number;
  readonly least: number;
  readonly most: number;
}

/** Where code ends. `isCertain` false: behind it nothing can be told for code any more. */
export interface FenceEnd {
  readonly end: number;
  readonly isCertain: boolean;
}

/** More than this stands before no fence of anybody's. */
const maxPrefix = 40;
/** So many lines above a fence are looked at for the list item that it belongs to. */
const maxLinesAbove = 40;
/** Longer than any sign of a list with its indentation. */
const maxLineStart = 100;

const quotes = /^(?: {0,3}> ?)*/;
const listSigns = /^ {0,3}(?:(?:[-+*]|(\d{1,9})[.)]) {1,4})+$/;

/** null: the run at `start` begins no fence. `unsure`: it may, by the lines above it. Tabs are never sure. */
export function placeFence(text: string, start: number, marker: string): FencePlace | 'unsure' | null {
  if (marker.length < 3) return null;
  const before = text.slice(Math.max(0, start - maxPrefix), start);
  const prefix = before.slice(before.lastIndexOf('\n') + 1);
  const lineStart = start - prefix.length;
  if (prefix.length >= maxPrefix || !/^[ \t>*+\-0-9.)]*$/.test(prefix)) return null;
  // A backtick fence has no backtick in its first line; otherwise it is inline code.
  if (marker.startsWith('`') && firstOf(text, /[`\n]/g, start + marker.length) === '`') return null;
  const signs = quotes.exec(prefix)?.[0] ?? '';
  const rest = prefix.slice(signs.length);
  const depth = countQuotes(signs);
  if (/^ *$/.test(rest)) return depth === 0 ? placeInText(text, lineStart, rest.length) : placeInQuote(depth, rest.length);
  const list = listSigns.exec(rest);
  if (list === null || !mayBeginItem(text, lineStart, list[1])) return 'unsure';
  return { quotes: depth, least: rest.length, most: rest.length + 3 };
}

function firstOf(text: string, pattern: RegExp, from: number): string | undefined {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0];
}

function countQuotes(signs: string): number {
  return signs.split('>').length - 1;
}

/** The sign before it may be one of a list within the quote, that began above: then its indentation says nothing. */
function placeInQuote(depth: number, indent: number): FencePlace | 'unsure' {
  return indent === 0 ? { quotes: depth, least: 0, most: 3 } : 'unsure';
}

/** A number other than 1 does not interrupt a paragraph. */
function mayBeginItem(text: string, lineStart: number, number: string | undefined): boolean {
  if (number === undefined || number === '1' || lineStart === 0) return true;
  const above = text.slice(text.lastIndexOf('\n', lineStart - 2) + 1, lineStart - 1);
  return above.trim() === '' || /^ {0,3}(?:[-+*]|\d{1,9}[.)]) /.test(above);
}

const top: FencePlace = { quotes: 0, least: 0, most: 3 };

/** At the margin no list reaches. Else the nearest item above, whose content begins no further right than all lines since. */
function placeInText(text: string, lineStart: number, indent: number): FencePlace | 'unsure' {
  if (indent === 0) return top;
  let least = indent;
  let isBlankBelow = false;
  for (const line of linesAbove(text, lineStart)) {
    if (line === null) return 'unsure';
    const content = contentOfItem(line);
    if (content <= least) return indent <= content + 3 ? { quotes: 0, least: content, most: content + 3 } : 'unsure';
    const isBlank = line.trim() === '';
    // What stands at the margin above a blank line ended every list.
    if (isBlankBelow && /^[^\s\d*+-]/.test(line)) break;
    if (!isBlank) least = Math.min(least, indentOf(line));
    isBlankBelow = isBlank;
  }
  return indent <= 3 ? top : 'unsure';
}

/** The beginnings of the lines above, upwards; null where it gets too many. */
function* linesAbove(text: string, lineStart: number): Iterable<string | null> {
  let end = lineStart - 1;
  for (let count = 0; end >= 0; count += 1) {
    if (count === maxLinesAbove) yield null;
    const from = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    yield text.slice(from, Math.min(end, from + maxLineStart));
    end = from - 1;
  }
}

/** Where the content of the list item that a line begins stands; infinite where it begins none. */
function contentOfItem(line: string): number {
  return /^ *(?:[-+*]|\d{1,9}[.)]) {1,4}(?=\S)/.exec(line)?.[0].length ?? Number.POSITIVE_INFINITY;
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

/** From the end of the opening run. Never closed: to the end of the text, or to the line that leaves its list item or quote. */
export function endOfFence(text: string, from: number, marker: string, place: FencePlace): FenceEnd {
  const closing = new RegExp(`^${marker.charAt(0)}{${marker.length},}[ \\t]*$`);
  let at = text.indexOf('\n', from);
  while (at >= 0) {
    const next = text.indexOf('\n', at + 1);
    const line = text.slice(at + 1, next < 0 ? text.length : next);
    const inside = insideQuotes(line, place.quotes);
    if (inside === null) return { end: at, isCertain: false };
    const lead = indentOf(inside);
    if (lead < place.least && !/^[ \t]*$/.test(inside)) return { end: at, isCertain: false };
    if (lead <= place.most && closing.test(inside.slice(lead))) {
      return { end: at + 1 + line.length, isCertain: true };
    }
    at = next;
  }
  return { end: text.length, isCertain: true };
}

/** What stands behind so many quote signs; null where there are fewer. */
function insideQuotes(line: string, depth: number): string | null {
  if (depth === 0) return line;
  const signs = new RegExp(`^(?: {0,3}> ?){${depth}}`).exec(line);
  return signs === null ? null : line.slice(signs[0].length);
}
