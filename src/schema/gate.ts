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
  /** Why it cannot be known: the server gives no list of pushes. A review's event names the head itself. */
  isUnlisted: z.boolean().optional(),
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

/** A request whose own run never came. */
const waitingSchema = z.object({ triggerId: z.string(), login: z.string(), text: z.string() });
export type Waiting = Readonly<z.infer<typeof waitingSchema>>;

export const threadFactsSchema = z.object({
  state: z.enum(['open', 'closed', 'merged']),
  isLocked: z.boolean(),
  /** Everybody whose text is in the thread, once each, and whether they may write. */
  authors: z.array(z.object({ login: z.string(), isWriter: z.boolean(), isSelf: z.boolean() })).readonly(),
  head: pullHeadSchema.nullable(),
  base: branchSchema.nullable(),
  /**
   * For an issue or a discussion: the newest open pull request that we made for it. For a failed check of a pull request that we made: that
   * one, so that its trust goes on.
   */
  ownPull: ownPullSchema.nullable(),
  /** Our final replies here in the last 24 hours. */
  runsInLastDay: z.number().int(),
  /** GitHub's word on whether the head merges into the base; null: it has not worked it out, or this is no pull request. */
  isMergeable: z.boolean().nullable(),
  /** The work that `continue` and `approve` go on with was to merge the base, and has not. */
  isMergeOpen: z.boolean(),
  /** Ids of the triggers that replies of ours answer, whenever that was. */
  answered: z.array(z.string()).readonly(),
  /** Ids of the triggers that a run of ours has announced and not answered. */
  announced: z.array(z.string()).readonly(),
  /** When the progress of such a run was last renewed; null: there is none. */
  progressAt: z.string().nullable(),
  /** Mentions of the last 24 hours by those who may write that no run of ours has taken up, the oldest first. */
  waiting: z.array(waitingSchema).readonly(),
  /** In a discussion: the node id of the comment at the top of the branch that the request stands in; null: it stands in none. */
  topComment: z.string().nullable(),
});
export type ThreadFacts = Readonly<z.infer<typeof threadFactsSchema>>;

/** What is known of a check that failed, beside its event. */
const checkFactsSchema = z.object({
  /** The one open pull request of this repository whose head is the check's commit; null: there is none, or more than one. */
  pull: z.object({ number: z.number().int(), title: z.string() }).nullable(),
  /** How the same check ended last on the base branch. */
  base: z.enum(['passed', 'failed', 'unknown']),
  /** It passed on this very commit before. */
  passedBefore: z.boolean(),
});
export type CheckFacts = Readonly<z.infer<typeof checkFactsSchema>>;

export const gateFactsSchema = z.object({
  version: z.literal(1),
  /** When the facts were loaded; the trigger's time where the event has none. */
  observedAt: z.string(),
  requester: permissionFactSchema,
  /** The account our token writes as. */
  self: accountSchema,
  thread: threadFactsSchema.nullable(),
  /** null: the event is not of a check, or who raised it may not ask. */
  check: checkFactsSchema.nullable(),
  /** The branch that pull requests go to, and its head. */
  base: branchSchema,
});
export type GateFacts = Readonly<z.infer<typeof gateFactsSchema>>;

/** What the requester asked for, taken out of the comment: unquoted text, code kept. */
export const instructionSchema = z.object({
  text: z.string(),
  command: z.enum(['continue', 'new', 'stop', 'status', 'undo', 'plan', 'approve', 'review', 'help']).nullable(),
  /** Options of this one comment, before the workflow's ceilings: `--max-turns`, `--budget` (US dollars), `--model`. */
  maxTurns: z.number().int().positive().optional(),
  maxCostUsd: z.number().positive().optional(),
  model: z.string().optional(),
});
export type Instruction = Readonly<z.infer<typeof instructionSchema>>;

export const triggerSchema = z.object({
  /** `failure`: a check that failed. */
  kind: z.enum(['mention', 'label', 'assignment', 'prompt', 'failure']),
  /** Identifies this trigger for ever: `issue_comment-123`, `label-12-run-99`… Names the branch and the marker. */
  id: z.string(),
  at: z.string(),
  /** What carries the reaction. */
  target: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('issue_comment'), id: z.number() }),
      z.object({ kind: z.literal('review_comment'), id: z.number() }),
      z.object({ kind: z.literal('issue'), number: z.number() }),
      /** A review or a comment of a discussion, which GraphQL alone reacts to. */
      z.object({ kind: z.literal('node'), id: z.string() }),
    ])
    .nullable(),
  label: z.string().optional(),
  /** For a review comment: where in the diff it was asked. */
  location: z.object({ path: z.string(), line: z.number().nullable(), diffHunk: z.string() }).optional(),
});
export type Trigger = Readonly<z.infer<typeof triggerSchema>>;

