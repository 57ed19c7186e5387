import { expect, test } from '@jest/globals';
import { oneLine } from '../../src/schema/one-line.ts';

test.each([
  ['  plain  text ', 'plain text'],
  ['a\r\n- b\tc\u0000d\u001b[31m', 'a - b c d [31m'],
  ['a\u2028b\u2029c\u0085d\u00a0e', 'a b c d e'],
  ['\u202egnp\u2066.exe\u{e0041}\ufeff', 'gnp .exe'],
  ['\n\u200b', ''],
])('%j is one line of plain characters', (text, line) => {
  expect(oneLine(text, 100)).toBe(line);
});

test('what is longer is cut with a mark, never through a character', () => {
  expect([oneLine('12345', 5), oneLine('123456', 5), oneLine('abc😀de', 5)]).toEqual(['12345', '1234…', 'abc…']);
});
