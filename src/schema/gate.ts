// The gate's vocabulary: what it knows (GateFacts), what it grants (RunPlan) or why it does not (Skip). Source: DESIGN.md, Trust.
import { z } from 'zod';
import { repositorySchema, threadRefSchema } from './github-event.ts';

export const trustSchema = z.enum(['trusted', 'mixed', 'untrusted']);
export type Trust = z.infer<typeof trustSchema>;

/** In order, from the weakest to the strongest. */
export const permissionSchema = z.enum(['none', 'read', 'triage', 'write', 'maintain', 'admin']);
export type Permission = z.infer<typeof permissionSchema>;

/** `unknown` is a denial that says why: fail closed (A3). */
const permissionFactSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('known'), permission: permissionSchema }),
  z.object({ kind: z.literal('unknown'), reason: z.string() }),
]);

const accountSchema = z.object({ login: z.string(), id: z.number() });
const commitSchema = z.string().regex(/^[0-9a-f]{40}$/);
/** A branch and its head. */
const branchSchema = z.object({ branch: z.string(), sha: commitSchema });

/** How changes come back. `reply`: the diff in the reply, nothing pushed. */
export const deliverySchema = z.enum(['pull_request', 'push_to_head', 'reply']);

/** A pull request's head, pinned to one commit. `repository` null: the fork was deleted (G1-09). */
export const pullHeadSchema = z.object({
  branch: z.string(),
  sha: commitSchema,
  repository: z.string().nullable(),
  isFork: z.boolean(),
  /** The head moved after the trigger, or it cannot be known that it did not (B6). */
  movedAfterTrigger: z.boolean(),
});
export type PullHead = Readonly<z.infer<typeof pullHeadSchema>>;

/** An open pull request that we made, known again by author, place and marker; never by what a comment says. */
export const ownPullSchema = z.object({
  number: z.number().int(),
  branch: z.string(),
  sha: commitSchema,
  base: branchSchema,
  isDraft: z.boolean(),
  /** The lowest trust of the runs that wrote the branch. */
  trust: trustSchema,
  /** Nobody but us ever pushed to the branch; false too where that cannot be shown. */
  isOursAlone: z.boolean(),
});
export type OwnPull = Readonly<z.infer<typeof ownPullSchema>>;

export const threadFactsSchema = z.object({
  state: z.enum(['open', 'closed', 'merged']),
  isLocked: z.boolean(),
  /** Everybody whose text is in the thread, once each, and whether they may write. */
  authors: z.array(z.object({ login: z.string(), isWriter: z.boolean(), isSelf: z.boolean() })).readonly(),
  head: pullHeadSchema.nullable(),
  base: branchSchema.nullable(),
  /** For an issue: the newest open pull request that we made for it. */
  ownPull: ownPullSchema.nullable(),
  /** Our final replies here in the last 24 hours. */
  runsInLastDay: z.number().int(),
});
export type ThreadFacts = Readonly<z.infer<typeof threadFactsSchema>>;

export const gateFactsSchema = z.object({
  version: z.literal(1),
  /** When the facts were loaded; the trigger's time where the event has none. */
  observedAt: z.string(),
  requester: permissionFactSchema,
  /** The account our token writes as. */
  self: accountSchema,
  thread: threadFactsSchema.nullable(),
  /** The branch that pull requests go to, and its head. */
  base: branchSchema,
});
export type GateFacts = Readonly<z.infer<typeof gateFactsSchema>>;

/** What the requester asked for, taken out of the comment: unquoted text, code kept. */
export const instructionSchema = z.object({
  text: z.string(),
  command: z.enum(['continue', 'new', 'stop', 'status', 'undo', 'plan', 'approve', 'review', 'help']).nullable(),
  maxTurns: z.number().int().positive().optional(),
});
export type Instruction = Readonly<z.infer<typeof instructionSchema>>;

