import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../tools/random.ts';
import { randomLine } from './random-lines.ts';
import { type Outcome, runLines } from './real-bash.ts';
import { checkerOf } from './scene.ts';

// Each round asks the rules, then bash. By hand: COUNT=100000 SEED=7 npm test -- __tests__/policy/permissions/random-lines
const count = Number(process.env.COUNT ?? 700);
const seed = Number(process.env.SEED ?? 5);

const some = checkerOf({ allowedTools: 'bash(echo hi:*), bash(npm test:*), bash(git status), bash(cat:*)' });
const allBut = checkerOf({ disallowedTools: 'bash(evil:*), bash(git push:*)' });

function isAllowed([name, first, ...more]: readonly string[]): boolean {
  if (name === 'git') return first === 'status' && more.length === 0;
  return name === 'cat' || (name === 'npm' && first === 'test');
}

function isDenied([name, first]: readonly string[]): boolean {
  return name === 'evil' || (name === 'git' && first === 'push');
}

function run(lines: readonly string[]): readonly Outcome[] {
  const root = mkdtempSync(path.join(tmpdir(), 'real-bash-'));
  try {
    return runLines(lines, root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe('random command lines, in the rules and in bash', () => {
  test('no line that is allowed runs anything else or writes a file, and no line that is not denied runs what is denied', async () => {
    const random = createRandom(seed);
    const lines = Array.from({ length: count }, () => randomLine(random)).filter((line) => line !== '' && !line.includes('\0'));
    const judged = await Promise.all(
      lines.map(async (line) => ({
        line,
        isAllowed: (await some.bash(line)).kind !== 'deny',
        isDenied: (await allBut.bash(line)).kind === 'deny',
      })),
    );
    const loose = judged.filter((each) => each.isAllowed || !each.isDenied);
    const outcomes = run(loose.map(({ line }) => line));
    const wrong = loose.filter((each, index) => {
      const { calls = [], files = [] } = outcomes[index] ?? {};
      return (each.isAllowed && (files.length > 0 || !calls.every(isAllowed))) || (!each.isDenied && calls.some(isDenied));
    });
    expect(wrong).toEqual([]);
    // Else there would be nothing to see.
    expect(loose.filter((each) => each.isAllowed).length).toBeGreaterThan(count / 20);
    const strict = judged.filter((each) => each.isDenied).slice(0, 60);
    expect(run(strict.map(({ line }) => line)).filter(({ calls }) => calls.some(isDenied)).length).toBeGreaterThan(5);
  }, 3_600_000);
});
