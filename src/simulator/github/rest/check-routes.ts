/** REST: check runs and commit statuses. */

import type { CheckRun, CheckSuite, CommitStatus } from '../ci-state.ts';
import { actorOf, type Call, field, numberParam, optionalText, optionalWord, param, requiredText } from '../http/call.ts';
import { paged, pagedUnder } from '../http/paging.ts';
import { invalid, json, notFound, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { nodeId, renderUser, repositoryUrl } from '../render/render-account.ts';
import { renderCheck, renderFullSuite } from '../render/render-check.ts';
import { renderMinimalRepository } from '../render/render-repository.ts';
import { checkOfJob, checksOf, findSuite, followChecks, putSuite, suitesOf } from '../runs/checks.ts';
import { findJob } from '../runs/runs.ts';
import { demandCommit } from './history-routes.ts';

const REPOSITORY = '/repos/{owner}/{repo}';
const STATUSES = ['queued', 'in_progress', 'completed'] as const;
const STATES = ['error', 'failure', 'pending', 'success'] as const;

export const checkRoutes: readonly Route[] = [
  route(`POST ${REPOSITORY}/check-runs`, ['checks:write'], createCheck),
  route(`GET ${REPOSITORY}/check-runs/{check_run_id}`, ['checks:read'], (hub, call) =>
    json(renderCheck(hub, readCheck(hub, call))),
  ),
  route(`PATCH ${REPOSITORY}/check-runs/{check_run_id}`, ['checks:write'], updateCheck),
  route(`GET ${REPOSITORY}/check-runs/{check_run_id}/annotations`, ['checks:read'], listAnnotations),
  route(`GET ${REPOSITORY}/commits/{ref}/check-runs`, ['checks:read'], listChecks),
  route(`GET ${REPOSITORY}/commits/{ref}/check-suites`, ['checks:read'], listSuites),
  route(`GET ${REPOSITORY}/check-suites/{check_suite_id}`, ['checks:read'], (hub, call) =>
    json(renderFullSuite(hub, demandSuite(hub, call))),
  ),
  route(`GET ${REPOSITORY}/check-suites/{check_suite_id}/check-runs`, ['checks:read'], listChecksOfSuite),
  route(`POST ${REPOSITORY}/check-suites/{check_suite_id}/rerequest`, ['checks:write'], rerequestSuite),
  route(`POST ${REPOSITORY}/statuses/{sha}`, ['statuses:write'], createStatus),
  route(`GET ${REPOSITORY}/commits/{ref}/statuses`, ['statuses:read'], listStatuses),
  route(`GET ${REPOSITORY}/commits/{ref}/status`, ['statuses:read'], combineStatuses),
];

function findCheck(hub: Hub, call: Call): CheckRun {
  const check = hub.state.checkRuns.get(numberParam(call, 'check_run_id'));
  if (check === undefined) throw notFound();
  return check;
}

// A job of GitHub Actions is read as a check run, but changed by its run only.
function readCheck(hub: Hub, call: Call): CheckRun {
  const job = findJob(hub, numberParam(call, 'check_run_id'));
  const run = job === undefined ? undefined : hub.state.runs.get(job.runId);
  return job === undefined || run === undefined ? findCheck(hub, call) : checkOfJob(run, job);
}

function demandSuite(hub: Hub, call: Call): CheckSuite {
  const suite = findSuite(hub, numberParam(call, 'check_suite_id'));
  if (suite === undefined) throw notFound();
  return suite;
}

async function listSuites(hub: Hub, call: Call): Promise<Reply> {
  const { sha } = await demandCommit(hub, param(call, 'ref'));
  return pagedUnder(hub, call, 'check_suites', { items: suitesOf(hub, sha), render: (suite) => renderFullSuite(hub, suite) });
}

function listChecksOfSuite(hub: Hub, call: Call): Reply {
  const suite = demandSuite(hub, call);
  const items = checksOf(hub, suite.headSha).filter(({ suiteId }) => suiteId === suite.id);
  return pagedUnder(hub, call, 'check_runs', { items, render: (check) => renderCheck(hub, check) });
}

// The app is told to check again; what it does is the test's part.
function rerequestSuite(hub: Hub, call: Call): Reply {
  demandSuite(hub, call);
  return json({}, 201);
}

async function createCheck(hub: Hub, call: Call): Promise<Reply> {
  const commit = await demandCommit(hub, requiredText(call.body, 'head_sha'));
  const suite = putSuite(hub, { app: actorOf(call).replace(/\[bot\]$/, ''), headBranch: null, headSha: commit.sha });
  const check: CheckRun = {
    id: hub.state.nextId(),
    suiteId: suite.id,
    name: requiredText(call.body, 'name'),
    headSha: commit.sha,
    startedAt: optionalText(call.body, 'started_at') ?? hub.now(),
    status: 'queued',
    conclusion: null,
    completedAt: null,
    title: null,
    summary: null,
  };
  applyCheck(hub, check, call.body);
  hub.state.checkRuns.set(check.id, check);
  followChecks(hub, suite);
  return json(renderCheck(hub, check), 201);
}

function updateCheck(hub: Hub, call: Call): Reply {
  const check = findCheck(hub, call);
  applyCheck(hub, check, call.body);
  const suite = hub.state.checkSuites.get(check.suiteId);
  if (suite !== undefined) followChecks(hub, suite);
  return json(renderCheck(hub, check));
}

// A conclusion completes the check, whatever the status says.
function applyCheck(hub: Hub, check: CheckRun, body: unknown): void {
  const output = field(body, 'output');
  check.title = optionalText(output, 'title') ?? check.title;
  check.summary = optionalText(output, 'summary') ?? check.summary;
  check.conclusion = optionalText(body, 'conclusion') ?? check.conclusion;
  check.status = check.conclusion === null ? (optionalWord(body, 'status', STATUSES) ?? check.status) : 'completed';
  if (check.status === 'completed') check.completedAt = optionalText(body, 'completed_at') ?? hub.now();
}

function listAnnotations(hub: Hub, call: Call): Reply {
  readCheck(hub, call);
  return json([]);
}

async function listChecks(hub: Hub, call: Call): Promise<Reply> {
  const { sha } = await demandCommit(hub, param(call, 'ref'));
  const name = call.query.get('check_name');
  const items = checksOf(hub, sha).filter((check) => name === null || check.name === name);
  return pagedUnder(hub, call, 'check_runs', { items, render: (check) => renderCheck(hub, check) });
}

function renderStatus(hub: Hub, status: CommitStatus) {
  return {
    url: `${repositoryUrl(hub)}/statuses/${status.sha}`,
    avatar_url: renderUser(hub, status.creator)?.avatar_url ?? null,
    id: status.id,
    node_id: nodeId('Status', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}

async function createStatus(hub: Hub, call: Call): Promise<Reply> {
  const { sha } = await demandCommit(hub, param(call, 'sha'));
  const state = optionalWord(call.body, 'state', STATES);
  if (state === undefined) throw invalid({ resource: 'Status', code: 'missing_field', field: 'state' });
  const status: CommitStatus = {
    id: hub.state.nextId(),
    sha,
    state,
    context: optionalText(call.body, 'context') ?? 'default',
    description: optionalText(call.body, 'description') ?? null,
    targetUrl: optionalText(call.body, 'target_url') ?? null,
    creator: actorOf(call),
    createdAt: hub.now(),
  };
  hub.state.statuses.push(status);
  return json({ ...renderStatus(hub, status), creator: renderUser(hub, status.creator) }, 201);
}

function statusesOf(hub: Hub, sha: string): readonly CommitStatus[] {
  return hub.state.statuses.filter((status) => status.sha === sha).toReversed();
}

async function listStatuses(hub: Hub, call: Call): Promise<Reply> {
  const { sha } = await demandCommit(hub, param(call, 'ref'));
  const render = (status: CommitStatus) => ({ ...renderStatus(hub, status), creator: renderUser(hub, status.creator) });
  return paged(hub, call, statusesOf(hub, sha), render);
}

async function combineStatuses(hub: Hub, call: Call): Promise<Reply> {
  const { sha } = await demandCommit(hub, param(call, 'ref'));
  const newest = new Map(
    statusesOf(hub, sha)
      .toReversed()
      .map((status) => [status.context, status]),
  );
  const statuses = [...newest.values()];
  return json({
    state: combinedState(statuses),
    statuses: statuses.map((status) => renderStatus(hub, status)),
    sha,
    total_count: statuses.length,
    repository: renderMinimalRepository(hub),
    commit_url: `${repositoryUrl(hub)}/commits/${sha}`,
    url: `${repositoryUrl(hub)}/commits/${sha}/status`,
  });
}

function combinedState(statuses: readonly CommitStatus[]): 'failure' | 'pending' | 'success' {
  if (statuses.some(({ state }) => state === 'failure' || state === 'error')) return 'failure';
  return statuses.length > 0 && statuses.every(({ state }) => state === 'success') ? 'success' : 'pending';
}
