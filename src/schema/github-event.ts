// The webhook event that started us, as a union; unknown JSON is parsed into it at the edge and nowhere else.
import { z } from 'zod';

export const actorSchema = z.object({
  login: z.string(),
  id: z.number(),
  type: z.enum(['User', 'Bot', 'Organization', 'Mannequin']),
});
export type Actor = Readonly<z.infer<typeof actorSchema>>;

/** A thread is an issue or a pull request. */
export const threadRefSchema = z.object({ kind: z.enum(['issue', 'pull_request']), number: z.number().int() });

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

const commentSchema = z.object({
  id: z.number(),
  body: z.string(),
  createdAt: z.string(),
});

export const gitHubEventSchema = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('issue_comment'), thread: threadRefSchema, comment: commentSchema, title: z.string() }),
  z.object({
    ...common,
    kind: z.literal('pull_request_review_comment'),
    thread: threadRefSchema,
    comment: commentSchema,
    title: z.string(),
    headSha: z.string(),
    path: z.string(),
    line: z.number().nullable(),
    diffHunk: z.string(),
  }),
  z.object({
    ...common,
    kind: z.literal('issues'),
    thread: threadRefSchema,
    title: z.string(),
    body: z.string(),
    /** Set for `labeled` and `assigned`. */
    label: z.string().optional(),
    assignee: z.string().optional(),
    createdAt: z.string(),
  }),
  z.object({ ...common, kind: z.literal('workflow_dispatch'), ref: z.string() }),
  z.object({ ...common, kind: z.literal('schedule') }),
  /** An event that we know by name only: it carries no task for us and becomes a clear skip. */
  z.object({ ...common, kind: z.literal('other'), name: z.string() }),
]);
export type GitHubEvent = Readonly<z.infer<typeof gitHubEventSchema>>;
