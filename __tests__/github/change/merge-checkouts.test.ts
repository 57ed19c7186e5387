// The base merged into checkouts that have not all of the repository: without contents, without folders, without a submodule's commits.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { gitPath, type Place, placeAt } from '../git-workspace.ts';
import { type Histories, type MergeScene, openMergeScene } from '../merge-scene.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(histories: Histories): Promise<MergeScene> {
  const scene = await openMergeScene(histories);
  closing.push(scene.close);
  return scene;
}

const body = (second: string) => `one\n${second}\nthree\n`;
const histories: Histories = {
  files: { 'in/a.txt': body('two'), 'out/b.txt': body('two'), 'out/c.txt': 'c\n', 'out/d.txt': 'd\n' },
  ours: (place) => {
    place.write('in/a.txt', body('ours'));
    place.write('out/b.txt', body('ours'));
  },
  theirs: (place) => {
    place.write('in/a.txt', body('theirs'));
    place.write('out/b.txt', body('theirs'));
    place.write('out/c.txt', 'changed\n');
  },
};

/** A clone of the pull request's head on GitHub. */
async function cloneOf({ stage: { hub }, place }: MergeScene, options: readonly string[]): Promise<Place> {
  const dir = join(place.root, 'clone');
  mkdirSync(dir);
  const token = hub.issueToken('mona', { contents: 'write' });
  const url = `${hub.serverUrl}/acme/shop`;
  const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const run = (...args: readonly string[]) =>
    promisify(execFile)(gitPath, ['-c', `http.${url}.extraheader=${header}`, ...args], { cwd: dir });
  // Not at a stroke: the server is in this process.
  await run('clone', '--quiet', '-b', 'feature', ...options, url, '.');
  return placeAt(place.root, dir);
}

/** Resolves what is in conflict, publishes it, and tells what the pull request differs from its base in. */
async function resolveIn(scene: MergeScene, place: Place) {
  const workspace = await scene.prepare({}, place.workDir);
  expect([workspace.merge?.kind, workspace.notices]).toEqual(['merged', []]);
  for (const path of ['in/a.txt', 'out/b.txt']) {
    expect(readFileSync(join(place.workDir, path), 'utf8')).toContain('>>>>>>> refs/heads/main');
    place.write(path, body('both'));
  }
  const validated = scene.validate(await scene.bundleFrom(workspace));
  if (validated.kind === 'refusal') throw new Error(validated.message);
  await scene.publish(validated.bundle);
  const { hub } = scene.stage;
  expect(await hub.git('log', '-1', '--format=%P', 'refs/heads/feature')).toBe(`${scene.head} ${scene.base}`);
  return hub.git('diff', '--name-only', scene.base, 'refs/heads/feature');
}

test('a clone without contents has those fetched that either side changed', async () => {
  const scene = await open(histories);
  const place = await cloneOf(scene, ['--filter=blob:none']);
  // What the pull request began with, and what the base made of it: its two texts are one content.
  expect(place.git('rev-list', '--objects', '--all', '--missing=print').match(/^\?/gm)).toHaveLength(3);
  expect(await resolveIn(scene, place)).toBe('in/a.txt\nout/b.txt');
});

test('a clone whose contents cannot be fetched is left as it was, and the reason is said', async () => {
  const scene = await open(histories);
  const place = await cloneOf(scene, ['--filter=blob:none']);
  scene.stage.hub.fail({ method: 'POST', path: /git-upload-pack/, status: 500, times: 9 });
  const { merge, notices } = await scene.prepare({}, place.workDir);
  expect(merge).toEqual({ kind: 'impossible', why: 'not all files of both could be fetched' });
  expect(notices.join()).toContain('was not merged into this branch: not all files of both could be fetched.');
  expect(place.git('status', '--porcelain')).toBe('');
});

test('a checkout of some folders has the conflicts outside of them in its files, too', async () => {
  const scene = await open(histories);
  const place = await cloneOf(scene, ['--sparse']);
  place.git('sparse-checkout', 'set', 'in');
  expect(await resolveIn(scene, place)).toBe('in/a.txt\nout/b.txt');
});

test('a submodule that both sides moved stands as the pull request has it, and the reply says to look at it', async () => {
  const moveTo = (digit: string) => (place: Place) =>
    place.git('update-index', '--add', '--cacheinfo', `160000,${digit.repeat(40)},lib`);
  const scene = await open({
    files: { 'a.txt': body('two'), '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n' },
    before: (place) => {
      mkdirSync(join(place.workDir, 'lib'));
      moveTo('1')(place);
    },
    ours: moveTo('3'),
    theirs: moveTo('2'),
  });
  const validated = scene.validate(await scene.bundleFrom(await scene.prepare()));
  if (validated.kind === 'refusal') throw new Error(validated.message);
  await scene.publish(validated.bundle);
  expect(await scene.stage.hub.git('rev-parse', 'refs/heads/feature:lib')).toBe('3'.repeat(40));
  expect(scene.stage.replies()[0]).toContain('Look at `lib`, which stands as git left it: `Failed to merge submodule lib');
});
