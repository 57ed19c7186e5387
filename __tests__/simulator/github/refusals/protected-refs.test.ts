import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../../src/simulator/github/contract.ts';
import { BOT, clientFor, refusalOf, withGitHub } from '../world.ts';

const CHANGES = 'Changes must be made through a pull request.';
const SIGNATURES = 'Commits must have verified signatures.';

/** A commit on top of the default branch, in the bot's own name or with an author that was given. */
async function commitOn(github: SimulatedGitHub, author?: { name: string; email: string }): Promise<string> {
  const { rest } = clientFor(github);
  const repo = { owner: github.owner, repo: github.repo };
  const head = github.snapshot().refs['refs/heads/main'] ?? '';
  const tree = await rest.git.createTree({
    ...repo,
    base_tree: head,
    tree: [{ path: 'a', mode: '100644', type: 'blob', content: 'x' }],
  });
  const commit = { ...repo, tree: tree.data.sha, parents: [head], message: 'x' };
  return (await rest.git.createCommit(author === undefined ? commit : { ...commit, author })).data.sha;
}

describe('REST refuses on a protected branch', () => {
  test.each([
    ['ruleset', `Repository rule violations found\n\n${CHANGES}\n\n`],
    ['classic', CHANGES],
  ] as const)('to update, create, delete it and to write its files, in the words of a %s', (protection, message) =>
    withGitHub({ protectedBranches: ['main', 'release'], protection }, async (github, repo) => {
      const sha = await commitOn(github);
      const { rest } = clientFor(github);
      const before = github.snapshot();
      const refused = { status: 422, message };
      expect(await refusalOf(rest.git.updateRef({ ...repo, ref: 'heads/main', sha }))).toEqual(refused);
      expect(await refusalOf(rest.git.updateRef({ ...repo, ref: 'heads/main', sha, force: true }))).toEqual(refused);
      expect(await refusalOf(rest.git.createRef({ ...repo, ref: 'refs/heads/release', sha }))).toEqual(refused);
      expect(await refusalOf(rest.git.deleteRef({ ...repo, ref: 'heads/main' }))).toEqual(refused);
      expect(await refusalOf(rest.repos.createOrUpdateFileContents({ ...repo, path: 'b', message: 'x', content: '' }))).toEqual(
        refused,
      );
      expect(github.snapshot()).toEqual(before);
      await rest.git.createRef({ ...repo, ref: 'refs/heads/free', sha });
    }),
  );

  test('unsigned commits where signatures are required; what GitHub signs for a bot goes in', () =>
    withGitHub({ signedBranches: ['main'] }, async (github, repo) => {
      const { rest } = clientFor(github);
      const [signed, named] = [await commitOn(github), await commitOn(github, { name: 'a', email: 'a@b.c' })];
      const verified = async (commit_sha: string) => (await rest.git.getCommit({ ...repo, commit_sha })).data.verification;
      expect([(await verified(signed)).verified, (await verified(named)).reason]).toEqual([true, 'unsigned']);
      const update = (sha: string) => rest.git.updateRef({ ...repo, ref: 'heads/main', sha });
      expect(await refusalOf(update(named))).toEqual({
        status: 422,
        message: `Repository rule violations found\n\n${SIGNATURES}\n\n`,
      });
      await rest.git.createRef({ ...repo, ref: 'refs/heads/other', sha: named });
      expect((await update(signed)).data.object.sha).toBe(signed);
    }));

  test('a person’s commits through the git database are not signed', () =>
    withGitHub({}, async (github, repo) => {
      const head = github.snapshot().refs['refs/heads/main'] ?? '';
      const { rest } = clientFor(github, 'alice');
      const { tree } = (await rest.git.getCommit({ ...repo, commit_sha: head })).data;
      const made = (await rest.git.createCommit({ ...repo, tree: tree.sha, parents: [head], message: 'x' })).data;
      expect(made.verification.verified).toBe(false);
      const written = await rest.repos.createOrUpdateFileContents({ ...repo, path: 'b', message: 'x', content: '' });
      expect(written.data.commit.verification?.verified).toBe(true);
    }));
});

describe('REST refuses workflow files without `workflows: write`', () => {
  test('in a ref that would bring them and in the contents API, and takes them with it', () =>
    withGitHub({}, async (github, repo) => {
      const file = { ...repo, path: '.github/workflows/new.yml', message: 'x', content: '', branch: 'main' };
      const { rest } = clientFor(github);
      const before = github.snapshot();
      const refused = { status: 403, message: 'Resource not accessible by integration' };
      expect(await refusalOf(rest.repos.createOrUpdateFileContents(file))).toEqual(refused);
      const head = before.refs['refs/heads/main'] ?? '';
      const tree = await rest.git.createTree({
        ...repo,
        base_tree: head,
        tree: [{ path: file.path, mode: '100644', type: 'blob', content: '' }],
      });
      const { sha } = (await rest.git.createCommit({ ...repo, tree: tree.data.sha, parents: [head], message: 'x' })).data;
      expect(await refusalOf(rest.git.createRef({ ...repo, ref: 'refs/heads/new', sha }))).toEqual(refused);
      expect(await refusalOf(rest.git.updateRef({ ...repo, ref: 'heads/main', sha }))).toEqual(refused);
      expect(github.snapshot()).toEqual(before);
      const trusted = clientFor(github, BOT, { contents: 'write', workflows: 'write' }).rest;
      expect((await trusted.git.createRef({ ...repo, ref: 'refs/heads/new', sha })).status).toBe(201);
    }));
});
