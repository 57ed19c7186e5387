// Which files a search sees: git's rules, without git; no link, no .git, no name that cannot be told.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { compilePattern } from '../../../src/tools/search/line-pattern.ts';
import { createPace } from '../../../src/tools/search/pace.ts';
import { searchFile } from '../../../src/tools/search/search-file.ts';
import { createReadBuffer } from '../../../src/tools/search/text-blocks.ts';
import { nothingLeftOut, walkFiles } from '../../../src/tools/search/walk.ts';
import type { Random } from '../random.ts';
import { createRandom } from '../random.ts';
import { glob, grep, pathsOf, type Tree, useTrees } from './tree.ts';

const newTree = useTrees();

const all = async (dir: string, at?: string) =>
  pathsOf(await glob(dir, { pattern: '**', ...(at === undefined ? {} : { path: at }) }));

const names = ['a', 'b', 'ab', 'a.c', 'b.o', '.hid', 'dist', 'x y', '#n', '!n', 'éa', 'n*', '[s]'];
const lines = [
  ...[
    'a',
    'b/',
    '/a',
    '*.o',
    '!b.o',
    'dist',
    '!dist/',
    'a/b',
    'a/**',
    '**/b',
    '/*',
    '!/a',
    '*',
    '!*/',
    '!*.c',
    '.hid',
    '# a',
    '\\#n',
    '\\!n',
  ],
  ...[
    'a/*/b',
    'a/**/b',
    '[ab]',
    '[!a]*',
    '?',
    'x y',
    'éa',
    'n\\*',
    '[[:alpha:]]',
    '\\[s\\]',
    'a*b',
    '',
    '   ',
    'ab   ',
    '**',
    'a/',
    '!a/',
  ],
];

function randomRules(random: Random): string {
  return Array.from({ length: 1 + random.below(4) }, () => random.pick(lines)).join(random.pick(['\n', '\n', '\r\n']));
}

function randomFolder(random: Random): string {
  return Array.from({ length: random.below(4) }, () =>
    `${random.pick(names)}.d/`.replace(/\.d\/$/, random.below(3) === 0 ? '/' : '.d/'),
  ).join('');
}

function fill({ dir, write }: Tree, random: Random): void {
  for (let at = 0; at < 40; at += 1) {
    const name = randomFolder(random) + random.pick(names);
    try {
      write({ [name]: 'text\n' });
    } catch {
      // A file stands where a folder should, or the other way round.
    }
  }
  for (const folder of ['', randomFolder(random), randomFolder(random)]) {
    try {
      write({ [`${folder}.gitignore`]: randomRules(random) });
    } catch {
      // As above.
    }
  }
  if (random.below(2) === 0) writeFileSync(path.join(dir, '.git/info/exclude'), randomRules(random));
}

test('the files are those that git would track, in the order of their paths, over random trees and rules', async () => {
  const random = createRandom(42);
  let ignored = 0;
  for (let round = 0; round < 60; round += 1) {
    const fresh = newTree();
    fresh.init();
    fill(fresh, random);
    const listed = execFileSync('git', ['-C', fresh.dir, 'ls-files', '-z', '--others', '--exclude-standard'], {
      env: { PATH: process.env.PATH, HOME: '/nonexistent' },
    });
    const theirs = listed
      .toString()
      .split('\0')
      .filter((name) => name !== '')
      .sort();
    expect(await all(fresh.dir)).toEqual(theirs);
    const everything = execFileSync('git', ['-C', fresh.dir, 'ls-files', '-z', '--others']).toString().split('\0').length - 1;
    ignored += everything - theirs.length;
    await expectSameBelow(fresh.dir, theirs, random);
  }
  expect(ignored).toBeGreaterThan(200);
});

/** A search that begins in a folder sees what one from the top sees there. */
async function expectSameBelow(dir: string, files: readonly string[], random: Random): Promise<void> {
  const folders = files.map((file) => path.dirname(file)).filter((folder) => folder !== '.');
  if (folders.length === 0) return;
  const folder = random.pick(folders);
  expect(await all(dir, folder)).toEqual(files.filter((file) => file.startsWith(`${folder}/`)));
}

test('what git ignores is searched when path names it, a file of it or a folder in it, and that is said', async () => {
  const { dir, write } = newTree();
  write({
    '.gitignore': 'node_modules/\n*.log\n',
    'node_modules/p/.gitignore': 'lib\n',
    'node_modules/p/lib/x.js': 'needle',
    'b.log': 'needle',
    'a.js': 'needle',
  });
  expect(await all(dir)).toEqual(['.gitignore', 'a.js']);
  expect(await all(dir, 'node_modules')).toEqual(['node_modules/p/.gitignore', 'node_modules/p/lib/x.js']);
  expect(await glob(dir, { pattern: '*.js', path: 'node_modules/p' })).toBe(
    'node_modules/p/lib/x.js\n[1 file; git ignores this path: all in it was searched]',
  );
  expect(await grep(dir, { pattern: 'needle', path: 'b.log' })).toBe('b.log:1: needle\n[1 matching line in 1 file]');
  expect(await glob(dir, { pattern: '*.log' })).toBe(
    'No file in the workspace matches "*.log".\n[left out, ignored by git: b.log, node_modules/ (to search one give it as path)]',
  );
});

