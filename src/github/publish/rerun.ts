// Has the failed jobs of a check run again, where a run found that the code is not what failed.
import type { Bundle } from '../../schema/bundle.ts';
import { messageOf } from '../../schema/error.ts';
import type { FailedCheck, RunPlan } from '../../schema/gate.ts';
import { GitHubApiError, isRefusal, type RepositoryRef, repositoryOf } from '../api.ts';
import type { PublishIo } from './ports.ts';

export interface Rerun {
  readonly isStarted: boolean;
  /** What is said of it. */
  readonly notes: readonly string[];
}

/** Whether the failed jobs are to run again: a run of a workflow that is to be mended, and nothing was changed for it. */
export function isRerun({ failedCheck, mode }: RunPlan, { rerun, changes }: Bundle): boolean {
  return rerun !== null && mode === 'fix' && failedCheck?.kind === 'workflow_run' && changes.length === 0;
}

/** Never beside a change: what is pushed runs the checks anyway. Rejects on abort only; what GitHub refuses is said. */
export async function rerunFailedJobs(plan: RunPlan, { rerun, changes }: Bundle, { ports, signal }: PublishIo): Promise<Rerun> {
  const { failedCheck, mode } = plan;
  if (rerun === null || mode !== 'fix' || failedCheck?.kind !== 'workflow_run') return { isStarted: false, notes: [] };
  if (changes.length > 0) return { isStarted: false, notes: ['The failed jobs were not run again, since files were changed.'] };
  const reason = rerun.reason.replace(/\.$/, '');
  const started = { isStarted: true, notes: [`The failed jobs run again: ${reason}.`] };
  const place = { ...repositoryOf(plan), run_id: failedCheck.id };
  try {
    await ports.api.rest('POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs', place, signal);
    return started;
  } catch (error) {
    signal.throwIfAborted();
    ports.log(`[publish] the failed jobs were not run again: ${messageOf(error)}`);
    if (await isTriedAgain(failedCheck, place, { ports, signal })) return started;
    const why = isRefusal(error) ? `GitHub refused (${error.answer})` : 'GitHub did not answer';
    const isForbidden = error instanceof GitHubApiError && error.isMissingPermission;
    const need = isForbidden ? ' The workflow’s job needs `actions: write` for that.' : '';
    return { isStarted: false, notes: [`The failed jobs should run again (${reason}), but ${why}.${need}`] };
  }
}

/** By a person, or by an earlier try of ours whose answer was lost. */
async function isTriedAgain(
  { attempt }: Pick<FailedCheck, 'attempt'>,
  place: RepositoryRef & { readonly run_id: number },
  { ports, signal }: PublishIo,
): Promise<boolean> {
  try {
    const parameters = { ...place, attempt_number: attempt + 1 };
    await ports.api.rest('GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}', parameters, signal);
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
