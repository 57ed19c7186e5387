// Headers of pictures with a size, and enough behind them to be one for whoever looks no further. In base64.

const rest = Buffer.alloc(43, 1);

function base64(...pieces: readonly (Buffer | string)[]): string {
  const bytes = Buffer.concat([
    ...pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
    rest,
  ]);
  return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
}

const big32 = (...values: readonly number[]) =>
  Buffer.concat(values.map((value) => Buffer.from(new Uint8Array([0, 0, value >> 8, value]))));
const big16 = (...values: readonly number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]));
const little16 = (...values: readonly number[]) => Buffer.from(values.flatMap((value) => [value & 255, value >> 8]));

export const png = (width = 4, height = 3) => base64('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', big32(width, height));
export const gif = (width = 4, height = 3) => base64('GIF89a', little16(width, height));

/** A segment and a table (C4) before the frame. */
export const jpeg = (width = 4, height = 3) =>
  base64('\xff\xd8\xff\xe0\0\x06JFIF', '\xff\xc4\0\x04ab\xff\xff\xc2\0\x11\x08', big16(height, width));

export const webp = {
  lossy: (width = 4, height = 3) => base64('RIFF0000WEBPVP8 0000\0\0\0\x9d\x01\x2a', little16(width, height)),
  lossless: (width = 4, height = 3) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE((width - 1) | ((height - 1) << 14));
    return base64('RIFF0000WEBPVP8L0000\x2f', size);
  },
  extended: (width = 4, height = 3) =>
    base64('RIFF0000WEBPVP8X0000\0\0\0\0', little16(width - 1), '\0', little16(height - 1), '\0'),
};
