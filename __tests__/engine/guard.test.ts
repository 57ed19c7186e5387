// The limits, one by one and together.
import { describe, expect, test } from '@jest/globals';
import { decideLimit, fitsOneMore, type Limits, type Standing } from '../../src/engine/guard.ts';

const none: Limits = { maxTurns: 0, workMs: 0, timeoutMs: 0 };
const fresh: Standing = { turns: 0, elapsedMs: 0, budgets: [], verdict: undefined };
const turns = { maxTurns: 3 };
const time = { timeoutMs: 1000, workMs: 750 };
const left = (...tokens: readonly number[]): Pick<Standing, 'budgets'> => ({
  budgets: tokens.map((each, at) => ({
    name: `budget ${at + 1}`,
    unit: 'tokens',
    left: each,
    next: 110,
    last: 110,
    wrapUp: 120,
  })),
});

describe('decideLimit', () => {
  test.each<[string, Partial<Limits>, Partial<Standing>, string | undefined]>([
    ['no limits', {}, { turns: 9999, elapsedMs: 1e9 }, undefined],
    ['turns left', turns, { turns: 1 }, undefined],
    ['the last turn is the wrap-up', turns, { turns: 2 }, 'max_turns true the limit of 3 turns'],
    ['never one more', turns, { turns: 3 }, 'max_turns false the limit of 3 turns'],
    ['one turn in all', { maxTurns: 1 }, {}, 'max_turns true the limit of 1 turn'],
    ['time left', time, { elapsedMs: 749 }, undefined],
    ['the reserve begins', time, { elapsedMs: 750 }, 'timeout true the time limit of 1 s'],
    ['time over', time, { elapsedMs: 1000 }, 'timeout false the time limit of 1 s'],
    ['a call and its wrap-up fit exactly', {}, left(230), undefined],
    ['only the wrap-up fits', {}, left(229), 'budget true budget 1'],
    ['the last call that fits', {}, left(110), 'budget true budget 1'],
    ['nothing fits', {}, left(109), 'budget false budget 1'],
    ['more was spent than there was', {}, left(-5), 'budget false budget 1'],
    ['a call fits two budgets', {}, left(230, 230), undefined],
    ['a call fits its own budget and not the other one', {}, left(230, 229), 'budget true budget 2'],
    ['the last call fits one of two', {}, left(229, 109), 'budget false budget 1'],
    ['the last call just fits both', {}, left(110, 110), 'budget true budget 1'],
    ['a call fits neither, and the wrap-up only its own', {}, left(229, 99), 'budget false budget 1'],
    ['round in circles', {}, { verdict: 'why' }, 'repetition true the limit on repeated calls (why)'],
    [
      'a circle in the last turn is named before the turns',
      turns,
      { turns: 2, verdict: 'why' },
      'repetition true the limit on repeated calls (why)',
    ],
    [
      'two limits: turns are named first',
      { ...turns, ...time },
      { turns: 2, elapsedMs: 800 },
      'max_turns true the limit of 3 turns',
    ],
    ['two limits: the one without a wrap-up wins', turns, { turns: 2, ...left(10) }, 'budget false budget 1'],
  ])('%s', (_name, limits, standing, expected) => {
    const limit = decideLimit({ ...none, ...limits }, { ...fresh, ...standing });
    expect(limit && `${limit.reason} ${limit.canWrapUp} ${limit.name}`).toBe(expected);
  });
});

test.each<[readonly number[], boolean]>([
  [[], true],
  [[340], true],
  [[339], false],
  [[340, 340], true],
  [[340, 339], false],
  [[339, 340], false],
])('with %j tokens left a call may be made before the next one and the wrap-up: %p', (tokens, expected) => {
  expect(fitsOneMore(left(...tokens).budgets)).toBe(expected);
});
