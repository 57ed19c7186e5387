// Whatever the pattern and the text: a search ends, others get their turn while it runs, and it says when it is not whole (B12).
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createGlobTool } from '../../../src/tools/search/glob.ts';
import { createGrepTool } from '../../../src/tools/search/grep.ts';
import { compilePattern } from '../../../src/tools/search/line-pattern.ts';
import { createRandom } from '../random.ts';
import { grep, run, useTrees, withoutRipgrep } from './tree.ts';

const newTree = useTrees();

/** As many texts without an end as make an engine that goes back try them all. */
const evil = [
  '(a+)+$',
  '((((a+)+)+)+)$',
  '(a|aa)+$',
  '(.*)*(.*)*(.*)*=',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  '\\b(a|b)*a(a|b){300}\\b',
];

test.each(evil)('B12 %s over text that is made for it costs time in its length', async (pattern) => {
  const { dir, write } = newTree();
  write({ 'a.txt': `${'a'.repeat(50_000)}!\n${'ab'.repeat(20_000)}!\n${'x'.repeat(50_000)}\n` });
  expect(await grep(dir, { pattern })).toMatch(/^(No line|a\.txt)/);
});

test('lists to leave out that would fill the memory are refused, and nested .gitignore files hold only so many rules', async () => {
  const { dir, write, init } = newTree();
  init();
  const exclude = Array.from({ length: 10_000 }, (_, at) => `${'{a,b}'.repeat(7)}[X]${at}*`);
  const { text, isError } = await run(createGlobTool({ workDir: dir }), { pattern: '**', exclude });
  expect([isError, text]).toEqual([true, 'exclude and the permission rules make more than 5000 patterns.']);
  const many = 'x\n'.repeat(60_000);
  write({
    'a/.gitignore': 'top\n',
    'a/b/.gitignore': many,
    'a/b/c/.gitignore': 'late\n',
    'a/b/c/top': 'y\n',
    'a/b/c/late': 'y\n',
  });
  write({ 'd/.gitignore': 'late\n', 'd/late': 'y\n', 'd/top': 'y\n' });
  expect(await grep(dir, { pattern: '^y', files_only: true })).toBe('a/b/c/late: 1\nd/top: 1\n[2 matching lines in 2 files]');
});

describe('a search that is stopped', () => {
  /** No line has an `a` so far from its end. */
  const slow = { pattern: '\\b(a|b)*a(a|b){300}\\b' };
  const slowTree = (): string => {
    const { dir, write } = newTree();
    const random = createRandom(1);
    const line = Array.from({ length: 2000 }, (_, at) => (at === 1699 ? 'b' : random.pick(['a', 'b']))).join('');
    write(Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`${at}.txt`, `needle\n${`${line}\n`.repeat(500)}`])));
    return dir;
  };

  test('answers soon with what it has, and others had their turn', async () => {
    const dir = slowTree();
    const stop = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 5) stop.abort();
    }, 5);
    const tool = createGrepTool({ workDir: dir, ripgrep: withoutRipgrep });
    const answer = await run(tool, { pattern: `needle|${slow.pattern}` }, stop.signal);
    clearInterval(timer);
    expect(turns).toBe(5);
    expect(answer.isError).toBe(false);
    expect(answer.text).toMatch(
      /^0\.txt:1: needle\n(?:\d+\.txt:1: needle\n)*\[at least \d+ matching lines? in \d+ files?; stopped after 25 s or when it was cancelled, so this is not all: narrow it/,
    );
  });

  test('finds nothing that it would have to take back', async () => {
    const dir = slowTree();
    const answer = await run(createGrepTool({ workDir: dir, ripgrep: withoutRipgrep }), slow, AbortSignal.abort());
    expect(answer.text).toMatch(/^No line matches .*\n.*stopped after/s);
    const listing = await run(createGlobTool({ workDir: dir }), { pattern: '**' }, AbortSignal.abort());
    expect(listing.text).toMatch(/^No file in the workspace matches.*\n\[stopped after/s);
  });
});

test('a .gitignore of a hundred thousand patterns keeps nobody from answering', async () => {
  const { dir, write } = newTree();
  write(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, ''])));
  writeFileSync(path.join(dir, '.gitignore'), '*a*b*c*d*e*f*\n'.repeat(100_000));
  const stop = new AbortController();
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
    if (turns === 3) stop.abort();
  }, 5);
  const answer = await run(createGlobTool({ workDir: dir }), { pattern: '**' }, stop.signal);
  clearInterval(timer);
  expect(answer.text).toMatch(/files|stopped after/);
});

test('a block in which nothing may match has no line that does, whatever the pattern', async () => {
  const random = createRandom(8);
  const pieces = [
    'a',
    'k',
    'é',
    '.',
    '.',
    '\\w',
    '\\W',
    '\\b',
    '\\B',
    '^',
    '$',
    '$',
    '\\s',
    '[^a]',
    '\\A',
    '\\z',
    '(?m:^)',
    '(?-m:$)',
    '(?i)k',
    '\\pL',
  ];
  const letters = ['a', 'a', 'k', 'K', 'é', ' ', '\v', '\r', 'ſ', '😀', '\u2028'].map((letter) => Buffer.from(letter));
  // The first is half a character: one to a decoder, two bytes that are none to an engine that reads bytes.
  const broken = [Buffer.from([0xe2, 0x82]), Buffer.from([0xff])];
  const randomLine = () => {
    const characters = Array.from({ length: random.below(4) }, () => random.pick(random.below(8) === 0 ? broken : letters));
    return Buffer.concat([...characters, Buffer.from(random.pick(['\n', '\n', '\r\n']))]);
  };
  let ruledOut = 0;
  for (let round = 0; round < 15_000; round += 1) {
    const source = Array.from(
      { length: 1 + random.below(3) },
      () => random.pick(pieces) + random.pick(['', '', '', '?', '+']),
    ).join('');
    const compiled = await compilePattern(source, random.below(3) === 0);
    if (compiled.kind === 'broken') continue;
    const bytes = Buffer.concat(Array.from({ length: random.below(3) }, randomLine));
    if (compiled.pattern.mayMatch(bytes)) continue;
    ruledOut += 1;
    const tested = bytes
      .toString('utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => line.replace(/\r$/, ''));
    expect({ source, matching: tested.filter((line) => compiled.pattern.test(line)) }).toEqual({ source, matching: [] });
  }
  expect(ruledOut).toBeGreaterThan(1000);
  const half = Buffer.from([0xe2, 0x82, 0x0a]);
  const one = await compilePattern('^.$', false);
  expect(one.kind === 'pattern' && [one.pattern.test('\ufffd'), one.pattern.mayMatch(half)]).toEqual([true, true]);
});

test('the longer a pattern, the less of a line is looked at', async () => {
  const limits = await Promise.all(
    ['needle', 'x{50}', 'x{500}', '(x{100}){9}', `${'x{1000}'.repeat(9)}`].map(async (source) => {
      const compiled = await compilePattern(source, false);
      return compiled.kind === 'pattern' ? compiled.pattern.maxLineChars : compiled.problem;
    }),
  );
  expect(limits[0]).toBe(1024 * 1024);
  expect(limits.slice(2).every((limit) => typeof limit === 'number' && limit >= 6000 && limit < 125_000)).toBe(true);
});
