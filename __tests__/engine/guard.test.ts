// The limits, one by one and together.
import { describe, expect, test } from '@jest/globals';
import { decideLimit, type Limits, type Standing } from '../../src/engine/guard.ts';

const none: Limits = { maxTurns: 0, workMs: 0, timeoutMs: 0, maxTokensTotal: 0 };
const fresh: Standing = { turns: 0, elapsedMs: 0, tokens: 0, nextRequest: 100, nextResponse: 10, verdict: undefined };
const turns = { maxTurns: 3 };
const time = { timeoutMs: 1000, workMs: 750 };
const budget = { maxTokensTotal: 1000 };

describe('decideLimit', () => {
  test.each<[string, Partial<Limits>, Partial<Standing>, string | undefined]>([
    ['no limits', {}, { turns: 9999, elapsedMs: 1e9, tokens: 1e9 }, undefined],
    ['turns left', turns, { turns: 1 }, undefined],
    ['the last turn is the wrap-up', turns, { turns: 2 }, 'max_turns true the limit of 3 turns'],
    ['never one more', turns, { turns: 3 }, 'max_turns false the limit of 3 turns'],
    ['one turn in all', { maxTurns: 1 }, {}, 'max_turns true the limit of 1 turn'],
    ['time left', time, { elapsedMs: 749 }, undefined],
    ['the reserve begins', time, { elapsedMs: 750 }, 'timeout true the time limit of 1 s'],
    ['time over', time, { elapsedMs: 1000 }, 'timeout false the time limit of 1 s'],
    ['a call and its wrap-up fit exactly', budget, { tokens: 770 }, undefined],
    ['only the wrap-up fits', budget, { tokens: 771 }, 'budget true the budget of 1000 tokens'],
    ['the last request that fits', budget, { tokens: 900 }, 'budget true the budget of 1000 tokens'],
    ['nothing fits', budget, { tokens: 901 }, 'budget false the budget of 1000 tokens'],
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
    [
      'two limits: the one without a wrap-up wins',
      { ...turns, ...budget },
      { turns: 2, tokens: 990 },
      'budget false the budget of 1000 tokens',
    ],
  ])('%s', (_name, limits, standing, expected) => {
    const limit = decideLimit({ ...none, ...limits }, { ...fresh, ...standing });
    expect(limit && `${limit.reason} ${limit.canWrapUp} ${limit.name}`).toBe(expected);
  });
});
