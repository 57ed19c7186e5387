import { describe, expect, test } from '@jest/globals';
import { isWithinMatch, parseFileGlob } from '../../src/schema/file-glob.ts';

function globOf(text: string) {
  const glob = parseFileGlob(text);
  if (glob.kind === 'broken') throw new Error(glob.problem);
  return glob;
}

describe('a pattern of files', () => {
  test.each([
    ['app/(shop)/**', 'app/(shop)/page.tsx'],
    ['app/[id]/page.tsx', 'app/[id]/page.tsx'],
    ['app/[...all]/**', 'app/[...all]/x'],
    ['routes/+page.ts', 'routes/+page.ts'],
    ['c++/**', 'c++/a.cc'],
    ['$x^.{ts}', '$x^.{ts}'],
  ])('%s is about the file %s: signs that files have are plain', (pattern, file) => {
    expect(globOf(pattern).matches(file)).toBe(true);
  });

  test.each([
    ['[!a]bc', ['bbc'], ['abc']],
    ['[[:digit:]].txt', ['1.txt'], ['d.txt', ':.txt']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'ab']],
    ['./a//b/./c', ['a/b/c'], ['x/a/b/c']],
    ['{a,b{1,2}}.ts', ['a.ts', 'b1.ts', 'x/b2.ts'], ['b.ts', '{a,b{1,2}}.ts']],
  ])('%s means what .gitignore means by it, with braces', (pattern, files, others) => {
    const { matches } = globOf(pattern);
    expect([files.filter((file) => !matches(file)), others.filter(matches)]).toEqual([[], []]);
  });

  test.each([['(a|b).ts'], ['src/@(a)'], ['!(a)'], ['x+(a|b)'], ['file{1..3}'], ['{a,b}'.repeat(9)], ['*'.repeat(1001)], [' ']])(
    '%s, which would be read in another way than it is meant, is refused',
    (pattern) => {
      expect(parseFileGlob(pattern)).toEqual({ kind: 'broken', problem: expect.any(String) });
    },
  );

  test('may be about a file whose name differs by capitals', () => {
    const files = ['Secrets/x', 'SECRETS/x', 'secrets/x', 'secret/x'];
    expect(files.map(globOf('secrets/**').matches)).toEqual([false, false, true, false]);
    expect(files.map(globOf('secrets/**').mayMatch)).toEqual([true, true, true, false]);
    expect(['A.txt', 'a.txt'].map(globOf('[[:upper:]].txt').mayMatch)).toEqual([true, false]);
  });

  test('stands for all that is in a folder, and never for the workspace itself', () => {
    const isWithin = (pattern: string) => (file: string) => isWithinMatch(file, globOf(pattern).matches);
    expect(['.git/x', 'a/.env', '.', ''].map(isWithin('.*'))).toEqual([true, true, false, false]);
    expect(['src/a/b', 'src', ''].map(isWithin('src/*'))).toEqual([true, false, false]);
  });
});
