// What a Chat Completions server may send, read leniently: compatible servers leave out, add and rename. Parsing only.
import { z } from 'zod';

/** The names under which servers send reasoning that must come back (G2-17). */
export const reasoningFields = ['reasoning_content', 'reasoning'] as const;

const functionSchema = z.object({ name: z.string().nullish(), arguments: z.unknown().optional() });

const callSchema = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: functionSchema.nullish(),
});

/** A blocking answer's `message` and a stream's `delta` have the same fields. */
const messageSchema = z.looseObject({
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(callSchema).nullish(),
});
export type WireMessage = z.infer<typeof messageSchema>;

const usageSchema = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish(),
});
export type WireUsage = z.infer<typeof usageSchema>;

/** An answer or one chunk of a stream; `choices` may be missing (G2-10) or empty (G2-15). */
export const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        index: z.number().nullish(),
        message: messageSchema.nullish(),
        delta: messageSchema.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: usageSchema.nullish(),
  error: z.unknown().optional(),
});
export type WireCompletion = z.infer<typeof completionSchema>;

/** The body of a failure; `code` may be a number, which then is a status. A bare text stands for its message. */
export const errorBodySchema = z.union([
  z.string().transform((message) => ({ message, code: undefined, type: undefined, param: undefined })),
  z.looseObject({
    message: z.unknown().optional(),
    code: z.union([z.string(), z.number()]).nullish(),
    type: z.string().nullish(),
    param: z.string().nullish(),
  }),
]);
export type WireError = z.infer<typeof errorBodySchema>;
