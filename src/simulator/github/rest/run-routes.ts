/** REST: workflow runs, jobs and workflows. */

import { logUrl } from '../artifacts/log-part.ts';
import { demandOneOf } from '../auth.ts';
import type { Attempt, Job, Run, Workflow } from '../ci-state.ts';
import { actorOf, type Call, numberParam, param, requiredText } from '../http/call.ts';
import { pagedUnder } from '../http/paging.ts';
import { json, noContent, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { renderJob, renderRun, renderWorkflow } from '../render/render-run.ts';
import { findJob, finishRun, isFailed, jobsOf, rerun } from '../runs/runs.ts';
import { resolveRevision } from './history-routes.ts';

const READ = ['actions:read'] as const;
const WRITE = ['actions:write'] as const;
const ACTIONS = '/repos/{owner}/{repo}/actions';

export const runRoutes: readonly Route[] = [
  route(`GET ${ACTIONS}/runs`, READ, (hub, call) => listRuns(hub, call, () => true)),
  route(`GET ${ACTIONS}/runs/{run_id}`, READ, (hub, call) => json(renderRun(hub, findRun(hub, call)))),
  route(`GET ${ACTIONS}/runs/{run_id}/jobs`, READ, listJobs),
  route(`POST ${ACTIONS}/runs/{run_id}/cancel`, WRITE, cancelRun),
  route(`GET ${ACTIONS}/runs/{run_id}/attempts/{attempt_number}`, READ, (hub, call) =>
    json(renderRun(hub, findRun(hub, call), findAttempt(hub, call))),
  ),
  route(`GET ${ACTIONS}/runs/{run_id}/attempts/{attempt_number}/jobs`, READ, listAttemptJobs),
  route(`GET ${ACTIONS}/jobs/{job_id}`, READ, (hub, call) => json(renderJob(hub, demandJob(hub, call)))),
  route(`GET ${ACTIONS}/jobs/{job_id}/logs`, READ, getJobLog),
  route(`POST ${ACTIONS}/jobs/{job_id}/rerun`, WRITE, rerunJob),
  route(`POST ${ACTIONS}/runs/{run_id}/rerun`, WRITE, (hub, call) => rerunJobs(hub, call, () => true)),
  route(`POST ${ACTIONS}/runs/{run_id}/rerun-failed-jobs`, WRITE, (hub, call) => rerunJobs(hub, call, isFailed)),
  route('POST /repos/{owner}/{repo}/dispatches', ['contents:write'], dispatchRepository),
  route(`GET ${ACTIONS}/workflows`, READ, listWorkflows),
  route(`GET ${ACTIONS}/workflows/{workflow_id}`, READ, (hub, call) => json(renderWorkflow(hub, findWorkflow(hub, call)))),
  route(`GET ${ACTIONS}/workflows/{workflow_id}/runs`, READ, listWorkflowRuns),
  route(`POST ${ACTIONS}/workflows/{workflow_id}/dispatches`, WRITE, dispatchWorkflow),
];

function findRun(hub: Hub, call: Call): Run {
  const run = hub.state.runs.get(numberParam(call, 'run_id'));
  if (run === undefined) throw notFound();
  return run;
}

/** What an earlier attempt of the run was; undefined for the newest. */
function findAttempt(hub: Hub, call: Call): Attempt | undefined {
  const run = findRun(hub, call);
  const number = numberParam(call, 'attempt_number');
  const earlier = run.earlier.find(({ attempt }) => attempt === number);
  if (earlier === undefined && number !== run.attempt) throw notFound();
  return earlier;
}

function demandJob(hub: Hub, call: Call): Job {
  const job = findJob(hub, numberParam(call, 'job_id'));
  if (job === undefined) throw notFound();
  return job;
}

// A workflow goes by its id or by the name of its file.
function findWorkflow(hub: Hub, call: Call): Workflow {
  const name = param(call, 'workflow_id');
  const workflow = [...hub.state.workflows.values()].find(({ id, path }) => String(id) === name || path.endsWith(`/${name}`));
  if (workflow === undefined) throw notFound();
  return workflow;
}

function listRuns(hub: Hub, call: Call, isWanted: (run: Run) => boolean): Reply {
  const { query } = call;
  const fits = (name: string, value: string): boolean => query.get(name) === null || query.get(name) === value;
  const status = query.get('status');
  const found = [...hub.state.runs.values()].filter(
    (run) =>
      isWanted(run) &&
      fits('branch', run.headBranch) &&
      fits('event', run.event) &&
      fits('actor', run.actor) &&
      fits('head_sha', run.headSha) &&
      (status === null || status === run.status || status === run.conclusion) &&
      isCreatedWithin(run, query.get('created')),
  );
  return pagedUnder(hub, call, 'workflow_runs', { items: found.toReversed(), render: (run) => renderRun(hub, run) });
}

// `>=2026-01-01T00:00:00Z` and `2026-01-01..2026-01-02`, the forms in use.
function isCreatedWithin(run: Run, range: string | null): boolean {
  if (range === null) return true;
  const time = Date.parse(run.createdAt);
  const [, sign, date] = /^(>=|>|<=|<)(.+)$/.exec(range) ?? [];
  if (sign !== undefined && date !== undefined) {
    const limit = Date.parse(date);
    if (sign.startsWith('>')) return sign === '>' ? time > limit : time >= limit;
    return sign === '<' ? time < limit : time <= limit;
  }
  const [from = '', to = ''] = range.split('..');
  return time >= Date.parse(from) && time <= Date.parse(to);
}

function listWorkflowRuns(hub: Hub, call: Call): Reply {
  const workflow = findWorkflow(hub, call);
  return listRuns(hub, call, (run) => run.workflowPath === workflow.path);
}

function listJobs(hub: Hub, call: Call): Reply {
  const run = findRun(hub, call);
  const items = call.query.get('filter') === 'all' ? run.jobs : jobsOf(run, run.attempt);
  return pagedUnder(hub, call, 'jobs', { items, render: (job) => renderJob(hub, job) });
}

function listAttemptJobs(hub: Hub, call: Call): Reply {
  const run = findRun(hub, call);
  const items = jobsOf(run, findAttempt(hub, call)?.attempt ?? run.attempt);
  return pagedUnder(hub, call, 'jobs', { items, render: (job) => renderJob(hub, job) });
}

function cancelRun(hub: Hub, call: Call): Reply {
  const run = findRun(hub, call);
  if (run.status === 'completed') throw new Refusal(409, 'Cannot cancel a workflow run that is completed.');
  finishRun(hub, run, 'cancelled', []);
  return json({}, 202);
}

function getJobLog(hub: Hub, call: Call): Reply {
  // Logs are for those with a token, on public repositories too.
  demandOneOf(hub.state, call.grant, READ);
  return { status: 302, headers: { location: logUrl(hub, demandJob(hub, call)) } };
}

// It waits to run again; running it is the test's part.
function rerunJobs(hub: Hub, call: Call, isWanted: (job: Job) => boolean): Reply {
  const run = findRun(hub, call);
  if (run.status === 'completed' && !jobsOf(run, run.attempt).some(isWanted)) {
    throw new Refusal(403, 'This workflow run has no failed jobs to re-run');
  }
  rerun(hub, run, actorOf(call), isWanted);
  return json({}, 201);
}

function rerunJob(hub: Hub, call: Call): Reply {
  const job = demandJob(hub, call);
  const run = hub.state.runs.get(job.runId);
  if (run === undefined) throw notFound();
  rerun(hub, run, actorOf(call), ({ id }) => id === job.id);
  return json({}, 201);
}

// As with a workflow's dispatch: it is accepted, and the test starts the run.
function dispatchRepository(_hub: Hub, call: Call): Reply {
  requiredText(call.body, 'event_type');
  return noContent();
}

function listWorkflows(hub: Hub, call: Call): Reply {
  const items = [...hub.state.workflows.values()];
  return pagedUnder(hub, call, 'workflows', { items, render: (workflow) => renderWorkflow(hub, workflow) });
}

// The request is accepted; starting the run is the test's part (`startRun`).
function dispatchWorkflow(hub: Hub, call: Call): Reply {
  findWorkflow(hub, call);
  const ref = requiredText(call.body, 'ref');
  if (resolveRevision(hub, ref) === undefined) throw new Refusal(422, `No ref found for: ${ref}`);
  return noContent();
}
