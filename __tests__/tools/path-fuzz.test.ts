// Random paths through links, while directories are swapped for links to the outside all the time: nothing outside is read or changed.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createRandom, type Random } from './random.ts';
import { useWorkspace, type Workspace } from './workspace.ts';

const workspace = useWorkspace();

/** Exchanges the directory and the link of each pair in one step, for ever: neither name is ever missing. */
function swapAllTheTime(dir: string, pairs: readonly (readonly [string, string])[]): ChildProcess {
  const script = `
import ctypes, itertools, os, sys, time
os.chdir(sys.argv[1])
libc, here, exchange = ctypes.CDLL(None), -100, 2
pairs = [(one.encode(), other.encode()) for one, other in zip(sys.argv[2::2], sys.argv[3::2])]
for one, other in itertools.cycle(pairs):
    if libc.renameat2(here, one, here, other, exchange) != 0: sys.exit(1)
    time.sleep(0.00005)`;
  return spawn('python3', ['-c', script, dir, ...pairs.flat()], { stdio: 'ignore' });
}

/** Everything below `root` with kind, mode, size, time and content. */
function snapshot(root: string): unknown {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const place = path.join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) return [place, readlinkSync(place)];
      const { mode, mtimeMs, ino } = statSync(place);
      return [place, mode, mtimeMs, ino, entry.isFile() ? readFileSync(place, 'latin1') : ''];
    })
    .sort();
}

const secret = 'SECRET-OF-THE-OUTSIDE';
const outsideName = 'only-outside.txt';

/** The same names inside and outside, so that a path that leads out finds something. */
function build({ dir, outside }: Workspace): void {
  for (const root of [dir, outside]) {
    for (const folder of ['d/sub', 'b/s', 'a']) mkdirSync(path.join(root, folder), { recursive: true });
    for (const file of ['file', 'd/file', 'd/sub/file', 'b/s/file', 'a/file']) {
      writeFileSync(path.join(root, file), root === dir ? 'inside\nword\n' : `${secret}\nword\n`);
    }
  }
  for (const folder of ['', 'd', 'd/sub', 'b/s']) writeFileSync(path.join(outside, folder, outsideName), secret);
  mkdirSync(path.join(dir, '.git/hooks'), { recursive: true });
  writeFileSync(path.join(dir, '.git/config'), 'word\n');
  const links: readonly (readonly [string, string])[] = [
    ['evil', outside],
    ['b/evil', '../../outside/b'],
    ['l1', '..'],
    ['l2', 'd/sub'],
    ['l3', 'l2/../../..'],
    ['a/l1', '../../outside/file'],
    ['a/l2', '.git'],
    ['b/l3', `${outside}/new`],
    ['b/l1', '../.git/hooks'],
    ['loop', 'loop'],
  ];
  for (const [name, target] of links) symlinkSync(target, path.join(dir, name));
}

const folders = [
  'd',
  'd',
  'b',
  's',
  'sub',
  'a',
  'l1',
  'l2',
  'l3',
  'evil',
  'loop',
  '..',
  '..',
  '.',
  '',
  '.git',
  '.GIT',
  'file',
  '\0',
];
const names = [
  ...folders,
  ...['file', 'file', 'new', 'config', 'hooks', '.Git ', '.git.', '.git\u200c', 'GIT~1', '.ｇｉｔ', outsideName],
  ...['é', 'e\u0301', ' ', '%2e%2e', '..\\..', '-rf', '~', '\ud800', 'x'.repeat(300)],
];

function randomPath(random: Random, { dir, outside }: Workspace): string {
  const start = random.pick(['', '', '', '', '', '', `${dir}/`, `${dir}/`, `${outside}/`, '/', '/proc/self/cwd/', '~/', './']);
  // Most of them go where the swapping is.
  if (random.below(2) === 0) {
    return (
      start +
      random.pick([
        'd/file',
        'd/sub/file',
        'b/s/file',
        'd/new/deep/file',
        'b/s/x/y',
        `d/${outsideName}`,
        'd/only-outsid.txt',
        'a/l2/config',
        'b/l1/new',
        '.git/config',
        'a/../.GIT/config',
        'd',
        'b/s',
        'd/fiel',
      ])
    );
  }
  return start + [...Array.from({ length: random.below(5) }, () => random.pick(folders)), random.pick(names)].join('/');
}

const calls: readonly (readonly [string, object])[] = [
  ['read_file', {}],
  ['read_file', {}],
  ['write_file', { content: 'word\nwritten\n' }],
  ['edit_file', { old_string: 'word', new_string: 'edited word' }],
];

async function callSomething(random: Random, here: Workspace): Promise<keyof typeof kinds | 'done' | 'refused'> {
  const [tool, args] = random.pick(calls);
  const given = randomPath(random, here);
  // What has this name inside would tell nothing when it is shown.
  const isTold = tool === 'write_file' && given.includes(outsideName);
  const { text, isError } = await here.call(tool, { path: isTold ? 'd/file' : given, ...args });
  if (text.includes(secret)) throw new Error(`read from outside: ${text}`);
  if (text.includes(outsideName) && !given.includes(outsideName)) throw new Error(`told of the outside: ${text}`);
  if (!isError) return 'done';
  return (['outside', 'moved'] as const).find((kind) => text.includes(kinds[kind])) ?? 'refused';
}

const kinds = { outside: 'is outside the workspace', moved: 'changed its place' } as const;

test('G4-16 F1 F5 10,000 random paths, links swapped during the calls: nothing outside and nothing of .git is read or changed', async () => {
  const here = workspace();
  const { dir, outside } = here;
  build(here);
  const before = [snapshot(outside), snapshot(path.join(dir, '.git'))];
  const swapper = swapAllTheTime(dir, [
    ['d', 'evil'],
    ['b/s', 'b/evil'],
  ]);
  const random = createRandom(99);
  const tally = { done: 0, outside: 0, moved: 0, refused: 0 };
  try {
    for (let round = 0; round < 10_000 / 20; round += 1) {
      const ends = await Promise.all(Array.from({ length: 20 }, () => callSomething(random, here)));
      for (const end of ends) tally[end] += 1;
    }
    expect(swapper.exitCode).toBe(null);
  } finally {
    const ended = once(swapper, 'exit');
    if (swapper.kill('SIGKILL')) await ended;
  }
  expect([snapshot(outside), snapshot(path.join(dir, '.git'))]).toEqual(before);
  // The swapping met the calls, and what is inside was served all the same.
  expect([tally.done > 500, tally.outside > 500, tally.moved > 10, tally.refused > 100]).toEqual([true, true, true, true]);
}, 180_000);
