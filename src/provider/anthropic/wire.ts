// What a Messages server may send, read leniently: unknown blocks and fields pass through untouched. Parsing only.
import { z } from 'zod';

/** Kept whole: thinking, redacted_thinking and unknown types go back byte for byte (G3-08, G3-17). */
export const blockSchema = z.looseObject({ type: z.string() });
export type WireBlock = z.infer<typeof blockSchema>;

export const usageSchema = z.object({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
  output_tokens_details: z.object({ thinking_tokens: z.number().nullish() }).nullish(),
});
export type WireUsage = z.infer<typeof usageSchema>;

/** Why the vendor's own safeguards refused; both may be missing. */
const stopDetailsSchema = z.object({ category: z.string().nullish(), explanation: z.string().nullish() });
export type WireStopDetails = z.infer<typeof stopDetailsSchema>;

export const messageSchema = z.object({
  type: z.string().nullish(),
  content: z.array(blockSchema).nullish(),
  stop_reason: z.string().nullish(),
  stop_details: stopDetailsSchema.nullish(),
  usage: usageSchema.nullish(),
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
  delta: z.object({ stop_reason: z.string().nullish(), stop_details: stopDetailsSchema.nullish() }).nullish(),
  usage: usageSchema.nullish(),
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
