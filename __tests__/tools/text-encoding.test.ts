import { describe, expect, test } from '@jest/globals';
import { decodeText, detectEncoding, encodeText } from '../../src/tools/text-encoding.ts';
import { createRandom } from './random.ts';

const bytesOf = (...pieces: readonly (string | readonly number[])[]) =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece))));
const nameOf = (bytes: Buffer) => detectEncoding(bytes)?.name;

describe('the encoding of a file', () => {
  test.each([
    ['nothing', bytesOf(), 'UTF-8'],
    ['ASCII', bytesOf('a\n'), 'UTF-8'],
    ['UTF-8', bytesOf('é 🌍'), 'UTF-8'],
    ['UTF-8 with a mark', bytesOf([0xef, 0xbb, 0xbf], 'é'), 'UTF-8'],
    ['UTF-16 LE with a mark', bytesOf([0xff, 0xfe, 0x61, 0, 0x3d, 0xd8, 0, 0xde]), 'UTF-16 LE'],
    ['UTF-16 BE with a mark', bytesOf([0xfe, 0xff, 0, 0x61]), 'UTF-16 BE'],
    ['Latin-1', Buffer.from('// café, naïve, Müller', 'latin1'), 'Latin-1'],
    ['Windows-1252', bytesOf('caf', [0xe9], ' it', [0x92], 's ', [0x80], '5'), 'Windows-1252'],
    ['UTF-8 with one odd byte', bytesOf('é à ü ', [0xe9], ' z'), 'UTF-8'],
    ['half a character at the end', bytesOf('a ', [0xf0, 0x9f]), 'unknown'],
    ['GBK', bytesOf('// ', [0xd6, 0xd0, 0xce, 0xc4], '\n'), 'unknown'],
    ['Shift-JIS', bytesOf('// ', [0x83, 0x5c, 0x83, 0x74, 0x83, 0x67]), 'unknown'],
    ['KOI8-R', bytesOf('// ', [0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4], ' ', [0xcd, 0xc9, 0xd2]), 'unknown'],
    ['a code page of DOS', bytesOf('f', [0x81], 'r M', [0x84], 'rz'), 'unknown'],
    ['Polish in Latin-2', bytesOf('za', [0xbf], 'y', [0xb3], 'o ', [0xe9], ' x', [0xe9], 'y'), 'unknown'],
    ['signs between words', Buffer.from('a ± b, «été», l·l, 5 µm, ½ é, ¿qué?', 'latin1'), 'Latin-1'],
    ['UTF-16 without a mark', bytesOf([0x61, 0, 0x62, 0]), undefined],
    ['UTF-16 that ends within a character', bytesOf([0xff, 0xfe, 0x61, 0, 0x62]), undefined],
    ['UTF-32 with its mark', bytesOf([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), undefined],
    ['a NUL', bytesOf('a\0b'), undefined],
  ])('of %s', (_name, bytes, name) => {
    expect(nameOf(bytes)).toBe(name);
  });

  test('a character that the end of a start cuts in two counts for nothing', () => {
    const utf16 = Buffer.from('\ufeff🌍é', 'utf16le');
    const starts = [
      ...['a中文', 'é🌍', '\ufeffa中'].map((text) => ['UTF-8', Buffer.from(text)] as const),
      ...[utf16, Buffer.from(utf16).swap16()].map((bytes) => [nameOf(bytes), bytes] as const),
    ];
    const found = starts.flatMap(([name, bytes]) =>
      Array.from({ length: bytes.length - 2 }, (_, at) => [name, detectEncoding(bytes.subarray(0, at + 3), true)] as const),
    );
    expect(found.map(([, encoding]) => [encoding?.name, encoding?.isWhole])).toEqual(found.map(([name]) => [name, true]));
    expect(nameOf(Buffer.from('a中').subarray(0, 2))).not.toBe('UTF-8');
  });

  test('a mark is no part of the text', () => {
    expect(decodeText(bytesOf([0xef, 0xbb, 0xbf], 'é'))?.text).toBe('é');
    expect(decodeText(bytesOf([0xff, 0xfe, 0xe9, 0]))?.text).toBe('é');
    expect(decodeText(bytesOf([0xfe, 0xff, 0, 0xe9]))?.text).toBe('é');
  });

  test('20,000 random files are the same bytes again, and so is every part that an edit leaves alone', () => {
    const random = createRandom(11);
    const sets = [
      [...'abc \n\r\té🌍💀語\u00a0\ufeff'].map((character) => [...Buffer.from(character)]),
      [[0x61], [0x62], [0x0a], [0xe9], [0x93], [0x80], [0xfc]],
      Array.from({ length: 255 }, (_, byte) => [byte + 1]),
      [[0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x61], [0xc3, 0xa9]],
    ];
    const marks = [[], [], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]];
    const seen = new Set<string | undefined>();
    for (let round = 0; round < 20_000; round += 1) {
      const set = random.pick(sets);
      const body = Array.from({ length: random.below(40) }, () => random.pick(set)).flat();
      const bytes = Buffer.from([...random.pick(marks), ...body]);
      const decoded = decodeText(bytes);
      seen.add(decoded?.encoding.name);
      if (decoded === undefined) continue;
      if (!encodeText(decoded).equals(bytes)) expect(encodeText(decoded)).toEqual(bytes);
      const { text, encoding } = decoded;
      const at = random.below(text.length + 1);
      const head = text.slice(0, at).replace(/[\ud800-\udbff]$/, '');
      const edited = encodeText({ text: `${head}!${text.slice(head.length)}`, encoding });
      const headBytes = encodeText({ text: head, encoding });
      const mark = encoding.encode('!');
      const wanted = Buffer.concat([bytes.subarray(0, headBytes.length), mark, bytes.subarray(headBytes.length)]);
      if (!edited.equals(wanted)) expect(edited).toEqual(wanted);
    }
    expect([...seen].map(String).sort()).toEqual(
      ['Latin-1', 'UTF-16 BE', 'UTF-16 LE', 'UTF-8', 'Windows-1252', 'undefined', 'unknown'].sort(),
    );
  });

  test.each([
    ['Latin-1', Buffer.from('caf\xe9\n', 'latin1'), 'a\nb €', '"€" (line 2) cannot be written: the file is in Latin-1'],
    ['Windows-1252', bytesOf('it', [0x92], 's'), '語', '"語" (line 1) cannot be written: the file is in Windows-1252'],
    ['Windows-1252', bytesOf('it', [0x92], 's'), 'a \x81', '"\x81" (line 1) cannot be written: the file is in Windows-1252'],
    ['GBK', bytesOf([0xd6, 0xd0]), 'é', '"é" (line 1) cannot be written: the file is not UTF-8 and its encoding is not known'],
    ['Latin-1', Buffer.from('caf\xe9\n', 'latin1'), '🌍', '"🌍" (line 1) cannot be written'],
  ])('what %s has no character for is refused by character and line', (_name, bytes, text, message) => {
    const encoding = detectEncoding(bytes);
    if (encoding === undefined) throw new Error('no text');
    expect(() => encodeText({ text, encoding })).toThrow(
      expect.objectContaining({ code: 'TEXT_UNWRITABLE', message: expect.stringContaining(message) }),
    );
  });

  test('every character of Windows-1252 comes back as its byte', () => {
    const encoding = detectEncoding(bytesOf('it', [0x92], 's'));
    expect(encoding?.encode('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ é')).toEqual(
      Buffer.from([
        ...[0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8e, 0x91, 0x92, 0x93, 0x94],
        ...[0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9e, 0x9f, 0x20, 0xe9],
      ]),
    );
  });
});
