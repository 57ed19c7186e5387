import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../src/simulator/github/contract.ts';
import { BOT, clientFor, refusalOf, withGitHub } from './world.ts';

async function commitOn(github: SimulatedGitHub, branch: string, files: Readonly<Record<string, string | null>>) {
  const { rest } = clientFor(github);
  const repo = { owner: github.owner, repo: github.repo };
  const head = (await rest.git.getRef({ ...repo, ref: 'heads/main' })).data.object.sha;
  const base = (await rest.git.getCommit({ ...repo, commit_sha: head })).data.tree.sha;
  const entries = Object.entries(files).map(([path, content]) => {
    const entry = { path, mode: '100644', type: 'blob' } as const;
    return content === null ? { ...entry, sha: null } : { ...entry, content };
  });
  const tree = (await rest.git.createTree({ ...repo, base_tree: base, tree: entries })).data.sha;
  const commit = await rest.git.createCommit({ ...repo, tree, parents: [head], message: 'fix: rounding' });
  await rest.git.createRef({ ...repo, ref: `refs/heads/${branch}`, sha: commit.data.sha });
  return commit.data;
}

describe('the git database', () => {
  test('a commit made through the API is a commit of the real repository', () =>
    withGitHub({}, async (github, repo) => {
      const commit = await commitOn(github, 'fix', {
        'src/cart.ts': 'export const total = 2;\n',
        'a/b/c.txt': 'new',
        'README.md': null,
      });
      expect(await github.git('show', '--format=%an <%ae> %at%n%B', '--name-status', 'fix')).toBe(
        `${BOT} <41898282+${BOT}@users.noreply.github.com> 1767225600\nfix: rounding\n\nD\tREADME.md\nA\ta/b/c.txt\nM\tsrc/cart.ts`,
      );
      expect(await github.git('show', 'fix:src/cart.ts')).toBe('export const total = 2;');
      expect(await github.git('fsck', '--strict')).toBe('');
      expect(github.snapshot().refs['refs/heads/fix']).toBe(commit.sha);
      const { rest } = clientFor(github);
      const read = await rest.git.getCommit({ ...repo, commit_sha: commit.sha });
      expect(read.data).toEqual(commit);
    }));

  test('blobs keep every byte in both encodings', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      const bytes = Buffer.from([0, 255, 10, 13, 128, 10]);
      const binary = await rest.git.createBlob({ ...repo, content: bytes.toString('base64'), encoding: 'base64' });
      const text = await rest.git.createBlob({ ...repo, content: 'grüß\r\n' });
      const read = async (sha: string) =>
        Buffer.from((await rest.git.getBlob({ ...repo, file_sha: sha })).data.content, 'base64');
      expect(await read(binary.data.sha)).toEqual(bytes);
      expect((await read(text.data.sha)).toString()).toBe('grüß\r\n');
    }));

  test('trees list one folder or everything, keep modes, and take a folder by its sha', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      const main = await rest.git.getTree({ ...repo, tree_sha: 'main' });
      expect(main.data.tree.map((entry) => entry.path)).toEqual(['.github', 'README.md', 'src']);
      const source = main.data.tree.find((entry) => entry.path === 'src')?.sha ?? '';
      const link = (await rest.git.createBlob({ ...repo, content: 'README.md' })).data.sha;
      const made = await rest.git.createTree({
        ...repo,
        tree: [
          { path: 'copy', mode: '040000', type: 'tree', sha: source },
          { path: 'run.sh', mode: '100755', type: 'blob', content: '#!/bin/sh\n' },
          { path: 'link', mode: '120000', type: 'blob', sha: link },
        ],
      });
      const without = await rest.git.createTree({
        ...repo,
        base_tree: made.data.sha,
        tree: [{ path: 'copy', mode: '040000', type: 'tree', sha: null }],
      });
      expect(without.data.tree.map((entry) => entry.path)).toEqual(['link', 'run.sh']);
      const all = await rest.git.getTree({ ...repo, tree_sha: made.data.sha, recursive: 'true' });
      expect(all.data.tree.map(({ mode, path, type }) => [mode, type, path])).toEqual([
        ['040000', 'tree', 'copy'],
        ['100644', 'blob', 'copy/cart.ts'],
        ['120000', 'blob', 'link'],
        ['100755', 'blob', 'run.sh'],
      ]);
    }));

  test('a file takes the place of a folder and the other way round', () =>
    withGitHub({}, async (github) => {
      await commitOn(github, 'swap', { src: 'now a file', 'README.md/inner': 'now a folder' });
      expect(await github.git('ls-tree', '-r', '--name-only', 'swap')).toBe('.github/workflows/ci.yml\nREADME.md/inner\nsrc');
    }));

  test('refs move forward, backwards only by force, and go', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      const first = github.snapshot().refs['refs/heads/main'] ?? '';
      const second = await github.pushCommit({ branch: 'work', files: { a: '1' }, message: 'one' });
      const third = await github.pushCommit({ branch: 'work', files: { a: '2' }, message: 'two' });
      const ref = { ...repo, ref: 'heads/work' };
      expect(await refusalOf(rest.git.updateRef({ ...ref, sha: second }))).toEqual({
        status: 422,
        message: 'Update is not a fast forward',
      });
      expect(github.snapshot().refs['refs/heads/work']).toBe(third);
      await rest.git.updateRef({ ...ref, sha: second, force: true });
      await rest.git.updateRef({ ...ref, sha: third });
      expect((await rest.git.listMatchingRefs({ ...repo, ref: 'heads/w' })).data.map((item) => item.object.sha)).toEqual([third]);
      await rest.git.deleteRef(ref);
      expect(await refusalOf(rest.git.getRef(ref))).toEqual({ status: 404, message: 'Not Found' });
      const activity = await rest.repos.listActivities({ ...repo, ref: 'work' });
      expect(activity.data.map((item) => [item.activity_type, item.before, item.after])).toEqual([
        ['branch_deletion', third, '0'.repeat(40)],
        ['push', second, third],
        ['force_push', third, second],
        ['push', second, third],
        ['branch_creation', '0'.repeat(40), second],
      ]);
      expect(first).not.toBe(second);
    }));
});

