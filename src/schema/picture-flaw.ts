// What vendors refuse a picture for, though it is one: that it moves, or that it is not whole. By its bytes, in linear time. Pure.
import { crc32 } from 'node:zlib';
import type { Picture } from './picture.ts';

export type PictureFlaw = 'animated' | 'broken';

/** Clauses for people. */
export const flawWords: Readonly<Record<PictureFlaw, string>> = {
  animated: 'it is animated, and models see pictures that stand still',
  broken: 'it is broken or cut off',
};

/** The flaw of a picture whose header was read; undefined: none was found. Pixels are not decoded. */
export function findPictureFlaw(bytes: Buffer, mediaType: Picture['mediaType']): PictureFlaw | undefined {
  try {
    return finders[mediaType](bytes);
  } catch {
    // It ends within a part of itself.
    return 'broken';
  }
}

type Finder = (bytes: Buffer) => PictureFlaw | undefined;

const finders: Readonly<Record<Picture['mediaType'], Finder>> = {
  'image/png': flawOfPng,
  'image/jpeg': flawOfJpeg,
  'image/gif': flawOfGif,
  'image/webp': flawOfWebp,
};

/** Chunks up to the last one; those that a reader cannot do without have a checksum that must fit. */
function flawOfPng(bytes: Buffer): PictureFlaw | undefined {
  let hasPixels = false;
  for (let at = 8; ; ) {
    const data = at + 8;
    const end = data + bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, data);
    if (/^[A-Z]/.test(name) && crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return 'broken';
    if (name === 'acTL' && bytes.readUInt32BE(data) > 1) return 'animated';
    if (name === 'IEND') return hasPixels ? undefined : 'broken';
    if (name === 'IDAT') hasPixels = true;
    at = end + 4;
  }
}

/** Cameras write behind the end, so that it need not be the end of the file. */
function flawOfJpeg(bytes: Buffer): PictureFlaw | undefined {
  const pixels = bytes.indexOf('\xff\xda', 0, 'latin1');
  return pixels >= 0 && bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > pixels ? undefined : 'broken';
}

const gifImage = 0x2c;
const gifExtension = 0x21;

function flawOfGif(bytes: Buffer): PictureFlaw | undefined {
  let images = 0;
  for (let at = 13 + gifColours(bytes.readUInt8(10)); at < bytes.length; ) {
    const kind = bytes.readUInt8(at);
    if (kind === gifImage) {
      images += 1;
      at = endOfGifData(bytes, at + 11 + gifColours(bytes.readUInt8(at + 9)));
    } else if (kind === gifExtension) at = endOfGifData(bytes, at + 2);
    // The end, or what some writers leave behind it.
    else break;
    if (images > 1) return 'animated';
  }
  return images === 0 ? 'broken' : undefined;
}

/** Bytes of the colour table that these flags announce. */
function gifColours(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Behind blocks that say their length, and the empty one after them. */
function endOfGifData(bytes: Buffer, from: number): number {
  let at = from;
  for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) at += 1 + length;
  return at + 1;
}

function flawOfWebp(bytes: Buffer): PictureFlaw | undefined {
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return 'broken';
  const isAnimated = bytes.toString('latin1', 12, 16) === 'VP8X' && (bytes.readUInt8(20) & 2) !== 0;
  return isAnimated ? 'animated' : undefined;
}
