/** Workflow runs, jobs, workflows and artifacts → GitHub's JSON. */
import type { Hub } from '../hub.ts';
import type { Artifact, Run, Workflow } from '../state.ts';
import { nodeId, renderUserOrGhost, repositoryPage, repositoryUrl } from './render-account.ts';
import { isPull, renderPullReference } from './render-pull.ts';
import { renderMinimalRepository } from './render-repository.ts';

export function renderWorkflow(hub: Hub, workflow: Workflow) {
  const file = workflow.path.split('/').at(-1) ?? workflow.path;
  return {
    id: workflow.id,
    node_id: nodeId('Workflow', workflow.id),
    name: workflowName(workflow.path),
    path: workflow.path,
    state: 'active',
    created_at: workflow.createdAt,
    updated_at: workflow.createdAt,
    url: `${repositoryUrl(hub)}/actions/workflows/${workflow.id}`,
    html_url: `${repositoryPage(hub)}/blob/${hub.state.repository.defaultBranch}/${workflow.path}`,
    badge_url: `${repositoryPage(hub)}/workflows/${file}/badge.svg`,
  };
}

function workflowName(path: string): string {
  return (
    path
      .split('/')
      .at(-1)
      ?.replace(/\.ya?ml$/, '') ?? path
  );
}

export function renderRun(hub: Hub, run: Run) {
  const url = `${repositoryUrl(hub)}/actions/runs/${run.id}`;
  const workflowId = hub.state.workflows.get(run.workflowPath)?.id ?? 0;
  const pulls = [...hub.state.threads.values()]
    .filter(isPull)
    .filter(({ pull }) => pull.headSha === run.headSha && pull.headRepository === null);
  return {
    id: run.id,
    name: workflowName(run.workflowPath),
    node_id: nodeId('WorkflowRun', run.id),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.workflowPath,
    display_title: workflowName(run.workflowPath),
    run_number: run.number,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: workflowId,
    check_suite_id: run.id,
    check_suite_node_id: nodeId('CheckSuite', run.id),
    url,
    html_url: `${repositoryPage(hub)}/actions/runs/${run.id}`,
    pull_requests: pulls.map((thread) => renderPullReference(hub, thread)),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    actor: renderUserOrGhost(hub, run.actor),
    triggering_actor: renderUserOrGhost(hub, run.actor),
    run_attempt: run.attempt,
    referenced_workflows: [],
    run_started_at: run.createdAt,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repositoryUrl(hub)}/check-suites/${run.id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: null,
    workflow_url: `${repositoryUrl(hub)}/actions/workflows/${workflowId}`,
    head_commit: renderHeadCommit(run),
    repository: renderMinimalRepository(hub),
    head_repository: renderMinimalRepository(hub),
  };
}

// A run carries a short form of its commit; who reads a run does not read its text.
function renderHeadCommit(run: Run) {
  const person = { name: run.actor, email: `${run.actor}@users.noreply.github.com` };
  return {
    id: run.headSha,
    tree_id: run.headSha,
    message: run.workflowPath,
    timestamp: run.createdAt,
    author: person,
    committer: person,
  };
}

export function renderJob(hub: Hub, run: Run) {
  const url = `${repositoryUrl(hub)}/actions/jobs/${run.jobId}`;
  return {
    id: run.jobId,
    run_id: run.id,
    run_url: `${repositoryUrl(hub)}/actions/runs/${run.id}`,
    run_attempt: run.attempt,
    node_id: nodeId('Job', run.jobId),
    head_sha: run.headSha,
    head_branch: run.headBranch,
    url,
    html_url: `${repositoryPage(hub)}/actions/runs/${run.id}/job/${run.jobId}`,
    status: run.status,
    conclusion: run.conclusion,
    created_at: run.createdAt,
    started_at: run.createdAt,
    completed_at: run.status === 'completed' ? run.updatedAt : null,
    name: workflowName(run.workflowPath),
    workflow_name: workflowName(run.workflowPath),
    steps: run.steps.map((step, index) => ({
      name: step.name,
      number: index + 1,
      status: 'completed',
      conclusion: step.conclusion,
    })),
    check_run_url: `${repositoryUrl(hub)}/check-runs/${run.jobId}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'runner 1',
    runner_group_id: 1,
    runner_group_name: 'GitHub Actions',
  };
}

export function renderArtifact(hub: Hub, artifact: Artifact) {
  const url = `${repositoryUrl(hub)}/actions/artifacts/${artifact.id}`;
  const run = hub.state.runs.get(artifact.runId);
  const { id } = hub.state.repository;
  return {
    id: artifact.id,
    node_id: nodeId('Artifact', artifact.id),
    name: artifact.name,
    size_in_bytes: artifact.content.length,
    url,
    archive_download_url: `${url}/zip`,
    expired: isExpired(hub, artifact),
    created_at: artifact.createdAt,
    updated_at: artifact.createdAt,
    expires_at: artifact.expiresAt,
    digest: artifact.digest,
    workflow_run:
      run === undefined
        ? null
        : { id: run.id, repository_id: id, head_repository_id: id, head_branch: run.headBranch, head_sha: run.headSha },
  };
}

/** Whether the artifact's retention has passed. */
export function isExpired(hub: Hub, artifact: Artifact): boolean {
  return Date.parse(artifact.expiresAt) <= Date.parse(hub.now());
}
