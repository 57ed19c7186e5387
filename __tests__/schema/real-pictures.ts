// Whole pictures, made by hand, of any size and weight.
import { crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** A chunk of a PNG. */
export function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  return Buffer.concat([number32(data.length), body, number32(crc32(body))]);
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export interface PngOptions {
  readonly more?: Buffer;
  readonly weight?: number;
  readonly shade?: number;
}

/** A grey PNG of these pixels; `more` stands before the pixels, `weight` bytes behind them. */
export function realPng(width = 4, height = 3, options: PngOptions = {}): Buffer {
  const { more = Buffer.of(), weight = 0, shade = 0 } = options;
  const header = Buffer.concat([number32(width), number32(height), Buffer.from([8, 0, 0, 0, 0])]);
  const rows = Buffer.alloc(height * (width + 1), shade);
  for (let row = 0; row < height; row += 1) rows[row * (width + 1)] = 0;
  const heavy = weight === 0 ? [] : [chunk('teXt', Buffer.alloc(weight, 65))];
  const pixels = chunk('IDAT', deflateSync(rows));
  return Buffer.concat([signature, chunk('IHDR', header), more, pixels, ...heavy, chunk('IEND', Buffer.of())]);
}

/** The chunk that makes a PNG of `frames` pictures. */
export function animation(frames: number): Buffer {
  return chunk('acTL', Buffer.concat([number32(frames), number32(0)]));
}

/** A GIF of one black pixel in each of its pictures. */
export function realGif(images = 1): Buffer {
  const image = Buffer.from('2c0000000001000100000202440100', 'hex');
  const head = Buffer.from('47494638396101000100800000000000ffffff', 'hex');
  const comment = Buffer.from('21fe016100', 'hex');
  return Buffer.concat([head, comment, ...Array.from({ length: images }, () => image), Buffer.from([0x3b])]);
}

/** A JPEG as far as its marks go. */
export function realJpeg(width = 4, height = 3): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, height >> 8, height, width >> 8, width, 1, 1, 0x11, 0]);
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), frame, scan]);
}

/** A WebP as far as its boxes go. */
export function realWebp(isAnimated = false): Buffer {
  const body = Buffer.alloc(22);
  body.write('WEBPVP8X', 0, 'latin1');
  body.writeUInt32LE(10, 8);
  body[12] = isAnimated ? 2 : 0;
  body.writeUIntLE(3, 16, 3);
  body.writeUIntLE(2, 19, 3);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), size, body]);
}
