// The session envelope v1: a thread's history between workflow runs, with its trust, provenance and MAC. Source: DESIGN.md, The session.
import { z } from 'zod';
import { trustSchema } from './gate.ts';
import { messageSchema, usageSchema } from './message.ts';
import { todoItemSchema } from './todo.ts';

const at = z.string();

/**
 * Where a compaction cut: `summary` stands for the first `coversMessages` messages of the history (the system prompt is not counted),
 * which are still kept, but not sent any more.
 */
export const checkpointSchema = z.object({ summary: z.string(), coversMessages: z.number().int().nonnegative() });
export type Checkpoint = Readonly<z.infer<typeof checkpointSchema>>;

/**
 * One element of the envelope. A checkpoint stands after the messages that it covers. `leftOut` of a checkpoint: messages that are gone
 * though no summary stands for them, because the session had outgrown its file.
 */
export const sessionRecordSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), at, message: messageSchema }),
  z.object({
    type: z.literal('checkpoint'),
    at,
    ...checkpointSchema.shape,
    leftOut: z.number().int().nonnegative().optional(),
  }),
  z.object({ type: z.literal('todos'), at, items: z.array(todoItemSchema).readonly() }),
  z.object({ type: z.literal('plan'), at, text: z.string() }),
  z.object({ type: z.literal('usage'), at, usage: usageSchema, model: z.string().optional() }),
]);
export type SessionRecord = Readonly<z.infer<typeof sessionRecordSchema>>;

export const provenanceSchema = z.object({
  repositoryId: z.number(),
  repository: z.string(),
  workflowPath: z.string(),
  runId: z.number(),
  runAttempt: z.number().int(),
  event: z.string(),
  headSha: z.string(),
});
export type Provenance = Readonly<z.infer<typeof provenanceSchema>>;

/** What the MAC covers: everything but the MAC. */
export const sessionBodySchema = z.object({
  version: z.literal(1),
  id: z.string(),
  threadKey: z.string(),
  sequence: z.number().int().nonnegative(),
  /** Hash of the envelope that this one continues; null for the first. */
  parentHash: z.string().nullable(),
  /** The lowest trust of all runs that wrote here. */
  trust: trustSchema,
  provenance: provenanceSchema,
  updatedAt: z.string(),
  records: z.array(sessionRecordSchema).readonly(),
});
export type SessionBody = Readonly<z.infer<typeof sessionBodySchema>>;

export const sessionEnvelopeSchema = sessionBodySchema.extend({ mac: z.string().nullable() });
export type SessionEnvelope = Readonly<z.infer<typeof sessionEnvelopeSchema>>;

/** What came of looking for an earlier session. `fresh` carries the one line that the reply says, or null when there was none to find. */
export type RestoredSession =
  | { readonly kind: 'restored'; readonly envelope: SessionEnvelope; readonly hash: string; readonly quoteOnly: boolean }
  | {
      readonly kind: 'fresh';
      readonly notice: string | null;
      /** The newest valid envelope when it is left behind on purpose (`new`): the next one follows it, so that it wins. */
      readonly continues?: { readonly sequence: number; readonly hash: string };
    };
