/** Changes of check suites and check runs, and the two together with the jobs of GitHub Actions, which are check runs, too. */
import type { CheckRun, CheckSuite, Job, Run } from '../ci-state.ts';
import type { Hub } from '../hub.ts';
import { jobsOf } from './runs.ts';

export interface NewSuite {
  readonly app: string;
  readonly headBranch: string | null;
  readonly headSha: string;
}

/** The suite of an app on a commit, made when it is not there yet. */
export function putSuite(hub: Hub, draft: NewSuite): CheckSuite {
  const present = [...hub.state.checkSuites.values()].find(({ app, headSha }) => app === draft.app && headSha === draft.headSha);
  if (present !== undefined) return present;
  const time = hub.now();
  const suite: CheckSuite = {
    id: hub.state.nextId(),
    ...draft,
    createdAt: time,
    status: 'queued',
    conclusion: null,
    updatedAt: time,
  };
  hub.state.checkSuites.set(suite.id, suite);
  return suite;
}

/** Lets a suite follow its check runs: it ends with the last of them, as bad as the worst. */
export function followChecks(hub: Hub, suite: CheckSuite): void {
  const checks = [...hub.state.checkRuns.values()].filter(({ suiteId }) => suiteId === suite.id);
  const isDone = checks.every(({ status }) => status === 'completed');
  suite.status = isDone ? 'completed' : 'in_progress';
  suite.conclusion = isDone ? worstOf(checks) : null;
  suite.updatedAt = hub.now();
}

const BAD = ['failure', 'timed_out', 'cancelled', 'action_required', 'stale', 'startup_failure'];

function worstOf(checks: readonly CheckRun[]): string {
  const conclusions = checks.map(({ conclusion }) => conclusion);
  return BAD.find((word) => conclusions.includes(word)) ?? (conclusions.includes('success') ? 'success' : 'neutral');
}

/** The suite of a run of GitHub Actions. */
function suiteOfRun(run: Run): CheckSuite {
  const { id, headBranch, headSha, createdAt, status, conclusion, updatedAt } = run;
  return { id, app: 'github-actions', headBranch, headSha, createdAt, status, conclusion, updatedAt };
}

/** A job as the check run that it is. */
export function checkOfJob(run: Run, job: Job): CheckRun {
  const { id, name, status, conclusion, startedAt, completedAt } = job;
  const texts = { title: null, summary: null };
  return { id, suiteId: run.id, name, headSha: run.headSha, startedAt, status, conclusion, completedAt, ...texts };
}

/** The check runs of a commit: those of apps, and the jobs of each run's newest attempt. */
export function checksOf(hub: Hub, sha: string): readonly CheckRun[] {
  const runs = [...hub.state.runs.values()].filter(({ headSha }) => headSha === sha);
  const jobs = runs.flatMap((run) => jobsOf(run, run.attempt).map((job) => checkOfJob(run, job)));
  return [...[...hub.state.checkRuns.values()].filter(({ headSha }) => headSha === sha), ...jobs];
}

/** The check suites of a commit. */
export function suitesOf(hub: Hub, sha: string): readonly CheckSuite[] {
  const runs = [...hub.state.runs.values()].filter(({ headSha }) => headSha === sha);
  return [...[...hub.state.checkSuites.values()].filter(({ headSha }) => headSha === sha), ...runs.map(suiteOfRun)];
}

export function findSuite(hub: Hub, id: number): CheckSuite | undefined {
  const run = hub.state.runs.get(id);
  return run === undefined ? hub.state.checkSuites.get(id) : suiteOfRun(run);
}
