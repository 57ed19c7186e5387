/** REST: workflow runs, jobs and workflows. */

import { logUrl } from '../artifacts/log-part.ts';
import { demandOneOf } from '../auth.ts';
import { type Call, numberParam, param, requiredText } from '../http/call.ts';
import { pagedUnder } from '../http/paging.ts';
import { json, noContent, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { renderJob, renderRun, renderWorkflow } from '../render/render-run.ts';
import type { Run, Workflow } from '../state.ts';
import { resolveRevision } from './history-routes.ts';

const READ = ['actions:read'] as const;
const WRITE = ['actions:write'] as const;
const ACTIONS = '/repos/{owner}/{repo}/actions';

export const runRoutes: readonly Route[] = [
  route(`GET ${ACTIONS}/runs`, READ, (hub, call) => listRuns(hub, call, () => true)),
  route(`GET ${ACTIONS}/runs/{run_id}`, READ, (hub, call) => json(renderRun(hub, findRun(hub, call)))),
  route(`GET ${ACTIONS}/runs/{run_id}/jobs`, READ, listJobs),
  route(`POST ${ACTIONS}/runs/{run_id}/cancel`, WRITE, cancelRun),
  route(`GET ${ACTIONS}/jobs/{job_id}`, READ, (hub, call) => json(renderJob(hub, findRunOfJob(hub, call)))),
  route(`GET ${ACTIONS}/jobs/{job_id}/logs`, READ, getJobLog),
  route(`POST ${ACTIONS}/jobs/{job_id}/rerun`, WRITE, (hub, call) => rerun(findRunOfJob(hub, call), hub)),
  route(`POST ${ACTIONS}/runs/{run_id}/rerun-failed-jobs`, WRITE, (hub, call) => rerun(findRun(hub, call), hub)),
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

function findRunOfJob(hub: Hub, call: Call): Run {
  const jobId = numberParam(call, 'job_id');
  const run = [...hub.state.runs.values()].find((candidate) => candidate.jobId === jobId);
  if (run === undefined) throw notFound();
  return run;
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
  return pagedUnder(hub, call, 'jobs', { items: [run], render: (item) => renderJob(hub, item) });
}

function cancelRun(hub: Hub, call: Call): Reply {
  const run = findRun(hub, call);
  if (run.status === 'completed') throw new Refusal(409, 'Cannot cancel a workflow run that is completed.');
  run.status = 'completed';
  run.conclusion = 'cancelled';
  run.updatedAt = hub.now();
  return json({}, 202);
}

function getJobLog(hub: Hub, call: Call): Reply {
  // Logs are for those with a token, on public repositories too.
  demandOneOf(hub.state, call.grant, READ);
  return { status: 302, headers: { location: logUrl(hub, findRunOfJob(hub, call)) } };
}

function rerun(run: Run, hub: Hub): Reply {
  if (run.status !== 'completed') throw new Refusal(403, 'This workflow run is already running');
  run.status = 'queued';
  run.conclusion = null;
  run.updatedAt = hub.now();
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
