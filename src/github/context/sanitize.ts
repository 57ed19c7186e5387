// Owns the cleaning of texts from a thread: what a reader of the page would not see does not reach the model (B1–B4). Linear; no boundary.
import { findCode } from './code-spans.ts';
import { removeHtmlComments } from './html-comments.ts';
import { findImages } from './image-addresses.ts';
import { removeInvisible } from './invisible.ts';
import { decodeEntities, removeHiddenMarkup } from './markup.ts';

/** GitHub keeps no longer body; the cap comes before everything else, so that nothing below sees more. */
const maxTextLength = 65_536;

/** `notes`: in words, what was taken out. `images`: the addresses of what a reader sees as pictures, in the text's order. */
export interface Sanitized {
  readonly text: string;
  readonly notes: readonly string[];
  readonly images: readonly string[];
}

/** The cleaned text. Code stays as it is written, but for invisible characters. */
export function sanitize(text: string, maxLength = maxTextLength): Sanitized {
  const capped = text
    .slice(0, maxLength)
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\ue000\ue001]/g, '')
    .normalize('NFC');
  const masked = maskCode(capped);
  const first = removeHtmlComments(masked.text);
  const markup = removeHiddenMarkup(first.text);
  const seen = removeInvisible(decodeEntities(markup.text));
  // An entity or an invisible character may have kept an opener apart.
  const second = removeHtmlComments(seen.text);
  const code = masked.code.map((span) => removeInvisible(span));
  const invisibles = code.reduce((sum, span) => sum + span.count, seen.count);
  const comments = first.count + second.count;
  const notes = [
    ...(comments > 0 ? [`${comments} HTML ${comments === 1 ? 'comment' : 'comments'} removed`] : []),
    ...markup.dropped.map((what) => `${what} removed`),
    ...(invisibles > 0 ? [`${invisibles} invisible characters removed`] : []),
    ...(text.length > maxLength ? [`cut after ${maxLength} of ${text.length} characters`] : []),
  ];
  return {
    text: unmask(
      second.text,
      code.map((span) => span.text),
    ),
    notes,
    images: findImages(second.text),
  };
}

// Code stands in the text as its number between two private-use characters, which were taken out of the text before.
function maskCode(text: string): { readonly text: string; readonly code: readonly string[] } {
  const spans = findCode(text);
  let masked = '';
  let at = 0;
  for (const [index, span] of spans.entries()) {
    masked += `${text.slice(at, span.start)}\ue000${index}\ue001`;
    at = span.end;
  }
  return { text: masked + text.slice(at), code: spans.map((span) => text.slice(span.start, span.end)) };
}

function unmask(text: string, code: readonly string[]): string {
  return text.replaceAll(/\ue000(\d+)\ue001/g, (_all, index: string) => code[Number(index)] ?? '');
}
