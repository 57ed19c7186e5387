import { expect, test } from '@jest/globals';
import { foldName } from '../../src/schema/fold-name.ts';

test.each([
  ['review-code', 'review-code'],
  [' Review  Code\n', 'review-code'],
  ['review_\tCODE', 'review-code'],
  ['review--code', 'review--code'],
  [' ', ''],
])('%j is the name %j', (name, folded) => {
  expect(foldName(name)).toBe(folded);
});
