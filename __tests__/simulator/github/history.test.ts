import { describe, expect, test } from '@jest/globals';
import { BOT, clientFor, createClock, refusalOf, withGitHub } from './world.ts';

describe('history', () => {
  test('commits, one commit, a comparison, branches and contents are the repository’s', () =>
    withGitHub({}, async (github, repo) => {
      const sha = await github.pushCommit({
        branch: 'fix',
        files: { 'src/cart.ts': 'two\n', 'docs/a b.md': '# A\n' },
        message: 'fix',
        author: 'alice',
      });
      const { rest } = clientFor(github);
      const commits = await rest.repos.listCommits({ ...repo, sha: 'fix' });
      expect(commits.data.map(({ commit, author }) => [commit.message, author?.login])).toEqual([
        ['fix', 'alice'],
        ['Initial commit', 'octo-org'],
      ]);
      expect((await rest.repos.listCommits({ ...repo, sha: 'fix', path: 'README.md' })).data).toHaveLength(1);
      const one = await rest.repos.getCommit({ ...repo, ref: sha });
      expect([one.data.stats?.total, one.data.files?.map((file) => file.filename)]).toEqual([3, ['docs/a b.md', 'src/cart.ts']]);
      const comparison = await rest.repos.compareCommitsWithBasehead({ ...repo, basehead: 'main...fix' });
      expect([comparison.data.status, comparison.data.ahead_by, comparison.data.files?.length]).toEqual(['ahead', 1, 2]);
      expect((await rest.repos.listBranches(repo)).data.map(({ name }) => name)).toEqual(['fix', 'main']);
      expect((await rest.repos.getBranch({ ...repo, branch: 'fix' })).data.commit.sha).toBe(sha);
      const file = await rest.repos.getContent({ ...repo, path: 'docs/a b.md', ref: 'fix' });
      expect(file.data).toMatchObject({
        type: 'file',
        encoding: 'base64',
        content: `${Buffer.from('# A\n').toString('base64')}\n`,
      });
      const folder = await rest.repos.getContent({ ...repo, path: 'src' });
      expect(folder.data).toMatchObject([{ type: 'file', path: 'src/cart.ts', size: 24 }]);
    }));

  test('what is not in it is refused', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github);
      expect((await refusalOf(rest.repos.getContent({ ...repo, path: 'nowhere' }))).status).toBe(404);
      expect((await refusalOf(rest.repos.getContent({ ...repo, path: 'README.md', ref: 'nowhere' }))).status).toBe(404);
      expect((await refusalOf(rest.repos.getBranch({ ...repo, branch: 'nowhere' }))).status).toBe(404);
      expect((await refusalOf(rest.repos.getCommit({ ...repo, ref: 'nowhere' }))).status).toBe(422);
      expect((await refusalOf(rest.repos.compareCommitsWithBasehead({ ...repo, basehead: 'main...nowhere' }))).status).toBe(404);
    }));
});

describe('checks, statuses and runs', () => {
  test('a check run is made, completed and listed by commit', () =>
    withGitHub({}, async (github, repo) => {
      const sha = github.snapshot().refs['refs/heads/main'] ?? '';
      const { rest } = clientFor(github, BOT, { checks: 'write', statuses: 'write' });
      const made = await rest.checks.create({ ...repo, name: 'harness9', head_sha: sha, status: 'in_progress' });
      await rest.checks.update({
        ...repo,
        check_run_id: made.data.id,
        conclusion: 'failure',
        output: { title: 'two tests fail', summary: 'text' },
      });
      const listed = await rest.checks.listForRef({ ...repo, ref: 'main' });
      expect(
        listed.data.check_runs.map(({ name, status, conclusion, output }) => [name, status, conclusion, output.title]),
      ).toEqual([['harness9', 'completed', 'failure', 'two tests fail']]);
      await rest.repos.createCommitStatus({ ...repo, sha, state: 'pending', context: 'ci' });
      await rest.repos.createCommitStatus({ ...repo, sha, state: 'success', context: 'ci' });
      expect((await rest.repos.getCombinedStatusForRef({ ...repo, ref: 'main' })).data.state).toBe('success');
      expect((await rest.repos.listCommitStatusesForRef({ ...repo, ref: 'main' })).data.map(({ state }) => state)).toEqual([
        'success',
        'pending',
      ]);
    }));

  test('runs are listed by workflow, event, time and outcome', async () => {
    const clock = createClock();
    await withGitHub({ now: clock.now }, async (github, repo) => {
      const headSha = github.snapshot().refs['refs/heads/main'] ?? '';
      const draft = { workflowPath: '.github/workflows/harness9.yml', headBranch: 'main', headSha, actor: 'alice' };
      const first = github.startRun({ ...draft, event: 'issue_comment' });
      clock.advance(3600);
      const second = github.startRun({ ...draft, event: 'schedule' });
      github.finishRun(first.id, 'success');
      const { rest } = clientFor(github, BOT, { actions: 'write' });
      const ids = async (query: { event?: string; status?: 'success'; created?: string }) =>
        (await rest.actions.listWorkflowRuns({ ...repo, workflow_id: 'harness9.yml', ...query })).data.workflow_runs.map(
          ({ id }) => id,
        );
      expect([first.number, second.number]).toEqual([1, 2]);
      expect(await ids({})).toEqual([second.id, first.id]);
      expect(await ids({ event: 'schedule' })).toEqual([second.id]);
      expect(await ids({ status: 'success' })).toEqual([first.id]);
      expect(await ids({ created: '>=2026-01-01T00:30:00Z' })).toEqual([second.id]);
      expect((await rest.actions.listJobsForWorkflowRun({ ...repo, run_id: first.id })).data.jobs[0]?.id).toBe(first.jobId);
      expect((await rest.actions.listRepoWorkflows(repo)).data.workflows.map(({ path }) => path)).toEqual([
        '.github/workflows/ci.yml',
        '.github/workflows/harness9.yml',
      ]);
      await rest.actions.cancelWorkflowRun({ ...repo, run_id: second.id });
      expect((await refusalOf(rest.actions.cancelWorkflowRun({ ...repo, run_id: second.id }))).status).toBe(409);
      await rest.actions.createWorkflowDispatch({ ...repo, workflow_id: 'ci.yml', ref: 'main' });
      const nowhere = rest.actions.createWorkflowDispatch({ ...repo, workflow_id: 'ci.yml', ref: 'nowhere' });
      expect((await refusalOf(nowhere)).status).toBe(422);
    });
  });
});
