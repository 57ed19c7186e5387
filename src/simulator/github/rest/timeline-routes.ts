/** REST: the timeline of an issue or pull request: events, comments, commits and reviews in order of time. */

import type { Call } from '../http/call.ts';
import { paged } from '../http/paging.ts';
import type { Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { nodeId, renderUserOrGhost, repositoryUrl } from '../render/render-account.ts';
import { renderGitCommit } from '../render/render-commit.ts';
import { renderReview } from '../render/render-pull.ts';
import { renderComment } from '../render/render-thread.ts';
import type { Thread, ThreadEvent } from '../state.ts';
import { commentsOf } from '../threads/comments.ts';
import { findThread } from './find.ts';

export const timelineRoutes: readonly Route[] = [
  route('GET /repos/{owner}/{repo}/issues/{issue_number}/timeline', ['issues:read', 'pull_requests:read'], listTimeline),
];

interface Item {
  readonly time: string;
  readonly body: unknown;
}

async function listTimeline(hub: Hub, call: Call): Promise<Reply> {
  const thread = findThread(hub, call);
  const items = [
    ...(await commitItems(hub, thread)),
    ...eventItems(hub, thread),
    ...commentItems(hub, thread),
    ...reviewItems(hub, thread),
  ];
  // The sort keeps the order of what happened in the same second.
  items.sort((left, right) => left.time.localeCompare(right.time));
  return paged(hub, call, items, (item) => item.body);
}

function eventItems(hub: Hub, thread: Thread): readonly Item[] {
  return thread.events.map((event) => ({ time: event.createdAt, body: renderEvent(hub, event) }));
}

function renderEvent(hub: Hub, event: ThreadEvent) {
  const label = event.label === undefined ? undefined : hub.state.labels.get(event.label.toLowerCase());
  return {
    id: event.id,
    node_id: nodeId('Event', event.id),
    url: `${repositoryUrl(hub)}/issues/events/${event.id}`,
    actor: renderUserOrGhost(hub, event.actor),
    event: event.event,
    commit_id: null,
    commit_url: null,
    created_at: event.createdAt,
    performed_via_github_app: null,
    ...(label === undefined ? {} : { label: { name: label.name, color: label.color } }),
    ...(event.assignee === undefined ? {} : { assignee: renderUserOrGhost(hub, event.assignee) }),
    ...(event.rename === undefined ? {} : { rename: event.rename }),
  };
}

function commentItems(hub: Hub, thread: Thread): readonly Item[] {
  return commentsOf(hub.state.comments, thread.number).map((comment) => {
    const user = renderUserOrGhost(hub, comment.author);
    return { time: comment.createdAt, body: { ...renderComment(hub, comment), event: 'commented', actor: user, user } };
  });
}

function reviewItems(hub: Hub, thread: Thread): readonly Item[] {
  const submitted = [...hub.state.reviews.values()].filter(
    (review) => review.issue === thread.number && review.submittedAt !== null,
  );
  return submitted.map((review) => ({
    time: review.submittedAt ?? review.createdAt,
    body: {
      ...renderReview(hub, review),
      event: 'reviewed',
      user: renderUserOrGhost(hub, review.author),
      state: review.state.toLowerCase(),
    },
  }));
}

async function commitItems(hub: Hub, thread: Thread): Promise<readonly Item[]> {
  if (thread.pull === null) return [];
  const shas = await hub.git.history([thread.pull.headSha, `^${thread.pull.baseSha}`]);
  const commits = await Promise.all(shas.toReversed().map((sha) => hub.git.commit(sha)));
  return commits
    .filter((commit) => commit !== undefined)
    .map((commit) => ({ time: commit.committer.date, body: { ...renderGitCommit(hub, commit), event: 'committed' } }));
}
