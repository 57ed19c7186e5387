// The built-in search answers the same with ripgrep as without: ripgrep only leaves out files in which nothing can be.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { compilePattern, type LinePattern } from '../../../src/tools/search/line-pattern.ts';
import { type RipgrepUse, sieve, usualRipgrep } from '../../../src/tools/search/ripgrep.ts';
import { toQuestion } from '../../../src/tools/search/ripgrep-question.ts';
import type { Random } from '../random.ts';
import { createRandom } from '../random.ts';
import { grep, hasRipgrep, type Tree, useTrees, withoutRipgrep, withRipgrep } from './tree.ts';

const newTree = useTrees();

const words = [
  'foo',
  'Foo',
  'FOO',
  'bar',
  'task_list',
  'kind',
  'K',
  'ſo',
  'café',
  'CAFÉ',
  '日本',
  '😀',
  '12',
  '2024-05-06',
  'a1_b',
  '-',
  '.',
  '…',
];
const glue = [' ', ' ', '\t', '  ', '', '.', '(', ')', '[', ']', '/', '\\', '\v', '\f', '\u00a0', '\u2028', '=', '"', '$', '^'];
const ends = ['\n', '\n', '\n', '\r\n', '\r', '\n\n', ''];

function randomText(random: Random): string {
  let text = '';
  for (let size = random.below(60); size > 0; size -= 1)
    text += random.pick(words) + random.pick(random.below(4) === 0 ? ends : glue);
  return text;
}

/** UTF-8, with a mark, with broken bytes; UTF-16; Latin-1; with a NUL. */
function randomBytesOfText(random: Random): Buffer {
  const text = randomText(random);
  const bytes = Buffer.from(text);
  switch (random.below(12)) {
    case 0:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 1:
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 2:
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    case 3:
      return Buffer.from(text, 'latin1');
    case 4:
      return Buffer.concat([bytes, Buffer.from([random.below(256)]), Buffer.from(randomText(random))]);
    case 5:
      return Buffer.concat([bytes, Buffer.from([0]), Buffer.from(randomText(random))]);
    case 6:
      return bytes.subarray(0, Math.max(0, bytes.length - random.below(4)));
    default:
      return bytes;
  }
}

const atoms = [
  ...['foo', 'Foo', 'o', 'k', 's', 'K', 'bar', 'é', 'É', '日', '😀', 'ſ', '2', '-', '/', ' ', '_', '~', '&', '#', '"'],
  ...[
    '.',
    '\\d',
    '\\w',
    '\\s',
    '\\D',
    '\\W',
    '\\S',
    '\\b',
    '\\B',
    '^',
    '$',
    '\\.',
    '\\(',
    '\\[',
    '\\\\',
    '\\/',
    '\\t',
    '\\r',
    '\\v',
    '\\A',
    '\\z',
  ],
  ...[
    '[a-z]',
    '[^a-z]',
    '[\\w-]',
    '[\\d.]',
    '[^\\s]',
    '[^\\w]',
    '[A-Z_]',
    '[[:alpha:]]',
    '[é-日]',
    '[]a]',
    '[^]a]',
    '[a&&b]',
    '[\\W]',
    '[ \\t]',
    '[+-]',
  ],
  ...[
    '\\pL',
    '\\p{Han}',
    '\\x41',
    '\\x{e9}',
    '(?i)',
    '(?-i)',
    '(?s:.)',
    '(?m:^)',
    '(?-m:$)',
    '\\Q.\\E',
    '\\<',
    '\\_',
    '\\-',
    '{',
    'a{,2}',
  ],
];
const repeats = ['', '', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?'];

function randomPattern(random: Random): string {
  let pattern = '';
  for (let size = 1 + random.below(5); size > 0; size -= 1) {
    const piece =
      random.below(6) === 0 ? `(${random.pick(['', '?:'])}${random.pick(atoms)}|${random.pick(atoms)})` : random.pick(atoms);
    pattern += piece + random.pick(repeats) + (random.below(12) === 0 ? '|' : '');
  }
  return pattern;
}

/** Where there is no ripgrep, there is nothing to compare with. `.ci/run` installs it. */
const testWithRipgrep = hasRipgrep ? test : test.skip;

async function patternOf(source: string, ignoresCase = false): Promise<LinePattern | undefined> {
  const compiled = await compilePattern(source, ignoresCase);
  return compiled.kind === 'pattern' ? compiled.pattern : undefined;
}

function rootOf(dir: string) {
  return { workspace: dir, within: dir, real: dir, shown: '.', isFile: false };
}

function randomTree(random: Random): Tree {
  const fresh = newTree();
  fresh.write(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`d${at % 7}/f${at}.txt`, randomBytesOfText(random)])));
  return fresh;
}

function randomForm(random: Random) {
  return { context: random.below(3), files_only: random.below(4) === 0, max_results: 1 + random.below(40) };
}

