/** The hand's part about workflow runs and checks. */
import { renderRuntimeToken } from '../artifacts/runtime-token.ts';
import type { CheckRun, Run } from '../ci-state.ts';
import type { CheckDraft, Hand, RunHandle } from '../contract.ts';
import type { Hub } from '../hub.ts';
import { followChecks, putSuite } from '../runs/checks.ts';
import { finishRun, isFailed, jobsOf, rerun, startRun } from '../runs/runs.ts';
import { known } from './known.ts';

type RunHand = Pick<Hand, 'startRun' | 'finishRun' | 'rerun' | 'checkSuite' | 'runtimeToken'>;

export function createRunHand(hub: Hub): RunHand {
  const runOf = (id: number): Run => {
    const run = hub.state.runs.get(id);
    if (run === undefined) throw new Error(`there is no run ${id}`);
    return run;
  };
  return {
    startRun: (draft) => handleOf(startRun(hub, { ...draft, actor: known(hub, draft.actor) })),
    finishRun(id, conclusion, { jobs, ...job } = {}) {
      finishRun(hub, runOf(id), conclusion, jobs ?? [job]);
    },
    rerun({ run: id, by, onlyFailed = false }) {
      const run = runOf(id);
      rerun(hub, run, known(hub, by), onlyFailed ? isFailed : () => true);
      return handleOf(run);
    },
    checkSuite({ app, headSha, headBranch = null, checks }) {
      const suite = putSuite(hub, { app, headBranch, headSha });
      for (const draft of checks) addCheck(hub, { ...draft, headSha, suiteId: suite.id });
      followChecks(hub, suite);
      return suite.id;
    },
    runtimeToken: (runId, jobId) => renderRuntimeToken(runId, jobId ?? handleOf(runOf(runId)).jobId),
  };
}

function handleOf(run: Run): RunHandle {
  const [job] = jobsOf(run, run.attempt);
  return { id: run.id, attempt: run.attempt, number: run.number, jobId: job?.id ?? 0 };
}

function addCheck(hub: Hub, draft: CheckDraft & Pick<CheckRun, 'headSha' | 'suiteId'>): void {
  const { name, conclusion, title = null, summary = null, headSha, suiteId } = draft;
  const id = hub.state.nextId();
  const time = hub.now();
  const texts = { title, summary };
  hub.state.checkRuns.set(id, {
    id,
    suiteId,
    name,
    headSha,
    startedAt: time,
    status: 'completed',
    conclusion,
    completedAt: time,
    ...texts,
  });
}
