// Owns what the gate knows of a check that failed: its pull request, and how the same check ended elsewhere. Decides nothing.
import type { CheckFacts } from '../../schema/gate.ts';
import type { CheckEvent } from '../../schema/github-event.ts';
import { isRefusal, type RepositoryApi } from '../api.ts';
import { hasFailed } from '../has-failed.ts';

/** Rejects where GitHub does not answer; what a token may not read is unknown. */
export async function loadCheckFacts(event: CheckEvent, place: RepositoryApi, signal: AbortSignal): Promise<CheckFacts> {
  const pull = await findPull(event, place, signal);
  if (pull === null) return { pull: null, base: 'unknown', passedBefore: false };
  const { number, title, base } = pull;
  const isRun = event.kind === 'workflow_run';
  const [ended, passedBefore] = await Promise.all([
    isRun ? endOnBranch(event, base, place, signal) : endOfSuite(event, base, place, signal),
    isRun ? passedOnHead(event, place, signal) : false,
  ]);
  return { pull: { number, title }, base: ended, passedBefore };
}

interface CheckedPull {
  readonly number: number;
  readonly title: string;
  /** The base branch. */
  readonly base: string;
}

/** By the commit and not by the branch's name: whose head has moved on has newer checks. */
async function findPull(
  { check, headSha, repository }: CheckEvent,
  { api, repository: at }: RepositoryApi,
  signal: AbortSignal,
): Promise<CheckedPull | null> {
  if (check.headBranch === null) return null;
  const parameters = { ...at, state: 'open', head: `${at.owner}:${check.headBranch}`, per_page: 100 } as const;
  const { data: pulls } = await api.rest('GET /repos/{owner}/{repo}/pulls', parameters, signal);
  const [found, ...others] = pulls.filter(({ head }) => {
    // GitHub's schema knows no null here, GitHub does: the fork was deleted (G1-09).
    const headRepository: { readonly id: number | bigint } | null = head.repo;
    return head.sha === headSha && Number(headRepository?.id) === repository.id;
  });
  if (found === undefined || others.length > 0) return null;
  return { number: found.number, title: found.title, base: found.base.ref };
}

/** As many runs of a branch as one look shows; without a word among them nothing is known. */
const looked = 30;

/** The newest run of the same workflow on the base branch that says something: a pull request from a branch of that name is not it. */
async function endOnBranch(
  { check, repository }: CheckEvent,
  branch: string,
  { api, repository: at }: RepositoryApi,
  signal: AbortSignal,
): Promise<CheckFacts['base']> {
  const parameters = { ...at, workflow_id: check.sourceId, branch, status: 'completed', per_page: looked } as const;
  const runs = await orNone(
    api
      .rest('GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs', parameters, signal)
      .then(({ data }) => data.workflow_runs),
  );
  const ofBranch = runs.filter(
    ({ event, head_repository }) => !event.startsWith('pull_request') && Number(head_repository?.id) === repository.id,
  );
  return endOf(ofBranch.map(({ conclusion }) => conclusion));
}

/** The suite of the same app on the base branch's head. */
async function endOfSuite(
  { check }: CheckEvent,
  branch: string,
  { api, repository: at }: RepositoryApi,
  signal: AbortSignal,
): Promise<CheckFacts['base']> {
  const parameters = { ...at, ref: `heads/${branch}`, app_id: check.sourceId };
  const suites = await orNone(
    api.rest('GET /repos/{owner}/{repo}/commits/{ref}/check-suites', parameters, signal).then(({ data }) => data.check_suites),
  );
  return endOf(suites.map(({ conclusion }) => conclusion));
}

/** The first that passed or failed; one that was skipped or cancelled says nothing. */
function endOf(conclusions: readonly (string | null)[]): CheckFacts['base'] {
  const word = conclusions.find((conclusion) => conclusion === 'success' || hasFailed(conclusion));
  if (word === undefined) return 'unknown';
  return word === 'success' ? 'passed' : 'failed';
}

/**
 * Another run of the same workflow on this commit, or an earlier attempt of this one. Of a run for a pull request the code is the merge with
 * its base, and of a push the commit alone: only what the same event started ran on the same.
 */
async function passedOnHead(event: CheckEvent, { api, repository: at }: RepositoryApi, signal: AbortSignal): Promise<boolean> {
  const { id, attempt, sourceId, startedBy } = event.check;
  const ofHead = { ...at, workflow_id: sourceId, head_sha: event.headSha, status: 'success', per_page: looked } as const;
  const passed = await orNone(
    api
      .rest('GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs', ofHead, signal)
      .then(({ data }) => data.workflow_runs),
  );
  if (passed.some((run) => run.event === startedBy)) return true;
  for (let earlier = attempt - 1; earlier >= 1; earlier -= 1) {
    const parameters = { ...at, run_id: id, attempt_number: earlier };
    const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}';
    const [run] = await orNone(api.rest(route, parameters, signal).then(({ data }) => [data]));
    if (run === undefined || run.conclusion === 'success') return run !== undefined;
  }
  return false;
}

async function orNone<T>(asked: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await asked;
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}
