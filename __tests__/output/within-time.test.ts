// The watchdog over work that blocks: whatever it is busy with.
import { expect, test } from '@jest/globals';
import { withinTime } from '../../src/output/within-time.ts';

test.each([
  ['a pattern that backtracks', () => /^(a+)+$/u.test(`${'a'.repeat(60)}!`)],
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
])('%s is ended', (_, work) => {
  expect(withinTime(work, 20)).toBeUndefined();
});

test('what ends in time is handed on, a throw as well', () => {
  expect(withinTime(() => 7, 2000)).toEqual({ result: 7 });
  const fault = new RangeError('no');
  expect(() =>
    withinTime(() => {
      throw fault;
    }, 2000),
  ).toThrow(fault);
});