export const triggerSchema = z.object({
  kind: z.enum(['mention', 'label', 'assignment', 'prompt']),
  /** Identifies this trigger for ever: `issue_comment-123`, `label-12-run-99`… Names the branch and the marker. */
  id: z.string(),
  at: z.string(),
  /** What carries the reaction. */
  target: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('issue_comment'), id: z.number() }),
      z.object({ kind: z.literal('review_comment'), id: z.number() }),
      z.object({ kind: z.literal('issue'), number: z.number() }),
    ])
    .nullable(),
  label: z.string().optional(),
  /** For a review comment: where in the diff it was asked. */
  location: z.object({ path: z.string(), line: z.number().nullable(), diffHunk: z.string() }).optional(),
});
export type Trigger = Readonly<z.infer<typeof triggerSchema>>;

/** Frozen by the gate; nothing later may widen it. publish takes it from the gate, never from the agent's artifact. */
export const runPlanSchema = z.object({
  version: z.literal(1),
  repository: repositorySchema,
  event: z.object({ kind: z.string(), action: z.string() }),
  run: z.object({ id: z.number(), attempt: z.number().int(), url: z.string(), workflowPath: z.string(), job: z.string() }),
  trigger: triggerSchema,
  requester: accountSchema,
  self: accountSchema,
  instruction: instructionSchema,
  thread: threadRefSchema.extend({ title: z.string() }).nullable(),
  /** The session's key: `issue-12`, `pull_request-7`, or a hash of workflow, job and branch. */
  threadKey: z.string(),
  base: branchSchema,
  head: pullHeadSchema.nullable(),
  /** The commit that the workspace stands on before the agent starts. */
  checkoutSha: commitSchema,
  trust: trustSchema,
  trustReason: z.string(),
  /** How the agent is called here, for the words of a reply: `@harness9`. */
  handle: z.string(),
  /** `plan`: the run reads and answers with a plan; it is carried out when it is approved. */
  mode: z.enum(['act', 'plan']),
  tools: z.enum(['all', 'read_only']),
  /** `sandboxed`: only in a sandbox of `namespace` or better (mixed runs). */
  bash: z.enum(['allowed', 'sandboxed', 'denied']),
  network: z.enum(['open', 'allowlist', 'off']),
  delivery: deliverySchema,
  branchName: z.string(),
  pullRequest: z.object({
    mode: z.enum(['draft', 'ready', 'link', 'none']),
    closes: z.number().int().nullable(),
    /** Our own open pull request, whose branch the run works on; a push to it renews its description. */
    continues: z.number().int().optional(),
  }),
  context: z.enum(['all', 'writers']),
  limits: z.object({
    maxTurns: z.number().int().nonnegative(),
    timeoutMs: z.number(),
    maxTokensTotal: z.number().nullable(),
    maxCostUsd: z.number().nullable(),
    maxPatchFiles: z.number().int(),
    maxPatchBytes: z.number().int(),
    maxDeletions: z.number().int(),
  }),
  protectedPaths: z.array(z.string()).readonly(),
  session: z.enum(['auto', 'new', 'off']),
  comment: z.enum(['auto', 'none']),
  reaction: z.string(),
});
export type RunPlan = Readonly<z.infer<typeof runPlanSchema>>;

/** Why nothing is started. `notice` null: nothing is said anywhere but in the summary and the outputs; else the thread is told, once. */
export const skipSchema = z.object({
  version: z.literal(1),
  reason: z.enum([
    'no_task',
    'no_mention',
    'own_comment',
    'bot',
    'no_permission',
    'permission_unknown',
    'requester_unknown',
    'thread_limit',
    'locked',
    'unsupported_event',
  ]),
  detail: z.string(),
  /** `denied` for those who may not, `skipped` where there was nothing to do. */
  conclusion: z.enum(['denied', 'skipped']),
  notice: z.object({ thread: z.number().int(), triggerId: z.string(), selfId: z.number() }).nullable(),
});
export type Skip = Readonly<z.infer<typeof skipSchema>>;

/** A decision carries its reason. */
export type GateDecision = { readonly kind: 'run'; readonly plan: RunPlan } | { readonly kind: 'skip'; readonly skip: Skip };
