// Finds the forms of secrets, and long pieces of them, in linear time; knows nothing of what is done with the finds.
import { compactText } from './compact-text.ts';
import { formsOf, minFormLength } from './secret-forms.ts';
import { isTelling } from './telling.ts';

/** A half-open range of the text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds every place in a text that gives a secret away, in order, none touching another. */
export type FindSecrets = (text: string) => readonly Span[];

/** A piece of this many letters and digits is worth hiding (threats.md L8). */
const pieceLength = 12;
/** One bit for each hash; some thousands of pieces set about one in a hundred. */
const filterBits = 20;
const filterMask = (1 << filterBits) - 1;
const hashFactor = 31;

/** One form of a secret: as letters and digits, and as it is written. */
interface Form {
  readonly compact: string;
  /** What stands before the first and after the last letter or digit. */
  readonly head: string;
  readonly tail: string;
  readonly written: string;
}

interface Search {
  readonly pieces: ReadonlySet<string>;
  /** The forms that begin with a piece; the rest of them is compared. */
  readonly anchors: ReadonlyMap<string, readonly Form[]>;
  readonly filter: Uint8Array;
  /** Too short for a piece: looked for one by one, and as they are written, since their letters alone may be a word. */
  readonly short: readonly Form[];
  /** Hardly a letter in them: looked for as they are. */
  readonly signs: readonly string[];
}

/** Makes the search for these secrets; each must have at least `minFormLength` characters. */
export function createSecretFinder(secrets: readonly string[]): FindSecrets {
  const search = createSearch(secrets);
  return (text) => {
    if (secrets.length === 0 || text.length === 0) return [];
    const compact = compactText(text);
    const found = findPieces(compact.text, search);
    const whole = [
      ...found.whole,
      ...search.short.flatMap((form) => findAll(compact.text, form.compact).map((span) => ({ ...span, form }))),
    ];
    const toOriginal = ({ start, end }: Span): Span => ({
      start: compact.originalIndex(start),
      end: endOfCharacter(text, compact.originalIndex(end - 1)),
    });
    return merge([
      ...found.pieces.map(toOriginal),
      ...whole.flatMap((hit) => asWritten(text, toOriginal(hit), hit.form)),
      ...search.signs.flatMap((signs) => findAll(text, signs)),
    ]);
  };
}

/** Whether any piece of `text` is such that it is hidden wherever it stands: words alone have none. */
export function hasTellingPiece(text: string): boolean {
  return piecesOf(compactText(text).text).some(isTelling);
}

function createSearch(secrets: readonly string[]): Search {
  const forms = secrets.flatMap(formsOf).map(toForm);
  const long = forms.filter(({ compact }) => compact.length >= pieceLength);
  const pieces = new Set(
    secrets
      .flatMap(tellingParts)
      .flatMap(formsOf)
      .flatMap((form) => piecesOf(compactText(form).text))
      .filter(isTelling),
  );
  const anchors = Map.groupBy(long, ({ compact }) => compact.slice(0, pieceLength));
  return {
    pieces,
    anchors,
    filter: createFilter([...pieces, ...anchors.keys()]),
    short: forms.filter(({ compact }) => compact.length >= minFormLength && compact.length < pieceLength),
    signs: forms.filter(({ compact }) => compact.length < minFormLength).map(({ written }) => written),
  };
}

function toForm(written: string): Form {
  const head = /^[^\p{L}\p{N}]*/u.exec(written)?.[0] ?? '';
  const tail = /[^\p{L}\p{N}]*$/u.exec(written)?.[0] ?? '';
  return { written, compact: compactText(written).text, head, tail };
}

/** Frames of keys and the schemes of addresses stand in ordinary texts, too. */
function withoutFrame(secret: string): string {
  return secret.replace(/-----[A-Z0-9 ]+-----/g, '').replace(/\b[a-z][a-z0-9+.-]*:\/\//gi, '');
}

/** The parts without words: an encoded word stands in other texts as well. */
function tellingParts(secret: string): string[] {
  const body = withoutFrame(secret);
  const compact = compactText(body);
  const spans = piecesOf(compact.text).flatMap((piece, index) =>
    isTelling(piece) ? [{ start: compact.originalIndex(index), end: compact.originalIndex(index + pieceLength - 1) + 1 }] : [],
  );
  return merge(spans).map(({ start, end }) => body.slice(start, end));
}

function piecesOf(form: string): string[] {
  return Array.from({ length: Math.max(0, form.length - pieceLength + 1) }, (_, index) => form.slice(index, index + pieceLength));
}

function createFilter(pieces: readonly string[]): Uint8Array {
  const filter = new Uint8Array(1 << (filterBits - 3));
  for (const piece of pieces) {
    let hash = 0;
    for (let index = 0; index < pieceLength; index += 1) hash = (Math.imul(hash, hashFactor) + piece.charCodeAt(index)) | 0;
    const bit = hash & filterMask;
    filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return filter;
}

interface Found {
  readonly pieces: readonly Span[];
  readonly whole: readonly Hit[];
}

interface Hit extends Span {
  readonly form: Form;
}

function findPieces(text: string, { pieces, anchors, filter }: Search): Found {
  const spans: Span[] = [];
  const whole: Hit[] = [];
  for (const start of candidates(text, filter)) {
    const piece = text.slice(start, start + pieceLength);
    if (pieces.has(piece)) spans.push({ start, end: start + pieceLength });
    for (const form of anchors.get(piece) ?? []) {
      if (text.startsWith(form.compact, start)) whole.push({ start, end: start + form.compact.length, form });
    }
  }
  return { pieces: spans, whole };
}

/** Where a piece may begin: a rolling hash over the text, and only where the filter says yes is a piece cut out and looked up. */
function candidates(text: string, filter: Uint8Array): number[] {
  const starts: number[] = [];
  let outFactor = 1;
  for (let index = 0; index < pieceLength; index += 1) outFactor = Math.imul(outFactor, hashFactor);
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) {
    hash = (Math.imul(hash, hashFactor) + text.charCodeAt(index)) | 0;
    if (index >= pieceLength) hash = (hash - Math.imul(outFactor, text.charCodeAt(index - pieceLength))) | 0;
    const bit = hash & filterMask;
    const isSet = ((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
    if (isSet && index >= pieceLength - 1) starts.push(index - pieceLength + 1);
  }
  return starts;
}

/** The span with the signs that belong to the secret; a short form counts only in its own letters, with nothing but blanks between. */
function asWritten(text: string, { start, end }: Span, form: Form): Span[] {
  const from = form.head !== '' && text.endsWith(form.head, start) ? start - form.head.length : start;
  const to = text.startsWith(form.tail, end) ? end + form.tail.length : end;
  if (form.compact.length >= pieceLength) return [{ start: from, end: to }];
  const shown = text
    .slice(from, to)
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]/gu, '');
  return shown === form.written.normalize('NFKC') ? [{ start: from, end: to }] : [];
}

/** A letter beyond the first plane has two units. */
function endOfCharacter(text: string, index: number): number {
  return index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1);
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
