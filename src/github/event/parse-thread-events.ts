// Owns the events of a thread itself: an issue, a pull request or a discussion that was opened, labelled, assigned, pushed to.
import { z } from 'zod';
import type { GitHubEvent } from '../../schema/github-event.ts';
import { envelope, onPull, pullPayload, read } from './payload-parts.ts';

/** What may stand beside a thread, and when the thread was made and last changed. */
const detail = z.object({
  label: z.object({ name: z.string() }).nullish(),
  assignee: z.object({ login: z.string() }).nullish(),
});
const text = z.object({ body: z.string().nullish(), created_at: z.string(), updated_at: z.string().nullish() });

const issuesPayload = z.object({
  ...envelope,
  ...detail.shape,
  issue: text.extend({ number: z.number().int(), title: z.string() }),
});
const pullRequestPayload = z.object({ ...envelope, ...detail.shape, pull_request: pullPayload.extend(text.shape) });
const discussionPayload = z.object({
  ...envelope,
  discussion: text.extend({ number: z.number().int(), title: z.string(), node_id: z.string() }),
});

export function parseIssues(payload: unknown): GitHubEvent {
  const { issue, label, assignee, ...common } = read('issues', issuesPayload, payload);
  return {
    version: 1,
    kind: 'issues',
    ...common,
    thread: { kind: 'issue', number: issue.number },
    title: issue.title,
    ...changeOf(common.action, issue, { label, assignee }),
  };
}

export function parsePullRequest(kind: 'pull_request' | 'pull_request_target', payload: unknown): GitHubEvent {
  const { pull_request: pull, label, assignee, ...common } = read(kind, pullRequestPayload, payload);
  return {
    version: 1,
    kind,
    ...common,
    ...onPull(pull, common.repository.id),
    ...changeOf(common.action, pull, { label, assignee }),
  };
}

export function parseDiscussion(payload: unknown): GitHubEvent {
  const { discussion, ...common } = read('discussion', discussionPayload, payload);
  return {
    version: 1,
    kind: 'discussion',
    ...common,
    thread: { kind: 'discussion', number: discussion.number },
    title: discussion.title,
    nodeId: discussion.node_id,
    body: discussion.body ?? '',
    createdAt: timeOf(common.action, discussion),
  };
}

type Detail = z.infer<typeof detail>;
type Text = z.infer<typeof text>;

function changeOf(action: string, thread: Text, { label, assignee }: Detail) {
  return {
    body: thread.body ?? '',
    ...(label ? { label: label.name } : {}),
    ...(assignee ? { assignee: assignee.login } : {}),
    createdAt: timeOf(action, thread),
  };
}

/** When the event happened: for everything but `opened` and `created` the thread's last update, which the event itself made. */
function timeOf(action: string, { created_at, updated_at }: Text): string {
  return action === 'opened' || action === 'created' ? created_at : (updated_at ?? created_at);
}
