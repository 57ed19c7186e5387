// Pictures of any size, whole as far as their parts go, in base64 that needs no filling.
import { realPng } from '../schema/real-pictures.ts';

function base64(...pieces: readonly (Buffer | string)[]): string {
  const bytes = Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)));
  return Buffer.concat([bytes, Buffer.alloc(3 - (bytes.length % 3))]).toString('base64');
}

const big16 = (...values: readonly number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]));
const little16 = (...values: readonly number[]) => Buffer.from(values.flatMap((value) => [value & 255, value >> 8]));

export const png = (width = 4, height = 3) => base64(realPng(width, height));
export const gif = (width = 4, height = 3) =>
  base64('GIF89a', little16(width, height), '\0\0\0', Buffer.from('2c00000000010001000002024401003b', 'hex'));

/** A segment and a table (C4) before the frame, and pixels behind it. */
export const jpeg = (width = 4, height = 3) =>
  base64(
    '\xff\xd8\xff\xe0\0\x06JFIF',
    '\xff\xc4\0\x04ab\xff\xff\xc2\0\x11\x08',
    big16(height, width),
    '\x01\xff\xda\0\x02\x01\xff\xd9',
  );

export const webp = {
  lossy: (width = 4, height = 3) => base64('RIFF\x10\0\0\0WEBPVP8 0000\0\0\0\x9d\x01\x2a', little16(width, height)),
  lossless: (width = 4, height = 3) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE((width - 1) | ((height - 1) << 14));
    return base64('RIFF\x10\0\0\0WEBPVP8L0000\x2f', size);
  },
  extended: (width = 4, height = 3) =>
    base64('RIFF\x10\0\0\0WEBPVP8X0000\0\0\0\0', little16(width - 1), '\0', little16(height - 1), '\0'),
};
