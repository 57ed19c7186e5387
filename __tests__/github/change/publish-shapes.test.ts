import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { validateBundle } from '../../../src/github/change/validate-bundle.ts';
import { announce } from '../../../src/github/publish/announce.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import { createRepository, type Place } from '../git-workspace.ts';
import { bundleOf } from '../plan-and-bundle.ts';
import { never, openStage } from '../publish/stage.ts';
import { changesAfter } from './changes-after.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const files = { 'src/total.js': 'total\n', 'src/deep/a.js': 'a\n', 'src/deep/b.js': 'b\n', 'old.txt': 'old\n' };
const scan = () => ({ exact: false, pattern: null });

type Work = (place: Place) => void;
const remove = (place: Place, path: string) => rmSync(join(place.workDir, path), { recursive: true });

describe('from the workspace to GitHub’s tree', () => {
  test.each<[string, Work]>([
    [
      'a file that becomes a folder',
      (place) => {
        remove(place, 'src/total.js');
        place.write('src/total.js/index.js', 'index\n');
        place.write('src/total.js/deep/x.js', 'x\n');
      },
    ],
    [
      'a folder that becomes a file',
      (place) => {
        remove(place, 'src');
        place.write('src', 'no folder\n');
      },
    ],
    [
      'a folder that becomes a link',
      (place) => {
        remove(place, 'src/deep');
        symlinkSync('../old.txt', join(place.workDir, 'src/deep'));
      },
    ],
    [
      'a file and a folder that change places',
      (place) => {
        remove(place, 'src');
        remove(place, 'old.txt');
        place.write('src', 'no folder\n');
        place.write('old.txt/a', 'a\n');
      },
    ],
  ])('%s is published as git would commit it', async (_name, work) => {
    const stage = await openStage({ files });
    const place = createRepository(files);
    closing.push(() => stage.close(), place.remove);
    const { changes, leftOut } = await changesAfter(place, () => work(place));
    expect(leftOut).toEqual([]);
    const validated = validateBundle(stage.plan, bundleOf(stage.plan, { changes }), scan);
    if (validated.kind === 'refusal') throw new Error(validated.message);
    const announcement = await announce(stage.plan, stage.ports, never);
    await publish(stage.plan, validated.bundle, announcement, { ports: stage.ports, signal: never });
    place.git('add', '-A');
    const wanted = place.git('ls-tree', '-r', place.git('write-tree').trim()).trim();
    expect(await stage.hub.git('ls-tree', '-r', `refs/heads/${stage.plan.branchName}`)).toBe(wanted);
  });
});
