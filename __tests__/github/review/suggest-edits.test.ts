import { describe, expect, test } from '@jest/globals';
import { formatPatch, structuredPatch } from 'diff';
import type { DiffIndex } from '../../../src/github/review/load-diff-index.ts';
import { readPatch } from '../../../src/github/review/read-patch.ts';
import { type Suggestion, suggestEdits } from '../../../src/github/review/suggest-edits.ts';

/** What GitHub would list of a pull request that made `head` of `base`. */
function diffOf(base: string, head: string): DiffIndex {
  const text = formatPatch(structuredPatch('a', 'b', base, head, undefined, undefined, { context: 3 }));
  const patch = text.slice(text.indexOf('@@'));
  return new Map([['a.txt', { ...readPatch(patch), why: null }]]);
}

/** All of them clicked, in an order of its own. */
function click(text: string, suggestions: readonly Suggestion[]): string {
  const lines: (string | null)[] = text.split('\n');
  const added = new Map<number, readonly string[]>();
  for (const { first, last, lines: instead } of suggestions) {
    added.set(first, instead);
    for (let line = first; line <= last; line += 1) lines[line - 1] = null;
  }
  return lines.flatMap((line, at) => (line === null ? (added.get(at + 1) ?? []) : [line])).join('\n');
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');
const suggest = (before: string, after: string, index = diffOf('', before)) =>
  suggestEdits([{ path: 'a.txt', before, after }], index);

describe('a change as suggestions', () => {
  test('changed lines are replaced, removed ones go, and an empty line is put in with a neighbour', () => {
    expect(suggest('a\nb\nc\nd\ne\nf\n', 'A\nb\nd\ne\n\nf\n')).toEqual([
      { path: 'a.txt', first: 1, last: 1, lines: ['A'] },
      { path: 'a.txt', first: 3, last: 3, lines: [] },
      { path: 'a.txt', first: 5, last: 5, lines: ['e', ''] },
    ]);
    expect(suggest('a\nb\nc\n', 'a\n\nc\n')).toEqual([{ path: 'a.txt', first: 1, last: 2, lines: ['a', ''] }]);
  });

  test('added lines stand on the line above, at the top on the one below', () => {
    expect(suggest('a\nb\n', 'a\nnew\nb\n')).toEqual([{ path: 'a.txt', first: 1, last: 1, lines: ['a', 'new'] }]);
    expect(suggest('a\nb\n', 'new\na\nb\n')).toEqual([{ path: 'a.txt', first: 1, last: 1, lines: ['new', 'a'] }]);
    // The line above is not on the diff, or it is spoken for.
    const end = numbered(40).replace('line 20\n', 'changed\n');
    const index = diffOf(numbered(40), end);
    expect(suggest(end, end.replace('line 17\n', 'new\nline 17\n'), index)).toEqual([
      { path: 'a.txt', first: 17, last: 17, lines: ['new', 'line 17'] },
    ]);
    expect(suggest('a\nb\n', 'top\na\nmiddle\nb\n')).toEqual([
      { path: 'a.txt', first: 1, last: 1, lines: ['top', 'a'] },
      { path: 'a.txt', first: 2, last: 2, lines: ['middle', 'b'] },
    ]);
  });

  test('none of it, where a part has no place on the diff, or spans two parts of it', () => {
    const head = numbered(60).replace('line 5\n', 'five\n').replace('line 50\n', 'fifty\n');
    const index = diffOf(numbered(60), head);
    const mended = head.replace('five', '5');
    expect(suggest(head, mended, index)).toHaveLength(1);
    expect(suggest(head, mended.replace('line 30\n', 'thirty\n'), index)).toBeNull();
    const parts = new Map([['a.txt', { ...readPatch('@@ -1 +1 @@\n-x\n+a\n@@ -2 +2 @@\n-y\n+b\n'), why: null }]]);
    expect(suggest('a\nb\n', 'A\nb\n', parts)).toHaveLength(1);
    expect(suggest('a\nb\n', 'c\n', parts)).toBeNull();
    expect(suggestEdits([{ path: 'other.txt', before: 'a\n', after: 'b\n' }], index)).toBeNull();
  });

  test('none of what was pushed over meanwhile, and none about the ends of lines', () => {
    expect(suggest('a\nb\n', 'A\nb\n', diffOf('', 'z\nb\n'))).toBeNull();
    expect(suggest('a\r\nb\r\n', 'A\r\nb\r\n', diffOf('', 'a\nb\n'))).toBeNull();
    expect(suggest('a\nb\n', 'A\r\nb\n')).toBeNull();
    expect(suggest('a\nb', 'a\nc')).toBeNull();
    expect(suggest('a\nb', 'a\nb\n')).toBeNull();
    // A missing end elsewhere is none of its business.
    expect(suggest('a\nb\nc', 'A\nb\nc')).toHaveLength(1);
  });

  test('ten places and a hundred lines are small, and no more', () => {
    const everyThird = (count: number) =>
      numbered(60)
        .split('\n')
        .map((line, at) => (at % 3 === 0 && at < 3 * count ? `${line}!` : line))
        .join('\n');
    expect(suggest(numbered(60), everyThird(10))).toHaveLength(10);
    expect(suggest(numbered(60), everyThird(11))).toBeNull();
    const long = (count: number) => `line 1\n${'more\n'.repeat(count)}`;
    expect(suggest('line 1\n', long(100))).toHaveLength(1);
    expect(suggest('line 1\n', long(101))).toBeNull();
    expect(suggest('a\n', `${'x'.repeat(20_001)}\n`)).toBeNull();
    expect(suggest('a\n', 'a\n')).toBeNull();
  });

  test('clicked together they are the change, whatever it is; and each stands on lines of one part of the diff', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const words = ['', 'a', 'b', '}', '```', '  x'];
    const textOf = (count: number) => Array.from({ length: count }, () => `${words[random(words.length)]}\n`).join('');
    const edited = (text: string, times: number) => {
      const lines = text.split('\n').slice(0, -1);
      for (let time = 0; time < times; time += 1)
        lines.splice(random(lines.length + 1), random(3), ...textOf(random(3)).split('\n').slice(0, -1));
      return lines.map((line) => `${line}\n`).join('');
    };
    let made = 0;
    for (let round = 0; round < 600; round += 1) {
      const base = textOf(random(30));
      const head = edited(base, 1 + random(4));
      const after = edited(head, 1 + random(3));
      const index = diffOf(base, head);
      const suggestions = suggest(head, after, index);
      if (suggestions === null) continue;
      made += 1;
      expect(click(head, suggestions)).toBe(after);
      for (const { first, last } of suggestions) {
        const shown = [first, last].map((line) => index.get('a.txt')?.right.get(line)?.hunk);
        expect(shown[0]).toBeDefined();
        expect(shown[1]).toBe(shown[0]);
      }
    }
    expect(made).toBeGreaterThan(200);
  });
});
