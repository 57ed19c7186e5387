import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { collectChanges } from '../../../src/github/change/collect-changes.ts';
import { takeManifest } from '../../../src/github/change/manifest.ts';
import { addWrites, nothingAside, type SetAside, takeStamps } from '../../../src/github/change/set-aside.ts';
import { baseOf, createRepository, never, type Place, runGit } from '../git-workspace.ts';
import { limits } from './changes-after.ts';

const places: Place[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

/** A workspace whose agent has worked; then checks run, each with the agent's next work after it. */
async function afterChecks(agent: (place: Place) => void, ...rounds: readonly (readonly [check: Work, more: Work])[]) {
  const place = createRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': 'cache/\n' });
  places.push(place);
  const base = await baseOf(place);
  const commit = place.git('rev-parse', 'HEAD').trim();
  const { workDir } = place;
  const before = await takeManifest({ workDir, commit, git: runGit, base, clock: { now: () => new Date() } }, never);
  const request = { before, workDir, base, limits: { ...limits, maxPatchFiles: 3 } };
  agent(place);
  let aside: SetAside = nothingAside;
  for (const [check, more] of rounds) {
    const { changes } = await collectChanges({ ...request, aside }, never);
    const first = await takeStamps(request, never);
    check(place);
    aside = addWrites(aside, { first, second: await takeStamps(request, never) }, changes);
    more(place);
  }
  const { changes, leftOut } = await collectChanges({ ...request, aside }, never);
  const written = changes.map((change) => [change.path, change.kind === 'delete' ? null : change.content.data]);
  return { written: Object.fromEntries(written), leftOut, patches: changes.map(({ patch }) => patch).join('') };
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
    const { written, leftOut, patches } = await afterChecks(writes('a.txt', 'A\n'), [many, nothing]);
    expect({ written, leftOut }).toEqual({ written: { 'a.txt': 'A\n' }, leftOut: [] });
    expect(patches).toContain('+A\n');
  });
});
