// The places where old_string stands but for white space and typography. Safe because no letter, digit or sign may differ: whoever wrote
// old_string meant such a text, and only its copy is not exact. It says every such place and never chooses one. Pure.
import type { Block, LineEdit } from './block.ts';
import { EditError } from './edit-error.ts';
import { isBlank, lineEnd, lineStart } from './file-lines.ts';
import type { Piece } from './fold.ts';
import { ellipsisCode, foldCode, isWordCode, keyOf, nothingCode, plainPieces, spaceCode } from './fold.ts';
import type { Span } from './places.ts';

/** For each line of old_string the span of its body in the file, ascending and without overlap. What lies between them is not part of the match. */
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

function findAround({ content, needle, edges, work }: Search, anchor: Piece): readonly Alignment[] {
  const places: Alignment[] = [];
  for (let at = content.indexOf(anchor.text); at !== -1; at = content.indexOf(anchor.text, at + 1)) {
    const start = walkBack(content, at, { key: needle.key, from: anchor.at, work });
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

/** old_string as it is compared: the keys (see fold) of its lines with a blank between them, and the place of each line in it. */
interface Needle {
  readonly key: string;
  readonly lines: readonly Span[];
  /** To look for at full speed. A second one, since the file may have something unseen in the first. */
  readonly anchors: readonly Piece[];
}

const dotCode = 46;
/** The longest word of so much text is rare enough. */
const maxAnchorSearch = 4000;

function toNeedle({ lines }: Block): Needle | undefined {
  const keys = lines.map(({ body }) => keyOf(body));
  if (keys.includes('')) return undefined;
  const key = keys.join(' ');
  let start = 0;
  const spans = keys.map(({ length }) => {
    const span = { start, end: start + length };
    start = span.end + 1;
    return span;
  });
  return { key, lines: spans, anchors: plainPieces(key.slice(0, maxAnchorSearch)).slice(0, 2) };
}

interface Walk extends Pick<Needle, 'key'> {
  readonly work: Work;
}

/** The offset where the needle begins when its character at `from` stands at `at`, or -1. */
function walkBack(content: string, at: number, { key, from, work }: Walk & { readonly from: number }): number {
  let offset = at;
  for (let index = from - 1; index >= 0 && offset !== -1; index -= 1) {
    work.left -= 1;
    offset = stepBack(content, offset, key.charCodeAt(index));
  }
  return offset;
}

function stepBack(content: string, offset: number, code: number): number {
  if (code === spaceCode) return skipSpace(content, offset, -1);
  const at = skipNothing(content, offset, -1);
  if (foldCode(content.charCodeAt(at - 1)) === code) return at - 1;
  return code === ellipsisCode && isThreeDots(content, at - 3) ? at - 3 : -1;
}

function walkForward(content: string, start: number, { key, lines, work }: Walk & Pick<Needle, 'lines'>): Alignment | undefined {
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
      offset = step(content, offset, key.charCodeAt(index));
      if (offset === -1) return undefined;
    }
    spans.push({ start: from, end: offset });
  }
  return spans;
}

function step(content: string, offset: number, code: number): number {
  if (code === spaceCode) return skipSpace(content, offset, 1);
  const at = skipNothing(content, offset, 1);
  if (foldCode(content.charCodeAt(at)) === code) return at + 1;
  return code === ellipsisCode && isThreeDots(content, at) ? at + 3 : -1;
}

/** Of whatever width, as they are in a key. */
function isThreeDots(content: string, offset: number): boolean {
  return [0, 1, 2].every((distance) => foldCode(content.charCodeAt(offset + distance)) === dotCode);
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