describe('many requests at once', () => {
  test('every blob comes back as it was sent', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      const texts = Array.from({ length: 40 }, (_, index) => `text ${index}\n`.repeat(index + 1));
      const made = await Promise.all(texts.map((content) => rest.git.createBlob({ ...repo, content })));
      const read = await Promise.all(made.map(({ data }) => rest.git.getBlob({ ...repo, file_sha: data.sha })));
      expect(read.map(({ data }) => Buffer.from(data.content, 'base64').toString())).toEqual(texts);
    }));

  test('of the same branch and of the same pull request one is made', () =>
    withGitHub({}, async (github, repo) => {
      const sha = await github.pushCommit({ branch: 'fix', files: { a: '1' }, message: 'fix' });
      const { rest } = clientFor(github);
      const statusOf = async (call: Promise<{ status: number }>) => (await call.catch(({ status }) => ({ status }))).status;
      const refs = Array.from({ length: 5 }, () => statusOf(rest.git.createRef({ ...repo, ref: 'refs/heads/x', sha })));
      const pulls = Array.from({ length: 5 }, () =>
        statusOf(rest.pulls.create({ ...repo, head: 'fix', base: 'main', title: 'x' })),
      );
      expect((await Promise.all(refs)).sort()).toEqual([201, 422, 422, 422, 422]);
      expect((await Promise.all(pulls)).sort()).toEqual([201, 422, 422, 422, 422]);
    }));
});

