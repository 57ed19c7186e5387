// The task: what the agent is told, as plain data; every field with its author and trust. Rendering is someone else's work.
import { z } from 'zod';
import { deliverySchema, instructionSchema, trustSchema } from './gate.ts';
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
  kind: z.enum(['title', 'body', 'comment', 'review_comment', 'diff', 'files', 'reply_target']),
  author: z.string(),
  role: z.enum(['writer', 'outsider', 'self', 'ghost']),
  createdAt: z.string(),
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
  instruction: instructionSchema.extend({ requester: z.string(), pictures }),
  delivery: deliverySchema,
  items: z.array(taskItemSchema).readonly(),
  omitted: z.array(z.string()).readonly(),
});
export type Task = Readonly<z.infer<typeof taskSchema>>;
