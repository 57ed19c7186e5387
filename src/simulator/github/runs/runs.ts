/** Changes of workflow runs: they start, end, are tried again. The REST handlers and the test's own hand use the same functions. */
import type { Job, Run, Step } from '../ci-state.ts';
import { Refusal } from '../http/reply.ts';
import type { Hub } from '../hub.ts';

export interface RunDraft {
  readonly workflowPath: string;
  readonly event: string;
  readonly headBranch: string;
  readonly headSha: string;
  readonly actor: string;
  /** Default: the actor. */
  readonly triggeringActor?: string;
  /** `login/repo`: the head is a fork's commit, and the run names no pull request. */
  readonly fork?: string;
}

/** How a job ended. What is left out: the workflow's name, the run's conclusion, no log, no steps. */
export interface JobDraft {
  readonly name?: string;
  readonly conclusion?: string;
  readonly log?: string;
  readonly steps?: readonly Step[];
}

/** The name that a workflow's file gives its runs and its only job. */
export function workflowName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
}

/** Starts a run with one job. */
export function startRun(hub: Hub, draft: RunDraft): Run {
  const { state } = hub;
  const { fork, triggeringActor = draft.actor, ...facts } = draft;
  const time = hub.now();
  if (!state.workflows.has(draft.workflowPath)) {
    state.workflows.set(draft.workflowPath, { id: state.nextId(), path: draft.workflowPath, createdAt: time });
  }
  const run: Run = {
    id: state.nextId(),
    number: [...state.runs.values()].filter(({ workflowPath }) => workflowPath === draft.workflowPath).length + 1,
    ...facts,
    headRepository: fork === undefined ? null : { fullName: fork, id: state.nextId() },
    createdAt: time,
    earlier: [],
    jobs: [],
    attempt: 1,
    triggeringActor,
    startedAt: time,
    status: 'in_progress',
    conclusion: null,
    updatedAt: time,
  };
  addJob(hub, run, workflowName(draft.workflowPath));
  state.runs.set(run.id, run);
  return run;
}

function addJob(hub: Hub, run: Run, name: string): Job {
  const job: Job = {
    id: hub.state.nextId(),
    runId: run.id,
    attempt: run.attempt,
    startedAt: hub.now(),
    name,
    status: run.status,
    conclusion: null,
    completedAt: null,
    log: '',
    steps: [],
  };
  run.jobs.push(job);
  return job;
}

/** Ends a run's newest attempt. The jobs' names tell which they are; the first draft is the job that was there from the start. */
export function finishRun(hub: Hub, run: Run, conclusion: string, drafts: readonly JobDraft[]): void {
  run.status = 'completed';
  run.conclusion = conclusion;
  run.updatedAt = hub.now();
  const open = jobsOf(run, run.attempt).filter((job) => job.status !== 'completed');
  drafts.forEach((draft, index) => {
    const job = open.find(({ name }) => name === draft.name) ?? open[index] ?? addJob(hub, run, draft.name ?? 'job');
    finishJob(hub, job, { conclusion, ...draft });
  });
  for (const job of open.filter(({ status }) => status !== 'completed')) finishJob(hub, job, { conclusion });
}

function finishJob(hub: Hub, job: Job, draft: JobDraft): void {
  job.name = draft.name ?? job.name;
  job.status = 'completed';
  job.conclusion = draft.conclusion ?? 'success';
  job.log = draft.log ?? '';
  job.steps = draft.steps ?? [];
  job.completedAt = hub.now();
}

/** Starts the next attempt: the jobs of `isWanted` wait to run again, the others are taken over as they ended. */
export function rerun(hub: Hub, run: Run, actor: string, isWanted: (job: Job) => boolean): void {
  if (run.status !== 'completed') throw new Refusal(403, 'This workflow run is already running');
  const last = jobsOf(run, run.attempt);
  const { attempt, triggeringActor, startedAt, status, conclusion, updatedAt } = run;
  run.earlier.push({ attempt, triggeringActor, startedAt, status, conclusion, updatedAt });
  run.attempt += 1;
  run.triggeringActor = actor;
  run.status = 'queued';
  run.conclusion = null;
  run.startedAt = hub.now();
  run.updatedAt = hub.now();
  for (const job of last) {
    const next = addJob(hub, run, job.name);
    if (!isWanted(job)) Object.assign(next, { ...job, id: next.id, attempt: next.attempt });
  }
}

/** Whether a job is one that "re-run failed jobs" runs again. */
export function isFailed(job: Job): boolean {
  return job.conclusion !== 'success' && job.conclusion !== 'skipped' && job.conclusion !== 'neutral';
}

export function jobsOf(run: Run, attempt: number): readonly Job[] {
  return run.jobs.filter((job) => job.attempt === attempt);
}

/** The job of an id, of whichever attempt. */
export function findJob(hub: Hub, id: number): Job | undefined {
  for (const run of hub.state.runs.values()) {
    const job = run.jobs.find((candidate) => candidate.id === id);
    if (job !== undefined) return job;
  }
  return undefined;
}
