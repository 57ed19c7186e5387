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
  const search = { content, needle, edges: edgesOf(edit, wholeLines), work: { left: maxWork } };
  for (const anchor of needle.anchors) {
    const places = findAround(search, anchor);
    if (places.length > 0) return places;
  }
  return [];
}

interface Search {
  readonly content: string;
  readonly needle: Needle;
  readonly edges: Edges;
  readonly work: Work;
}

function findAround({ content, needle, edges, work }: Search, anchor: Anchor): readonly Alignment[] {
  const places: Alignment[] = [];
  for (let at = content.indexOf(anchor.text); at !== -1; at = content.indexOf(anchor.text, at + 1)) {
    const start = walkBack(content, at, { codes: needle.codes, from: anchor.at, work });
    if (start === -1 || !isEdge(content, start, { ...edges.first, direction: -1 })) continue;
    const place = walkForward(content, start, { ...needle, work });
    if (place !== undefined && isEdge(content, place.at(-1)?.end ?? start, { ...edges.last, direction: 1 })) places.push(place);
    if (work.left < 0) throw new EditError('TOO_LARGE', 'the file repeats itself too much to find old_string in it. Use bash.');
  }
  return places;
}

/** What comparing may still cost, in characters. */
interface Work {
  left: number;
}

/** Where a match may begin, or end. */
interface Edge {
  /** Nothing else may stand on the line: the model gave it from its indentation on, or up to its end. */
  readonly isLine: boolean;
  /** It must not be within a word. Several lines say where they are even when the first begins there. */
  readonly isWord: boolean;
}

interface Edges {
  readonly first: Edge;
  readonly last: Edge;
}

function edgesOf({ old, isClosed }: LineEdit, wholeLines: boolean): Edges {
  const top = old.lines[0];
  const isFromStart = top !== undefined && (top.indent !== '' || top.blanksBefore > 0);
  const isWord = old.lines.length < 3;
  return {
    first: { isLine: wholeLines || isFromStart, isWord },
    last: { isLine: wholeLines || isClosed || old.blanksAfter > 0, isWord },
  };
}

/** old_string as it is compared: folded, each run of white space one blank, with the place of each line in it. */
interface Needle {
  readonly codes: readonly number[];
  readonly lines: readonly Span[];
  /** Pieces that no folding changes, to look for at full speed. A second one, since the file may have something unseen in the first. */
  readonly anchors: readonly Anchor[];
}

interface Anchor {
  readonly text: string;
  /** Where it begins in the needle's codes. */
  readonly at: number;
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
  return { codes, lines: spans, anchors: anchorsOf(String.fromCharCode(...codes.slice(0, maxAnchorSearch))) };
}

/** The longest word of so much text is rare enough. */
const maxAnchorSearch = 4000;

function anchorsOf(text: string): readonly Anchor[] {
  const words = [...text.matchAll(/[A-Za-z0-9_]+/g)];
  const pieces = words.length > 0 ? words : [...text.matchAll(/[^\s'"\u2026-]+/g)];
  return pieces
    .map((piece) => ({ text: piece[0], at: piece.index }))
    .sort((a, b) => b.text.length - a.text.length)
    .slice(0, 2);
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

interface Walk extends Pick<Needle, 'codes'> {
  readonly work: Work;
}

/** The offset where the needle begins when its code at `from` stands at `at`, or -1. */
function walkBack(content: string, at: number, { codes, from, work }: Walk & { readonly from: number }): number {
  let offset = at;
  for (let index = from - 1; index >= 0; index -= 1) {
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

function walkForward(
  content: string,
  start: number,
  { codes, lines, work }: Walk & Pick<Needle, 'lines'>,
): Alignment | undefined {
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

/** Whether a match may begin (direction -1) or end (1) there. */
function isEdge(content: string, offset: number, { direction, isLine, isWord }: Edge & { readonly direction: 1 | -1 }): boolean {
  if (isWord && isWordCode(content.charCodeAt(offset - 1)) && isWordCode(content.charCodeAt(offset))) return false;
  if (!isLine) return true;
  return direction === 1
    ? isBlank(content, offset, lineEnd(content, offset))
    : isBlank(content, lineStart(content, offset), offset);
}
