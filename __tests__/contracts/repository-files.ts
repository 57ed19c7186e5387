// What every reader of a repository's own skills and instructions promises, as one suite that each implementation runs.
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { GuidanceFiles } from '../../src/compose/guidance.ts';
import { createPlace, createRepository, type Place } from '../github/git-workspace.ts';
import { createRandom, type Random } from '../tools/random.ts';

/** What differs by design, all of it. The disk is read as far as it has been made; a commit is whole, and small beside it. */
export interface Differences {
  /** Folders below the one that is listed, down to which files are found. */
  readonly maxDepth: number;
  /** Where a longer file is cut. */
  readonly maxBytes: number;
  /** Other people's packages are in a listing. */
  readonly listsPackages: boolean;
  /** A sub-module's files, where they are checked out, are there. */
  readonly entersModules: boolean;
  /** A folder behind a link that lies below the one that is listed is gone into. */
  readonly entersLinkedFolders: boolean;
  /** A way that leaves the repository and comes back leads somewhere: the disk's has a place and a name, a commit has none. */
  readonly comesBack: boolean;
}

/** `open`: reads the repository as it stands in the place's working folder. */
export interface Implementation extends Differences {
  readonly name: string;
  readonly open: (place: Place) => Promise<GuidanceFiles>;
}

/** Text, bytes, or `-> x` for a link to x. */
type Files = Readonly<Record<string, string | Buffer>>;

