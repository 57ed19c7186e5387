// What a Chat Completions server may send, read leniently: compatible servers leave out, add and rename. Parsing only.
import { z } from 'zod';
import { lenient } from '../lenient.ts';

/** The names under which servers send reasoning that must come back (G2-17). */
export const reasoningFields = ['reasoning_content', 'reasoning'] as const;
/** OpenRouter's form of the same, with signatures: a list, which a stream sends in pieces. Source: OpenRouter, Reasoning tokens. */
export const reasoningDetails = 'reasoning_details';
/** Of a call: Gemini's thought signature, without which it refuses the history. Source: Gemini API, OpenAI compatibility. */
export const callExtra = 'extra_content';
/** All that one server understands, and others may refuse. */
export const opaqueFields = [...reasoningFields, reasoningDetails, callExtra] as const;

const functionSchema = z.object({ name: z.string().nullish(), arguments: z.unknown().optional() });

const callSchema = z.object({
  index: lenient(z.number()),
  /** A number from some gateways (AI-Shell-Team/aish#200). */
  id: lenient(z.union([z.string(), z.number().transform(String)])),
  function: functionSchema.nullish(),
  [callExtra]: z.unknown().optional(),
});

const detailSchema = z.record(z.string(), z.unknown());
export type WireDetail = z.infer<typeof detailSchema>;

/** A blocking answer's `message` and a stream's `delta` have the same fields. */
const messageSchema = z.looseObject({
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))]).nullish(),
  refusal: lenient(z.string()),
  tool_calls: z.array(callSchema).nullish(),
  [reasoningDetails]: lenient(z.array(detailSchema)),
});
export type WireMessage = z.infer<typeof messageSchema>;

const count = lenient(z.number());

/** Cached tokens have many names: OpenAI's details, Moonshot's and DeepSeek's own, LiteLLM's beside the details. */
const usageSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: lenient(z.object({ cached_tokens: count, cache_write_tokens: count })),
  completion_tokens_details: lenient(z.object({ reasoning_tokens: count })),
  cached_tokens: count,
  prompt_cache_hit_tokens: count,
  cache_creation_input_tokens: count,
  cost: count,
  /** Whether the model was paid with a key of the user's own there: what its maker takes is not in `cost` then. Source: OpenRouter, Usage accounting. */
  is_byok: lenient(z.boolean()),
  cost_details: lenient(z.object({ upstream_inference_cost: count })),
});
export type WireUsage = z.infer<typeof usageSchema>;

const choiceSchema = z.object({
  index: lenient(z.number()),
  message: messageSchema.nullish(),
  delta: messageSchema.nullish(),
  finish_reason: lenient(z.string()),
  /** OpenRouter's, of a model that broke off. Source: OpenRouter, API reference, Responses. */
  error: z.unknown().optional(),
  /** Where Moonshot's streams have it. Source: Moonshot API, Chat. */
  usage: lenient(usageSchema),
});

/**
 * An answer or one chunk of a stream; `choices` may be missing (G2-10) or empty (G2-15). vLLM's older errors are the whole object:
 * `{"object":"error","message":…}`.
 */
export const completionSchema = z.looseObject({
  choices: z.array(choiceSchema).nullish(),
  usage: lenient(usageSchema),
  error: z.unknown().optional(),
  object: lenient(z.string()),
});
export type WireCompletion = z.infer<typeof completionSchema>;
