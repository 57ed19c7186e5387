// What is kept of a stream: bounded whatever comes, true to its beginning and its end, with what is missing counted.
import { expect, test } from '@jest/globals';
import { KeptOutput } from '../../../src/policy/hooks/kept-output.ts';
import { createRandom } from '../../tools/random.ts';

test('of any stream its beginning and its end are kept, and the bytes between them are counted', () => {
  const random = createRandom(3);
  for (let round = 0; round < 500; round += 1) {
    const kept = 1 + random.below(60);
    const output = new KeptOutput(kept);
    let all = '';
    let largest = 0;
    for (let left = random.below(40); left > 0; left -= 1) {
      const chunk = Array.from({ length: random.below(30) }, () => random.pick(['a', 'b', 'c', ' '])).join('');
      largest = Math.max(largest, chunk.length);
      all += chunk;
      output.add(Buffer.from(chunk));
    }
    expect(output.totalBytes).toBe(all.length);
    expect(output.whole()?.toString()).toBe(all.length <= kept ? all : undefined);
    const shown = output.render(1000);
    const [, start, left, end] = /^([\s\S]*)\n\[… (\d+) bytes left out …\]\n([\s\S]*)$/.exec(shown) ?? [];
    if (start === undefined || end === undefined) {
      expect(shown).toBe(all);
      expect(all.length).toBeLessThan(2 * kept + largest);
      continue;
    }
    expect([all.startsWith(start), all.endsWith(end)]).toEqual([true, true]);
    expect(start.trimEnd()).toBe(all.slice(0, kept).trimEnd());
    expect(end.length).toBeGreaterThanOrEqual(kept);
    expect(end.length).toBeLessThan(kept + largest);
    expect(all.length - kept - end.length).toBe(Number(left));
  }
});

test.each([100, 101, 102, 103, 104])('no character is cut in two, of a text that is shown with %i bytes', (maxBytes) => {
  const output = new KeptOutput(1000);
  output.add(Buffer.from('🙂'.repeat(200)));
  const shown = output.render(maxBytes);
  expect(shown).toMatch(/^🙂+\n\[… \d+ bytes left out …\]\n🙂+$/u);
  expect(Buffer.byteLength(shown)).toBeLessThan(maxBytes + 40);
});
