import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Collected } from '../../../src/github/change/collect-changes.ts';
import { takeManifest } from '../../../src/github/change/manifest.ts';
import { createWork } from '../../../src/github/change/work.ts';
import { baseOf, commitAll, never, type Place, repositories, runGit } from '../git-workspace.ts';
import { limits } from './changes-after.ts';

const repository = repositories();

/** A workspace that is measured from now on. */
async function measured() {
  const place = repository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'lib/c.txt': 'c\n', '.gitignore': 'cache/\n' });
  // A submodule that is not checked out.
  mkdirSync(join(place.workDir, 'sub'));
  place.git('update-index', '--add', '--cacheinfo', `160000,${place.git('rev-parse', 'HEAD').trim()},sub`);
  const commit = commitAll(place, 'second');
  const base = await baseOf(place);
  const { workDir } = place;
  const before = await takeManifest({ workDir, commit, git: runGit, base, clock: { now: () => new Date() } }, never);
  const small = { ...limits, maxPatchFiles: 3, maxPatchBytes: 1000 };
  return { place, work: createWork({ before, workDir, base, limits: small }) };
}

/** What came of a workspace whose agent has worked; then checks run, each with the agent's next work after it. */
async function afterChecks(agent: Work, ...rounds: readonly (readonly [check: Work, more: Work])[]) {
  const { place, work } = await measured();
  agent(place);
  // There is always something to check.
  place.write('z.txt', 'z\n');
  for (const [check, more] of rounds) {
    expect(await work.beginCheck(never)).toBe(true);
    check(place);
    await work.endCheck(never);
    more(place);
  }
  const collected = await work.collect(never);
  const { 'z.txt': z, ...written } = contentsOf(collected);
  expect(z).toBe('z\n');
  return { ...collected, written, isAsChecked: work.isAsChecked(collected) };
}

function contentsOf({ changes }: Collected): Readonly<Record<string, string | null>> {
  return Object.fromEntries(changes.map((change) => [change.path, change.kind === 'delete' ? null : change.content.data]));
}

type Work = (place: Place) => void;
const nothing: Work = () => undefined;
const writes =
  (path: string, text: string): Work =>
  (place) =>
    place.write(path, text);
const removes =
  (path: string): Work =>
  (place) =>
    rmSync(join(place.workDir, path));
const git =
  (...args: string[]): Work =>
  (place) =>
    void place.git(...args);
const allOf =
  (...works: readonly Work[]): Work =>
  (place) => {
    for (const work of works) work(place);
  };
/** A folder gives way to a link to where it went. */
const swaps =
  (folder: string): Work =>
  ({ workDir }) => {
    renameSync(join(workDir, folder), join(workDir, 'elsewhere'));
    symlinkSync('elsewhere', join(workDir, folder));
  };

