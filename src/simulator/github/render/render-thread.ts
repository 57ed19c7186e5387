/** Issues, comments, labels and reactions → GitHub's JSON. */
import type { Hub } from '../hub.ts';
import { association } from '../people.ts';
import type { Comment, Label, Reaction, Thread } from '../state.ts';
import { commentsOf } from '../threads/comments.ts';
import { nodeId, renderUser, repositoryPage, repositoryUrl } from './render-account.ts';

export function renderReaction(hub: Hub, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId('Reaction', reaction.id),
    user: renderUser(hub, reaction.user),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}

/** The counts of reactions that GitHub puts beside a text. */
export function renderRollup(url: string, reactions: readonly Reaction[]) {
  const count = (content: Reaction['content']): number => reactions.filter((reaction) => reaction.content === content).length;
  return {
    url: `${url}/reactions`,
    total_count: reactions.length,
    '+1': count('+1'),
    '-1': count('-1'),
    laugh: count('laugh'),
    hooray: count('hooray'),
    confused: count('confused'),
    heart: count('heart'),
    rocket: count('rocket'),
    eyes: count('eyes'),
  };
}

export function renderLabel(hub: Hub, label: Label) {
  return {
    id: label.id,
    node_id: nodeId('Label', label.id),
    url: `${repositoryUrl(hub)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}

/** The labels of a thread, in the order in which they were added. */
export function renderLabels(hub: Hub, thread: { readonly labels: readonly string[] }) {
  return thread.labels.flatMap((name) => {
    const label = hub.state.labels.get(name.toLowerCase());
    return label === undefined ? [] : [renderLabel(hub, label)];
  });
}

export function renderUsers(hub: Hub, logins: readonly string[]) {
  return logins.map((login) => renderUser(hub, login)).filter((user) => user !== null);
}

/** The GraphQL identifier of an issue or pull request; the issues API gives a pull request its own, too. */
export function threadNodeId(thread: Thread): string {
  return thread.pull === null ? nodeId('Issue', thread.id) : nodeId('PullRequest', thread.pull.id);
}

/** The page of an issue or pull request. */
export function threadPage(hub: Hub, thread: Thread): string {
  return `${repositoryPage(hub)}/${thread.pull === null ? 'issues' : 'pull'}/${thread.number}`;
}

/** An issue; a pull request in the shape that the issues API gives it. */
export function renderIssue(hub: Hub, thread: Thread) {
  const url = `${repositoryUrl(hub)}/issues/${thread.number}`;
  const assignees = renderUsers(hub, thread.assignees);
  return {
    url,
    repository_url: repositoryUrl(hub),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: threadPage(hub, thread),
    id: thread.id,
    node_id: threadNodeId(thread),
    number: thread.number,
    title: thread.title,
    user: renderUser(hub, thread.author),
    labels: renderLabels(hub, thread),
    state: thread.state,
    locked: thread.isLocked,
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    comments: commentsOf(hub.state.comments, thread.number).length,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    closed_at: thread.closedAt,
    author_association: association(hub.state, thread.author),
    active_lock_reason: null,
    ...pullLinks(hub, thread),
    body: thread.body,
    reactions: renderRollup(url, thread.reactions),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: thread.stateReason,
  };
}

/** `GET issues/{n}`: with who closed it, which lists leave out. */
export function renderFullIssue(hub: Hub, thread: Thread) {
  return { ...renderIssue(hub, thread), closed_by: thread.closedBy === null ? null : renderUser(hub, thread.closedBy) };
}

function pullLinks(hub: Hub, thread: Thread) {
  if (thread.pull === null) return {};
  const page = threadPage(hub, thread);
  const url = `${repositoryUrl(hub)}/pulls/${thread.number}`;
  return {
    draft: thread.pull.isDraft,
    pull_request: { url, html_url: page, diff_url: `${page}.diff`, patch_url: `${page}.patch`, merged_at: thread.pull.mergedAt },
  };
}

export function renderComment(hub: Hub, comment: Comment) {
  const url = `${repositoryUrl(hub)}/issues/comments/${comment.id}`;
  const thread = hub.state.threads.get(comment.issue);
  return {
    url,
    html_url: thread === undefined ? '' : `${threadPage(hub, thread)}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl(hub)}/issues/${comment.issue}`,
    id: comment.id,
    node_id: nodeId('IssueComment', comment.id),
    user: renderUser(hub, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: association(hub.state, comment.author),
    body: comment.body,
    reactions: renderRollup(url, comment.reactions),
    performed_via_github_app: null,
  };
}
