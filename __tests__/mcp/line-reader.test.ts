// Lines out of chunks, wherever the chunks break.
import { expect, test } from '@jest/globals';
import { type Line, LineReader } from '../../src/mcp/line-reader.ts';

const text = 'one\n\nzwei é 世\u{1F600}\r\n"\u2028"\nlast';
const expected = ['one', '', 'zwei é 世\u{1F600}', '"\u2028"', 'last'];

function read(chunks: readonly Buffer[], maxBytes: number): readonly Line[] {
  const reader = new LineReader(maxBytes);
  return [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.rest()];
}

test('lines are the same, however their bytes are cut', () => {
  const bytes = Buffer.from(text);
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(read(chunks, 100)).toEqual(expected.map((line) => ({ text: line, isCut: false })));
  }
});

test('a line that is too long is given once, as soon as it is, and the next ones are whole', () => {
  const reader = new LineReader(5);
  expect(reader.read(Buffer.from('abc'))).toEqual([]);
  expect(reader.read(Buffer.from('defgh'))).toEqual([{ text: 'abcde', isCut: true }]);
  expect(reader.read(Buffer.from('ijklmnop'))).toEqual([]);
  expect(reader.read(Buffer.from('q\nrs\n'))).toEqual([{ text: 'rs', isCut: false }]);
  expect(reader.rest()).toEqual([]);
  expect(read([Buffer.from('12345\n123456\n1')], 5)).toEqual([
    { text: '12345', isCut: false },
    { text: '12345', isCut: true },
    { text: '1', isCut: false },
  ]);
});
