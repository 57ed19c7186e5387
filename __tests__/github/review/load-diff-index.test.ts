import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadDiffIndex } from '../../../src/github/review/load-diff-index.ts';
import { placeComment } from '../../../src/github/review/place-comment.ts';
import { never, openStage, type Stage } from '../publish/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

const load = (pull: number) => loadDiffIndex(pull, { api: stage.ports.api, repository: { owner: 'acme', repo: 'shop' } }, never);

describe('the lines of a pull request', () => {
  test('are there for more files than GitHub gives a diff of (G1-24)', async () => {
    const files = Object.fromEntries(Array.from({ length: 301 }, (_, at) => [`many/${at}.txt`, `number ${at}\n`]));
    const { number } = await stage.hub.openPull({ author: 'mona', head: 'many', title: 'Many', files });
    const index = await load(number);
    expect(index.size).toBe(301);
    expect(placeComment({ path: 'many/300.txt', line: 1, body: 'Why?' }, index)).toMatchObject({
      kind: 'comment',
      comment: { path: 'many/300.txt', line: 1, code: 'number 300' },
    });
  });

  test('of a fork are its own, and bytes have none', async () => {
    stage.hub.addUser('octocat', { permission: 'read' });
    const files = { 'src/cart.ts': 'export const total = 1;\n', 'logo.png': new Uint8Array([0, 255, 0]) };
    const draft = { author: 'octocat', head: 'work', fork: 'octocat/shop', title: 'Work', files };
    const index = await load((await stage.hub.openPull(draft)).number);
    expect([...(index.get('src/cart.ts')?.right ?? [])]).toEqual([[1, { text: 'export const total = 1;', hunk: 1 }]]);
    const refused = placeComment({ path: 'logo.png', line: 1, body: 'Why?' }, index);
    expect(refused).toMatchObject({ kind: 'problem', problem: expect.stringContaining('it is binary or its diff is too big') });
  });

  test('of a renamed file go by its new name, and one that is renamed only has none', async () => {
    const text = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join('');
    await stage.hub.pushCommit({
      branch: stage.hub.defaultBranch,
      author: 'mona',
      message: 'Files',
      files: { 'a.txt': text, 'b.txt': `b\n${text}` },
    });
    const files = { 'a.txt': null, 'new/a.txt': text, 'b.txt': null, 'new/b.txt': `B\n${text}` };
    const index = await load((await stage.hub.openPull({ author: 'mona', head: 'moved', title: 'Moved', files })).number);
    expect([...index.keys()].toSorted()).toEqual(['new/a.txt', 'new/b.txt']);
    expect(index.get('new/a.txt')?.why).toBe('it is renamed only');
    expect(index.get('new/b.txt')?.right.get(1)).toEqual({ text: 'B', hunk: 1 });
    expect(index.get('new/b.txt')?.left.get(1)).toEqual({ text: 'b', hunk: 1 });
  });
});
