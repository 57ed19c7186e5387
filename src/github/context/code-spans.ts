// Owns where code stands in a Markdown text, by a linear scan of its own: what a reader sees there he sees verbatim.
import { endOfComment } from './html-comments.ts';

export interface CodeSpan {
  readonly start: number;
  readonly end: number;
}

/** Fenced blocks (never closed: to the end) and inline code, in order. What begins within an HTML comment is no code. */
export function findCode(text: string): readonly CodeSpan[] {
  const spans: CodeSpan[] = [];
  const closers = new InlineClosers(text);
  const token = /<!--|`+|~{3,}/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const start = match.index;
    if (match[0] === '<!--') {
      const end = endOfComment(text, token.lastIndex);
      if (end < 0) return spans;
      token.lastIndex = end;
      continue;
    }
    const end = isFence(text, start, match[0])
      ? endOfFence(text, token.lastIndex, match[0])
      : closers.after(token.lastIndex, match[0]);
    if (end < 0) continue;
    spans.push({ start, end });
    token.lastIndex = end;
  }
  return spans;
}

/** List, quote and indentation signs that may stand before a fence; more than 40 characters of them are no fence of anybody's. */
const maxPrefix = 40;

function isFence(text: string, start: number, marker: string): boolean {
  if (marker.length < 3) return false;
  const before = text.slice(Math.max(0, start - maxPrefix), start);
  const prefix = before.slice(before.lastIndexOf('\n') + 1);
  if (prefix.length >= maxPrefix || !/^[ \t>*+\-0-9.)]*$/.test(prefix)) return false;
  if (marker.startsWith('~')) return true;
  // A backtick fence has no backtick in its first line; otherwise it is inline code.
  const next = /[`\n]/g;
  next.lastIndex = start + marker.length;
  return next.exec(text)?.[0] !== '`';
}

function endOfFence(text: string, from: number, marker: string): number {
  const closing = new RegExp(`\\n[ \\t>]{0,${maxPrefix}}${marker.charAt(0)}{${marker.length},}[ \\t]*(?=\\n|$)`, 'g');
  closing.lastIndex = from;
  return closing.exec(text) ? closing.lastIndex : text.length;
}

/** The runs of backticks by length, read once, so that looking for a closing one never scans the text again. */
class InlineClosers {
  readonly #text: string;
  #byLength: Map<number, number[]> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The end of the code that a run opened before `from`, or -1; a blank line ends the paragraph and closes nothing. */
  after(from: number, marker: string): number {
    if (marker.startsWith('~')) return -1;
    const starts = this.#runs().get(marker.length) ?? [];
    while ((starts.at(-1) ?? from) < from) starts.pop();
    const start = starts.at(-1);
    if (start === undefined || /\n[ \t]*\n/.test(this.#text.slice(from, start))) return -1;
    return start + marker.length;
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
