// UTF-8 with bytes in it that are none: read as text without losing one, and written back exactly. Pure.
import { isUtf8 } from 'node:buffer';

/** A byte that is no UTF-8 is half a character that UTF-8 can't hold: 0xdc80 to 0xdcff, by itself. No text that is well-formed has one. */
const oddUnit = 0xdc00;
const oneOdd = /[\udc80-\udcff]/u;

export interface OddText {
  readonly text: string;
  /** Characters of more than one byte that are as they should be, and bytes that are not. */
  readonly wholeCharacters: number;
  readonly oddBytes: number;
}

/** `bytes` as text; `encodeWithOddBytes` gives the same bytes again, whatever they are. */
export function decodeWithOddBytes(bytes: Buffer): OddText {
  // Never more units than bytes: four bytes are two units.
  const units = new Uint16Array(bytes.length);
  let [length, wholeCharacters, oddBytes] = [0, 0, 0];
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    const size = sizeOfCharacter(bytes, at);
    if (size > 1) {
      const character = bytes.toString('utf8', at, at + size);
      for (let unit = 0; unit < character.length; unit += 1) units[length + unit] = character.charCodeAt(unit);
      length += character.length;
      wholeCharacters += 1;
    } else {
      units[length] = size === 1 ? byte : oddUnit + byte;
      length += 1;
      oddBytes += size === 1 ? 0 : 1;
    }
    at += Math.max(size, 1);
  }
  const text = Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
  return { text, wholeCharacters, oddBytes };
}

/** Bytes of which only ASCII is known. */
export function decodeAsOddBytes(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/[\x80-\xff]/g, (byte) => String.fromCharCode(oddUnit + byte.charCodeAt(0)));
}

/** The bytes of a text that `decodeWithOddBytes` gave, or that was made of one and of well-formed ones. */
export function encodeWithOddBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const bytes = Buffer.alloc(Buffer.byteLength(text));
  let [length, from] = [0, 0];
  const writeUntil = (end: number) => {
    length += bytes.write(text.slice(from, end), length);
  };
  const search = new RegExp(oneOdd, 'gu');
  for (let odd = search.exec(text); odd !== null; odd = search.exec(text)) {
    writeUntil(odd.index);
    length = bytes.writeUInt8(text.charCodeAt(odd.index) - oddUnit, length);
    from = odd.index + 1;
  }
  writeUntil(text.length);
  return bytes.subarray(0, length);
}

/** Of the character that begins at `at`, in bytes; 0 when none does. */
function sizeOfCharacter(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return first >= 0xc2 && at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)) ? size : 0;
}
