// What a Messages server may send, read leniently: unknown blocks and fields pass through untouched. Parsing only.
import { z } from 'zod';
import { lenient } from '../lenient.ts';

/** Kept whole: thinking, redacted_thinking and unknown types go back byte for byte (G3-08, G3-17). */
export const blockSchema = z.looseObject({ type: z.string() });
export type WireBlock = z.infer<typeof blockSchema>;

const count = lenient(z.number());

const usageSchema = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  output_tokens_details: lenient(z.object({ thinking_tokens: count })),
});
export type WireUsage = z.infer<typeof usageSchema>;

/** Why the vendor's own safeguards refused; both may be missing. */
const stopDetailsSchema = z.object({ category: lenient(z.string()), explanation: lenient(z.string()) });
export type WireStopDetails = z.infer<typeof stopDetailsSchema>;

export const messageSchema = z.object({
  type: lenient(z.string()),
  content: z.array(blockSchema).nullish(),
  stop_reason: lenient(z.string()),
  stop_details: lenient(stopDetailsSchema),
  usage: lenient(usageSchema),
  error: z.unknown().optional(),
});
export type WireAnswer = z.infer<typeof messageSchema>;

const startSchema = z.object({ type: z.literal('message_start'), message: messageSchema });
const blockStartSchema = z.object({ type: z.literal('content_block_start'), index: z.number(), content_block: blockSchema });
const deltaSchema = z.object({
  type: z.literal('content_block_delta'),
  index: z.number(),
  delta: z.looseObject({
    type: z.string(),
    text: z.string().nullish(),
    partial_json: z.string().nullish(),
    thinking: z.string().nullish(),
    signature: z.string().nullish(),
    citation: z.unknown().optional(),
  }),
});
const blockStopSchema = z.object({ type: z.literal('content_block_stop'), index: z.number() });
const messageDeltaSchema = z.object({
  type: z.literal('message_delta'),
  delta: z.object({ stop_reason: lenient(z.string()), stop_details: lenient(stopDetailsSchema) }).nullish(),
  usage: lenient(usageSchema),
});
const stopSchema = z.object({ type: z.literal('message_stop') });
const errorSchema = z.object({ type: z.literal('error'), error: z.unknown().optional() });

/** The events that mean something to us; the vendor adds new ones, which are skipped. */
export const eventSchema = z.discriminatedUnion('type', [
  startSchema,
  blockStartSchema,
  deltaSchema,
  blockStopSchema,
  messageDeltaSchema,
  stopSchema,
  errorSchema,
]);
export type WireEvent = z.infer<typeof eventSchema>;
export type WireDelta = z.infer<typeof deltaSchema>['delta'];

/** The type of any event, known or not. */
export const anyEventSchema = z.looseObject({ type: z.string().optional(), error: z.unknown().optional() });
