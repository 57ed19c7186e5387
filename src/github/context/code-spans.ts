// Owns where code stands in a Markdown text, by a linear scan of its own: what a reader sees there he sees verbatim. In doubt it is no code.
import { endOfFence, placeFence } from './fences.ts';
import { endOfComment } from './html-comments.ts';

export interface CodeSpan {
  readonly start: number;
  readonly end: number;
}

/** What a mark in the text comes to: the scan goes on at `next`, and ends where that is null. */
interface Found {
  readonly span: CodeSpan | null;
  readonly next: number | null;
}

/**
 * Fenced blocks and inline code, in order. What begins within an HTML comment is no code. Where the scan cannot tell what a reader sees
 * as code (tables, raw HTML, a fence that its list item ends), it ends: what is behind is read as text, which hides less than it shows.
 */
export function findCode(text: string): readonly CodeSpan[] {
  const spans: CodeSpan[] = [];
  const inline = new InlineCode(text);
  const token = /<!--|<(?=[A-Za-z/?])|`+|~{3,}/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const { span, next } = read(text, match.index, match[0], inline);
    if (span !== null) spans.push(span);
    if (next === null) return spans;
    token.lastIndex = next;
  }
  return spans;
}

function read(text: string, start: number, mark: string, inline: InlineCode): Found {
  const after = start + mark.length;
  if (mark === '<!--') return skipTo(endOfComment(text, after));
  if (mark === '<') return skipTo(inline.endOfTag(after));
  if (inline.isInHtml(start)) return lost;
  const place = placeFence(text, start, mark);
  if (place === 'unsure') return lost;
  if (place !== null) {
    const { end, isCertain } = endOfFence(text, after, mark, place);
    return { span: { start, end }, next: isCertain ? end : null };
  }
  if (mark.startsWith('~')) return skipTo(after);
  // Behind a backslash the first one is a character.
  const escaped = isEscaped(text, start) ? 1 : 0;
  if (escaped === mark.length) return skipTo(after);
  const end = inline.endOfCode(after, mark.length - escaped);
  if (end === 'none') return skipTo(after);
  return end === 'unsure' ? lost : { span: { start: start + escaped, end }, next: end };
}

const lost: Found = { span: null, next: null };

function skipTo(next: number): Found {
  return { span: null, next: next < 0 ? null : next };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/** Begins a block of another kind, which a paragraph and so its inline code does not outlive. */
const newBlock = /\n[ \t]*(?:[-+*#>=<~|`]|\d{1,9}[.)])/;

/** What is asked again and again of one text, read once. */
class InlineCode {
  readonly #text: string;
  #byLength: Map<number, number[]> | undefined;
  #tables: Blocks | undefined;
  #html: Blocks | undefined;
  #nextMark = { from: -1, at: -1 };

  constructor(text: string) {
    this.#text = text;
  }

  /** The end of the code that a run of `length` opened before `from`. A blank line ends the paragraph and closes nothing. */
  endOfCode(from: number, length: number): number | 'none' | 'unsure' {
    const starts = this.#runs().get(length) ?? [];
    while ((starts.at(-1) ?? from) < from) starts.pop();
    const start = starts.at(-1);
    if (start === undefined) return 'none';
    const code = this.#text.slice(from, start);
    if (/\n[ \t>]*\n/.test(code)) return 'none';
    if (newBlock.test(code)) return 'unsure';
    // A table is split into cells before anything else is read.
    this.#tables ??= findTables(this.#text);
    return this.#tables.meet(from, start) && /[|\n]/.test(code) ? 'unsure' : start + length;
  }

  /** Behind the tag whose name begins at `from`, or -1 when a mark of code stands where its end is not sure. */
  endOfTag(from: number): number {
    if (this.#nextMark.from < 0 || from > this.#nextMark.at) {
      const mark = /[`~>]/g;
      mark.lastIndex = from;
      this.#nextMark = { from, at: mark.exec(this.#text)?.index ?? this.#text.length };
    }
    const { at } = this.#nextMark;
    if (this.#text[at] !== '>') return -1;
    const quotes = this.#text.slice(from, at).match(/["']/g)?.length ?? 0;
    return quotes % 2 === 1 ? -1 : at + 1;
  }

  /** Within a block of raw HTML, where Markdown is not read. */
  isInHtml(at: number): boolean {
    this.#html ??= findHtml(this.#text);
    return this.#html.meet(at, at + 1);
  }

  /** Last run first, so that what is passed is popped off. */
  #runs(): Map<number, number[]> {
    if (this.#byLength !== undefined) return this.#byLength;
    this.#byLength = new Map();
    for (const match of this.#text.matchAll(/`+/g)) {
      const length = match[0].length;
      const starts = this.#byLength.get(length) ?? [];
      starts.push(match.index);
      this.#byLength.set(length, starts);
    }
    for (const starts of this.#byLength.values()) starts.reverse();
    return this.#byLength;
  }
}

/** From the line above one that consists of dashes, colons and bars, to the next blank one. */
function findTables(text: string): Blocks {
  return findBlocks(text, (line, above) => (/^[ \t>|:-]+$/.test(line) && /-/.test(line) && /[|:]/.test(line) ? above : null));
}

/** From a line that begins with a tag to the next blank one. */
function findHtml(text: string): Blocks {
  return findBlocks(text, (line, _above, start) => (/^[ \t>]*<\/?[A-Za-z?][A-Za-z0-9-]*(?:[\s/>]|$)/.test(line) ? start : null));
}

/** `begin`: where a block starts that this line shows, or null. */
function findBlocks(text: string, begin: (line: string, above: number, start: number) => number | null): Blocks {
  const blocks: CodeSpan[] = [];
  let open: number | null = null;
  let above = 0;
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    if (open !== null && /^[ \t>]*$/.test(line)) {
      blocks.push({ start: open, end: start });
      open = null;
    }
    open ??= begin(line, above, start);
    above = start;
    start = end + 1;
  }
  if (open !== null) blocks.push({ start: open, end: text.length });
  return new Blocks(blocks);
}

/** Parts of a text in order, asked about from its beginning to its end. */
class Blocks {
  readonly #blocks: readonly CodeSpan[];
  #passed = 0;

  constructor(blocks: readonly CodeSpan[]) {
    this.#blocks = blocks;
  }

  /** Whether one of them reaches into the part; what ends before it is never asked about again. */
  meet(from: number, to: number): boolean {
    while ((this.#blocks[this.#passed]?.end ?? from + 1) <= from) this.#passed += 1;
    return (this.#blocks[this.#passed]?.start ?? to) < to;
  }
}
