/** Pull requests, reviews and review comments → GitHub's JSON. */
import type { Hub } from '../hub.ts';
import { association, findAccount } from '../people.ts';
import type { PullFacts, Review, ReviewComment, Thread } from '../state.ts';
import { commentsOf } from '../threads/comments.ts';
import { nodeId, renderUser, renderUserOrGhost, repositoryUrl } from './render-account.ts';
import { renderFork, renderRepository } from './render-repository.ts';
import { renderLabels, renderRollup, renderUsers, threadNodeId, threadPage } from './render-thread.ts';

/** A thread that is a pull request. */
export type PullThread = Thread & { readonly pull: PullFacts };

export function isPull(thread: Thread | undefined): thread is PullThread {
  return thread !== undefined && thread.pull !== null;
}

/** A pull request as lists have it. */
export function renderPullSummary(hub: Hub, thread: PullThread) {
  const { pull } = thread;
  const url = `${repositoryUrl(hub)}/pulls/${thread.number}`;
  const page = threadPage(hub, thread);
  const issueUrl = `${repositoryUrl(hub)}/issues/${thread.number}`;
  const statusesUrl = `${repositoryUrl(hub)}/statuses/${pull.headSha}`;
  const assignees = renderUsers(hub, thread.assignees);
  return {
    url,
    id: pull.id,
    node_id: threadNodeId(thread),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issueUrl,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${repositoryUrl(hub)}/pulls/comments{/number}`,
    comments_url: `${issueUrl}/comments`,
    statuses_url: statusesUrl,
    number: thread.number,
    state: thread.state,
    locked: thread.isLocked,
    title: thread.title,
    user: renderUserOrGhost(hub, thread.author),
    body: thread.body,
    labels: renderLabels(hub, thread),
    milestone: null,
    active_lock_reason: null,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    closed_at: thread.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: null,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: renderUsers(hub, pull.requestedReviewers),
    requested_teams: [],
    head: renderHead(hub, pull),
    base: renderSide(hub, {
      owner: hub.state.repository.owner,
      ref: pull.baseRef,
      sha: pull.baseSha,
      repo: renderRepository(hub),
    }),
    _links: renderLinks(hub, thread),
    author_association: association(hub.state, thread.author),
    auto_merge: null,
    draft: pull.isDraft,
  };
}

/** `GET pulls/{n}`: with the numbers. */
export function renderPull(hub: Hub, thread: PullThread) {
  const { stats, mergedAt } = thread.pull;
  return {
    ...renderPullSummary(hub, thread),
    merged: mergedAt !== null,
    mergeable: true,
    rebaseable: true,
    mergeable_state: thread.pull.isDraft ? 'draft' : 'clean',
    merged_by: null,
    comments: commentsOf(hub.state.comments, thread.number).length,
    review_comments: commentsOf(hub.state.reviewComments, thread.number).length,
    maintainer_can_modify: false,
    commits: stats.commits,
    additions: stats.additions,
    deletions: stats.deletions,
    changed_files: stats.changedFiles,
  };
}

function renderHead(hub: Hub, pull: PullFacts) {
  const fork = pull.headRepository;
  const owner = fork === null ? hub.state.repository.owner : (fork.fullName.split('/')[0] ?? '');
  // With its owner the fork is gone, and the pull request stays.
  const isGone = findAccount(hub.state, owner) === undefined;
  const forkOrNothing = fork === null || isGone ? null : renderFork(hub, fork);
  const repo = fork === null ? renderRepository(hub) : forkOrNothing;
  return renderSide(hub, { owner, ref: pull.headRef, sha: pull.headSha, repo });
}

function renderSide(hub: Hub, side: { owner: string; ref: string; sha: string; repo: unknown }) {
  const { owner, ref, sha, repo } = side;
  return { label: `${owner}:${ref}`, ref, sha, user: renderUserOrGhost(hub, owner), repo };
}

function renderLinks(hub: Hub, thread: PullThread) {
  const base = repositoryUrl(hub);
  const link = (href: string) => ({ href });
  return {
    self: link(`${base}/pulls/${thread.number}`),
    html: link(threadPage(hub, thread)),
    issue: link(`${base}/issues/${thread.number}`),
    comments: link(`${base}/issues/${thread.number}/comments`),
    review_comments: link(`${base}/pulls/${thread.number}/comments`),
    review_comment: link(`${base}/pulls/comments{/number}`),
    commits: link(`${base}/pulls/${thread.number}/commits`),
    statuses: link(`${base}/statuses/${thread.pull.headSha}`),
  };
}

/** The part of a pull request that runs and checks carry. */
export function renderPullReference(hub: Hub, thread: PullThread) {
  const { id, name } = hub.state.repository;
  const repo = { id, name, url: repositoryUrl(hub) };
  const { pull, number } = thread;
  return {
    id: pull.id,
    number,
    url: `${repositoryUrl(hub)}/pulls/${number}`,
    head: { ref: pull.headRef, sha: pull.headSha, repo },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo },
  };
}

export function renderReview(hub: Hub, review: Review) {
  const pullUrl = `${repositoryUrl(hub)}/pulls/${review.issue}`;
  const page = `${hub.urls.server}/${hub.state.repository.owner}/${hub.state.repository.name}/pull/${review.issue}#pullrequestreview-${review.id}`;
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: renderUser(hub, review.author),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: association(hub.state, review.author),
    _links: { html: { href: page }, pull_request: { href: pullUrl } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitId,
  };
}

export function renderReviewComment(hub: Hub, comment: ReviewComment) {
  const url = `${repositoryUrl(hub)}/pulls/comments/${comment.id}`;
  const pullUrl = `${repositoryUrl(hub)}/pulls/${comment.issue}`;
  const page = `${hub.urls.server}/${hub.state.repository.owner}/${hub.state.repository.name}/pull/${comment.issue}#discussion_r${comment.id}`;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PullRequestReviewComment', comment.id),
    diff_hunk: comment.diffHunk,
    path: comment.path,
    commit_id: comment.commitId,
    original_commit_id: comment.commitId,
    user: renderUser(hub, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: association(hub.state, comment.author),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl } },
    reactions: renderRollup(url, comment.reactions),
    ...renderLines(comment),
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
  };
}

/** Whether a later push has changed the commented line. */
export function isOutdated(comment: ReviewComment): boolean {
  return comment.line !== null && comment.currentLine === null;
}

function renderLines(comment: ReviewComment) {
  return {
    start_line: comment.startLine,
    original_start_line: comment.startLine,
    start_side: comment.startLine === null ? null : comment.side,
    // What a later push has changed has no place in the diff any more.
    line: comment.currentLine,
    original_line: comment.line,
    side: comment.side,
    original_position: 1,
    position: isOutdated(comment) ? null : 1,
    subject_type: comment.line === null ? 'file' : 'line',
  };
}
