import { describe, expect, test } from '@jest/globals';
import { type Evidence, proveFix } from '../../src/action/prove-fix.ts';
import type { RunResult } from '../../src/schema/run.ts';

const result: RunResult = {
  stopReason: 'completed',
  finalMessage: 'Mended.',
  turns: 3,
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  durationMs: 1,
};

const prove = (ran: readonly (readonly [string, number | null])[], more: Partial<Evidence> = {}) =>
  proveFix(result, {
    failed: ['npm ci', 'npm  test'],
    ranSinceEdit: ran.map(([command, exitCode]) => ({ command, exitCode })),
    isChanged: true,
    ...more,
  });

describe('what shows that a failed check is mended', () => {
  test.each([
    ['the command itself', [['npm test', 0]]],
    [
      'the command after one that failed',
      [
        ['npm test', 1],
        ['npm test', 0],
      ],
    ],
    ['the command in a chain', [['cd app && npm test 2>&1', 0]]],
    ['the command at the head of a chain', [['npm test 2>&1 && git diff --stat 2>&1', 0]]],
    [
      'the command and a look at the work after it',
      [
        ['npm test', 0],
        ['git diff --stat', 0],
      ],
    ],
  ] as const)('%s, with exit code 0, is proof', (_name, ran) => {
    expect(prove(ran)).toMatchObject({ notes: [expect.stringContaining('passes with this change')] });
    expect(prove(ran).error).toBeUndefined();
  });

  test.each([
    ['nothing was run', [], '`npm test`, which had failed in the check, was not run after the last change.'],
    ['it fails', [['npm test', 1]], '`npm test` still fails with this change (exit code 1).'],
    [
      'it failed last',
      [
        ['npm test', 0],
        ['npm test', 1],
      ],
      '`npm test` still fails with this change (exit code 1).',
    ],
    [
      'its exit code is swallowed',
      [['npm test || true', 0]],
      '`npm test`, which had failed in the check, was not run after the last change.',
    ],
    [
      'its exit code is another’s',
      [['npm test | tail', 0]],
      '`npm test`, which had failed in the check, was not run after the last change.',
    ],
    ...['npm test && echo PASS || echo FAIL', 'npm test && echo ok; echo done', 'npm test && serve & wait'].map(
      (command) =>
        [
          `its exit code is swallowed further on: ${command}`,
          [[command, 0]],
          '`npm test`, which had failed in the check, was not run after the last change.',
        ] as const,
    ),
    [
      'it is only spoken of',
      [['echo npm test', 0]],
      '`npm test`, which had failed in the check, was not run after the last change.',
    ],
    [
      'only what prepares was run',
      [['npm ci', 0]],
      '`npm test`, which had failed in the check, was not run after the last change.',
    ],
    [
      'something wrote after it',
      [
        ['npm test', 0],
        ['sed -i s/a/b/ x', 0],
      ],
      '`npm test` passed, but other commands were run after it that may have changed files.',
    ],
    [
      'a look writes',
      [
        ['npm test', 0],
        ['cat x > y', 0],
      ],
      '`npm test` passed, but other commands were run after it that may have changed files.',
    ],
  ] as const)('no proof: %s', (_name, ran, message) => {
    expect(prove(ran).error).toMatchObject({ code: 'VERIFY_FAILED', message });
  });

  test('a step that is a chain itself is shown by the whole of it', () => {
    const failed = ['npm run build && npm test'];
    expect(prove([['cd app && npm run build && npm test', 0]], { failed }).error).toBeUndefined();
    expect(prove([['npm run build && npm test', 0]], { failed }).error).toBeUndefined();
    expect(prove([['npm test', 0]], { failed }).error?.code).toBe('VERIFY_FAILED');
  });

  test('of several commands none is said to be the one that failed', () => {
    const failed = ['npm run lint', 'npm test'];
    expect(prove([['npm test', 0]], { failed }).notes).toEqual([
      '`npm test`, a command of the step that had failed, passes with this change.',
    ]);
  });

  test('a log that names no command proves nothing', () => {
    expect(prove([['npm test', 0]], { failed: [] }).error?.message).toContain('Which command failed is not to be seen');
  });

  test('a run without a change, or one that was stopped, stays as it is', () => {
    expect(prove([], { isChanged: false })).toBe(result);
    const stopped: RunResult = { ...result, stopReason: 'timeout' };
    expect(proveFix(stopped, { failed: ['x'], ranSinceEdit: [], isChanged: true })).toBe(stopped);
  });
});
