import { describe, expect, test } from '@jest/globals';
import { decideRetry, parseRetryAfter } from '../../src/github/retry.ts';

const now = Date.parse('2026-01-02T03:04:05Z');

describe('parseRetryAfter', () => {
  test.each([
    ['2', 2_000],
    ['600', 600_000],
    ['0', 0],
    ['Fri, 02 Jan 2026 03:04:35 GMT', 30_000],
    ['Fri, 02 Jan 2026 03:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['2.5', null],
    ['', null],
    [undefined, null],
  ])('reads %j as %j ms', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});

describe('decideRetry', () => {
  const attempt = {
    failure: { status: 502, isRateLimit: false, retryAfter: undefined, resetAtMs: undefined },
    number: 1,
    elapsedMs: 0,
    isRepeatable: true,
    nowMs: now,
    random: 1,
  };
  const limit = { ...attempt.failure, status: 429, isRateLimit: true };

  test.each([
    ['grows with the attempts', { number: 3 }, { kind: 'retry', waitMs: 4_000 }],
    ['is full jitter', { number: 3, random: 0.25 }, { kind: 'retry', waitMs: 1_000 }],
    ['ends with the sixth attempt', { number: 6 }, { kind: 'stop', untilMs: null }],
    ['ends with the budget', { elapsedMs: 119_500 }, { kind: 'stop', untilMs: null }],
    ['is not for a POST that creates', { isRepeatable: false }, { kind: 'stop', untilMs: null }],
    ['is not for 404', { failure: { ...attempt.failure, status: 404 } }, { kind: 'stop', untilMs: null }],
    ['obeys a fault’s own header', { failure: { ...attempt.failure, retryAfter: '9' } }, { kind: 'retry', waitMs: 9_000 }],
    ['is at least what a limit asks', { failure: { ...limit, retryAfter: '9' }, random: 0 }, { kind: 'retry', waitMs: 9_000 }],
    [
      'is a minute where a limit asks nothing readable',
      { failure: { ...limit, retryAfter: '-1' }, random: 0 },
      { kind: 'retry', waitMs: 60_000 },
    ],
    [
      'goes to the reset of the primary limit',
      { failure: { ...limit, status: 403, resetAtMs: now + 90_000 }, random: 0.5 },
      { kind: 'retry', waitMs: 90_500 },
    ],
    [
      'grows where our clock is ahead of the reset',
      { failure: { ...limit, resetAtMs: now - 20_000 }, number: 4, random: 0 },
      { kind: 'retry', waitMs: 8_000 },
    ],
    [
      'is what retry-after says, whatever the reset is',
      { failure: { ...limit, retryAfter: '5', resetAtMs: now + 3_000_000 }, random: 0 },
      { kind: 'retry', waitMs: 5_000 },
    ],
    [
      'ends where the reset is too far off',
      { failure: { ...limit, status: 403, resetAtMs: now + 1_800_000 }, random: 0 },
      { kind: 'stop', untilMs: now + 1_800_000 },
    ],
    [
      'ends where a limit is too far off',
      { failure: { ...limit, retryAfter: '600' }, random: 0 },
      { kind: 'stop', untilMs: now + 600_000 },
    ],
  ])('the wait %s', (_name, changes, expected) => {
    expect(decideRetry({ ...attempt, ...changes })).toEqual(expected);
  });
});
