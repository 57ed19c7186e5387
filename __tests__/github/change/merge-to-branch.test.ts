import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Place } from '../git-workspace.ts';
import { type Histories, mergedByHand, openMergeScene } from '../merge-scene.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const remove = (place: Place, path: string) => rmSync(join(place.workDir, path), { recursive: true, force: true });
const write = (path: string, content: string | Buffer) => (place: Place) => place.write(path, content);
const nothing = () => undefined;
const both =
  (...works: readonly ((place: Place) => void)[]) =>
  (place: Place) => {
    for (const work of works) work(place);
  };

interface Kind extends Histories {
  readonly name: string;
  /** What the run does to the merged files. */
  readonly work: (place: Place) => void;
}

const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');
const text = { 'a.txt': lines('one', 'two', 'three', 'four', 'five', 'six', 'seven') };
const edited = (line: string, to: string) => write('a.txt', text['a.txt'].replace(line, to));
const binary = (...bytes: readonly number[]) => Buffer.from([0, 255, ...bytes]);
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`many/${index}.txt`, `${index}\n`] as const));

const kinds: readonly Kind[] = [
  {
    name: 'a conflict in a text',
    files: text,
    ours: edited('two', 'TWO'),
    theirs: edited('two', '2'),
    work: edited('two', 'TWO 2'),
  },
  {
    name: 'changes of one text that do not touch',
    files: text,
    ours: edited('one', 'ONE'),
    theirs: edited('seven', '7'),
    work: nothing,
  },
  { name: 'what only the base changed', files: text, ours: write('b.txt', 'b\n'), theirs: edited('two', '2'), work: nothing },
  {
    name: 'a file that both added',
    files: text,
    ours: write('new.txt', 'ours\n'),
    theirs: write('new.txt', 'theirs\n'),
    work: write('new.txt', 'both\n'),
  },
  {
    name: 'a file that the base deleted, kept',
    files: { ...text, 'old.txt': 'old\n' },
    ours: write('old.txt', 'ours\n'),
    theirs: (place) => remove(place, 'old.txt'),
    work: nothing,
  },
  {
    name: 'a file that the base deleted, given up',
    files: { ...text, 'old.txt': 'old\n' },
    ours: write('old.txt', 'ours\n'),
    theirs: (place) => remove(place, 'old.txt'),
    work: (place) => remove(place, 'old.txt'),
  },
  {
    name: 'a file that the pull request deleted, left deleted',
    files: { ...text, 'old.txt': 'old\n' },
    ours: (place) => remove(place, 'old.txt'),
    theirs: write('old.txt', 'theirs\n'),
    work: (place) => remove(place, 'old.txt'),
  },
  {
    name: 'a file that both renamed',
    files: { ...text, 'x.txt': lines('a', 'b', 'c', 'd') },
    ours: (place) => place.git('mv', 'x.txt', 'ours.txt'),
    theirs: (place) => place.git('mv', 'x.txt', 'theirs.txt'),
    work: (place) => remove(place, 'theirs.txt'),
  },
  {
    name: 'a file that one side renamed and both changed',
    files: text,
    ours: both((place) => place.git('mv', 'a.txt', 'b.txt'), write('b.txt', text['a.txt'].replace('two', 'TWO'))),
    theirs: edited('two', '2'),
    work: write('b.txt', text['a.txt'].replace('two', 'TWO 2')),
  },
  {
    name: 'a binary file that both changed, as the pull request has it',
    files: { ...text, 'logo.png': binary(1) },
    ours: write('logo.png', binary(2)),
    theirs: write('logo.png', binary(3)),
    work: nothing,
  },
  {
    name: 'a binary file that both changed, drawn anew',
    files: { ...text, 'logo.png': binary(1) },
    ours: write('logo.png', binary(2)),
    theirs: write('logo.png', binary(3)),
    work: write('logo.png', binary(4)),
  },
  {
    name: 'a mode on one side and a conflict in the text',
    files: text,
    ours: both(edited('two', 'TWO'), (place) => chmodSync(join(place.workDir, 'a.txt'), 0o755)),
    theirs: edited('two', '2'),
    work: edited('two', 'TWO 2'),
  },
  {
    name: 'lines that end in CRLF',
    files: { 'a.txt': 'one\r\ntwo\r\nthree\r\n', '.gitattributes': '* -text\n' },
    ours: write('a.txt', 'one\r\nTWO\r\nthree\r\n'),
    theirs: write('a.txt', 'one\r\n2\r\nthree\r\n'),
    work: write('a.txt', 'one\r\nTWO 2\r\nthree\r\n'),
  },
  {
    name: 'lines that end in CRLF on this disk alone',
    files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', '.gitattributes': '* text eol=crlf\n' },
    ours: write('a.txt', 'one\nTWO\n'),
    theirs: both(write('a.txt', 'one\n2\n'), write('b.txt', 'b\nmore\n')),
    work: write('a.txt', 'one\r\nTWO 2\r\n'),
  },
  {
    name: 'a link, an ignored file, a pointer to LFS and a workflow that the base brought',
    files: { ...text, '.gitignore': '*.log\n', '.gitattributes': '*.big filter=lfs\n', '.github/workflows/ci.yml': 'on: push\n' },
    ours: edited('two', 'TWO'),
    theirs: both(
      edited('two', '2'),
      (place) => symlinkSync('a.txt', join(place.workDir, 'link')),
      write('kept.log', 'log\n'),
      (place) => place.git('add', '-f', 'kept.log'),
      write('x.big', 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n'),
      write('.github/workflows/ci.yml', 'on: pull_request\n'),
      write('.github/CODEOWNERS', '* @mona\n'),
    ),
    work: edited('two', 'TWO 2'),
  },
  {
    name: 'a submodule that the base moved',
    files: { ...text, '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n' },
    before: (place) => {
      mkdirSync(join(place.workDir, 'lib'));
      place.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib`);
    },
    ours: edited('two', 'TWO'),
    theirs: both(edited('two', '2'), (place) => place.git('update-index', '--cacheinfo', `160000,${'2'.repeat(40)},lib`)),
    work: edited('two', 'TWO 2'),
  },
  {
    name: 'a folder that the base made a file',
    files: { ...text, 'd/a': 'a\n', 'd/b': 'b\n' },
    ours: edited('two', 'TWO'),
    theirs: both(edited('two', '2'), (place) => remove(place, 'd'), write('d', 'file\n')),
    work: edited('two', 'TWO 2'),
  },
  {
    name: 'a folder that the pull request made a file',
    files: { ...text, 'd/a': 'a\n', 'd/b': 'b\n' },
    ours: both(edited('two', 'TWO'), (place) => remove(place, 'd'), write('d', 'file\n')),
    theirs: edited('two', '2'),
    work: edited('two', 'TWO 2'),
  },
  {
    name: 'a file that the base made a folder',
    files: { ...text, d: 'file\n' },
    ours: edited('two', 'TWO'),
    theirs: both(edited('two', '2'), (place) => remove(place, 'd'), write('d/a', 'a\n')),
    work: edited('two', 'TWO 2'),
  },
  {
    name: 'a folder where the other side has a file',
    files: text,
    ours: write('d/a', 'a\n'),
    theirs: write('d', 'file\n'),
    work: both(
      (place) => {
        for (const name of readdirSync(place.workDir)) if (name.startsWith('d~')) remove(place, name);
      },
      write('e', 'file\n'),
    ),
  },
  {
    name: 'far more from the base than a run may change itself',
    files: { ...text, ...many(310) },
    ours: edited('two', 'TWO'),
    theirs: both(
      edited('two', '2'),
      (place) => remove(place, 'many'),
      ...Object.entries(many(110)).map(([path, content]) => write(`new-${path}`, content)),
      write('big.bin', Buffer.alloc(5 * 1024 * 1024, 7)),
    ),
    work: edited('two', 'TWO 2'),
  },
  {
    name: 'a file that only the pull request has, deleted by the run',
    files: text,
    ours: both(edited('two', 'TWO'), write('mine.txt', 'mine\n')),
    theirs: edited('two', '2'),
    work: both(edited('two', 'TWO 2'), (place) => remove(place, 'mine.txt')),
  },
  {
    name: 'files that the base brought, changed and deleted by the run, and new ones beside them',
    files: text,
    ours: edited('two', 'TWO'),
    theirs: both(edited('two', '2'), write('b.txt', 'b\n'), write('c.txt', 'c\n')),
    work: both(edited('two', 'TWO 2'), write('b.txt', 'changed\n'), (place) => remove(place, 'c.txt'), write('e/f.txt', 'new\n')),
  },
  {
    name: 'a conflict below a folder that the run makes a file',
    files: { 'd/a.txt': 'a\n', 'd/b.txt': 'b\n' },
    ours: write('d/a.txt', 'ours\n'),
    theirs: write('d/a.txt', 'theirs\n'),
    work: both((place) => remove(place, 'd'), write('d', 'a file\n')),
  },
  {
    name: 'names in other scripts, with blanks and quotes',
    files: { 'ü ber "x".txt': 'one\n', '文件.txt': 'one\n' },
    ours: both(write('ü ber "x".txt', 'ours\n'), write('文件.txt', 'ours\n')),
    theirs: both(write('ü ber "x".txt', 'theirs\n'), write('文件.txt', 'theirs\n')),
    work: both(write('ü ber "x".txt', 'both\n'), write('文件.txt', 'both\n')),
  },
];

describe('a merge of the base', () => {
  test.each(kinds.map((kind) => [kind.name, kind] as const))('of %s is published as git would commit it', async (_name, kind) => {
    const scene = await openMergeScene(kind);
    closing.push(scene.close);
    const byHand = mergedByHand(scene, kind.work);
    const workspace = await scene.prepare();
    kind.work(scene.place);
    const validated = scene.validate(await scene.bundleFrom(workspace));
    if (validated.kind === 'refusal') throw new Error(validated.message);
    const outcome = await scene.publish(validated.bundle);
    const { hub } = scene.stage;
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: 'feature', pullRequest: { operation: 'updated' } });
    expect(await hub.git('ls-tree', '-r', 'refs/heads/feature')).toBe(byHand);
    expect(await hub.git('log', '-1', '--format=%P', 'refs/heads/feature')).toBe(`${scene.head} ${scene.base}`);
  });
});
