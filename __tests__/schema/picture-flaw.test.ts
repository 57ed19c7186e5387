import { describe, expect, test } from '@jest/globals';
import { readPicture } from '../../src/schema/picture.ts';
import { findPictureFlaw } from '../../src/schema/picture-flaw.ts';
import { createRandom } from '../tools/random.ts';
import { animation, chunk, realGif, realJpeg, realPng, realWebp } from './real-pictures.ts';

function flawOf(bytes: Buffer): string | undefined {
  const picture = readPicture(bytes);
  return picture === undefined ? 'no picture' : findPictureFlaw(bytes, picture.mediaType);
}

const whole: readonly (readonly [string, Buffer])[] = [
  ['PNG', realPng()],
  ['PNG with one frame', realPng(4, 3, { more: animation(1) })],
  ['PNG with chunks that nobody needs', realPng(4, 3, { more: chunk('teXt', Buffer.from('a')), weight: 1000 })],
  ['JPEG', realJpeg()],
  ['JPEG with something behind it', Buffer.concat([realJpeg(), Buffer.alloc(100)])],
  ['GIF', realGif()],
  ['GIF without its last byte', realGif().subarray(0, -1)],
  ['WebP', realWebp()],
];

describe('findPictureFlaw', () => {
  test.each(whole)('a whole %s has none', (_name, bytes) => {
    expect(flawOf(bytes)).toBe(undefined);
  });

  test.each([
    ['PNG', realPng(4, 3, { more: animation(2) })],
    ['GIF', realGif(2)],
    ['GIF, whatever follows its second picture', realGif(3).subarray(0, -10)],
    ['WebP', realWebp(true)],
  ])('a %s that moves is found out', (_name, bytes) => {
    expect(flawOf(bytes)).toBe('animated');
  });

  test.each([
    ['PNG', realPng(4, 3, { weight: 100 })],
    ['JPEG', realJpeg()],
    ['GIF', realGif().subarray(0, -1)],
    ['WebP', realWebp()],
  ])('a %s that was cut anywhere is none or broken', (_name, bytes) => {
    for (let length = 0; length < bytes.length; length += 1) {
      expect([length, flawOf(bytes.subarray(0, length))]).toEqual([length, expect.stringMatching(/^(no picture|broken)$/)]);
    }
  });

  test('a JPEG without pixels is broken, and a PNG whose line ends were changed is none', () => {
    const jpeg = realJpeg();
    expect(flawOf(Buffer.concat([jpeg.subarray(0, jpeg.indexOf('\xff\xda', 'latin1')), Buffer.of(0xff, 0xd9)]))).toBe('broken');
    const png = realPng().toString('latin1');
    for (const other of [png.replace('\r\n', '\n'), png.replaceAll('\n', '\r\n')]) {
      expect(flawOf(Buffer.from(other, 'latin1'))).toBe('no picture');
    }
  });

  test('a PNG with another byte in what cannot be done without is broken', () => {
    const bytes = realPng();
    for (let at = 12; at < bytes.length - 12; at += 1) {
      const other = Buffer.from(bytes);
      other[at] = (other[at] ?? 0) ^ 1;
      expect([at, flawOf(other)]).not.toEqual([at, undefined]);
    }
  });

  test('whatever follows a header, it ends', () => {
    const random = createRandom(11);
    for (let round = 0; round < 500; round += 1) {
      const noise = Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256)));
      const [, bytes = Buffer.of()] = random.pick(whole);
      expect(['animated', 'broken', 'no picture', undefined]).toContain(
        flawOf(Buffer.concat([bytes.subarray(0, random.below(bytes.length)), noise])),
      );
    }
  });
});