describe('refusals of the git database', () => {
  test.each([
    [
      'a path through .git',
      { path: '.git/config', mode: '100644', content: 'x' },
      'tree.path contains a malformed path component',
    ],
    [
      'a path through a nested .GIT',
      { path: 'a/.GIT/hooks', mode: '100644', content: 'x' },
      'tree.path contains a malformed path component',
    ],
    ['a path upwards', { path: '../x', mode: '100644', content: 'x' }, 'tree.path contains a malformed path component'],
    ['an unknown mode', { path: 'x', mode: '100600', content: 'x' }, 'Must supply a valid tree.mode'],
    [
      'a sha that is not there',
      { path: 'x', mode: '100644', sha: 'f'.repeat(40) },
      `tree.sha ${'f'.repeat(40)} is not a valid blob`,
    ],
    ['the deletion of what is not there', { path: 'x', mode: '100644', sha: null }, 'GitRPC::BadObjectState'],
  ])('refuse %s', (_name, entry, message) =>
    withGitHub({}, async (github, repo) => {
      const client = clientFor(github);
      const base = (await client.rest.git.getTree({ ...repo, tree_sha: 'main' })).data.sha;
      const answer = await fetch(`${github.apiUrl}/repos/${repo.owner}/${repo.repo}/git/trees`, {
        method: 'POST',
        headers: { authorization: `token ${github.issueToken(BOT)}` },
        body: JSON.stringify({ base_tree: base, tree: [{ type: 'blob', ...entry }] }),
      });
      expect(JSON.parse(await answer.text())).toMatchObject({ status: '422', message });
      expect(answer.status).toBe(422);
    }),
  );

  test('refuse objects and refs that are not there or are there already', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      const none = 'f'.repeat(40);
      const main = github.snapshot().refs['refs/heads/main'] ?? '';
      const tree = (await rest.git.getTree({ ...repo, tree_sha: 'main' })).data.sha;
      expect(await refusalOf(rest.git.createRef({ ...repo, ref: 'refs/heads/main', sha: main }))).toEqual({
        status: 422,
        message: 'Reference already exists',
      });
      expect(await refusalOf(rest.git.createRef({ ...repo, ref: 'refs/heads/x', sha: none }))).toEqual({
        status: 422,
        message: 'Object does not exist',
      });
      for (const ref of ['refs/heads/a..b', 'refs/heads/main/below', 'refs/heads/with space']) {
        expect(await refusalOf(rest.git.createRef({ ...repo, ref, sha: main }))).toEqual({
          status: 422,
          message: 'Reference name is not valid',
        });
      }
      expect((await rest.git.createRef({ ...repo, ref: 'refs/heads/after', sha: main })).status).toBe(201);
      expect(await refusalOf(rest.git.updateRef({ ...repo, ref: 'heads/x', sha: main }))).toEqual({
        status: 422,
        message: 'Reference does not exist',
      });
      expect(await refusalOf(rest.git.createCommit({ ...repo, message: 'm', tree: none }))).toEqual({
        status: 422,
        message: 'Tree SHA does not exist',
      });
      expect(await refusalOf(rest.git.createCommit({ ...repo, message: 'm', tree, parents: [none] }))).toEqual({
        status: 422,
        message: 'Parent SHA does not exist or is not a commit object',
      });
      expect((await refusalOf(rest.git.getBlob({ ...repo, file_sha: none }))).status).toBe(404);
      expect((await refusalOf(rest.git.getCommit({ ...repo, commit_sha: none }))).status).toBe(404);
      expect((await refusalOf(rest.git.getTree({ ...repo, tree_sha: none }))).status).toBe(404);
    }));

  test('refuse workflow files to a token without that permission, at the ref', () =>
    withGitHub({}, async (github, repo) => {
      const files = { '.github/workflows/evil.yml': 'on: push\n' };
      await expect(commitOn(github, 'evil', files)).rejects.toMatchObject({
        status: 403,
        message: expect.stringContaining('Resource not accessible by integration'),
      });
      expect(Object.keys(github.snapshot().refs)).toEqual(['refs/heads/main']);
      const trusted = clientFor(github, BOT, { contents: 'write', workflows: 'write' });
      const sha = await github.git('rev-parse', 'main');
      await trusted.rest.git.createRef({ ...repo, ref: 'refs/heads/fine', sha });
    }));

  test('refuse direct changes of a protected branch', () =>
    withGitHub({ protectedBranches: ['main'] }, async (github, repo) => {
      const sha = await github.pushCommit({ branch: 'work', files: { a: '1' }, message: 'one' });
      const { rest } = clientFor(github);
      const refusal = await refusalOf(rest.git.updateRef({ ...repo, ref: 'heads/main', sha }));
      expect(refusal).toMatchObject({
        status: 422,
        message: expect.stringContaining('Changes must be made through a pull request.'),
      });
      expect((await rest.repos.getBranchRules({ ...repo, branch: 'main' })).data.map((rule) => rule.type)).toEqual([
        'pull_request',
      ]);
      expect((await rest.repos.getBranch({ ...repo, branch: 'main' })).data.protected).toBe(true);
    }));
});
