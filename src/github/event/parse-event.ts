// Owns the way from a webhook's unknown JSON to the GitHubEvent union; decides nothing about it and asks nobody.
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import { type Actor, actorSchema, type GitHubEvent } from '../../schema/github-event.ts';

/** What the runner knows beside the payload. */
export interface EventOrigin {
  /** GITHUB_ACTOR and GITHUB_ACTOR_ID: who a `schedule` runs as, whose payload names no sender. */
  readonly actor?: { readonly login: string; readonly id: number } | undefined;
  /** GITHUB_REPOSITORY_ID; a payload of another repository is refused (A10). */
  readonly repositoryId?: number | undefined;
}

const accountTypes = actorSchema.shape.type.options;
/** An account type that we do not know is treated as a bot: bots must be listed by name. */
const userSchema = z
  .object({ login: z.string(), id: z.number(), type: z.string().optional() })
  .transform(
    ({ login, id, type }): Actor => ({ login, id, type: accountTypes.find((known) => known === (type ?? 'User')) ?? 'Bot' }),
  )
  .nullish()
  .transform((user) => user ?? null);

const repositorySchema = z
  .object({
    id: z.number(),
    name: z.string(),
    owner: z.object({ login: z.string() }),
    default_branch: z.string(),
    private: z.boolean(),
  })
  .transform((repository) => ({
    id: repository.id,
    owner: repository.owner.login,
    name: repository.name,
    defaultBranch: repository.default_branch,
    isPrivate: repository.private,
  }));

const envelope = { action: z.string(), repository: repositorySchema, sender: userSchema };

const commentSchema = z.object({
  id: z.number(),
  body: z.string().nullish(),
  created_at: z.string(),
});

const issueSchema = z.object({
  number: z.number().int(),
  title: z.string(),
  body: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string().nullish(),
  pull_request: z.unknown().optional(),
});

const issueCommentPayload = z.object({ ...envelope, comment: commentSchema, issue: issueSchema });
const reviewCommentPayload = z.object({
  ...envelope,
  comment: commentSchema.extend({ path: z.string(), line: z.number().nullish(), diff_hunk: z.string() }),
  pull_request: z.object({ number: z.number().int(), title: z.string(), head: z.object({ sha: z.string() }) }),
});
const issuesPayload = z.object({
  ...envelope,
  issue: issueSchema,
  label: z.object({ name: z.string() }).nullish(),
  assignee: z.object({ login: z.string() }).nullish(),
});
const dispatchPayload = z.object({
  repository: repositorySchema,
  sender: userSchema,
  ref: z.string(),
});
const schedulePayload = z.object({ repository: repositorySchema });
const otherPayload = z.object({
  action: z.string().catch(''),
  sender: userSchema.catch(null),
  repository: repositorySchema.catch({ id: 0, owner: '', name: '', defaultBranch: '', isPrivate: true }),
});

/**
 * The event named `name` (GITHUB_EVENT_NAME) out of its payload. Names that carry no task become `other`, never a crash.
 * Throws EVENT_MALFORMED (which field, what was seen) and EVENT_FOREIGN (a payload of another repository).
 */
export function parseEvent(name: string, payload: unknown, origin: EventOrigin = {}): GitHubEvent {
  const event = parseByName(name, payload, origin);
  const isForeign = origin.repositoryId !== undefined && event.kind !== 'other' && event.repository.id !== origin.repositoryId;
  if (isForeign) {
    throw new Harness9Error({
      code: 'EVENT_FOREIGN',
      message: `The event belongs to repository ${event.repository.id}, this run to repository ${origin.repositoryId}.`,
      hint: 'Run harness9 in a workflow of the repository that raised the event.',
    });
  }
  return event;
}

function parseByName(name: string, payload: unknown, origin: EventOrigin): GitHubEvent {
  switch (name) {
    case 'issue_comment':
      return issueComment(payload);
    case 'pull_request_review_comment':
      return reviewComment(payload);
    case 'issues':
      return issues(payload);
    case 'workflow_dispatch':
      return workflowDispatch(payload);
    case 'schedule':
      return schedule(payload, origin);
    default:
      return { version: 1, kind: 'other', name, ...otherPayload.catch(otherPayload.parse({})).parse(payload) };
  }
}

function issueComment(payload: unknown): GitHubEvent {
  const { action, repository, sender, comment, issue } = read('issue_comment', issueCommentPayload, payload);
  const kind = isObject(issue.pull_request) ? 'pull_request' : 'issue';
  const thread = { kind, number: issue.number } as const;
  return {
    version: 1,
    kind: 'issue_comment',
    action,
    repository,
    sender,
    thread,
    title: issue.title,
    comment: commentOf(comment),
  };
}

function reviewComment(payload: unknown): GitHubEvent {
  const { action, repository, sender, comment, pull_request } = read(
    'pull_request_review_comment',
    reviewCommentPayload,
    payload,
  );
  return {
    version: 1,
    kind: 'pull_request_review_comment',
    action,
    repository,
    sender,
    thread: { kind: 'pull_request', number: pull_request.number },
    title: pull_request.title,
    comment: commentOf(comment),
    headSha: pull_request.head.sha,
    path: comment.path,
    line: comment.line ?? null,
    diffHunk: comment.diff_hunk,
  };
}

/** `createdAt` is when the event happened: for everything but `opened` the issue's last update, which the event itself made. */
function issues(payload: unknown): GitHubEvent {
  const { action, repository, sender, issue, label, assignee } = read('issues', issuesPayload, payload);
  return {
    version: 1,
    kind: 'issues',
    action,
    repository,
    sender,
    thread: { kind: 'issue', number: issue.number },
    title: issue.title,
    body: issue.body ?? '',
    ...(label ? { label: label.name } : {}),
    ...(assignee ? { assignee: assignee.login } : {}),
    createdAt: action === 'opened' ? issue.created_at : (issue.updated_at ?? issue.created_at),
  };
}

function workflowDispatch(payload: unknown): GitHubEvent {
  const { repository, sender, ref } = read('workflow_dispatch', dispatchPayload, payload);
  return { version: 1, kind: 'workflow_dispatch', action: '', repository, sender, ref };
}

function schedule(payload: unknown, origin: EventOrigin): GitHubEvent {
  const { repository } = read('schedule', schedulePayload, payload);
  const sender = origin.actor
    ? ({ ...origin.actor, type: origin.actor.login.endsWith('[bot]') ? 'Bot' : 'User' } as const)
    : null;
  return { version: 1, kind: 'schedule', action: '', repository, sender };
}

function commentOf(comment: z.infer<typeof commentSchema>) {
  return { id: comment.id, body: comment.body ?? '', createdAt: comment.created_at };
}

function read<T>(name: string, schema: z.ZodType<T>, payload: unknown): T {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const faults = result.error.issues.map(
    (issue) => `${issue.path.join('.') || 'payload'}: ${issue.message}, saw ${seen(payload, issue.path)}`,
  );
  throw new Harness9Error({
    code: 'EVENT_MALFORMED',
    message: `The payload of the event ${name} cannot be read: ${faults.join('; ')}.`,
    hint: 'GITHUB_EVENT_PATH must hold the payload that GitHub wrote for GITHUB_EVENT_NAME.',
    cause: result.error,
  });
}

/** The value at `path`, short: 80 characters say what is wrong without quoting a whole payload. */
function seen(payload: unknown, path: readonly PropertyKey[]): string {
  const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[String(key)] : undefined), payload);
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