export function describeRepositoryFiles({ name, open, ...differs }: Implementation): void {
  const places: Place[] = [];
  afterEach(() => {
    for (const place of places.splice(0)) place.remove();
  });
  const begin = (files: Files): Place => {
    const place = createPlace();
    places.push(place);
    write(place, files);
    return place;
  };
  const having = (files: Files): Promise<GuidanceFiles> => open(begin(files));

  describe(`${name} keeps the promises of a reader of a repository`, () => {
    test('all files below a folder are listed by their paths from the root, sorted; and none of git’s own', async () => {
      const files = await having({
        'b.md': '',
        'a.md': '',
        'a/z': '',
        'a-b/x': '',
        '.hidden/x': '',
        'A/B': '',
        'docs/skills/x/SKILL.md': '',
        'docs/skills/x/a/b': '',
      });
      expect(await files.list('')).toEqual([
        '.hidden/x',
        'A/B',
        'a-b/x',
        'a.md',
        'a/z',
        'b.md',
        'docs/skills/x/SKILL.md',
        'docs/skills/x/a/b',
      ]);
      expect(await files.list('a')).toEqual(['a/z']);
      for (const folder of ['docs/skills', 'docs/skills/', './docs/skills']) {
        expect(await files.list(folder)).toEqual(['docs/skills/x/SKILL.md', 'docs/skills/x/a/b']);
      }
    });

    test('nothing is listed where there is no folder: nowhere, a file, the outside', async () => {
      const files = await having({ 'a.md': '', 'a/b': '' });
      for (const folder of [
        'nowhere',
        'a.md',
        'a/b',
        'a.md/x',
        'a/nowhere',
        '..',
        '../..',
        'a/../..',
        'a\0',
        'x'.repeat(5_000),
      ]) {
        expect([folder, await files.list(folder)]).toEqual([folder, []]);
      }
      expect(await (await having({})).list('')).toEqual([]);
    });

    test('a text is read to the byte, an empty one too', async () => {
      const texts = {
        'empty.md': '',
        'crlf.md': '\uFEFF# Rules\r\n\r\nUse tabs. \t\r\n',
        'signs.md': '写 \u{1F600} e\u0301 \u2028 \u0001 no newline',
        'long.md': 'ü\n'.repeat(80_000),
      };
      const files = await having(texts);
      for (const [path, text] of Object.entries(texts)) expect(await files.read(path)).toBe(text);
    });

    test('many texts at once are each what it is alone', async () => {
      const texts = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}.md`, `text ${index % 7}`]));
      const files = await having({ ...texts, 'binary.md': Buffer.from([0]) });
      const paths = [...Object.keys(texts), 'nowhere', 'binary.md', '0.md'];
      expect(await Promise.all(paths.map((each) => files.read(each)))).toEqual(paths.map((each) => texts[each] ?? null));
    });

    test('names are what they are', async () => {
      const names = [
        'sp ace',
        'qu"o\'te',
        'back\\slash',
        'new\nline',
        'ü',
        'u\u0308',
        '写',
        '..dots',
        '-dash',
        '~',
        '%41',
        '*',
        '__proto__',
      ];
      const files = await having(Object.fromEntries(names.map((each) => [`x/${each}`, each])));
      expect(await files.list('x')).toEqual(names.map((each) => `x/${each}`).sort());
      for (const each of names) expect(await files.read(`x/${each}`)).toBe(each);
    });

    test('what is no text, no file or not there is null', async () => {
      const files = await having({ 'binary.md': Buffer.from([1, 0, 2]), 'a/b.md': 'x' });
      expect(await files.list('')).toEqual(['a/b.md', 'binary.md']);
      for (const path of ['binary.md', 'a', '', '.', 'a/', 'a/b.md/', 'a/nowhere', 'A/B.MD', 'a\0b', 'x'.repeat(5_000), '../x'])
        expect([path, await files.read(path)]).toEqual([path, null]);
    });

    test('G1-44 a link to a file inside is listed, and read as what it leads to', async () => {
      const files = await having({
        'AGENTS.md': 'Use tabs.',
        'CLAUDE.md': '-> AGENTS.md',
        'chain.md': '-> CLAUDE.md',
        'skills/a/SKILL.md': '-> ../../docs/a.md',
        'docs/a.md': 'a',
      });
      expect(await files.list('')).toEqual(['AGENTS.md', 'CLAUDE.md', 'chain.md', 'docs/a.md', 'skills/a/SKILL.md']);
      expect(await Promise.all(['CLAUDE.md', 'chain.md', 'skills/a/SKILL.md'].map(files.read))).toEqual([
        'Use tabs.',
        'Use tabs.',
        'a',
      ]);
    });

    test('G1-44 a link that leads out, nowhere or round is listed and gives nothing', async () => {
      // Nor is a link from the root of the disk one from the root of the repository.
      const place = begin({ 'etc/hostname': 'secret' });
      writeFileSync(join(place.root, 'secret.md'), 'secret');
      const links = {
        'absolute.md': `-> ${join(place.root, 'secret.md')}`,
        'dangling.md': '-> nowhere',
        'deep/up.md': '-> ../../secret.md',
        'round.md': '-> round.md',
        'system.md': '-> /etc/hostname',
        'there/back.md': '-> ../../work/../secret.md',
        'turn.md': '-> there/../../secret.md',
      };
      write(place, links);
      const files = await open(place);
      expect(await files.list('')).toEqual([...Object.keys(links), 'etc/hostname'].sort());
      for (const path of Object.keys(links)) expect([path, await files.read(path)]).toEqual([path, null]);
    });

    test('G1-44 a folder behind a link is listed and read by the link’s name, inside only', async () => {
      const files = await having({
        'docs/skills/a/SKILL.md': 'a',
        '.harness9/skills': '-> ../docs/skills',
        skills: '-> .harness9/skills',
        outside: '-> ..',
        absolute: '-> /etc',
        round: '-> round',
      });
      for (const folder of ['skills', '.harness9/skills']) {
        expect(await files.list(folder)).toEqual([`${folder}/a/SKILL.md`]);
        expect(await files.read(`${folder}/a/SKILL.md`)).toBe('a');
      }
      for (const folder of ['outside', 'absolute', 'round']) expect(await files.list(folder)).toEqual([]);
      expect(await files.read('absolute/hostname')).toBe(null);
    });

    test('a way that leaves the repository and comes back is gone or not', async () => {
      const place = begin({ 'a/b.md': 'b', outside: '-> ..' });
      write(place, { 'back.md': '-> ../work/a/b.md', 'absolute.md': `-> ${join(place.workDir, 'a/b.md')}` });
      const files = await open(place);
      const read = await Promise.all(['back.md', 'absolute.md', 'outside/work/a/b.md'].map(files.read));
      expect(read).toEqual(Array.from({ length: 3 }, () => (differs.comesBack ? 'b' : null)));
      expect(await files.list('outside/work/a')).toEqual(differs.comesBack ? ['outside/work/a/b.md'] : []);
    });

    test('what is git’s own, no text, or absolute is not there, by a link neither', async () => {
      const place = createRepository({ 'a.md': 'a' });
      places.push(place);
      write(place, { 'git.md': '-> .git/config', 'bytes.md': Buffer.from([0x61, 0xff, 0x62]) });
      const files = await open(place);
      for (const path of ['.git/config', 'git.md', 'bytes.md', '/a.md'])
        expect([path, await files.read(path)]).toEqual([path, null]);
      for (const folder of ['.git', '/']) expect(await files.list(folder)).toEqual([]);
      expect(await files.read('a.md')).toBe('a');
    });

    test('links to folders make no listing endless, and hide nothing that stands without one', async () => {
      const files = await having({ 'a/f': '', 'a/b': '-> ../b', 'b/f': '', 'b/a': '-> ../a', 'c/self': '-> .', 'c/up': '-> ..' });
      expect((await files.list('')).filter((path) => path === 'a/f' || path === 'b/f')).toEqual(['a/f', 'b/f']);
      expect((await files.list('a')).includes('a/b/f')).toBe(differs.entersLinkedFolders);
      expect((await files.list('a')).length).toBeLessThan(5);
    });

    test('a tree of folders is listed as far down as it may be', async () => {
      const depths = Array.from({ length: 9 }, (_, depth) => `${'d/'.repeat(depth)}f`);
      const files = await having(Object.fromEntries(depths.map((path) => [path, path])));
      expect(await files.list('')).toEqual(depths.slice(0, differs.maxDepth + 1).sort());
      expect(await files.list('d/d/d')).toEqual(depths.slice(3, differs.maxDepth + 4).sort());
      for (const path of depths) expect(await files.read(path)).toBe(path);
    });

    test('a long text is read as far as it may be', async () => {
      const text = 'a line of it\n'.repeat(60_000);
      expect(await (await having({ 'long.md': text })).read('long.md')).toBe(text.slice(0, differs.maxBytes));
    });

    test('packages of others are listed or not, by name they are files like any other', async () => {
      const files = await having({ 'node_modules/p/AGENTS.md': 'p', 'a/node_modules/p': 'q', 'a/b': '' });
      const packages = ['a/node_modules/p', 'node_modules/p/AGENTS.md'];
      expect((await files.list('')).filter((path) => path.includes('node_modules'))).toEqual(
        differs.listsPackages ? packages : [],
      );
      expect(await files.read('node_modules/p/AGENTS.md')).toBe('p');
    });

    test('a sub-module’s files are as little of the repository as its design says, and hide none of its own', async () => {
      const module = createRepository({ 'AGENTS.md': 'of the module' });
      places.push(module);
      const place = begin({ 'a.md': 'a', 'z.md': '-> module/AGENTS.md' });
      place.git('submodule', '--quiet', 'add', module.workDir, 'module');
      const files = await open(place);
      const ofModule = differs.entersModules ? 'of the module' : null;
      expect([await files.read('module/AGENTS.md'), await files.read('z.md')]).toEqual([ofModule, ofModule]);
      expect((await files.list('')).includes('module/AGENTS.md')).toBe(differs.entersModules);
      expect((await files.list('')).filter((path) => !path.startsWith('module/'))).toEqual(['.gitmodules', 'a.md', 'z.md']);
    });

    test('a name that is not UTF-8 hides no other, and is read as nothing', async () => {
      const place = begin({ 'a/ok.md': 'ok' });
      writeFileSync(Buffer.concat([Buffer.from(join(place.workDir, 'a/bad-')), Buffer.from([0xff])]), 'bad');
      const files = await open(place);
      const listed = await files.list('');
      expect(listed).toContain('a/ok.md');
      for (const path of listed.filter((each) => each !== 'a/ok.md')) expect(await files.read(path)).toBe(null);
    });

    test('whatever stands there, what is listed is what is there, and each is read as it was written', async () => {
      for (let seed = 1; seed <= 4; seed += 1) {
        const texts = randomFiles(createRandom(seed));
        const files = await having(texts);
        for (const folder of ['', 'a', 'b', 'a/b']) {
          const below = Object.keys(texts).filter((path) => folder === '' || path.startsWith(`${folder}/`));
          expect([seed, folder, await files.list(folder)]).toEqual([seed, folder, below.sort()]);
        }
        for (const [path, text] of Object.entries(texts))
          expect([seed, path, await files.read(path)]).toEqual([seed, path, text]);
      }
    });
  });
}

function write(place: Place, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    place.write(path, content);
    const target = /^-> (.*)$/s.exec(content.toString())?.[1];
    if (target === undefined) continue;
    rmSync(join(place.workDir, path));
    symlinkSync(target, join(place.workDir, path));
  }
}

/** Files at random places, up to three folders deep; what would be a file and a folder at once is left out. */
function randomFiles(random: Random): Readonly<Record<string, string>> {
  const files = new Map<string, string>();
  const isTaken = (path: string) => [...files.keys()].some((each) => each.startsWith(`${path}/`) || path.startsWith(`${each}/`));
  for (let number = 0; number < 12; number += 1) {
    const path = Array.from({ length: 1 + random.below(4) }, () => random.pick(['a', 'b', 'a.b', 'a-b', 'B', '写', '.c'])).join(
      '/',
    );
    if (!isTaken(path)) files.set(path, `${number} ${path}\n`);
  }
  return Object.fromEntries(files);
}
