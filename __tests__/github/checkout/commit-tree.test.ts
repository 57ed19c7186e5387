import { lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { buildTree, findFile, isLink, listFiles, parseTree, type TreeEntry } from '../../../src/github/checkout/commit-tree.ts';
import { baseOf, commitAll, createRepository, never, type Place, runGit } from '../git-workspace.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A tree of these files; `-> x` is a link to x. A file's blob name is its path. */
function treeOf(files: Readonly<Record<string, string>>) {
  const texts = new Map<string, Buffer>();
  const entries = Object.entries(files).map(([path, content]): TreeEntry => {
    const target = /^-> (.*)$/s.exec(content)?.[1];
    if (target !== undefined) texts.set(path, Buffer.from(target));
    return { path, sha: path, mode: target === undefined ? '100644' : '120000', rawPath: null };
  });
  return buildTree(entries, texts);
}

const shared = treeOf({
  '.harness9/skills': '-> ../docs/skills',
  'AGENTS.md': 'x',
  'CLAUDE.md': '-> AGENTS.md',
  'docs/skills/broken': '-> ../nowhere',
  'docs/skills/deploy': '-> ../../tools/deploy',
  'docs/skills/out/SKILL.md': '-> ../../../../etc/passwd',
  'docs/skills/review/SKILL.md': '-> ../../../AGENTS.md',
  'tools/deploy/SKILL.md': 'x',
  'tools/deploy/run.sh': 'x',
  'tools/up': '-> ..',
});

describe('a listing', () => {
  test('G1-44 follows links to folders inside the repository, and names what leads nowhere', () => {
    expect(listFiles(shared, '.harness9/skills')).toEqual([
      '.harness9/skills/broken',
      '.harness9/skills/deploy/SKILL.md',
      '.harness9/skills/deploy/run.sh',
      '.harness9/skills/out/SKILL.md',
      '.harness9/skills/review/SKILL.md',
    ]);
    const found = listFiles(shared, '.harness9/skills').map((path) => findFile(shared, path));
    expect(found).toEqual([null, 'tools/deploy/SKILL.md', 'tools/deploy/run.sh', null, 'AGENTS.md']);
  });

  test.each(['', '.', './', 'docs/..'])(
    'of "%s" is that of the root, with the files that links reach a second time',
    (folder) => {
      const paths = listFiles(shared, folder);
      expect(paths.filter((path) => path.endsWith('AGENTS.md'))).toEqual(['AGENTS.md']);
      expect(paths).toContain('.harness9/skills/deploy/run.sh');
      expect(paths).toContain('tools/deploy/run.sh');
      expect(new Set(paths).size).toBe(paths.length);
    },
  );

  test.each(['nowhere', 'AGENTS.md', 'CLAUDE.md', 'docs/skills/broken', '..', '../x', '/docs', 'docs/../..', 'AGENTS.md/'])(
    'of "%s" is empty, for it is no folder here',
    (folder) => {
      expect(listFiles(shared, folder)).toEqual([]);
    },
  );

  test('goes round no circle, whichever way it is closed', () => {
    const circles = treeOf({
      'a/x': '-> ../b',
      'a/f': 'x',
      'b/y': '-> ../a',
      'b/f': 'x',
      'c/self': '-> .',
      'c/up': '-> ..',
      l: '-> l',
    });
    expect(listFiles(circles, 'a')).toEqual(['a/x/f', 'a/f']);
    expect(listFiles(circles, 'c')).toEqual([]);
    expect(listFiles(circles, '')).toEqual(['a/x/f', 'a/f', 'b/y/f', 'b/f', 'l']);
  });

  test('is bounded where links multiply, and holds every file that stands without one', () => {
    const files: Record<string, string> = {};
    for (let level = 0; level < 8; level += 1) {
      files[`l${level}/real`] = 'x';
      for (let link = 0; link < 20; link += 1) files[`l${level}/${link}`] = `-> ../l${level + 1}`;
    }
    files['l8/real'] = 'x';
    const paths = listFiles(treeOf(files), '');
    expect(paths.length).toBeLessThan(110_000);
    for (let level = 0; level <= 8; level += 1) expect(paths).toContain(`l${level}/real`);
  });

  test('is bounded where links stand one behind the other', () => {
    const files: Record<string, string> = { 'n20000/f': 'x' };
    for (let level = 0; level < 20_000; level += 1) files[`n${level}/n`] = `-> ../n${level + 1}`;
    expect(listFiles(treeOf(files), 'n0')).toEqual([]);
    expect(listFiles(treeOf(files), 'n19995')).toEqual(['n19995/n/n/n/n/n/f']);
  });
});

describe('a look-up', () => {
  test('of endless and hostile links ends', () => {
    const long = `${'./'.repeat(2_040)}l`;
    const hostile = treeOf({
      l: `-> ${long}`,
      deep: `-> ${'a/../'.repeat(1_000)}l`,
      'a/b': 'x',
      longer: `-> ${'./'.repeat(2_100)}a/b`,
    });
    expect([findFile(hostile, 'l'), findFile(hostile, 'deep'), findFile(hostile, 'longer')]).toEqual([null, null, null]);
    expect(findFile(hostile, `${'a/../'.repeat(20_000)}a/b`)).toBe('a/b');
  });

  test.each(['__proto__', 'constructor', 'a/__proto__', 'toString'])('of "%s" finds nothing that is not there', (path) => {
    expect(findFile(treeOf({ 'a/b': 'x' }), path)).toBe(null);
  });

  test('of what is no file of the commit: a sub-module, a folder, a name that is not UTF-8', () => {
    const raw = Buffer.from([0x66, 0xff]);
    const lines = ['160000 commit 1\tmodule', '100644 blob 2\tfolder/file', '100755 blob 3\trun', '100644 blob 4\t'].join('\0');
    const listing = Buffer.concat([Buffer.from(lines), raw, Buffer.from([0])]);
    const tree = buildTree(parseTree(listing), new Map());
    expect(listFiles(tree, '')).toEqual(['folder/file', 'run']);
    expect(['module', 'folder', raw.toString('utf8'), 'run'].map((path) => findFile(tree, path))).toEqual([
      null,
      null,
      null,
      '3',
    ]);
  });
});

/** Numbers that are the same in every run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const names = ['a', 'b', 'c'];

function randomPath(next: (below: number) => number, parts: readonly string[]): string {
  return Array.from({ length: 1 + next(4) }, () => parts[next(parts.length)] ?? '').join('/');
}

/** Files and links at random places, on the disk and as a tree; what does not fit is left out of both. */
function randomPlace(seed: number) {
  const next = numbersFrom(seed);
  const parent = mkdtempSync(join(tmpdir(), 'h9-tree-'));
  roots.push(parent);
  const root = join(parent, 'root');
  mkdirSync(root);
  const files: Record<string, string> = {};
  for (let number = 0; number < 14; number += 1) {
    const path = randomPath(next, names);
    const content = number % 2 === 0 ? path : `-> ${randomPath(next, [...names, ...names, '..', '.'])}`;
    if (!place(root, path, content)) continue;
    files[path] = content;
  }
  return { root, tree: treeOf(files), next };
}

/** Written only where no link is on the way, as git keeps it. */
function place(root: string, path: string, content: string): boolean {
  const parents = path
    .split('/')
    .slice(0, -1)
    .map((_, index, all) => join(root, ...all.slice(0, index + 1)));
  if (parents.some((parent) => lstatSync(parent, { throwIfNoEntry: false })?.isDirectory() === false)) return false;
  if (lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined) return false;
  mkdirSync(dirname(join(root, path)), { recursive: true });
  const target = /^-> (.*)$/.exec(content)?.[1];
  if (target === undefined) writeFileSync(join(root, path), content);
  else symlinkSync(target, join(root, path));
  return true;
}

/** What the operating system finds there; null for what is no file or lies outside. */
function onDisk(root: string, path: string): string | null {
  try {
    // Not the one in JavaScript, which takes `..` away before it looks.
    const real = realpathSync.native(`${root}/${path}`);
    return real.startsWith(`${root}/`) ? readFileSync(real, 'utf8') : null;
  } catch {
    return null;
  }
}

test.each(Array.from({ length: 60 }, (_, seed) => seed))('every path leads where the file system leads it (seed %i)', (seed) => {
  const { root, tree, next } = randomPlace(seed + 1);
  const asked = Array.from({ length: 200 }, () => randomPath(next, [...names, ...names, '..', '.', '']));
  const relative = asked.filter((path) => !path.startsWith('/'));
  expect(relative.map((path) => [path, findFile(tree, path)])).toEqual(relative.map((path) => [path, onDisk(root, path)]));
  for (const path of listFiles(tree, '')) {
    const isReal = onDisk(root, path) !== null;
    expect([path, findFile(tree, path)]).toEqual([path, onDisk(root, path)]);
    expect([path, isReal || lstatSync(join(root, path)).isSymbolicLink()]).toEqual([path, true]);
  }
});

describe('the tree of a commit', () => {
  const create = (files: Readonly<Record<string, string>>): Place => {
    const repository = createRepository(files);
    roots.push(repository.root);
    return repository;
  };

  test('is listed and read as the commit has it, not as the disk does (B8)', async () => {
    const repository = create({
      'skills/a/SKILL.md': 'a\n',
      'skills/a/data.bin': '\0',
      'packages/x/AGENTS.md': 'x\n',
      'AGENTS.md': 'all\n',
    });
    symlinkSync('a', join(repository.workDir, 'skills/b'));
    const commit = commitAll(repository, 'link');
    const tree = await (await baseOf(repository)).openTree(commit, never);
    repository.write('skills/evil/SKILL.md', 'evil\n');
    repository.write('skills/a/SKILL.md', 'evil\n');
    commitAll(repository, 'evil');
    expect(tree.list('skills')).toEqual(['skills/a/SKILL.md', 'skills/a/data.bin', 'skills/b/SKILL.md', 'skills/b/data.bin']);
    expect(tree.list('').filter((path) => path.endsWith('AGENTS.md'))).toEqual(['AGENTS.md', 'packages/x/AGENTS.md']);
    expect(await tree.read('skills/b/SKILL.md', never)).toBe('a\n');
    expect(await tree.read('skills/a/data.bin', never)).toBe(null);
    expect(await tree.read('skills/evil/SKILL.md', never)).toBe(null);
  });

  test('does not enter a sub-module', async () => {
    const module = create({ 'AGENTS.md': 'of the module\n' });
    const repository = create({ 'a.txt': 'a\n' });
    repository.git('submodule', '--quiet', 'add', module.workDir, 'module');
    symlinkSync('module/AGENTS.md', join(repository.workDir, 'link.md'));
    const commit = commitAll(repository, 'module');
    const tree = await (await baseOf(repository)).openTree(commit, never);
    expect(tree.list('')).toEqual(['.gitmodules', 'a.txt', 'link.md']);
    expect([await tree.read('module/AGENTS.md', never), await tree.read('link.md', never)]).toEqual([null, null]);
  });

  test('stays as it was when the agent puts another commit in its place (E5)', async () => {
    const repository = create({ 'AGENTS.md': 'honest\n' });
    const commit = repository.git('rev-parse', 'HEAD').trim();
    const base = await baseOf(repository);
    const tree = await base.openTree(commit, never);
    rmSync(join(repository.workDir, '.git/objects', commit.slice(0, 2), commit.slice(2)));
    expect(tree.list('')).toEqual(['AGENTS.md']);
    expect(await (await base.openTree(commit, never)).read('AGENTS.md', never)).toBe('honest\n');
  });

  test('of a commit that is not here is a clear error', async () => {
    const base = await baseOf(create({ 'a.txt': 'a\n' }));
    await expect(base.openTree('a'.repeat(40), never)).rejects.toMatchObject({ code: 'BASE_UNREADABLE' });
  });

  test('the links of a listing are those that git has', async () => {
    const repository = create({ 'a.txt': 'a\n' });
    symlinkSync('a.txt', join(repository.workDir, 'b'));
    commitAll(repository, 'link');
    const listed = await runGit({ cwd: repository.workDir, args: ['ls-tree', '-r', '-z', 'HEAD'] }, never);
    expect(
      parseTree(listed.stdout)
        .filter(isLink)
        .map(({ path }) => path),
    ).toEqual(['b']);
  });
});
