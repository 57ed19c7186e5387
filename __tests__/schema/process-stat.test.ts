import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parseProcessStat } from '../../src/schema/process-stat.ts';

const numbers = Array.from({ length: 48 }, (_, index) => index + 4);

describe('a line of /proc/<pid>/stat', () => {
  test('is read by the numbers of its fields, whatever the process calls itself', () => {
    expect(parseProcessStat(`9 (a) Z (b) ) S ${numbers.join(' ')}\n`)).toEqual({
      name: 'a) Z (b) ',
      isZombie: false,
      parent: 4,
      group: 5,
      session: 6,
      startTicks: 22,
      environment: { start: 50, end: 51 },
    });
    expect(parseProcessStat(`9 (a) Z ${numbers.join(' ')}`)).toMatchObject({ isZombie: true });
  });

  test.each(['', 'x', '9 (a', ')(', '9 (a) S 1 2 3'])('that is none (%j) is no value', (text) => {
    expect(parseProcessStat(text)).toBeUndefined();
  });

  test('of this process tells its parent', () => {
    expect(parseProcessStat(readFileSync('/proc/self/stat', 'utf8'))).toMatchObject({ parent: process.ppid, isZombie: false });
  });
});
