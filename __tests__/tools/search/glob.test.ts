// What a pattern of file names means, and how the files are told.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import picomatch from 'picomatch';
import { createGlobTool } from '../../../src/tools/search/glob.ts';
import { parseGlob } from '../../../src/tools/search/glob-pattern.ts';
import type { Random } from '../random.ts';
import { createRandom } from '../random.ts';
import { glob, pathsOf, run, useTrees } from './tree.ts';

const newTree = useTrees();

function matcherOf(pattern: string): (file: string) => boolean {
  const parsed = parseGlob(pattern);
  if (parsed.kind === 'broken') throw new Error(`${pattern}: ${parsed.problem}`);
  return parsed.matches;
}

describe('a pattern', () => {
  test.each([
    // Without a slash it is about the name, at any depth.
    ['*.ts', ['a.ts', 'src/a.ts', '.hid/.b.ts'], ['a.tsx', 'a.ts/b']],
    ['/*.ts', ['a.ts'], ['src/a.ts']],
    ['./*.ts', ['a.ts', 'src/a.ts'], []],
    ['src/*.ts', ['src/a.ts'], ['src/b/a.ts', 'lib/src/a.ts']],
    ['src/**/*.ts', ['src/a.ts', 'src/b/c/a.ts'], ['a.ts', 'srcs/a.ts']],
    ['**/test/**', ['test/a', 'x/test/a/b'], ['test', 'tests/a']],
    ['src/', ['src/a', 'src/b/c'], ['src', 'x/src/a']],
    ['**', ['a', 'a/b', '.x'], []],
    ['**/*.{ts,tsx}', ['a.ts', 'b/c.tsx'], ['a.t', 'a.{ts,tsx}']],
    ['{src,lib}/**/*.{j,t}s', ['src/a.ts', 'lib/b/a.js'], ['a.ts', 'src/a.s']],
    ['a{b,{c,d}e,}f', ['abf', 'acef', 'adef', 'af'], ['acf', 'abef']],
    ['{a}', ['{a}'], ['a']],
    ['a{b', ['a{b'], ['ab']],
    ['\\{a,b}', ['{a,b}'], ['a', 'b']],
    ['[a-c]?.md', ['b1.md'], ['d1.md', 'b.md']],
    ['[!a].c', ['b.c'], ['a.c']],
    // Routes of web frameworks have such names.
    ['app/[id]/page.tsx', ['app/[id]/page.tsx', 'app/i/page.tsx'], ['app/x/page.tsx']],
    ['app/[...slug]/*.ts', ['app/[...slug]/a.ts'], []],
    ['!*.test.ts', ['a.ts', 'x/b.md'], ['a.test.ts', 'x/a.test.ts']],
    ['!**/dist/**', ['a', 'x/distance/a'], ['dist/a', 'x/dist/y/a']],
    ['README.md', ['README.md', 'docs/README.md'], ['readme.md']],
    ['\\*', ['*'], ['a']],
  ])('%s', (pattern, matching, others) => {
    const matches = matcherOf(pattern);
    expect([matching.filter((file) => !matches(file)), others.filter(matches)]).toEqual([[], []]);
  });

  test('means what picomatch takes it for, but for names without a slash', () => {
    const random = createRandom(5);
    const pieces = ['a', 'b', 'ab', '*', '?', 'a*', '*b', '**', '[ab]', '[^a]', '{a,b}', '{ab,*.c}', '.h', '*.c', 'x.c'];
    const names = ['a', 'b', 'ab', 'ba', 'x.c', '.h', 'c', 'abc', 'a.c'];
    const some = (random_: Random, from: readonly string[], least: number) =>
      Array.from({ length: least + random_.below(3) }, () => random_.pick(from)).join('/');
    let matched = 0;
    for (let round = 0; round < 3000; round += 1) {
      const pattern = some(random, pieces, 2);
      const theirs = picomatch(pattern, { dot: true, noextglob: true });
      const ours = matcherOf(pattern);
      for (let at = 0; at < 5; at += 1) {
        const file = some(random, names, 1);
        // `a/**` is what lies in `a`, and no file named `a`.
        if (pattern.endsWith('/**') && theirs(file) && picomatch(pattern.slice(0, -3), { dot: true })(file)) continue;
        if (theirs(file)) matched += 1;
        expect({ pattern, file, matches: ours(file) }).toEqual({ pattern, file, matches: theirs(file) });
      }
    }
    expect(matched).toBeGreaterThan(200);
  });

  test('that would keep an engine of JavaScript busy for years is answered at once', () => {
    const hostile = [
      '*a'.repeat(120),
      `${'**/'.repeat(200)}x`,
      '{a,b}'.repeat(60),
      '{'.repeat(900),
      '['.repeat(900),
      '{a,'.repeat(300),
    ];
    const file = `${'a'.repeat(250)}/`.repeat(12) + 'a'.repeat(250);
    const answers = hostile.map((pattern) => {
      const parsed = parseGlob(pattern);
      return parsed.kind === 'broken' ? parsed.problem : parsed.matches(`${file}b`);
    });
    expect(answers).toEqual([false, false, 'the braces make more than 200 patterns', false, false, false]);
  });

  test.each([
    ['../x', /`\.\.` leads out .* give that folder as path/],
    ['a/../b', /`\.\.` leads out/],
    ['  ', /empty; `\*\*` matches every file/],
    ['@(a|b).ts', /write \{a,b\}/],
    ['x'.repeat(1001), /1001 characters, at most 1000/],
  ])('a pattern that cannot be is refused with what to write instead (%#)', async (pattern, problem) => {
    const answer = await run(createGlobTool({ workDir: newTree().dir }), { pattern });
    expect([answer.isError, answer.text]).toEqual([true, expect.stringMatching(problem)]);
  });
});

