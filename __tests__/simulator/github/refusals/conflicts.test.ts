import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { BOT, clientFor, refusalOf, withGitHub } from '../world.ts';

const OURS = { 'src/cart.ts': 'export const ours = 1;\n' };
const THEIRS = { 'src/cart.ts': 'export const theirs = 1;\n' };

describe('GitHub answers 409', () => {
  test('to a merge of branches that conflict; else it merges, or says that there is nothing to merge', () =>
    withGitHub({}, async (github, repo) => {
      await github.pushCommit({ branch: 'ours', files: OURS, message: 'x' });
      await github.pushCommit({ branch: 'main', files: THEIRS, message: 'x' });
      const { rest } = clientFor(github);
      const merge = (base: string, head: string) => rest.repos.merge({ ...repo, base, head });
      const before = github.snapshot().refs;
      expect(await refusalOf(merge('main', 'ours'))).toEqual({ status: 409, message: 'Merge conflict' });
      expect(await refusalOf(merge('none', 'ours'))).toEqual({ status: 404, message: 'Base does not exist' });
      expect(await refusalOf(merge('main', 'none'))).toEqual({ status: 404, message: 'Head does not exist' });
      expect(github.snapshot().refs).toEqual(before);
      await github.pushCommit({ branch: 'free', files: { b: '2' }, message: 'x' });
      expect(await merge('ours', 'free').catch((error: unknown) => error)).toMatchObject({ status: 409 });
      expect((await merge('main', 'free')).status).toBe(201);
      expect((await merge('main', 'free')).status).toBe(204);
    }));

  test('to a merge of a pull request whose head has moved; 405 to one that conflicts, is a draft or closed', () =>
    withGitHub({}, async (github, repo) => {
      const { number } = await github.openPull({ author: 'bob', head: 'fix', title: 'x', files: OURS });
      const sha = github.snapshot().pulls[0]?.headSha ?? '';
      await github.pushCommit({ branch: 'fix', files: { b: '2' }, message: 'x' });
      const { rest } = clientFor(github);
      const pull = { ...repo, pull_number: number };
      expect(await refusalOf(rest.pulls.merge({ ...pull, sha }))).toEqual({
        status: 409,
        message: 'Head branch was modified. Review and try the merge again.',
      });
      const draft = await github.openPull({ author: 'bob', head: 'two', title: 'x', draft: true, files: { c: '3' } });
      const refused = { status: 405, message: 'Pull Request is not mergeable' };
      expect(await refusalOf(rest.pulls.merge({ ...repo, pull_number: draft.number }))).toEqual(refused);
      await github.pushCommit({ branch: 'main', files: THEIRS, message: 'x' });
      expect(await refusalOf(rest.pulls.merge(pull))).toEqual(refused);
      github.closeThread(number, 'bob');
      expect(await refusalOf(rest.pulls.merge(pull))).toEqual(refused);
      github.markReady(draft.number);
      expect((await rest.pulls.merge({ ...repo, pull_number: draft.number })).data.merged).toBe(true);
    }));

  test('to a move of a branch that is locked, which stays where it is', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      const before = github.snapshot().refs['refs/heads/main'] ?? '';
      const tree = (await rest.git.getCommit({ ...repo, commit_sha: before })).data.tree.sha;
      const made = await rest.git.createCommit({ ...repo, message: 'x', tree, parents: [before] });
      const move = () => rest.git.updateRef({ ...repo, ref: 'heads/main', sha: made.data.sha });
      const lock = join(await github.git('rev-parse', '--absolute-git-dir'), 'refs/heads/main.lock');
      await mkdir(dirname(lock), { recursive: true });
      await writeFile(lock, '');
      expect(await refusalOf(move())).toEqual({ status: 409, message: 'Reference cannot be updated' });
      expect(github.snapshot().refs['refs/heads/main']).toBe(before);
      await rm(lock);
      expect((await move()).data.object.sha).toBe(made.data.sha);
    }));

  test('to a file that was changed since it was read, and to a run that has ended when it is cancelled', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github, BOT, { contents: 'write', actions: 'write' });
      const write = rest.repos.createOrUpdateFileContents({
        ...repo,
        path: 'README.md',
        message: 'x',
        content: '',
        sha: '0'.repeat(40),
      });
      expect(await refusalOf(write)).toEqual({ status: 409, message: `README.md does not match ${'0'.repeat(40)}` });
      const headSha = github.snapshot().refs['refs/heads/main'] ?? '';
      const run = github.startRun({
        workflowPath: '.github/workflows/ci.yml',
        event: 'push',
        headBranch: 'main',
        headSha,
        actor: 'bob',
      });
      github.finishRun(run.id, 'success');
      const cancel = rest.actions.cancelWorkflowRun({ ...repo, run_id: run.id });
      expect(await refusalOf(cancel)).toEqual({ status: 409, message: 'Cannot cancel a workflow run that is completed.' });
    }));
});
