import { symlinkSync, truncateSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { collectChanges } from '../../../src/github/change/collect-changes.ts';
import { takeManifest } from '../../../src/github/change/manifest.ts';
import { renderPatch } from '../../../src/github/change/render-patch.ts';
import { baseOf, never, repositories, runGit } from '../git-workspace.ts';
import { changesAfter, limits } from './changes-after.ts';

const repository = repositories();

const names = (count: number) => Array.from({ length: count }, (_, index) => `f${String(index).padStart(4, '0')}`);
const filesOf = (count: number) => Object.fromEntries(names(count).map((name) => [name, `${name}\n`]));

describe('the time that a change takes', () => {
  test('a long look at many files can be ended', async () => {
    const place = repository(filesOf(300));
    const base = await baseOf(place);
    const commit = place.git('rev-parse', 'HEAD').trim();
    const request = { workDir: place.workDir, commit, git: runGit, base, clock: { now: () => new Date() } };
    const before = await takeManifest(request, never);
    const ending = new AbortController();
    setImmediate(() => ending.abort(new Error('enough')));
    await expect(collectChanges({ before, workDir: place.workDir, base, limits }, ending.signal)).rejects.toThrow();
  });

  test('a .gitignore of very many patterns ends the walk and not the run', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const collected = await changesAfter(place, () => {
      place.write('a.txt', 'b\n');
      place.write('n/.gitignore', '*x*y*z*\n'.repeat(30_000));
      for (const name of names(4000)) place.write(`n/${name}`, 'x');
    });
    expect(collected.changes.map(({ path }) => path)).toEqual(['a.txt']);
    expect(collected.leftOut.map(({ reason }) => reason)).toEqual(['there are too many new files to look at all of them']);
  });

  test('the more files a change has, the less is searched for the shortest diff of each', () => {
    const side = (letter: string) => {
      const lines = Array.from({ length: 2000 }, (_, index) => (index % 2 === 0 ? 'same' : `${letter}${index}`));
      return { mode: '100644' as const, bytes: Buffer.from(`${lines.join('\n')}\n`) };
    };
    const removed = (files: number) => renderPatch('a', side('a'), side('b'), files).match(/^-/gm)?.length;
    expect([removed(1), removed(5), removed(500)]).toEqual([1001, 1001, 2001]);
  });
});

describe('a change beyond its limits', () => {
  test('of files is kept to twice the limit, and the rest is one entry (E13)', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const collected = await changesAfter(
      place,
      () => {
        for (const name of names(60)) place.write(name, 'x');
      },
      { maxPatchFiles: 2 },
    );
    expect(collected.changes.map(({ path }) => path)).toEqual(names(5));
    expect(collected.leftOut).toEqual([{ path: '…', reason: '55 more files look changed or new and were not read', patch: '' }]);
  });

  test('of tracked files is kept to twice the limit, too (E13)', async () => {
    const place = repository(filesOf(30));
    const collected = await changesAfter(
      place,
      () => {
        for (const name of names(30)) place.write(name, 'changed\n');
        place.write('new', 'x');
      },
      { maxPatchFiles: 2 },
    );
    expect(collected.changes.map(({ path }) => path)).toEqual(names(5));
    expect(collected.leftOut.map(({ reason }) => reason)).toEqual(['26 more files look changed or new and were not read']);
  });

  test('of bytes is read no further than it takes to refuse it, however much there is (E13)', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const collected = await changesAfter(
      place,
      () => {
        for (const name of names(1000)) {
          place.write(name, '');
          truncateSync(join(place.workDir, name), 1_000_000);
        }
      },
      { maxPatchFiles: 5000 },
    );
    expect(collected.changes.map(({ path }) => path)).toEqual(names(3));
    expect(collected.leftOut.map(({ reason }) => reason)).toEqual(['997 more files look changed or new and were not read']);
  });

  test('of deletions is kept to twice the limit (E13)', async () => {
    const place = repository(filesOf(30));
    const collected = await changesAfter(
      place,
      () => {
        for (const name of names(30)) unlinkSync(join(place.workDir, name));
      },
      { maxDeletions: 3 },
    );
    expect(collected.changes.map(({ kind, path }) => [kind, path])).toEqual(names(7).map((name) => ['delete', name]));
    expect(collected.leftOut.map(({ reason }) => reason)).toEqual(['23 more files were deleted']);
  });

  test('of paths that are left out names the first hundred', async () => {
    const place = repository({ 'a.txt': 'a\n' });
    const collected = await changesAfter(place, () => {
      for (const name of names(150)) symlinkSync('/etc/passwd', join(place.workDir, name));
    });
    expect(collected.changes).toEqual([]);
    expect(collected.leftOut.map(({ path }) => path)).toEqual([...names(100), '…']);
    expect(collected.leftOut.at(-1)?.reason).toBe('50 more paths were left out');
  });

  test('does not count files that were only touched', async () => {
    const place = repository(filesOf(30));
    const collected = await changesAfter(
      place,
      () => {
        for (const name of names(30)) place.write(name, `${name}\n`);
        place.write('new', 'x');
      },
      { maxPatchFiles: 1 },
    );
    expect(collected.changes.map(({ path }) => path)).toEqual(['new']);
    expect(collected.leftOut).toEqual([]);
  });
});
