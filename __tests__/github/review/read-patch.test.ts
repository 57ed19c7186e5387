// The lines that can be commented on, against git's own word on which lines a diff shows.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readPatch } from '../../../src/github/review/read-patch.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'read-patch-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What `git diff` prints of two texts, from the first hunk on, as GitHub gives it: without a line end at its end. */
async function patchOf(before: string, after: string): Promise<string> {
  await Promise.all([writeFile(path.join(folder, 'a'), before), writeFile(path.join(folder, 'b'), after)]);
  const whole = git('--unified=3');
  return whole === '' ? '' : whole.slice(whole.indexOf('\n@@ ') + 1).replace(/\n$/, '');
}

function git(context: string): string {
  const { status, stdout } = spawnSync(
    'git',
    ['-c', 'core.autocrlf=false', 'diff', '--no-index', '--no-color', context, 'a', 'b'],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    },
  );
  expect([0, 1]).toContain(status);
  return stdout;
}

/** By the heads of git's hunks without context: each changed line, and three lines around it on its side. */
function shownBySide() {
  const sides = { left: new Set<number>(), right: new Set<number>() };
  for (const [, ...numbers] of git('--unified=0').matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)) {
    const [oldStart = 0, oldCount = 1, newStart = 0, newCount = 1] = numbers.map((text) =>
      text === undefined ? undefined : Number(text),
    );
    addAround(sides.left, oldStart, oldCount);
    addAround(sides.right, newStart, newCount);
  }
  return sides;
}

/** Of no lines git names the one before. */
function addAround(lines: Set<number>, start: number, count: number) {
  const [first, last] = count === 0 ? [start + 1, start] : [start, start + count - 1];
  for (let line = first - 3; line <= last + 3; line += 1) lines.add(line);
}

const linesOf = (text: string) =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => line.replace(/\r$/, ''));

function expected(lines: ReadonlySet<number>, text: string): readonly string[] {
  return linesOf(text).flatMap((line, at) => (lines.has(at + 1) ? [`${at + 1} ${line}`] : []));
}

const found = (lines: ReadonlyMap<number, { readonly text: string }>) => [...lines].map(([line, { text }]) => `${line} ${text}`);

describe('the lines of a patch', () => {
  test('are on both sides those that git shows, each with its text, and no other', async () => {
    let seed = 11;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const odd = [
      '',
      '+',
      '-',
      ' ',
      '@@ -1 +1 @@',
      '--- a/x',
      '+++ b/x',
      '\\ No newline at end of file',
      'diff --git a/x b/x',
      'dos\r',
      '\ttab',
    ];
    const line = () => (random(4) === 0 ? (odd[random(odd.length)] ?? '') : `line ${random(1000)}`);
    let shown = 0;
    for (let round = 0; round < 60; round += 1) {
      const before = Array.from({ length: random(50) }, line);
      const after = [...before];
      for (let time = 0; time <= random(4); time += 1)
        after.splice(random(after.length + 1), random(4), ...Array.from({ length: random(4) }, line));
      const [old, now] = [before, after].map((lines) => lines.join('\n') + (lines.length > 0 && random(3) > 0 ? '\n' : ''));
      const patch = await patchOf(old ?? '', now ?? '');
      const { left, right } = readPatch(patch);
      const sides = shownBySide();
      expect(found(left)).toEqual(expected(sides.left, old ?? ''));
      expect(found(right)).toEqual(expected(sides.right, now ?? ''));
      for (const side of [left, right]) {
        const hunks = [...side.values()].map(({ hunk }) => hunk);
        expect(hunks).toEqual(hunks.toSorted((one, other) => one - other));
      }
      shown += right.size;
    }
    expect(shown).toBeGreaterThan(250);
  });
});
