// Finds the forms of secrets, and long pieces of them, in linear time; knows nothing of what is done with the finds.
import { compactText } from './compact-text.ts';
import { formsOf } from './secret-forms.ts';

/** A half-open range of the text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds every place in a text that gives a secret away, in order, none touching another. */
export type FindSecrets = (text: string) => readonly Span[];

/** A piece of this many characters is worth hiding: half a token, or one without its first characters. */
const pieceLength = 16;
/** One bit for each hash; some thousands of pieces set about one in a hundred. */
const filterBits = 20;
const filterMask = (1 << filterBits) - 1;
const hashFactor = 31;

/** Makes the search for these secrets; each must have at least `minFormLength` characters. */
export function createSecretFinder(secrets: readonly string[]): FindSecrets {
  const forms = [...new Set(secrets.flatMap(formsOf))];
  const pieces = new Set(forms.flatMap(piecesOf).filter(isTelling));
  // A form that its pieces cover to the last character needs no search of its own.
  const whole = forms.filter((form) => form.length < pieceLength || !piecesOf(form).every(isTelling));
  const filter = createFilter(pieces);
  return (text) => {
    if (forms.length === 0 || text.length < 1) return [];
    const compact = compactText(text);
    const found = [...findPieces(compact.text, pieces, filter), ...whole.flatMap((form) => findAll(compact.text, form))];
    const spans = found.map(({ start, end }) => ({
      start: compact.originalIndex(start),
      end: compact.originalIndex(end - 1) + 1,
    }));
    return merge(spans);
  };
}

function piecesOf(form: string): string[] {
  return Array.from({ length: Math.max(0, form.length - pieceLength + 1) }, (_, index) => form.slice(index, index + pieceLength));
}

/** Words, addresses and the frames of keys stand in ordinary texts, too. */
function isTelling(piece: string): boolean {
  return /[0-9]/.test(piece) && /[a-z]/i.test(piece) && !piece.includes('://') && !piece.includes('-----');
}

function createFilter(pieces: ReadonlySet<string>): Uint8Array {
  const filter = new Uint8Array(1 << (filterBits - 3));
  for (const piece of pieces) {
    let hash = 0;
    for (let index = 0; index < pieceLength; index += 1) hash = (Math.imul(hash, hashFactor) + piece.charCodeAt(index)) | 0;
    const bit = hash & filterMask;
    filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return filter;
}

/** A rolling hash over the text; only where the filter says yes is a piece cut out and looked up. */
function findPieces(text: string, pieces: ReadonlySet<string>, filter: Uint8Array): Span[] {
  const spans: Span[] = [];
  if (pieces.size === 0) return spans;
  let outFactor = 1;
  for (let index = 0; index < pieceLength; index += 1) outFactor = Math.imul(outFactor, hashFactor);
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) {
    hash = (Math.imul(hash, hashFactor) + text.charCodeAt(index)) | 0;
    if (index >= pieceLength) hash = (hash - Math.imul(outFactor, text.charCodeAt(index - pieceLength))) | 0;
    const bit = hash & filterMask;
    if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0 || index < pieceLength - 1) continue;
    const start = index - pieceLength + 1;
    if (pieces.has(text.slice(start, index + 1))) spans.push({ start, end: index + 1 });
  }
  return spans;
}

function findAll(text: string, form: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + form.length)) {
    spans.push({ start, end: start + form.length });
  }
  return spans;
}

/** Overlapping and adjoining spans become one. */
export function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start > last.end) merged.push(span);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}
