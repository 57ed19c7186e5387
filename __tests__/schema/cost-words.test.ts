import { describe, expect, test } from '@jest/globals';
import type { Cost } from '../../src/schema/cost.ts';
import { describeCost, renderBudget, renderCost, renderUsd } from '../../src/schema/cost-words.ts';

test.each([
  [0, '$0.00'],
  [0.000_01, 'less than $0.01'],
  [0.0049, 'less than $0.01'],
  [0.005, '$0.01'],
  [0.0649, '$0.06'],
  [2, '$2.00'],
  [1234.5, '$1,234.50'],
])('%p dollars are %p', (usd, words) => {
  expect(renderUsd(usd)).toBe(words);
});

test.each([
  [2, '$2.00'],
  [0.5, '$0.50'],
  [0.005, '$0.005'],
  [0.000_001, '$0.000001'],
])('a budget of %p is said whole: %p', (usd, words) => {
  expect(renderBudget(usd)).toBe(words);
});

describe('a cost', () => {
  test.each<[string, Cost, readonly (string | undefined)[]]>([
    ['all of it known', { usd: 0.06, unpricedModels: [] }, ['$0.06', '$0.06']],
    ['nothing to pay', { usd: 0, unpricedModels: [] }, [undefined, undefined]],
    ['nothing known', { usd: 0, unpricedModels: ['gpt-nine'] }, [undefined, 'not known, no price for gpt-nine']],
    ['a part of it known', { usd: 0.06, unpricedModels: ['a', 'b'] }, ['more than $0.06', 'more than $0.06, no price for a, b']],
  ])('%s', (_name, cost, [figure, words]) => {
    expect([renderCost(cost), describeCost(cost)]).toEqual([figure, words]);
  });
});
