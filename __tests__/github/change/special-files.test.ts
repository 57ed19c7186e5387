// Files that are not what they look like on disk: submodules, pointers of Git LFS, links on a disk that has none.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, symlinkSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Place, placeAt, repositories } from '../git-workspace.ts';
import { changesAfter } from './changes-after.ts';

const repository = repositories();

/** Path, kind and content of each change, and what was left out with its reason. */
function told({ changes, leftOut }: Awaited<ReturnType<typeof changesAfter>>) {
  return {
    changes: changes.map((change) => [change.kind, change.path, ...(change.kind === 'write' ? [change.mode] : [])].join(' ')),
    leftOut: leftOut.map(({ path, reason }) => `${path}: ${reason}`),
  };
}

describe('a submodule', () => {
  /** On a head whose commit moved the submodule; its folder is as an earlier step of the job left it. */
  function movedByHead(prepare: (place: Place, inner: Place) => void): Place {
    const inner = repository({ 'inner.txt': 'i\n' });
    const place = repository({ 'a.txt': 'a\n' });
    place.git('submodule', '--quiet', 'add', inner.workDir, 'vendor/lib');
    place.git('commit', '--quiet', '-m', 'submodule');
    inner.write('inner.txt', 'ii\n');
    inner.git('commit', '--quiet', '-am', 'newer');
    const newer = inner.git('rev-parse', 'HEAD').trim();
    place.git('update-index', '--cacheinfo', `160000,${newer},vendor/lib`);
    place.git('commit', '--quiet', '-m', 'moves the submodule');
    prepare(place, inner);
    return place;
  }

  test.each<[string, (place: Place) => void]>([
    ['still stands on the commit from before', () => undefined],
    ['was never checked out', (place) => place.git('submodule', '--quiet', 'deinit', '--force', 'vendor/lib')],
    [
      'was taken to the new commit',
      (place) => void placeAt(place.root, join(place.workDir, 'vendor/lib')).git('pull', '--quiet'),
    ],
    ['is dirty', (place) => place.write('vendor/lib/inner.txt', 'dirty\n')],
  ])('that the pull request moves and that %s is no part of other work (G1-36)', async (_state, prepare) => {
    const place = movedByHead(prepare);
    const collected = await changesAfter(place, () => place.write('a.txt', 'aa\n'));
    expect(told(collected)).toEqual({ changes: ['write a.txt 100644'], leftOut: [] });
  });

  test('that the agent writes into without a commit is no part of its work (G1-36)', async () => {
    const place = movedByHead(() => undefined);
    const collected = await changesAfter(place, () => place.write('vendor/lib/inner.txt', 'by the agent\n'));
    expect(told(collected)).toEqual({ changes: [], leftOut: [] });
  });
});

describe('a file in Git LFS', () => {
  const pointerTo = (content: string) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(content).digest('hex')}\nsize ${content.length}\n`;
  const attributes = '*.bin filter=lfs diff=lfs merge=lfs -text\n';
  const reason = 'the file is kept in Git LFS; harness9 does not upload LFS content';
  const withPointer = () => repository({ '.gitattributes': attributes, 'a.txt': 'a\n', 'old.bin': pointerTo('content') });

  test('that is a pointer on disk is nobody’s change when it is touched', async () => {
    const place = withPointer();
    const collected = await changesAfter(place, () => utimesSync(join(place.workDir, 'old.bin'), 1, 1));
    expect(told(collected)).toEqual({ changes: [], leftOut: [] });
  });

  test.each([
    ['another pointer', pointerTo('other')],
    ['content', 'content of its own'],
    ['content beyond every limit', 'x'.repeat(2 * 1024 * 1024)],
  ])('that becomes %s is left out for what it is, and so is a new one', async (_what, content) => {
    const place = withPointer();
    const collected = await changesAfter(place, () => {
      place.write('old.bin', content);
      place.write('new.bin', content);
      place.write('a.txt', 'aa\n');
    });
    const { changes, leftOut } = told(collected);
    expect({ changes, leftOut: leftOut.toSorted() }).toEqual({
      changes: ['write a.txt 100644'],
      leftOut: [`new.bin: ${reason}`, `old.bin: ${reason}`],
    });
  });

  test('that is removed is a deletion: its content is not needed for that', async () => {
    const place = withPointer();
    const collected = await changesAfter(place, () => unlinkSync(join(place.workDir, 'old.bin')));
    expect(told(collected)).toEqual({ changes: ['delete old.bin'], leftOut: [] });
  });

  test('whose content a step before us fetched is nobody’s change', async () => {
    const place = withPointer();
    place.write('old.bin', 'content');
    const collected = await changesAfter(place, () => place.write('a.txt', 'aa\n'));
    expect(told(collected)).toEqual({ changes: ['write a.txt 100644'], leftOut: [] });
  });
});

describe('a disk without links (core.symlinks=false)', () => {
  function withoutLinks(): Place {
    const place = repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    symlinkSync('a.txt', join(place.workDir, 'link'));
    place.git('add', '-A');
    place.git('commit', '--quiet', '-m', 'link');
    place.git('config', 'core.symlinks', 'false');
    rmSync(join(place.workDir, 'link'));
    place.git('checkout', '--quiet', '--', 'link');
    expect([statSync(join(place.workDir, 'link')).isFile(), readFileSync(join(place.workDir, 'link'), 'utf8')]).toEqual([
      true,
      'a.txt',
    ]);
    return place;
  }

  test('a link that stands there as a file is nobody’s change when it is touched', async () => {
    const place = withoutLinks();
    const collected = await changesAfter(place, () => {
      utimesSync(join(place.workDir, 'link'), 1, 1);
      place.write('b.txt', 'bb\n');
    });
    expect(told(collected)).toEqual({ changes: ['write b.txt 100644'], leftOut: [] });
  });

  test('one that is pointed elsewhere stays a link, and may lead as far as any (E8)', async () => {
    const place = withoutLinks();
    expect(told(await changesAfter(place, () => place.write('link', 'b.txt')))).toEqual({
      changes: ['write link 120000'],
      leftOut: [],
    });
    const other = withoutLinks();
    expect(told(await changesAfter(other, () => other.write('link', '../../etc/passwd')))).toEqual({
      changes: [],
      leftOut: [expect.stringMatching(/^link: /)],
    });
  });
});
