/** Check suites and check runs → GitHub's JSON. */
import type { CheckRun, CheckSuite } from '../ci-state.ts';
import type { Hub } from '../hub.ts';
import { checksOf, findSuite } from '../runs/checks.ts';
import { nodeId, repositoryPage, repositoryUrl } from './render-account.ts';
import { renderAppOf } from './render-app.ts';
import { renderMinimalRepository } from './render-repository.ts';
import { jobPage, renderHeadCommit, renderPullsOf } from './render-run.ts';

export function renderCheck(hub: Hub, check: CheckRun) {
  const url = `${repositoryUrl(hub)}/check-runs/${check.id}`;
  const isJob = hub.state.runs.has(check.suiteId);
  const page = isJob ? jobPage(hub, check.suiteId, check.id) : `${repositoryPage(hub)}/runs/${check.id}`;
  const app = findSuite(hub, check.suiteId)?.app ?? 'github-actions';
  return {
    id: check.id,
    node_id: nodeId('CheckRun', check.id),
    external_id: '',
    url,
    html_url: page,
    details_url: page,
    head_sha: check.headSha,
    name: check.name,
    status: check.status,
    conclusion: check.conclusion,
    started_at: check.startedAt,
    completed_at: check.completedAt,
    output: {
      title: check.title,
      summary: check.summary,
      text: null,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: check.suiteId },
    app: renderAppOf(hub, app),
    pull_requests: renderPullsOf(hub, check.headSha),
  };
}

/** A check suite as the webhook has it. */
export function renderSuite(hub: Hub, suite: CheckSuite) {
  const url = `${repositoryUrl(hub)}/check-suites/${suite.id}`;
  const checks = checksOf(hub, suite.headSha).filter(({ suiteId }) => suiteId === suite.id);
  return {
    id: suite.id,
    node_id: nodeId('CheckSuite', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status: suite.status,
    conclusion: suite.conclusion,
    url,
    before: suite.headSha,
    after: suite.headSha,
    pull_requests: renderPullsOf(hub, suite.headSha),
    app: renderAppOf(hub, suite.app),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    rerequestable: true,
    runs_rerequestable: true,
    latest_check_runs_count: checks.length,
    check_runs_url: `${url}/check-runs`,
    head_commit: renderHeadCommit({
      headSha: suite.headSha,
      author: hub.state.repository.owner,
      message: suite.app,
      at: suite.createdAt,
    }),
  };
}

/** A check suite as REST has it: with its repository. */
export function renderFullSuite(hub: Hub, suite: CheckSuite) {
  return { ...renderSuite(hub, suite), repository: renderMinimalRepository(hub) };
}
