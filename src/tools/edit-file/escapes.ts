// Characters of the two strings that are written as entities or behind backslashes. Each undone once, in both alike. Pure.
import type { EditTexts } from './block.ts';

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const entity = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;

/** The five entities of XML and numbered ones, once; what old_string has plain was not encoded, and an entity of it in new_string is meant. */
export function withoutEntities(texts: EditTexts): EditTexts | undefined {
  const plain = texts.old.replace(entity, '');
  const isMeant = [...texts.new.matchAll(entity)].some(([found]) => plain.includes(decodeEntities(found)));
  return isMeant ? undefined : { old: decodeEntities(texts.old), new: decodeEntities(texts.new) };
}

function decodeEntities(text: string): string {
  return text.replace(entity, (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** All that JSON has. */
export const anyEscape = /\\(?:u[0-9a-fA-F]{4}|[nrtbf"'\\/`])/g;
export const quoteEscape = /\\["'`]/g;
export const codeEscape = /\\u[0-9a-fA-F]{4}/g;
const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/**
 * What JSON escapes, once; in new_string only what was escaped in old_string too, or it is not known which of the two it meant. A double
 * quote needs no such proof where all of them are escaped.
 */
export function withoutEscapes(texts: EditTexts, pattern: RegExp): EditTexts | undefined {
  const kinds = kindsOf(texts.old, pattern);
  const plain = (texts.old + texts.new).replace(pattern, '');
  const isKnown = (kind: string) => kinds.has(kind) || (kind === '"' && !plain.includes('"'));
  const isProven = [...kindsOf(texts.new, pattern)].every(isKnown) && (!kinds.has('n') || !texts.new.includes('\n'));
  return isProven ? { old: undoEscapes(texts.old, pattern), new: undoEscapes(texts.new, pattern) } : undefined;
}

function undoEscapes(text: string, pattern: RegExp): string {
  return text
    .replace(pattern, (sequence) => {
      const kind = kindOf(sequence);
      return kind === 'u' ? String.fromCharCode(Number.parseInt(sequence.slice(2), 16)) : (escaped[kind] ?? kind);
    })
    .replaceAll('\r\n', '\n');
}

function kindsOf(text: string, pattern: RegExp): ReadonlySet<string> {
  return new Set([...text.matchAll(pattern)].map(([sequence]) => kindOf(sequence)));
}

/** What follows the backslash: `n`, `u`, a quote. */
function kindOf(sequence: string): string {
  return sequence.charAt(1);
}
