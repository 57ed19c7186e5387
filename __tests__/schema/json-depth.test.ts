import { describe, expect, test } from '@jest/globals';
import { isDeeperThan } from '../../src/schema/json-depth.ts';

describe('the depth of JSON', () => {
  test.each<[string, number, boolean]>([
    ['1', 0, false],
    ['{"a":[1]}', 2, false],
    ['{"a":[1]}', 1, true],
    ['[[],[],{}]', 2, false],
    ['"[[[["', 0, false],
    ['["\\"[[[", "\\\\"]', 1, false],
    ['"日[本": [[', 1, true],
    ['[[[', 2, true],
    ['"never closed [[[', 0, false],
  ])('of %j is over %d: %s', (json, maxDepth, expected) => {
    expect(isDeeperThan(json, maxDepth)).toBe(expected);
    expect(isDeeperThan(new TextEncoder().encode(json), maxDepth)).toBe(expected);
  });

  test('a bomb of a million brackets is counted, not parsed (F6, G5)', () => {
    expect(isDeeperThan('['.repeat(1_000_000), 64)).toBe(true);
  });
});