describe('with ripgrep as without', () => {
  testWithRipgrep('any pattern over files of any encoding has the same answer, in whatever form it is asked for', async () => {
    const random = createRandom(20_240_506);
    const kinds = new Set<string>();
    let compared = 0;
    let { dir } = randomTree(random);
    for (let round = 0; round < 240; round += 1) {
      if (round > 0 && round % 40 === 0) ({ dir } = randomTree(random));
      const args = { ...randomForm(random), pattern: randomPattern(random), ignore_case: random.below(3) === 0 };
      const pattern = await patternOf(args.pattern, args.ignore_case);
      if (pattern === undefined) continue;
      const alone = await grep(dir, args, withoutRipgrep);
      expect({ args, answer: await grep(dir, args, withRipgrep) }).toEqual({ args, answer: alone });
      compared += 1;
      kinds.add(
        `${toQuestion(pattern) === undefined ? 'alone' : 'asked'}, ${alone.startsWith('No line') ? 'nothing' : 'something'}`,
      );
    }
    // Else little was compared.
    expect(compared).toBeGreaterThan(120);
    expect([...kinds].sort()).toEqual(['alone, nothing', 'alone, something', 'asked, nothing', 'asked, something']);
  });

  testWithRipgrep('what both read alike matches the lines of a text that ripgrep itself finds in it', async () => {
    const random = createRandom(20_240_506);
    let compared = 0;
    const { dir, write } = newTree();
    const lines = Array.from({ length: 200 }, () => randomText(random).replaceAll(/[^\x20-\x7e\t]/g, ''));
    write({ f: lines.map((line) => `${line}\n`).join('') });
    while (compared < 100) {
      const source = randomPattern(random);
      const pattern = await patternOf(source, compared % 2 === 0);
      const question = pattern === undefined ? undefined : toQuestion(pattern);
      if (pattern === undefined || question === undefined) continue;
      const { stdout } = spawnSync(usualRipgrep.places.find(existsSync) ?? '', [
        ...['--no-config', '--line-number', '--only-matching', '--replace', '', compared % 2 === 0 ? '-i' : '-s'],
        ...['-e', question[0] ?? '', '--', path.join(dir, 'f')],
      ]);
      const theirs = new Set(
        stdout
          .toString()
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => line.split(':')[0]),
      );
      const ours = lines.flatMap((line, at) => (pattern.test(line) ? [String(at + 1)] : []));
      expect({ source, lines: ours }).toEqual({ source, lines: [...theirs] });
      compared += 1;
    }
  });

  testWithRipgrep('it leaves files out in which nothing matches, and no others', async () => {
    const { dir, write } = newTree();
    write({
      a: 'one foo\n',
      b: 'two\n',
      c: 'FOO\n',
      d: 'x\0foo',
      e: 'bar\r\n',
      f: 'naïve\n',
      g: Buffer.from([0x6e, 0xff, 0x76, 0x0a]),
    });
    const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const asked = async (source: string, ignoresCase = false) => {
      const pattern = await patternOf(source, ignoresCase);
      if (pattern === undefined) throw new Error(source);
      return await sieve(files, withRipgrep, { root: rootOf(dir), pattern, signal: new AbortController().signal });
    };
    // A file with a NUL is always kept: that it is binary is to be told.
    expect(await asked('fo+')).toEqual(['a', 'd']);
    expect(await asked('fo+', true)).toEqual(['a', 'c', 'd']);
    expect(await asked('\\bbar$')).toEqual(['d', 'e']);
    // The byte in the last one is no character to ripgrep, and one that cannot be shown to us.
    expect(await asked('^n.v')).toEqual(['d', 'f', 'g']);
    expect(await asked('n[^a]v')).toEqual(['d', 'f', 'g']);
    expect(await asked('nv')).toEqual(['d']);
    expect(await asked('-e')).toEqual(['d']);
    expect(await asked('\\pL')).toEqual(files);
  });

  testWithRipgrep('no configuration and no ignore file of a workspace has a word, and no name passes for an option', async () => {
    const { dir, write } = newTree();
    write({
      '.ripgreprc': '--invert-match\n',
      '.rgignore': '*\n',
      '.ignore': '*\n',
      '-v': 'foo\n',
      '--help': 'foo\n',
      'a b\n': 'foo\n',
      '.hid/x': 'foo\n',
    });
    const answer = await grep(dir, { pattern: 'fo{2}' }, withRipgrep);
    expect(answer.split('\n')).toEqual([
      '--help:1: foo',
      '-v:1: foo',
      '.hid/x:1: foo',
      '"a b\\n":1: foo',
      '[4 matching lines in 4 files]',
    ]);
  });
});

describe('which program is asked', () => {
  const outcome = async (dir: string, use: RipgrepUse) => {
    const pattern = await patternOf('foo');
    if (pattern === undefined) throw new Error('foo');
    return await sieve(['a', 'b'], use, { root: rootOf(dir), pattern, signal: new AbortController().signal });
  };
  const fake = (file: string, script: string) => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  };

  test('one inside the workspace is none, also behind a link', async () => {
    const { dir } = newTree();
    const outside = newTree();
    const inside = fake(path.join(dir, 'bin/rg'), 'printf "./a\\0"');
    const link = path.join(outside.dir, 'rg');
    symlinkSync(inside, link);
    expect(await outcome(dir, { places: [inside, link], minFiles: 0 })).toEqual(['a', 'b']);
    const real = path.join(outside.dir, 'real-rg');
    copyFileSync(inside, real);
    expect(await outcome(dir, { places: [inside, link, real], minFiles: 0 })).toEqual(['a']);
  });

  test.each([
    ['fails', 'printf "./a\\0"; exit 2'],
    ['dies', 'kill -9 $$'],
    ['is no program', ''],
  ])('one that %s leaves nothing out', async (_how, script) => {
    const { dir } = newTree();
    const outside = newTree();
    const file = fake(path.join(outside.dir, 'rg'), script);
    if (script === '') chmodSync(file, 0o644);
    expect(await outcome(dir, { places: [file], minFiles: 0 })).toEqual(['a', 'b']);
  });

  test('it gets no variable of ours', async () => {
    const { dir } = newTree();
    const outside = newTree();
    const file = fake(path.join(outside.dir, 'rg'), `env > ${outside.dir}/seen; exit 1`);
    expect(await outcome(dir, { places: [file], minFiles: 0 })).toEqual([]);
    const names = readFileSync(path.join(outside.dir, 'seen'), 'utf8')
      .split('\n')
      .map((line) => line.split('=')[0]);
    // The shell's own.
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_', ''].includes(name ?? ''))).toEqual([]);
  });
});
