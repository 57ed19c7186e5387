import { describe, expect, test } from '@jest/globals';
import { loadInstructions } from '../../src/prompt/load-instructions.ts';
import { createRandom } from '../tools/random.ts';

function filesOf(texts: Readonly<Record<string, string>>) {
  const reads: string[] = [];
  return {
    reads,
    list: async () => Object.keys(texts).sort(),
    read: async (path: string) => {
      reads.push(path);
      return texts[path] ?? null;
    },
  };
}

/** What is shown, in short: `folder ← path`. */
async function load(texts: Readonly<Record<string, string>>, names: readonly string[] = ['AGENTS.md']) {
  const { shown } = await loadInstructions(filesOf(texts), names);
  return shown.map(({ path, folder }) => `${folder} ← ${path}`);
}

const all = (...paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, `text of ${path}`]));

describe('loadInstructions', () => {
  test('B8 reads through the given reader only, and leaves out what is missing or empty', async () => {
    const files = filesOf({ 'AGENTS.md': ' line one\nline two\n', 'a/AGENTS.md': ' \n', 'b.md': 'x' });
    expect(await loadInstructions(files, ['AGENTS.md', './missing.md'])).toEqual({
      shown: [{ path: 'AGENTS.md', folder: '', text: 'line one\nline two', isCut: false }],
      leftOut: [],
    });
    expect(files.reads).toEqual(['AGENTS.md', 'missing.md', 'a/AGENTS.md']);
  });

  test('[spec prompt order 2 AGENTS.md] a repository without one has none', async () => {
    expect(await loadInstructions(filesOf({ 'README.md': 'x' }), ['AGENTS.md'])).toEqual({ shown: [], leftOut: [] });
  });

  test('the root’s come first, then by depth and path, each for its folder', async () => {
    expect(await load(all('b/AGENTS.md', 'a/z/AGENTS.md', 'AGENTS.md', 'a/AGENTS.md', 'a/AGENTS.md.bak'))).toEqual([
      ' ← AGENTS.md',
      'a ← a/AGENTS.md',
      'b ← b/AGENTS.md',
      'a/z ← a/z/AGENTS.md',
    ]);
  });

  test('CLAUDE.md stands in where a folder has no AGENTS.md that says something', async () => {
    const texts = { ...all('CLAUDE.md', 'a/AGENTS.md', 'a/CLAUDE.md', 'b/CLAUDE.md', 'c/CLAUDE.md'), 'c/AGENTS.md': '\n' };
    expect(await load(texts)).toEqual([' ← CLAUDE.md', 'a ← a/AGENTS.md', 'b ← b/CLAUDE.md', 'c ← c/CLAUDE.md']);
    expect(await load(texts, ['GUIDE.md'])).toEqual([]);
  });

  test('a name is looked for in every folder, a path is that file for the whole repository; each file once', async () => {
    const texts = all('AGENTS.md', 'GUIDE.md', 'docs/GUIDE.md', 'docs/deep/rules.md');
    expect(await load(texts, ['docs/deep/rules.md', 'GUIDE.md', './AGENTS.md', 'AGENTS.md', 'docs/GUIDE.md'])).toEqual([
      ' ← docs/deep/rules.md',
      ' ← GUIDE.md',
      ' ← AGENTS.md',
      'docs ← docs/GUIDE.md',
    ]);
  });

  test('other people’s code and tools’ own folders are not looked into, unless a path names them', async () => {
    const foreign = [
      'node_modules/p/AGENTS.md',
      'a/vendor/x/AGENTS.md',
      '.git/AGENTS.md',
      'third_party/AGENTS.md',
      '.claude/CLAUDE.md',
    ];
    expect(await load(all(...foreign))).toEqual([]);
    expect(await load(all(...foreign), ['.claude/CLAUDE.md'])).toEqual([' ← .claude/CLAUDE.md']);
    expect(await load(all('vendors/AGENTS.md', 'a.b/AGENTS.md'))).toEqual(['a.b ← a.b/AGENTS.md', 'vendors ← vendors/AGENTS.md']);
  });

  test('B9 a folder whose name could leave its line is none', async () => {
    expect(await load(all('a\n# Orders/AGENTS.md', 'b\u202e/AGENTS.md', 'c\u2028/AGENTS.md'))).toEqual([]);
  });

  test('at most 200 are looked at, from the root down', async () => {
    const deep = Array.from({ length: 300 }, (_, index) => `p/${index}/AGENTS.md`);
    expect(await load(all(...deep, 'AGENTS.md'))).toHaveLength(200);
  });
});

describe('the room for instructions', () => {
  const loadWithin = async (texts: Readonly<Record<string, string>>, capBytes?: number) =>
    await loadInstructions(filesOf(texts), ['AGENTS.md'], capBytes);

  test('ends at a line; what comes after is named, if it says something', async () => {
    const files = filesOf({ 'AGENTS.md': 'line one\nline two', 'a/AGENTS.md': 'x', 'b/CLAUDE.md': 'y', 'c/AGENTS.md': ' \n' });
    expect(await loadInstructions(files, ['AGENTS.md'], 12)).toEqual({
      shown: [{ path: 'AGENTS.md', folder: '', text: 'line one', isCut: true }],
      leftOut: ['a/AGENTS.md', 'b/CLAUDE.md'],
    });
  });

  test('ends between characters where there is no line to end at', async () => {
    const { shown } = await loadWithin({ 'AGENTS.md': 'é'.repeat(10) }, 5);
    expect(shown).toEqual([{ path: 'AGENTS.md', folder: '', text: 'éé', isCut: true }]);
  });

  test('is 32 KB for all of them together, whatever they hold', async () => {
    const random = createRandom(7);
    for (let round = 0; round < 50; round += 1) {
      const texts = Object.fromEntries(
        Array.from({ length: 1 + random.below(12) }, (_, index) => [
          index === 0 ? 'AGENTS.md' : `p${index}/AGENTS.md`,
          `${random.pick(['a', 'é', '写', '😀'])}${random.pick(['', '\n'])}x`.repeat(1 + random.below(4_000)),
        ]),
      );
      const { shown, leftOut } = await loadWithin(texts);
      const bytes = shown.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      expect(bytes).toBeLessThanOrEqual(32_768);
      expect(shown.length + leftOut.length).toBe(Object.keys(texts).length);
      if (leftOut.length > 0) expect(shown.map(({ isCut }) => isCut)).toEqual([...shown.slice(1).map(() => false), true]);
      for (const { path, text } of shown) expect(texts[path]?.trim().startsWith(text)).toBe(true);
    }
  });
});
