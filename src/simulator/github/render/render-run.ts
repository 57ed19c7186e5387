/** Workflow runs, jobs, workflows and artifacts → GitHub's JSON. */

import type { Artifact, Attempt, Job, Run, Workflow } from '../ci-state.ts';
import type { Hub } from '../hub.ts';
import { workflowName } from '../runs/runs.ts';
import { nodeId, renderUserOrGhost, repositoryPage, repositoryUrl } from './render-account.ts';
import { isPull, renderPullReference } from './render-pull.ts';
import { renderMinimalFork, renderMinimalRepository } from './render-repository.ts';

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

/** A run at its newest attempt, or at an earlier one. */
export function renderRun(hub: Hub, run: Run, attempt: Attempt = run) {
  const url = `${repositoryUrl(hub)}/actions/runs/${run.id}`;
  const workflowId = hub.state.workflows.get(run.workflowPath)?.id ?? 0;
  const fork = run.headRepository;
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
    status: attempt.status,
    conclusion: attempt.conclusion,
    workflow_id: workflowId,
    check_suite_id: run.id,
    check_suite_node_id: nodeId('CheckSuite', run.id),
    url,
    html_url: `${repositoryPage(hub)}/actions/runs/${run.id}`,
    // What a fork's commit belongs to is not said.
    pull_requests: fork === null ? renderPullsOf(hub, run.headSha) : [],
    created_at: run.createdAt,
    updated_at: attempt.updatedAt,
    actor: renderUserOrGhost(hub, run.actor),
    triggering_actor: renderUserOrGhost(hub, attempt.triggeringActor),
    run_attempt: attempt.attempt,
    referenced_workflows: [],
    run_started_at: attempt.startedAt,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repositoryUrl(hub)}/check-suites/${run.id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: attempt.attempt === 1 ? null : `${url}/attempts/${attempt.attempt - 1}`,
    workflow_url: `${repositoryUrl(hub)}/actions/workflows/${workflowId}`,
    head_commit: renderHeadCommit({ headSha: run.headSha, author: run.actor, message: run.workflowPath, at: run.createdAt }),
    repository: renderMinimalRepository(hub),
    head_repository: fork === null ? renderMinimalRepository(hub) : renderMinimalFork(hub, fork),
  };
}

/** The short form of a commit that runs and suites carry; who reads one does not read its text. */
export function renderHeadCommit(commit: { headSha: string; author: string; message: string; at: string }) {
  const person = { name: commit.author, email: `${commit.author}@users.noreply.github.com` };
  return {
    id: commit.headSha,
    tree_id: commit.headSha,
    message: commit.message,
    timestamp: commit.at,
    author: person,
    committer: person,
  };
}

/** The open pull requests from this repository with this head, as runs and checks carry them. */
export function renderPullsOf(hub: Hub, headSha: string) {
  const pulls = [...hub.state.threads.values()].filter(isPull);
  return pulls
    .filter(({ state, pull }) => state === 'open' && pull.headSha === headSha && pull.headRepository === null)
    .map((thread) => renderPullReference(hub, thread));
}

export function renderJob(hub: Hub, job: Job) {
  const run = hub.state.runs.get(job.runId);
  const url = `${repositoryUrl(hub)}/actions/jobs/${job.id}`;
  return {
    id: job.id,
    run_id: job.runId,
    run_url: `${repositoryUrl(hub)}/actions/runs/${job.runId}`,
    run_attempt: job.attempt,
    node_id: nodeId('Job', job.id),
    head_sha: run?.headSha ?? '',
    head_branch: run?.headBranch ?? null,
    url,
    html_url: jobPage(hub, job.runId, job.id),
    status: job.status,
    conclusion: job.conclusion,
    created_at: job.startedAt,
    started_at: job.startedAt,
    completed_at: job.completedAt,
    name: job.name,
    workflow_name: workflowName(run?.workflowPath ?? ''),
    steps: job.steps.map((step, index) => ({
      name: step.name,
      number: index + 1,
      status: 'completed',
      conclusion: step.conclusion,
      started_at: step.startedAt ?? job.startedAt,
      completed_at: step.completedAt ?? job.completedAt,
    })),
    check_run_url: `${repositoryUrl(hub)}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'runner 1',
    runner_group_id: 1,
    runner_group_name: 'GitHub Actions',
  };
}

/** The page of a job, which its check run links to. */
export function jobPage(hub: Hub, runId: number, jobId: number): string {
  return `${repositoryPage(hub)}/actions/runs/${runId}/job/${jobId}`;
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
