import { describe, expect, test } from '@jest/globals';
import type { DiffIndex } from '../../../src/github/review/load-diff-index.ts';
import { placeComment, type Remark } from '../../../src/github/review/place-comment.ts';
import { readPatch } from '../../../src/github/review/read-patch.ts';

const patch = [
  '@@ -1,4 +1,5 @@ import x',
  ' one',
  '-two',
  '+zwei',
  '+zweieinhalb',
  ' three',
  ' four',
  '@@ -20,2 +21,2 @@',
  ' twenty',
  '-old end',
  '\\ No newline at end of file',
  '+new end',
  '\\ No newline at end of file',
].join('\n');

const index: DiffIndex = new Map([
  ['src/a.ts', { ...readPatch(patch), why: null }],
  ['logo.png', { ...readPatch(''), why: 'it is binary or its diff is too big' }],
]);

const place = (remark: Partial<Remark>) => placeComment({ path: 'src/a.ts', line: 2, body: 'Why?', ...remark }, index);
const problemOf = (remark: Partial<Remark>) => {
  const placed = place(remark);
  return placed.kind === 'problem' ? placed.problem : placed;
};

describe('the lines of a patch', () => {
  test('each side has the unchanged lines and its own, under its own numbers; what git says of line ends is no line', () => {
    const { left, right } = readPatch(patch);
    expect([...right].map(([line, { text, hunk }]) => `${line} ${hunk} ${text}`)).toEqual([
      '1 1 one',
      '2 1 zwei',
      '3 1 zweieinhalb',
      '4 1 three',
      '5 1 four',
      '21 2 twenty',
      '22 2 new end',
    ]);
    expect([...left.keys()]).toEqual([1, 2, 3, 4, 20, 21]);
  });

  test('a line that ends in CR LF is read without its end, and code that looks like a head of a hunk is code', () => {
    const { right } = readPatch('@@ -0,0 +1,2 @@\n+a\r\n+@@ -1 +1 @@\r');
    expect([...right.values()].map(({ text }) => text)).toEqual(['a', '@@ -1 +1 @@']);
  });
});

describe('the place of a remark', () => {
  test('one on a line of the new file stands there, with the code of the line', () => {
    expect(place({ path: './src/a.ts', suggestion: 'dos\r\n' })).toEqual({
      kind: 'comment',
      comment: { path: 'src/a.ts', side: 'RIGHT', startLine: null, line: 2, body: 'Why?', suggestion: 'dos', code: 'zwei' },
    });
  });

  test('one on several lines is the same whichever way round they are named', () => {
    const both = [place({ line: 4, start_line: 2 }), place({ line: 2, start_line: 4 })];
    for (const one of both) expect(one).toMatchObject({ kind: 'comment', comment: { startLine: 2, line: 4, code: 'three' } });
  });

  test('a removed line is named on the old side', () => {
    expect(place({ side: 'LEFT' })).toMatchObject({ kind: 'comment', comment: { side: 'LEFT', line: 2, code: 'two' } });
  });

  test('a line that is not in the diff is answered with the nearest that are', () => {
    expect(problemOf({ line: 12 })).toBe(
      'line 12 of the new file `src/a.ts` is not in the diff; the nearest that are: 1-5, 21-22.',
    );
  });

  test('lines of two parts of the diff are no range', () => {
    expect(problemOf({ start_line: 4, line: 21 })).toBe('lines 4 and 21 stand in two parts of the diff: name lines of one.');
  });

  test('a path that is not changed is answered with what is meant, or with what is changed', () => {
    expect(problemOf({ path: 'lib/a.ts' })).toBe('`lib/a.ts` is not changed by this pull request; do you mean `src/a.ts`?');
    expect(problemOf({ path: 'x.md' })).toBe('`x.md` is not changed by this pull request. Changed are `src/a.ts`, `logo.png`.');
  });

  test('a file without lines in the diff is answered with the reason', () => {
    expect(problemOf({ path: 'logo.png' })).toBe(
      '`logo.png` has no line in the diff: it is binary or its diff is too big. Say it in your answer.',
    );
  });

  test('a suggestion is for lines of the new file, and for another text than theirs', () => {
    expect(problemOf({ side: 'LEFT', suggestion: 'x' })).toContain('leave out `side`');
    expect(problemOf({ start_line: 2, line: 3, suggestion: 'zwei\nzweieinhalb\n' })).toContain('stands there already');
  });
});
