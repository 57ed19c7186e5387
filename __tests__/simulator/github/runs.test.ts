import { describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../../src/simulator/github/contract.ts';
import { BOT, clientFor, refusalOf, withGitHub } from './world.ts';

const ACTIONS = { actions: 'write', checks: 'write', contents: 'write' } as const;
const WORKFLOW = '.github/workflows/ci.yml';

async function failedRun(github: SimulatedGitHub) {
  const pull = await github.openPull({ author: 'alice', head: 'fix', title: 'Fix', files: { a: '1' } });
  const headSha = github.snapshot().pulls[0]?.headSha ?? '';
  const run = github.startRun({ workflowPath: WORKFLOW, event: 'pull_request', headBranch: 'fix', headSha, actor: 'alice' });
  github.finishRun(run.id, 'failure', {
    jobs: [
      { name: 'lint', conclusion: 'success' },
      { name: 'test', log: 'npm test\nfailed', steps: [{ name: 'Run npm test', conclusion: 'failure' }] },
    ],
  });
  return { pull: pull.number, run: run.id, headSha };
}

describe('runs', () => {
  test('the jobs of a run have their own ends, steps and logs, behind a signed address', () =>
    withGitHub({}, async (github, repo) => {
      const { run } = await failedRun(github);
      const { rest } = clientFor(github, BOT, ACTIONS);
      const { data } = await rest.actions.listJobsForWorkflowRun({ ...repo, run_id: run });
      expect(data.jobs.map(({ name, conclusion, run_attempt }) => [name, conclusion, run_attempt])).toEqual([
        ['lint', 'success', 1],
        ['test', 'failure', 1],
      ]);
      expect(data.jobs[1]?.steps).toMatchObject([{ name: 'Run npm test', number: 1, conclusion: 'failure' }]);
      const log = await rest.actions.downloadJobLogsForWorkflowRun({ ...repo, job_id: data.jobs[1]?.id ?? 0 });
      expect(log.data).toBe('npm test\nfailed');
      const unsigned = log.url.replace(/\?.*/, '');
      expect((await fetch(unsigned)).status).toBe(403);
      expect(
        await refusalOf(
          clientFor(github, BOT, {}).rest.actions.downloadJobLogsForWorkflowRun({ ...repo, job_id: data.jobs[1]?.id ?? 0 }),
        ),
      ).toMatchObject({ status: 403 });
    }));

  test('failed jobs run again as a new attempt, with those that passed taken over; the earlier attempt stays readable', () =>
    withGitHub({}, async (github, repo) => {
      const { run } = await failedRun(github);
      const reader = clientFor(github, BOT, { actions: 'read' }).rest;
      const at = { ...repo, run_id: run };
      expect(await refusalOf(reader.actions.reRunWorkflowFailedJobs(at))).toEqual({
        status: 403,
        message: 'Resource not accessible by integration',
      });
      const { rest } = clientFor(github, BOT, ACTIONS);
      await rest.actions.reRunWorkflowFailedJobs(at);
      expect(await refusalOf(rest.actions.reRunWorkflowFailedJobs(at))).toEqual({
        status: 403,
        message: 'This workflow run is already running',
      });
      const now = (await rest.actions.getWorkflowRun(at)).data;
      expect([now.run_attempt, now.status, now.conclusion, now.actor?.login, now.triggering_actor?.login]).toEqual([
        2,
        'queued',
        null,
        'alice',
        BOT,
      ]);
      const jobs = async (filter: 'latest' | 'all') =>
        (await rest.actions.listJobsForWorkflowRun({ ...at, filter })).data.jobs.map((job) => [
          job.name,
          job.run_attempt,
          job.conclusion,
        ]);
      expect(await jobs('latest')).toEqual([
        ['lint', 2, 'success'],
        ['test', 2, null],
      ]);
      expect(await jobs('all')).toHaveLength(4);
      const first = (await rest.actions.getWorkflowRunAttempt({ ...at, attempt_number: 1 })).data;
      expect([first.run_attempt, first.conclusion, first.triggering_actor?.login]).toEqual([1, 'failure', 'alice']);
      expect((await refusalOf(rest.actions.getWorkflowRunAttempt({ ...at, attempt_number: 3 }))).status).toBe(404);
      github.finishRun(run, 'success', { jobs: [{ name: 'test' }] });
      expect(await jobs('latest')).toEqual([
        ['lint', 2, 'success'],
        ['test', 2, 'success'],
      ]);
      expect((await refusalOf(rest.actions.reRunWorkflowFailedJobs(at))).status).toBe(403);
    }));

  test('a run of this repository names its open pull request, a fork’s names none and has its repository', () =>
    withGitHub({}, async (github, repo) => {
      const { run, headSha, pull } = await failedRun(github);
      const { rest } = clientFor(github, BOT, ACTIONS);
      const read = async (id: number) => (await rest.actions.getWorkflowRun({ ...repo, run_id: id })).data;
      expect((await read(run)).pull_requests?.map(({ number }) => number)).toEqual([pull]);
      const fork = github.startRun({
        workflowPath: WORKFLOW,
        event: 'pull_request',
        headBranch: 'main',
        headSha,
        actor: 'eve',
        fork: 'eve/shop',
      });
      expect(await read(fork.id)).toMatchObject({ pull_requests: [], head_repository: { full_name: 'eve/shop' } });
      expect(github.payload('workflow_run', { run: fork.id })).toMatchObject({
        workflow_run: { head_repository: { full_name: 'eve/shop', fork: true }, triggering_actor: { login: 'eve' } },
      });
      const list = { ...repo, workflow_id: 'ci.yml', head_sha: headSha };
      expect(
        (await rest.actions.listWorkflowRuns({ ...list, status: 'failure' })).data.workflow_runs.map(({ id }) => id),
      ).toEqual([run]);
      expect((await rest.actions.listWorkflowRuns({ ...list, status: 'success' })).data.total_count).toBe(0);
      expect((await rest.actions.listWorkflowRuns({ ...list, branch: 'main' })).data.workflow_runs.map(({ id }) => id)).toEqual([
        fork.id,
      ]);
    }));
});

describe('checks', () => {
  test('the checks of a commit are those of apps and the jobs of the newest attempts, each in its suite', () =>
    withGitHub({}, async (github, repo) => {
      const { run, headSha } = await failedRun(github);
      const suite = github.checkSuite({
        app: 'other-ci',
        headSha,
        checks: [
          { name: 'build', conclusion: 'success' },
          { name: 'style', conclusion: 'failure', title: 'off' },
        ],
      });
      const { rest } = clientFor(github, BOT, ACTIONS);
      await rest.actions.reRunWorkflowFailedJobs({ ...repo, run_id: run });
      const checks = (await rest.checks.listForRef({ ...repo, ref: 'fix' })).data.check_runs;
      expect(
        checks.map(({ name, status, conclusion, app, check_suite }) => [name, status, conclusion, app?.slug, check_suite?.id]),
      ).toEqual([
        ['build', 'completed', 'success', 'other-ci', suite],
        ['style', 'completed', 'failure', 'other-ci', suite],
        ['lint', 'completed', 'success', 'github-actions', run],
        ['test', 'queued', null, 'github-actions', run],
      ]);
      expect(checks[3]?.details_url).toBe(
        `${github.serverUrl}/${github.owner}/${github.repo}/actions/runs/${run}/job/${checks[3]?.id}`,
      );
      const { data } = await rest.checks.get({ ...repo, check_run_id: checks[3]?.id ?? 0 });
      expect(data.name).toBe('test');
      expect(
        (await refusalOf(rest.checks.update({ ...repo, check_run_id: checks[3]?.id ?? 0, conclusion: 'success' }))).status,
      ).toBe(404);
    }));

  test('an app’s suite ends with its last check, as bad as the worst', () =>
    withGitHub({}, async (github, repo) => {
      const { rest } = clientFor(github, 'other-ci[bot]', ACTIONS);
      const head_sha = github.snapshot().refs['refs/heads/main'] ?? '';
      const one = (await rest.checks.create({ ...repo, head_sha, name: 'one', status: 'in_progress' })).data;
      const two = (await rest.checks.create({ ...repo, head_sha, name: 'two', status: 'completed', conclusion: 'success' })).data;
      const suite = one.check_suite?.id ?? 0;
      expect(two.check_suite?.id).toBe(suite);
      const read = () => github.payload('check_suite', { checkSuite: suite }).check_suite;
      expect(read()).toMatchObject({
        status: 'in_progress',
        conclusion: null,
        latest_check_runs_count: 2,
        app: { slug: 'other-ci' },
      });
      await rest.checks.update({ ...repo, check_run_id: one.id, status: 'completed', conclusion: 'failure' });
      expect(read()).toMatchObject({ status: 'completed', conclusion: 'failure' });
    }));
});