/** Where a run speaks; fixed by the gate, and nothing later turns to another place (H8). */
export const channelSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('thread'), number: z.number().int() }),
  /** `commentId`: the comment that began the review thread. */
  z.object({ kind: z.literal('review_thread'), pull: z.number().int(), commentId: z.number() }),
  /** Node ids; `replyTo`: the comment at the top of the branch that is answered in. */
  z.object({ kind: z.literal('discussion'), number: z.number().int(), id: z.string(), replyTo: z.string().nullable() }),
  /** The open issue with the reports of this workflow and job, found by its marker, or made with this title. */
  z.object({ kind: z.literal('report'), title: z.string() }),
]);
export type Channel = Readonly<z.infer<typeof channelSchema>>;

/** The failed check that a run is to mend: a run of a workflow, or an app's suite of checks. */
const failedCheckSchema = z.object({
  kind: z.enum(['workflow_run', 'check_suite']),
  id: z.number(),
  attempt: z.number().int(),
  name: z.string(),
  headSha: commitSchema,
  /** It passed on this very commit before, so that it is run again and nothing is edited. */
  passedBefore: z.boolean(),
  /** How the same check ended last on the base branch; never `failed`. */
  base: z.enum(['passed', 'unknown']),
});
export type FailedCheck = Readonly<z.infer<typeof failedCheckSchema>>;

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
  /**
   * `plan`: the run reads and answers with a plan; it is carried out when it is approved. `review`: it reads and posts a review. `fix`: it
   * mends `failedCheck`. `undo`: no model is asked, our newest commit is taken back.
   */
  mode: z.enum(['act', 'plan', 'review', 'fix', 'undo']),
  failedCheck: failedCheckSchema.nullable(),
  channel: channelSchema.nullable(),
  /** Ids of earlier triggers whose own runs never came; this run's reply is theirs, too. */
  alsoAnswers: z.array(z.string()).readonly(),
  /** The model that the request asked for, of those that the workflow names; null: the workflow's first. */
  model: z.string().nullable(),
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
    /** Our own open pull request for the thread, which `new` leaves as it is. */
    leaves: z.number().int().optional(),
    /** A template of the title; null: the agent's own, or the thread's. */
    title: z.string().nullable(),
    labels: z.array(z.string()).readonly(),
    /** Logins, and teams as `org/team`. */
    reviewers: z.array(z.string()).readonly(),
    assignees: z.array(z.string()).readonly(),
  }),
  /** The base is merged into the pull request's head before the agent starts, since the request asks for its conflicts to be resolved. */
  mergesBase: z.boolean(),
  /** It was asked for and is not done: the base, and why, as a clause; absent: it is done, or nobody asked. */
  noMerge: z.object({ branch: z.string(), why: z.string() }).optional(),
  /** A template of the commit's message; null: ours. */
  commitMessage: z.string().nullable(),
  inlineComments: z.enum(['suggestions', 'comments', 'none']),
  includeDiff: z.enum(['auto', 'always', 'never']),
  mayApprove: z.boolean(),
  /** Everything but writing to GitHub. */
  dryRun: z.boolean(),
  /** What the reply is written in; `auto`: as the request is. */
  language: z.string(),
  context: z.enum(['all', 'writers']),
  /** Whose texts are part of the context, by login, `*[bot]` for all bots; an empty `include` means everybody's. */
  actors: z.object({ include: z.array(z.string()).readonly(), exclude: z.array(z.string()).readonly() }),
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
  /** Patterns of what may be published; empty: everything that is not protected. */
  allowedPaths: z.array(z.string()).readonly(),
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
    /** Another run's reply answers this request as well. */
    'answered',
    /** A pull request from a fork starts jobs that have neither secrets nor a token that may write. */
    'fork',
    /** A failed check: no open pull request of this repository has this head, the base fails as well, or there were attempts enough. */
    'no_pull_request',
    'base_failing',
    'fix_limit',
    /** An option of the comment is not readable or not allowed here. */
    'bad_option',
  ]),
  detail: z.string(),
  /** `denied` for those who may not, `skipped` where there was nothing to do. */
  conclusion: z.enum(['denied', 'skipped']),
  notice: z.object({ thread: z.number().int(), triggerId: z.string(), selfId: z.number(), channel: channelSchema }).nullable(),
});
export type Skip = Readonly<z.infer<typeof skipSchema>>;

/** A decision carries its reason. */
export type GateDecision = { readonly kind: 'run'; readonly plan: RunPlan } | { readonly kind: 'skip'; readonly skip: Skip };
