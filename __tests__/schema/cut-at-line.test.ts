import { expect, test } from '@jest/globals';
import { cutAtLine } from '../../src/schema/cut-at-line.ts';

test.each([
  ['fits', 'one\ntwo', 7, 'one\ntwo'],
  ['loses the line that does not', 'one\ntwo', 6, 'one'],
  ['loses half of a character with its line', 'one\n日本', 8, 'one'],
  ['of one line keeps whole characters', '日本', 5, '日'],
  ['of one line may lose all', '日本', 2, ''],
  ['that begins with a line end is one line', '\nabc', 3, '\nab'],
])('what %s', (_name, text, maxBytes, kept) => {
  expect(cutAtLine(text, maxBytes)).toBe(kept);
});

test('a cut is a beginning of the text and never too large, wherever it is', () => {
  const text = 'é\n\n日本語 👩‍💻\nplain words\n';
  for (let maxBytes = 0; maxBytes <= Buffer.byteLength(text) + 1; maxBytes += 1) {
    const kept = cutAtLine(text, maxBytes);
    expect([text.startsWith(kept), Buffer.byteLength(kept) <= maxBytes]).toEqual([true, true]);
  }
});
