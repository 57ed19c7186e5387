// A text as letters and digits in one case, without what is put between or upon the characters of a secret to hide it, and the way back to
// the places in the original. Pure, linear.

export interface CompactText {
  readonly text: string;
  /** Where the character at `index` of the compact text stands in the original. */
  originalIndex(index: number): number;
}

/** NFKC of one letter is at most this long where it is of use here: ligatures, ½, ㎏. */
const maxExpansion = 4;

/** Drops all but letters and digits, undoes what Unicode calls a mere look (full-width, bold, circled), and folds the case of a to z. */
export function compactText(original: string): CompactText {
  const units = new Uint16Array(original.length * maxExpansionOf(original));
  const places = new Uint32Array(units.length);
  let length = 0;
  const put = (unit: number, index: number) => {
    if (unit === 0) return;
    units[length] = unit;
    places[length] = index;
    length += 1;
  };
  for (let index = 0; index < original.length; index += 1) {
    const point = original.codePointAt(index) ?? 0;
    if (point < 0x80) put(foldAscii(point), index);
    else for (const unit of seenIn(point)) put(unit, index);
    if (point > 0xffff) index += 1;
  }
  return { text: decodeUnits(units.subarray(0, length)), originalIndex: (index) => places[index] ?? original.length };
}

/** Most texts hold nothing that grows. */
function maxExpansionOf(text: string): number {
  return /[^\p{ASCII}]/u.test(text) ? maxExpansion : 1;
}

/** The letter in lower case, the digit, or 0. */
function foldAscii(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return unit;
  if (unit >= 0x30 && unit <= 0x39) return unit;
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : 0;
}

/** Blocks whose letters and digits are plain ones in another dress; everything else is passed over quickly. */
const styledBlocks: readonly (readonly [first: number, last: number])[] = [
  [0xaa, 0xbe],
  [0x2b0, 0x2e4],
  [0x1d2c, 0x1dbf],
  [0x2070, 0x209c],
  [0x2100, 0x214f],
  [0x2150, 0x217f],
  [0x2460, 0x24ff],
  [0x3250, 0x33ff],
  [0xfb00, 0xfb06],
  [0xff00, 0xff5e],
  [0x1ccd6, 0x1ccf9],
  [0x1d400, 0x1d7ff],
  [0x1f100, 0x1f169],
  [0x1fbf0, 0x1fbf9],
];

function isStyled(point: number): boolean {
  return point >= 0xaa && styledBlocks.some(([first, last]) => point >= first && point <= last);
}

/** The units that a character beyond ASCII stands for. */
function seenIn(point: number): readonly number[] {
  if (!isStyled(point)) return isDropped(point) ? [] : [point];
  const letters = String.fromCodePoint(point).normalize('NFKC').slice(0, maxExpansion);
  return Array.from(letters, (letter) => foldAscii(letter.charCodeAt(0)));
}

/** Blanks, punctuation, marks upon letters, invisible signs, half surrogate pairs, and all beyond the first plane. */
function isDropped(unit: number): boolean {
  return (
    unit > 0xffff ||
    unit <= 0xbf ||
    (unit >= 0x300 && unit <= 0x36f) ||
    unit === 0x61c ||
    unit === 0x115f ||
    unit === 0x1160 ||
    (unit >= 0x180b && unit <= 0x180f) ||
    (unit >= 0x1ab0 && unit <= 0x1aff) ||
    (unit >= 0x1dc0 && unit <= 0x1dff) ||
    (unit >= 0x2000 && unit <= 0x2bff) ||
    (unit >= 0x3000 && unit <= 0x303f) ||
    unit === 0x3164 ||
    (unit >= 0xd800 && unit <= 0xdfff) ||
    (unit >= 0xfe00 && unit <= 0xfe6f) ||
    unit >= 0xff5f
  );
}

/** Not by TextDecoder, which would replace half surrogate pairs. */
function decodeUnits(units: Uint16Array): string {
  return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
}
