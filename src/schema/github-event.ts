// The webhook event that started us, as a union; unknown JSON is parsed into it at the edge and nowhere else.
import { z } from 'zod';

export const actorSchema = z.object({
  login: z.string(),
  id: z.number(),
  type: z.enum(['User', 'Bot', 'Organization', 'Mannequin']),
});
export type Actor = Readonly<z.infer<typeof actorSchema>>;

/** A thread is an issue or a pull request; a discussion is read and answered like one, and nothing is pushed for it but by a pull request of its own. */
export const threadRefSchema = z.object({ kind: z.enum(['issue', 'pull_request', 'discussion']), number: z.number().int() });

export const repositorySchema = z.object({
  id: z.number(),
  owner: z.string(),
  name: z.string(),
  defaultBranch: z.string(),
  isPrivate: z.boolean(),
});

const common = {
  version: z.literal(1),
  repository: repositorySchema,
  /** null: the account is gone (G1-05); it has no permission. */
  sender: actorSchema.nullable(),
  action: z.string(),
};

/** What a person wrote and asks with: a comment, or the body of a review. */
const commentSchema = z.object({
  id: z.number(),
  body: z.string(),
  createdAt: z.string(),
});

/** Everything that has a thread has its title as the webhook has it, so that nobody changes it afterwards (B5). */
const threaded = { ...common, thread: threadRefSchema, title: z.string() };

/** What happened to an issue or a pull request itself: `createdAt` is when it happened. */
const threadChange = {
  ...threaded,
  body: z.string(),
  /** Set for `labeled` and `assigned`. */
  label: z.string().optional(),
  assignee: z.string().optional(),
  createdAt: z.string(),
};

/** `headSha`: the pull request's head when the event was raised. `isFork`: the head is another repository's, or its repository is gone. */
const onHead = { headSha: z.string(), isFork: z.boolean() };

/** A check that ended: a run of a workflow, or the suite of an app. */
const endedCheckSchema = z.object({
  id: z.number(),
  attempt: z.number().int(),
  name: z.string(),
  /** Of the workflow or of the app: by it the same check is found on other commits. */
  sourceId: z.number(),
  /** What the run was started by, such as `pull_request`; null of a suite, and where it is not said. */
  startedBy: z.string().nullable(),
  /** `success`, `failure`, `timed_out`… */
  conclusion: z.string(),
  headBranch: z.string().nullable(),
  /** Who started it: the run's actor and who ran it again (A9). */
  actors: z.array(actorSchema).readonly(),
});

const checkEnded = { ...common, ...onHead, check: endedCheckSchema, createdAt: z.string() };

export const gitHubEventSchema = z.discriminatedUnion('kind', [
  z.object({ ...threaded, kind: z.literal('issue_comment'), comment: commentSchema }),
  z.object({
    ...threaded,
    ...onHead,
    kind: z.literal('pull_request_review_comment'),
    comment: commentSchema,
    /** The comment that began the review thread; its own id when it is that one. */
    rootId: z.number(),
    path: z.string(),
    line: z.number().nullable(),
    diffHunk: z.string(),
  }),
  /** A review that was submitted, with what it says as a whole. */
  z.object({ ...threaded, ...onHead, kind: z.literal('pull_request_review'), comment: commentSchema, nodeId: z.string() }),
  z.object({ ...threadChange, kind: z.literal('issues') }),
  z.object({ ...threadChange, ...onHead, kind: z.literal('pull_request') }),
  z.object({ ...threadChange, ...onHead, kind: z.literal('pull_request_target') }),
  /** `nodeId`: the discussion's. */
  z.object({ ...threaded, kind: z.literal('discussion'), nodeId: z.string(), body: z.string(), createdAt: z.string() }),
  z.object({
    ...threaded,
    kind: z.literal('discussion_comment'),
    nodeId: z.string(),
    comment: commentSchema.extend({ nodeId: z.string(), /** Of the comment that it answers. */ parentId: z.number().nullable() }),
  }),
  z.object({ ...checkEnded, kind: z.literal('workflow_run') }),
  z.object({ ...checkEnded, kind: z.literal('check_suite') }),
  /** `hasInputs`: who started it filled something in; what it is, is no part of the event (A11). */
  z.object({ ...common, kind: z.literal('workflow_dispatch'), ref: z.string(), hasInputs: z.boolean() }),
  /** What the dispatcher sends along is no part of it: no configuration comes from outside (A11). */
  z.object({ ...common, kind: z.literal('repository_dispatch') }),
  /** `message`: of the newest commit; empty where the ref was deleted. */
  z.object({ ...common, kind: z.literal('push'), ref: z.string(), isDeleted: z.boolean(), message: z.string() }),
  z.object({ ...common, kind: z.literal('schedule') }),
  /** An event that we know by name only: it carries no task for us and becomes a clear skip. */
  z.object({ ...common, kind: z.literal('other'), name: z.string() }),
]);
export type GitHubEvent = Readonly<z.infer<typeof gitHubEventSchema>>;
/** The events that happen on a thread. */
export type ThreadEvent = Extract<GitHubEvent, { readonly thread: unknown }>;
/** The events of a check that ended; the thread is found by its commit. */
export type CheckEvent = Extract<GitHubEvent, { readonly check: unknown }>;
