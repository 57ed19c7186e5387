// A text without what is put between the characters of a secret to hide it, and the way back to the places in the original. Pure, linear.

export interface CompactText {
  readonly text: string;
  /** Where the character at `index` of the compact text stands in the original. */
  originalIndex(index: number): number;
}

const fullWidthFirst = 0xff01;
const fullWidthLast = 0xff5e;
const fullWidthShift = 0xfee0;

/** Drops blanks and invisible characters, and makes full-width letters plain. */
export function compactText(original: string): CompactText {
  const units = new Uint16Array(original.length);
  const places = new Uint32Array(original.length);
  let length = 0;
  for (let index = 0; index < original.length; index += 1) {
    const unit = original.charCodeAt(index);
    if (unit < 0x80 ? unit <= 0x20 || unit === 0x7f : isDropped(unit)) continue;
    units[length] = unit >= fullWidthFirst && unit <= fullWidthLast ? unit - fullWidthShift : unit;
    places[length] = index;
    length += 1;
  }
  return { text: decodeUnits(units.subarray(0, length)), originalIndex: (index) => places[index] ?? original.length };
}

function isDropped(unit: number): boolean {
  return (
    unit === 0xa0 ||
    unit === 0xad ||
    unit === 0x180e ||
    unit === 0x3000 ||
    unit === 0x3164 ||
    unit === 0xfeff ||
    (unit >= 0x80 && unit <= 0x9f) ||
    (unit >= 0x2000 && unit <= 0x200f) ||
    (unit >= 0x2028 && unit <= 0x202f) ||
    (unit >= 0x205f && unit <= 0x206f) ||
    (unit >= 0xfe00 && unit <= 0xfe0f)
  );
}

/** Not by TextDecoder, which would replace half surrogate pairs. */
function decodeUnits(units: Uint16Array): string {
  return Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');
}
