// The task: what the agent is told, as plain data; every field with its author and trust. Rendering is someone else's work.
import { z } from 'zod';
import { mergeConflictSchema } from './bundle.ts';
import { deliverySchema, instructionSchema, runPlanSchema, trustSchema } from './gate.ts';
import { threadRefSchema } from './github-event.ts';

/** A picture of a text, or why it is left out, as a clause. `address`: where the text says that it is. */
export const taskPictureSchema = z.union([
  z.object({ address: z.string(), mediaType: z.string(), width: z.number(), height: z.number(), data: z.string() }),
  z.object({ address: z.string(), why: z.string() }),
]);
export type TaskPicture = Readonly<z.infer<typeof taskPictureSchema>>;

/** In the order in which the text names them; absent: it names none. */
const pictures = z.array(taskPictureSchema).readonly().optional();

export const taskItemSchema = z.object({
  /** `review_thread`: where in the diff the review comments behind it stand. `log`: of a failed job. */
  kind: z.enum([
    'title',
    'body',
    'comment',
    'review_thread',
    'review_comment',
    'review',
    'linked_issue',
    'files',
    'diff',
    'commits',
    'checks',
    'log',
    'reply_target',
  ]),
  author: z.string(),
  /** `self`: this agent, by its account and its mark. `account`: the same bot without the mark, as every job here has it. */
  role: z.enum(['writer', 'outsider', 'self', 'account', 'ghost']),
  createdAt: z.string(),
  /** Absent: it stands as it was written. */
  editedAt: z.string().optional(),
  text: z.string(),
  /** What the sanitiser took out, in words, so that nobody is surprised. */
  notes: z.array(z.string()).readonly(),
  pictures,
});
export type TaskItem = Readonly<z.infer<typeof taskItemSchema>>;

/** `instruction` is the only order; every item is data about it. `omitted` says what the budget left out. */
export const taskSchema = z.object({
  version: z.literal(1),
  trust: trustSchema,
  repository: z.string(),
  thread: threadRefSchema.extend({ url: z.string(), state: z.string() }).nullable(),
  /** Our open pull request for the thread, on whose branch the workspace stands. */
  ownPull: z.number().int().optional(),
  mode: runPlanSchema.shape.mode,
  /** What the reply is written in; `auto`: as the request is. */
  language: z.string(),
  /** So many earlier requests, quoted in the instruction, are answered with this one. */
  alsoAnswered: z.number().int(),
  /** The name of the check that is to be mended; null: the run has another task. */
  failedCheck: z.string().nullable(),
  /** The base was merged into the files before the run, or was to be: `why` tells what stood in the way. Absent: not asked for. */
  merge: z
    .object({
      branch: z.string(),
      why: z.string().nullable(),
      conflicts: z.array(mergeConflictSchema).readonly(),
    })
    .optional(),
  instruction: instructionSchema.extend({ requester: z.string(), pictures }),
  delivery: deliverySchema,
  /** The commit that the workspace stands on. */
  commit: z.string().optional(),
  /** The commands of the steps that failed, as the jobs' logs have them; absent: none is known. Data, and no order. */
  failedCommands: z.array(z.string()).readonly().optional(),
  items: z.array(taskItemSchema).readonly(),
  omitted: z.array(z.string()).readonly(),
});
export type Task = Readonly<z.infer<typeof taskSchema>>;