test('hidden files are seen and .git never, whatever it is', async () => {
  const { dir, write } = newTree();
  write({ '.github/workflows/ci.yml': '', '.env': '', 'sub/.git/config': '', 'mod/.git': 'gitdir: x', '.GIT/config': '' });
  expect(await all(dir)).toEqual(['.env', '.github/workflows/ci.yml']);
});

test('a workspace within a repository obeys the rules above it, and one that is ignored there is searched as it is', async () => {
  const fresh = newTree();
  fresh.init();
  fresh.write({ '.gitignore': '*.o\nout\n', 'pkg/a.o': '', 'pkg/a.c': '', 'out/a.o': '' });
  expect(await all(path.join(fresh.dir, 'pkg'))).toEqual(['a.c']);
  expect(await all(path.join(fresh.dir, 'out'))).toEqual(['a.o']);
});

test('links are not followed, neither out of the workspace nor around within it, and rules behind a link are none', async () => {
  const { dir, write } = newTree();
  const outside = newTree();
  outside.write({ 'secret.txt': 'secret', rules: '*' });
  write({ 'in/a.txt': 'secret' });
  symlinkSync(outside.dir, path.join(dir, 'out'));
  symlinkSync(path.join(outside.dir, 'secret.txt'), path.join(dir, 'file.txt'));
  symlinkSync('..', path.join(dir, 'in/up'));
  symlinkSync(path.join(outside.dir, 'rules'), path.join(dir, '.gitignore'));
  expect(await all(dir)).toEqual(['in/a.txt']);
  expect(await grep(dir, { pattern: 'secret' })).toBe('in/a.txt:1: secret\n[1 matching line in 1 file]');
});

test('names that cannot be seen are written out, and those that are no UTF-8 are counted', async () => {
  const { dir, write } = newTree();
  write({ 'a\nb.txt': 'x\n', '\u202etxt.exe': 'x\n', ' é😀.txt': 'x\n' });
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0x66, 0xff])]), 'x');
  expect(await glob(dir, { pattern: '**' })).toBe(
    ' é😀.txt\n"a\\nb.txt"\n"\\u202etxt.exe"\n[3 files; 1 left out whose names are not UTF-8]',
  );
});

test('nothing outside is found or told while folders are swapped for links without end', async () => {
  const { dir, write } = newTree();
  const outside = newTree();
  outside.write({ 'a.txt': 'secret\n', 'only-outside.txt': 'secret\n' });
  write(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`d${at}/a.txt`, 'plain\n'])));
  const swap = `i=0; while :; do d=$((i % 200)); mv "d$d" "s$d"; ln -s '${outside.dir}' "d$d"; rm "d$d"; mv "s$d" "d$d"; i=$((i + 1)); done`;
  const { spawn } = await import('node:child_process');
  const swapper = spawn('/bin/sh', ['-c', swap], { cwd: dir, stdio: 'ignore' });
  try {
    for (let round = 0; round < 10; round += 1) {
      expect(await grep(dir, { pattern: 'secret' })).toMatch(/^No line/);
      expect(await glob(dir, { pattern: 'only-outside.txt' })).toMatch(/^No file/);
    }
  } finally {
    swapper.kill('SIGKILL');
    await new Promise((resolve) => swapper.once('exit', resolve));
  }
});

test('the deepest tree that a system takes, and folders that vanish, end the walk with what there is', async () => {
  const { dir } = newTree();
  const deep = path.join(dir, ...Array.from({ length: 300 }, () => 'abcdefgh'));
  mkdirSync(deep, { recursive: true });
  writeFileSync(path.join(deep, 'end.txt'), 'needle');
  expect(await grep(dir, { pattern: 'needle' })).toMatch(/end\.txt:1: needle\n\[1 matching line/);
  rmSync(path.join(dir, 'abcdefgh'), { recursive: true });
  expect(await all(dir)).toEqual([]);
});

test('a folder that became a link after it was seen is not entered, and a file behind such a one is not told', async () => {
  const { dir, write } = newTree();
  const outside = newTree();
  outside.write({ 'secret.txt': 'secret\n' });
  write({ 'a.txt': '', 'b/c.txt': '' });
  const root = { workspace: dir, within: dir, real: dir, shown: '.', isFile: false };
  const swap = (file: string): boolean => {
    if (file !== 'a.txt') return true;
    rmSync(path.join(dir, 'b'), { recursive: true });
    symlinkSync(outside.dir, path.join(dir, 'b'));
    return true;
  };
  const pace = createPace(new AbortController().signal, 60_000);
  const leftOut = nothingLeftOut();
  const batches: (readonly string[])[] = [];
  for await (const batch of walkFiles({ root, accepts: swap, isExcluded: () => false, pace, leftOut })) batches.push(batch);
  expect([batches, leftOut.unreadable]).toEqual([[['a.txt']], 1]);
  const compiled = await compilePattern('secret', false);
  if (compiled.kind === 'broken') throw new Error(compiled.problem);
  const request = { pattern: compiled.pattern, wanted: 1, around: 0, buffer: createReadBuffer(), pace };
  expect(await searchFile(path.join(dir, 'b/secret.txt'), request)).toEqual({ kind: 'unreadable' });
  expect(await searchFile(path.join(outside.dir, 'secret.txt'), request)).toMatchObject({ kind: 'text', count: 1 });
});