describe('the answer', () => {
  test('has paths of the workspace, sorted, whatever the folder searched and however the pattern names it', async () => {
    const { dir, write } = newTree();
    write({ 'src/b.ts': '', 'src/a/z.ts': '', 'src/a-b.ts': '', 'src/a.ts': '', 'c.ts': '' });
    const inSrc = ['src/a-b.ts', 'src/a.ts', 'src/a/z.ts', 'src/b.ts'];
    expect(await glob(dir, { pattern: '*.ts' })).toBe(['c.ts', ...inSrc, '[5 files]'].join('\n'));
    for (const args of [
      { pattern: '*.ts', path: 'src' },
      { pattern: '**/*.ts', path: './src/' },
      { pattern: '**', path: path.join(dir, 'src') },
      { pattern: `${dir}/src/**/*.ts` },
      { pattern: `${dir}/src/**`, path: 'src' },
    ]) {
      expect([args, pathsOf(await glob(dir, args))]).toEqual([args, inSrc]);
    }
  });

  test('ends after 200 names, with the count of all and where most of them are', async () => {
    const { dir, write } = newTree();
    write(
      Object.fromEntries(
        Array.from({ length: 350 }, (_, at) => [`${at < 300 ? 'big' : 'small'}/f${String(at).padStart(3, '0')}`, '']),
      ),
    );
    const answer = await glob(dir, { pattern: '**' });
    expect(pathsOf(answer)).toHaveLength(200);
    expect(answer.split('\n').at(-1)).toBe(
      '[the first 200 of 350 files, most of them in big/ 300, small/ 50; narrow it with path or the pattern]',
    );
  });

  test('is no failure where nothing matches, and says how to look further', async () => {
    const { dir, write } = newTree();
    write({ 'src/tools/a.ts': '' });
    expect(await glob(dir, { pattern: 'tools' })).toBe(
      'No file in the workspace matches "tools".\n[only files are found; for a folder of that name write tools/**]',
    );
    expect(await glob(dir, { pattern: 'src/*.md', path: 'src' })).toBe(
      'No file in src matches "src/*.md".\n[the pattern is relative to path: write *.md]',
    );
  });

  test.each([
    [{ pattern: '*', path: 'srcs' }, /There is no "srcs".* Near names: "src"/],
    [{ pattern: '*', path: 'src/a.ts' }, /"src\/a\.ts" is a file; path is the directory to search/],
    [{ pattern: '*', path: '..' }, /outside the workspace/],
    [{ pattern: '*', path: '/etc' }, /outside the workspace/],
    [{ pattern: '*', path: '.git' }, /git's own and is not searched/],
    [{ pattern: '' }, /"" cannot be used: it is empty; `\*\*` matches every file/],
    [{ path: 'src' }, /"pattern" is missing/],
  ])('%j is an error that says what is wrong', async (args, problem) => {
    const { dir, write } = newTree();
    write({ 'src/a.ts': '' });
    mkdirSync(path.join(dir, '.git'));
    const tool = createGlobTool({ workDir: dir });
    const answer = await run(tool, args).catch((error: unknown) => ({ isError: true, text: String(error) }));
    expect([answer.isError, answer.text]).toEqual([true, expect.stringMatching(problem)]);
  });
});
