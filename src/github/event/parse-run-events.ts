// Owns the events without a thread: schedules, dispatches, pushes, and checks that ended.
import { z } from 'zod';
import type { Actor, CheckEvent, GitHubEvent } from '../../schema/github-event.ts';
import { envelope, read, repositoryPayload, userSchema } from './payload-parts.ts';

const dispatchPayload = z.object({
  repository: repositoryPayload,
  sender: userSchema,
  ref: z.string(),
  inputs: z.record(z.string(), z.unknown()).nullish(),
});
const schedulePayload = z.object({ repository: repositoryPayload });
const repositoryDispatchPayload = z.object(envelope);
const pushPayload = z.object({
  repository: repositoryPayload,
  sender: userSchema,
  ref: z.string(),
  deleted: z.boolean().catch(false),
  head_commit: z.object({ message: z.string() }).nullish(),
});
/** What the two kinds of check that end have in common. */
const ended = z.object({
  id: z.number(),
  conclusion: z.string().nullish(),
  head_sha: z.string(),
  head_branch: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string().nullish(),
});
const workflowRunPayload = z.object({
  ...envelope,
  workflow_run: ended.extend({
    name: z.string().nullish(),
    workflow_id: z.number(),
    event: z.string().nullish(),
    run_attempt: z.number().int().catch(1),
    actor: userSchema,
    triggering_actor: userSchema,
    /** null: the fork was deleted. */
    head_repository: z.object({ id: z.number() }).nullish(),
  }),
});
const checkSuitePayload = z.object({
  ...envelope,
  check_suite: ended.extend({ app: z.object({ id: z.number(), name: z.string() }).nullish() }),
});

export function parseWorkflowDispatch(payload: unknown): GitHubEvent {
  const { inputs, ...common } = read('workflow_dispatch', dispatchPayload, payload);
  return { version: 1, kind: 'workflow_dispatch', action: '', ...common, hasInputs: Object.keys(inputs ?? {}).length > 0 };
}

export function parseRepositoryDispatch(payload: unknown): GitHubEvent {
  return { version: 1, kind: 'repository_dispatch', ...read('repository_dispatch', repositoryDispatchPayload, payload) };
}

/** `actor`: who the runner says it runs as; the payload names no sender. */
export function parseSchedule(payload: unknown, actor: Pick<Actor, 'login' | 'id'> | undefined): GitHubEvent {
  const { repository } = read('schedule', schedulePayload, payload);
  const sender = actor ? ({ ...actor, type: actor.login.endsWith('[bot]') ? 'Bot' : 'User' } as const) : null;
  return { version: 1, kind: 'schedule', action: '', repository, sender };
}

export function parsePush(payload: unknown): GitHubEvent {
  const { repository, sender, ref, deleted, head_commit: commit } = read('push', pushPayload, payload);
  return { version: 1, kind: 'push', action: '', repository, sender, ref, isDeleted: deleted, message: commit?.message ?? '' };
}

export function parseWorkflowRun(payload: unknown): GitHubEvent {
  const { workflow_run: run, ...common } = read('workflow_run', workflowRunPayload, payload);
  return {
    version: 1,
    kind: 'workflow_run',
    ...common,
    ...endOf(run),
    isFork: run.head_repository?.id !== common.repository.id,
    check: {
      ...checkOf(run),
      attempt: run.run_attempt,
      name: run.name ?? `run ${run.id}`,
      sourceId: run.workflow_id,
      startedBy: run.event ?? null,
      actors: [run.actor, run.triggering_actor].filter((actor) => actor !== null),
    },
  };
}

/** A suite has no head repository of its own: GitHub raises its events in the repository that the commit was pushed to. */
export function parseCheckSuite(payload: unknown): GitHubEvent {
  const { check_suite: suite, ...common } = read('check_suite', checkSuitePayload, payload);
  return {
    version: 1,
    kind: 'check_suite',
    ...common,
    ...endOf(suite),
    isFork: false,
    check: {
      ...checkOf(suite),
      attempt: 1,
      name: suite.app?.name ?? `suite ${suite.id}`,
      sourceId: suite.app?.id ?? 0,
      startedBy: null,
      actors: [],
    },
  };
}

type Ended = z.infer<typeof ended>;

function endOf({ head_sha, created_at, updated_at }: Ended): Pick<CheckEvent, 'headSha' | 'createdAt'> {
  return { headSha: head_sha, createdAt: updated_at ?? created_at };
}

function checkOf({ id, conclusion, head_branch }: Ended): Pick<CheckEvent['check'], 'id' | 'conclusion' | 'headBranch'> {
  return { id, conclusion: conclusion ?? '', headBranch: head_branch ?? null };
}
