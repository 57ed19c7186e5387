// Whether all of a script's text has been read: what is left between the words must be blanks, comments, operators and keywords, where bash takes
// them for these. A text that the parser passed over, or took for something else, shows here.
import type { Leaf } from './walk.ts';

/** What stood before. `blank` also stands for the beginning. */
type Before = 'blank' | 'operator' | 'keyword' | 'word' | 'redirect';

interface Place {
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

const blanks = /[ \t\n]/y;
const continuation = /\\\n/y;
const comment = /#[^\n]*/y;
const operator = /&&|\|\||;;&|;;|;&|\|&|[;&|()]/y;
/** With what ends a word behind it. */
const keyword =
  /(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|select|function|coproc|time|-p|--|\{|\}|!)(?=[ \t\n;&|()<>\\]|$)/y;

/** The first stretch that is not accounted for; undefined when all is. */
export function findUnread(place: Place, leaves: readonly Leaf[]): string | undefined {
  const sorted = leaves.toSorted((a, b) => a.pos - b.pos || a.end - b.end);
  const misplaced = findMisplaced(place, sorted);
  if (misplaced !== undefined) return misplaced;
  let at = place.start;
  let before: Before = 'blank';
  for (const leaf of sorted) {
    if (leaf.pos < at || leaf.end > place.end) return place.source.slice(leaf.pos, leaf.end);
    const gap = readGap({ source: place.source, start: at, end: leaf.pos }, before);
    if (gap === undefined || !mayStand(leaf, gap, place.source)) return place.source.slice(at, leaf.end);
    before = leaf.kind === 'document' ? 'blank' : leaf.kind === 'word' ? 'word' : 'redirect';
    at = leaf.end;
  }
  return readGap({ source: place.source, start: at, end: place.end }, before) === undefined
    ? place.source.slice(at, place.end)
    : undefined;
}

/** What stands at the end of a gap; undefined when there is something in it that bash would read. */
function readGap({ source, start, end }: Place, first: Before): Before | undefined {
  let before = first;
  for (let at = start; at < end; ) {
    const found = readToken(source, at, before);
    if (found === undefined || found.end > end) return undefined;
    at = found.end;
    before = found.kind;
  }
  return before;
}

function readToken(source: string, at: number, before: Before): { end: number; kind: Before } | undefined {
  const isFree = before === 'blank' || before === 'operator';
  const take = (token: RegExp, kind: Before): { end: number; kind: Before } | undefined => {
    token.lastIndex = at;
    return token.test(source) ? { end: token.lastIndex, kind } : undefined;
  };
  return (
    take(blanks, 'blank') ??
    // It is nothing at all: what stands on both sides of it is one.
    take(continuation, before) ??
    (isFree ? take(comment, 'blank') : undefined) ??
    take(operator, 'operator') ??
    (isFree ? take(keyword, 'keyword') : undefined)
  );
}

/** Whether bash would see the leaf begin there. */
function mayStand(leaf: Leaf, before: Before, source: string): boolean {
  switch (leaf.kind) {
    case 'document':
      return source[leaf.pos - 1] === '\n';
    case 'word':
    case 'numbered':
      return before === 'blank' || before === 'operator';
    case 'redirect':
      // Digits right before it would be its descriptor.
      return (
        before !== 'keyword' &&
        !(before === 'word' && /(?:^|[\s;&|()<>])(?:\d+|\{\w+\})$/.test(source.slice(Math.max(0, leaf.pos - 64), leaf.pos)))
      );
  }
}

/** A here-document's text begins with the line after its redirect, or with the end of another one's that began there. */
function findMisplaced({ source, start, end }: Place, sorted: readonly Leaf[]): string | undefined {
  const documents = sorted.filter((leaf) => leaf.kind === 'document');
  if (documents.length === 0) return undefined;
  // How many ends of lines there are before each position; those in here-documents, and between two that follow each other, are no line's.
  const lines = new Uint32Array(end - start + 1);
  let count = 0;
  let next = 0;
  for (let at = start; at < end; at += 1) {
    const document = documents[next];
    const isPast = document !== undefined && at >= document.end;
    if (
      source[at] === '\n' &&
      !(document !== undefined && at >= document.pos && (!isPast || documents[next + 1]?.pos === at + 1))
    )
      count += 1;
    if (isPast) next += 1;
    lines[at - start + 1] = count;
  }
  const lineAt = (pos: number): number => lines[pos - start] ?? -1;
  const wrong = documents.find(({ from, pos, end: last }) => last > end || lineAt(pos) - lineAt(from) !== 1);
  return wrong === undefined ? undefined : source.slice(wrong.from, wrong.pos);
}
