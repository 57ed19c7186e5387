// The places where old_string stands but for white space and typography. Safe because no letter, digit or sign may differ: whoever wrote
// old_string meant such a text, and only its copy is not exact. It says every such place and never chooses one. Pure.
import type { Block, LineEdit } from './block.ts';
import { EditError } from './edit-error.ts';
import { isBlank, lineEnd, lineStart } from './file-lines.ts';
import { ellipsisCode, foldCode, isWordCode, nothingCode, spaceCode } from './fold.ts';

/** Where the body of a line of old_string stands in the file. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** For each line of old_string its span, ascending and without overlap. What lies between them is not part of the match. */
export type Alignment = readonly Span[];

/** Of compared characters; only a text that repeats itself for megabytes needs more (F4). */
const maxWork = 50_000_000;

/** All places of `edit.old`, in order. `wholeLines`: only such that begin and end where lines do. */
export function findLoosely(
  content: string,
  edit: LineEdit,
  { wholeLines }: { readonly wholeLines: boolean },
): readonly Alignment[] {
  const needle = toNeedle(edit.old);
  if (needle === undefined) return [];
  const { first, last } = edges(edit, wholeLines);
  // Several lines say where they are even when the first begins within a word.
  const isWord = edit.old.lines.length < 3;
  const places: Alignment[] = [];
  const work = { left: maxWork };
  for (let at = content.indexOf(needle.anchor); at !== -1; at = content.indexOf(needle.anchor, at + 1)) {
    const start = walkBack(content, at, needle, work);
    if (start === -1 || !isEdge(content, start, { direction: -1, isLine: first, isWord })) continue;
    const place = walkForward(content, start, needle, work);
    if (place !== undefined && isEdge(content, place.at(-1)?.end ?? start, { direction: 1, isLine: last, isWord }))
      places.push(place);
    if (work.left < 0) throw new EditError('TOO_LARGE', 'the file repeats itself too much to find old_string in it. Use bash.');
  }
  return places;
}

/** What comparing may still cost, in characters. */
interface Work {
  left: number;
}

/** Whether the match must begin and end where a line does: where the model gave the line from its indentation on, or up to its end. */
function edges({ old, isClosed }: LineEdit, wholeLines: boolean): { first: boolean; last: boolean } {
  const top = old.lines[0];
  const isFromStart = top !== undefined && (top.indent !== '' || top.blanksBefore > 0);
  return { first: wholeLines || isFromStart, last: wholeLines || isClosed || old.blanksAfter > 0 };
}

/** old_string as it is compared: folded, each run of white space one blank, with the place of each line in it. */
interface Needle {
  readonly codes: readonly number[];
  readonly lines: readonly Span[];
  /** A piece that no folding changes, to look for at full speed; where it begins in `codes`. */
  readonly anchor: string;
  readonly anchorAt: number;
}

function toNeedle({ lines }: Block): Needle | undefined {
  const codes: number[] = [];
  const spans: Span[] = [];
  for (const { body } of lines) {
    if (spans.length > 0) codes.push(spaceCode);
    const start = codes.length;
    foldInto(codes, body.replaceAll('...', '\u2026'));
    if (codes.length === start) return undefined;
    spans.push({ start, end: codes.length });
  }
  const text = String.fromCharCode(...codes.slice(0, maxAnchorSearch));
  const anchor = longest(text, /[A-Za-z0-9_]+/g) ?? longest(text, /[^\s'"\u2026-]+/g);
  return anchor === undefined ? undefined : { codes, lines: spans, anchor: anchor[0], anchorAt: anchor.index };
}

/** The longest word of so much text is rare enough. */
const maxAnchorSearch = 4000;

function longest(text: string, pattern: RegExp): RegExpExecArray | undefined {
  return [...text.matchAll(pattern)].reduce<RegExpExecArray | undefined>(
    (best, found) => (best === undefined || found[0].length > best[0].length ? found : best),
    undefined,
  );
}

function foldInto(codes: number[], body: string): void {
  let isSpacePending = false;
  const start = codes.length;
  for (let at = 0; at < body.length; at += 1) {
    const code = foldCode(body.charCodeAt(at));
    if (code === nothingCode) continue;
    if (code === spaceCode) isSpacePending = codes.length > start;
    else {
      if (isSpacePending) codes.push(spaceCode);
      codes.push(code);
      isSpacePending = false;
    }
  }
}

/** The offset where the needle begins when its anchor stands at `at`, or -1. */
function walkBack(content: string, at: number, { codes, anchorAt }: Needle, work: Work): number {
  let offset = at;
  for (let index = anchorAt - 1; index >= 0; index -= 1) {
    work.left -= 1;
    const before = codes[index] === spaceCode ? skipSpace(content, offset, -1) : skipNothing(content, offset, -1);
    if (before === -1) return -1;
    if (codes[index] === spaceCode) offset = before;
    else if (foldCode(content.charCodeAt(before - 1)) === codes[index]) offset = before - 1;
    else if (codes[index] === ellipsisCode && content.startsWith('...', before - 3)) offset = before - 3;
    else return -1;
  }
  return offset;
}

function walkForward(content: string, start: number, { codes, lines }: Needle, work: Work): Alignment | undefined {
  const spans: Span[] = [];
  let offset = start;
  for (const line of lines) {
    if (line.start > 0) {
      offset = skipSpace(content, offset, 1);
      if (offset === -1) return undefined;
    }
    const from = skipNothing(content, offset, 1);
    offset = from;
    for (let index = line.start; index < line.end; index += 1) {
      work.left -= 1;
      offset = step(content, offset, codes[index]);
      if (offset === -1) return undefined;
    }
    spans.push({ start: from, end: offset });
  }
  return spans;
}

function step(content: string, offset: number, code: number | undefined): number {
  if (code === spaceCode) return skipSpace(content, offset, 1);
  const at = skipNothing(content, offset, 1);
  if (foldCode(content.charCodeAt(at)) === code) return at + 1;
  return code === ellipsisCode && content.startsWith('...', at) ? at + 3 : -1;
}

/** Past at least one white space, or -1. Going back, an offset is the end of what is still to be looked at. */
function skipSpace(content: string, offset: number, direction: 1 | -1): number {
  let at = offset;
  let isSeen = false;
  for (;;) {
    const code = foldCode(content.charCodeAt(direction === 1 ? at : at - 1));
    if (code !== spaceCode && code !== nothingCode) return isSeen ? at : -1;
    isSeen ||= code === spaceCode;
    at += direction;
  }
}

function skipNothing(content: string, offset: number, direction: 1 | -1): number {
  let at = offset;
  while (foldCode(content.charCodeAt(direction === 1 ? at : at - 1)) === nothingCode) at += direction;
  return at;
}

interface Edge {
  readonly direction: 1 | -1;
  /** Nothing else may stand on the line. */
  readonly isLine: boolean;
  /** It must not be within a word. */
  readonly isWord: boolean;
}

/** Whether a match may begin or end there. */
function isEdge(content: string, offset: number, { direction, isLine, isWord }: Edge): boolean {
  if (isWord && isWordCode(content.charCodeAt(offset - 1)) && isWordCode(content.charCodeAt(offset))) return false;
  if (!isLine) return true;
  return direction === 1
    ? isBlank(content, offset, lineEnd(content, offset))
    : isBlank(content, lineStart(content, offset), offset);
}
