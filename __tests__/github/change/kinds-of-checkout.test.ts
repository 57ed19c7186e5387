// Checkouts that are not the usual one: what is not there on purpose is nobody's deletion.

import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { type Place, placeAt, repositories } from '../git-workspace.ts';
import { changesAfter } from './changes-after.ts';

const repository = repositories();

/** Another clone of the same repository, as `git clone` with these options makes it. */
function cloneOf(origin: Place, ...options: readonly string[]): Place {
  origin.git('config', 'uploadpack.allowFilter', 'true');
  const workDir = join(origin.root, 'clone');
  origin.git('clone', '--quiet', ...options, pathToFileURL(origin.workDir).href, workDir);
  return placeAt(origin.root, workDir);
}

/** Path and kind of each change, and what was left out. */
function named({ changes, leftOut }: Awaited<ReturnType<typeof changesAfter>>) {
  return [changes.map((change) => `${change.kind} ${change.path}`).sort(), leftOut.map(({ path }) => path)];
}

const monorepo = {
  'package.json': '{}\n',
  'packages/a/index.js': 'a\n',
  'packages/b/index.js': 'b\n',
  'packages/b/deep/x.js': 'x\n',
};

describe('a sparse checkout', () => {
  test.each([
    ['with a cone', ['sparse-checkout', 'set', '--cone', 'packages/a']],
    ['with patterns', ['sparse-checkout', 'set', '--no-cone', '/package.json', '/packages/a/']],
    ['with a sparse index', ['sparse-checkout', 'set', '--cone', '--sparse-index', 'packages/a']],
  ])('%s: what lies outside is nobody’s deletion, and work inside is found', async (_how, set) => {
    const place = repository(monorepo);
    place.git(...set);
    expect(existsSync(join(place.workDir, 'packages/b'))).toBe(false);
    const collected = await changesAfter(place, () => place.write('packages/a/index.js', 'aa\n'));
    expect(named(collected)).toEqual([['write packages/a/index.js'], []]);
  });

  test('what is written outside of it is a change like any other', async () => {
    const place = repository(monorepo);
    place.git('sparse-checkout', 'set', '--cone', 'packages/a');
    const collected = await changesAfter(place, () => place.write('packages/b/index.js', 'bb\n'));
    expect(named(collected)).toEqual([['write packages/b/index.js'], []]);
  });
});

describe('a clone', () => {
  test.each([
    ['of depth 1', ['--depth=1']],
    ['without blobs', ['--filter=blob:none']],
    ['without trees', ['--filter=tree:0']],
  ])('%s has its changes found', async (_how, options) => {
    const place = cloneOf(repository(monorepo), ...options);
    const collected = await changesAfter(place, () => {
      place.write('packages/a/index.js', 'aa\n');
      unlinkSync(join(place.workDir, 'packages/b/index.js'));
    });
    expect(named(collected)).toEqual([['delete packages/b/index.js', 'write packages/a/index.js'], []]);
  });
});

test('a worktree of its own has its changes found', async () => {
  const origin = repository(monorepo);
  const workDir = join(origin.root, 'tree');
  origin.git('worktree', 'add', '--quiet', '--detach', workDir);
  const place = placeAt(origin.root, workDir);
  const collected = await changesAfter(place, () => place.write('new.txt', 'new\n'));
  expect(named(collected)).toEqual([['write new.txt'], []]);
});

test('a name that changes its case alone is a deletion and a new file', async () => {
  const place = repository({ 'Readme.md': 'hello\n' });
  const collected = await changesAfter(place, () => {
    renameSync(join(place.workDir, 'Readme.md'), join(place.workDir, 'README.md'));
  });
  expect(named(collected)).toEqual([['delete Readme.md', 'write README.md'], []]);
});

test('a repository that the agent made inside has its files left alone, or said', async () => {
  const place = repository({ 'a.txt': 'a\n' });
  const collected = await changesAfter(place, () => {
    mkdirSync(join(place.workDir, 'inner/.git'), { recursive: true });
    place.write('inner/.git/HEAD', 'ref: refs/heads/main\n');
    place.write('inner/b.txt', 'b\n');
    place.write('a.txt', 'aa\n');
  });
  expect(named(collected)[0]).toContain('write a.txt');
  expect(JSON.stringify(collected.changes)).not.toContain('inner/.git');
});

const oddNames = [
  'a b.txt',
  "it's.txt",
  '"quoted".txt',
  'tab\there.txt'.replace('\t', '%09'),
  'ünï-文字-😀.txt',
  '-rf',
  '$(id).txt',
  '`x`',
  'a;b',
  '*.txt',
  '[x]',
  '!x',
  '#x',
  ' lead',
  'back\\slash',
  '~x',
];
test('odd names travel as they are, new and gone; a backslash, which is a folder elsewhere, is left out and said', async () => {
  const place = repository(Object.fromEntries(oddNames.map((name) => [`old/${name}`, 'x\n'])));
  const collected = await changesAfter(place, () => {
    for (const name of oddNames) place.write(`new/${name}`, 'y\n');
    for (const name of oddNames) rmSync(join(place.workDir, 'old', name));
  });
  const travel = oddNames.filter((name) => !name.includes('\\'));
  const expected = [...travel.map((name) => `delete old/${name}`), ...travel.map((name) => `write new/${name}`)].sort();
  expect(named(collected)).toEqual([expected, ['new/back\\slash', 'old/back\\slash']]);
});

test('core.fileMode=false: an executable bit that the disk does not keep is nobody’s change', async () => {
  const place = repository({ 'run.sh': '#!/bin/sh\n' });
  place.git('update-index', '--chmod=+x', 'run.sh');
  place.git('commit', '--quiet', '-m', 'executable');
  place.git('config', 'core.fileMode', 'false');
  chmodSync(join(place.workDir, 'run.sh'), 0o644);
  const collected = await changesAfter(place, () => place.write('other.txt', 'x\n'));
  expect(named(collected)).toEqual([['write other.txt'], []]);
});