describe('what a check of the work writes is no part of the change', () => {
  test.each<[string, Work, readonly (readonly [Work, Work])[], Readonly<Record<string, string | null>>]>([
    ['new files', writes('a.txt', 'A\n'), [[writes('coverage/1.json', '{}'), nothing]], { 'a.txt': 'A\n' }],
    ['a tracked file', nothing, [[writes('a.txt', 'reformatted\n'), nothing]], {}],
    [
      'a file that the agent changed is the agent’s',
      writes('a.txt', 'A\n'),
      [[writes('a.txt', 'AA\n'), nothing]],
      { 'a.txt': 'A\n' },
    ],
    [
      'a file that the agent made is the agent’s',
      writes('n.txt', 'n\n'),
      [[writes('n.txt', 'nn\n'), nothing]],
      { 'n.txt': 'n\n' },
    ],
    ['a tracked file that it removes is still there', nothing, [[removes('a.txt'), nothing]], {}],
    ['a new file that it removes is still there', writes('n.txt', 'n\n'), [[removes('n.txt'), nothing]], { 'n.txt': 'n\n' }],
    ['a file that it puts back stays removed', removes('a.txt'), [[writes('a.txt', 'a\n'), nothing]], { 'a.txt': null }],
    ['what the agent writes afterwards counts', nothing, [[writes('a.txt', 'x\n'), writes('a.txt', 'y\n')]], { 'a.txt': 'y\n' }],
    ['what the agent removes afterwards counts', nothing, [[writes('a.txt', 'x\n'), removes('a.txt')]], { 'a.txt': null }],
    [
      'what the agent writes afterwards counts, though it is what was there before',
      removes('a.txt'),
      [[writes('a.txt', 'x\n'), writes('a.txt', 'a\n')]],
      {},
    ],
    [
      'a folder that it swaps for a link has the agent’s files',
      writes('lib/n.txt', 'n\n'),
      [[swaps('lib'), nothing]],
      { 'lib/n.txt': 'n\n' },
    ],
    [
      'a folder that it makes a repository of has the agent’s files',
      writes('lib/n.txt', 'n\n'),
      [[git('init', '-q', 'lib'), nothing]],
      { 'lib/n.txt': 'n\n' },
    ],
    [
      'what it takes away and brings back is as it was',
      allOf(writes('a.txt', 'A\n'), writes('n.txt', 'n\n'), removes('b.txt')),
      [[allOf(git('stash', '-u', '-q'), git('stash', 'pop', '-q')), nothing]],
      { 'a.txt': 'A\n', 'b.txt': null, 'n.txt': 'n\n' },
    ],
    ['what it resets is still the agent’s', writes('a.txt', 'A\n'), [[git('checkout', '-q', '.'), nothing]], { 'a.txt': 'A\n' }],
    ['what is ignored is nobody’s', nothing, [[writes('cache/x', 'x'), nothing]], {}],
    [
      'the second check builds on the first',
      writes('a.txt', 'A\n'),
      [
        [writes('log.txt', '1\n'), writes('b.txt', 'B\n')],
        [writes('log.txt', '2\n'), nothing],
      ],
      { 'a.txt': 'A\n', 'b.txt': 'B\n' },
    ],
    [
      'a file that two checks write is what it was before both',
      writes('a.txt', 'A\n'),
      [
        [writes('a.txt', 'one\n'), nothing],
        [writes('a.txt', 'two\n'), nothing],
      ],
      { 'a.txt': 'A\n' },
    ],
  ])('%s', async (_case, agent, rounds, expected) => {
    expect((await afterChecks(agent, ...rounds)).written).toEqual(expected);
  });

  test('its mode is none either', async () => {
    const executable: Work = ({ workDir }) => chmodSync(join(workDir, 'a.txt'), 0o755);
    expect((await afterChecks(nothing, [executable, nothing])).written).toEqual({});
  });

  test('it fills no limit of the change, however much it is', async () => {
    const many: Work = ({ workDir, write }) => {
      write('coverage/0.json', '{}');
      for (let file = 1; file < 50; file++) writeFileSync(join(workDir, `coverage/${file}.json`), '{}');
    };
    const { written, leftOut, changes } = await afterChecks(writes('a.txt', 'A\n'), [many, nothing]);
    expect({ written, leftOut }).toEqual({ written: { 'a.txt': 'A\n' }, leftOut: [] });
    expect(changes.map(({ patch }) => patch).join('')).toContain('+A\n');
  });

  test.each<[string, Work]>([
    ['a repository within', git('init', '-q', 'tmp/repo')],
    ['something in a submodule’s place', writes('sub/x', 'x')],
    ['a file that is too big', writes('big.txt', 'x'.repeat(2000))],
    ['a file whose name is no text', ({ workDir }) => writeFileSync(Buffer.from(`${workDir}/\xff`, 'latin1'), 'x')],
  ])('of %s that it makes nothing is said', async (_case, check) => {
    expect((await afterChecks(nothing, [check, nothing])).leftOut).toEqual([]);
    expect((await afterChecks(check, [nothing, nothing])).leftOut).toHaveLength(1);
  });

  test('what the agent left that cannot be published is still said when the check writes it, too', async () => {
    const { leftOut } = await afterChecks(writes('big.txt', 'x'.repeat(2000)), [writes('big.txt', 'small'), nothing]);
    expect(leftOut).toEqual([{ path: 'big.txt', reason: expect.stringContaining('max_patch_kb'), patch: '' }]);
  });
});

describe('a check', () => {
  test('is not begun where nothing was changed, and after it was taken back neither', async () => {
    const { place, work } = await measured();
    expect(await work.beginCheck(never)).toBe(false);
    place.write('a.txt', 'A\n');
    expect(await work.beginCheck(never)).toBe(true);
    place.write('coverage.txt', '1');
    await work.endCheck(never);
    place.write('a.txt', 'a\n');
    expect(await work.beginCheck(never)).toBe(false);
    expect(await work.collect(never)).toEqual({ changes: [], leftOut: [] });
  });

  test('that could change nothing worth publishing is due all the same: people are told of it', async () => {
    const { place, work } = await measured();
    place.write('big.txt', 'x'.repeat(2000));
    expect(await work.beginCheck(never)).toBe(true);
  });

  test.each(['cut short', 'cut short before it was looked at'])(
    'that is %s has written what was written since it began',
    async (how) => {
      const { place, work } = await measured();
      place.write('a.txt', 'A\n');
      await work.beginCheck(never);
      place.write('coverage.txt', '1');
      if (how !== 'cut short') await expect(work.endCheck(AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
      place.write('a.txt', 'AA\n');
      const collected = await work.collect(never);
      expect(contentsOf(collected)).toEqual({ 'a.txt': 'A\n' });
      expect(work.isAsChecked(collected)).toBe(true);
    },
  );

  test.each<[string, boolean, Work, Work]>([
    ['nothing was written after it', true, writes('log.txt', '1'), nothing],
    ['what it wrote was written again as it was', true, writes('a.txt', 'x\n'), writes('a.txt', 'A\n')],
    ['a file was written after it', false, nothing, writes('n.txt', 'n\n')],
    ['a file was removed after it', false, nothing, removes('b.txt')],
    ['a file became executable after it', false, nothing, ({ workDir }) => chmodSync(join(workDir, 'a.txt'), 0o755)],
    ['what it wrote was written again', false, writes('log.txt', '1'), writes('log.txt', '2')],
  ])('when %s, what is published was checked: %s', async (_case, isChecked, check, more) => {
    expect((await afterChecks(writes('a.txt', 'A\n'), [check, more])).isAsChecked).toBe(isChecked);
  });

  test('that never was has checked nothing', async () => {
    const { place, work } = await measured();
    place.write('a.txt', 'A\n');
    expect(work.isAsChecked(await work.collect(never))).toBe(false);
  });
});
