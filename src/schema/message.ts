// The conversation: messages, their parts, tool calls, observations and usage. Source: spec §3; parts and origin: DESIGN.md.
import { z } from 'zod';
import { parseJson } from './parse-json.ts';
import { isRecord } from './record.ts';

/** Where something that only one vendor understands comes from; it goes back to exactly that vendor, endpoint and model. */
export const originSchema = z.object({ provider: z.string(), endpoint: z.string(), model: z.string() });
export type Origin = Readonly<z.infer<typeof originSchema>>;

const textPartSchema = z.object({ type: z.literal('text'), text: z.string() });
const imagePartSchema = z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() });
/** A vendor's own block (thinking with its signature, a reasoning field…), kept byte for byte. `kind` is the vendor's name for it. */
const opaquePartSchema = z.object({ type: z.literal('opaque'), origin: originSchema, kind: z.string(), value: z.unknown() });

export const partSchema = z.discriminatedUnion('type', [textPartSchema, imagePartSchema, opaquePartSchema]);
export type Part = Readonly<z.infer<typeof partSchema>>;
export type TextPart = Readonly<z.infer<typeof textPartSchema>>;
export type ImagePart = Readonly<z.infer<typeof imagePartSchema>>;
export type OpaquePart = Readonly<z.infer<typeof opaquePartSchema>>;

/** `arguments` stays the model's raw JSON text until the tool parses it (spec §3.2). */
export const toolCallSchema = z.object({ id: z.string(), name: z.string(), arguments: z.string() });
export type ToolCall = Readonly<z.infer<typeof toolCallSchema>>;

/** Tokens of one model call, or their sum. `input` includes what was read from and written to the cache. */
export const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  reasoningTokens: z.number(),
  /** US dollars, where the server itself says what it takes for the call. Of a sum: where all of its parts have it. */
  costUsd: z.number().optional(),
});
export type Usage = Readonly<z.infer<typeof usageSchema>>;

/** Why the model ended its own turn; the run's end is `stopReason`. */
export const finishReasonSchema = z.enum([
  'stop',
  'tool_calls',
  'length',
  'refusal',
  'pause',
  'content_filter',
  'context_overflow',
  'other',
]);
export type FinishReason = z.infer<typeof finishReasonSchema>;

/** An observation is a user message with `toolCallId` and `isError` (spec §4.5). */
export const messageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.array(partSchema).readonly(),
  toolCalls: z.array(toolCallSchema).readonly().optional(),
  toolCallId: z.string().optional(),
  isError: z.boolean().optional(),
  /** Of a user message that the run made itself (a report, a hook's word, "go on"): no person said it. */
  isFromRun: z.boolean().optional(),
  finishReason: finishReasonSchema.optional(),
  /** Why, in the provider's own words; for people. */
  finishDetail: z.string().optional(),
  origin: originSchema.optional(),
  usage: usageSchema.optional(),
});
export type Message = Readonly<z.infer<typeof messageSchema>>;

/** Whether a message is what a tool said. */
export function isObservation(message: Message): message is Message & { readonly toolCallId: string } {
  return message.role === 'user' && message.toolCallId !== undefined;
}

/** Whether a message is what the user said: the task, a later comment. */
export function isComment(message: Message): boolean {
  return message.role === 'user' && !isObservation(message) && message.isFromRun !== true;
}

/** What the run itself says where a person's message would stand: the model answers it, and nobody takes it for the user's words. */
export function messageFromRun(...texts: readonly string[]): Message {
  const content = texts.map((text, index) => textPart(index === 0 ? text : `\n\n${text}`));
  return { role: 'user', content, isFromRun: true };
}

/** How a command ended; `code` is null when a signal ended it. */
const exitSchema = z.object({ code: z.number().nullable(), signal: z.string().nullable(), timedOut: z.boolean() });
export type Exit = Readonly<z.infer<typeof exitSchema>>;

/** The result of one call. `isError` tells the model that it failed, so that it can mend the call (spec §3.2). `exit`: of a command. */
export const toolResultSchema = z.object({
  toolCallId: z.string(),
  output: z.array(partSchema).readonly(),
  isError: z.boolean(),
  exit: exitSchema.optional(),
});
export type ToolResult = Readonly<z.infer<typeof toolResultSchema>>;

/**
 * A tool as the model and the engine see it; serialisable, so that it can live in another process.
 * `place`: where it runs. `effect`: `write` and `execute` calls of one turn keep their order between each other.
 * `timeoutMs`: the tool's own default limit; `maxTimeoutMs`: what a call may ask for by its argument `timeout_secs`.
 */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly place: 'host' | 'main';
  readonly effect: 'read' | 'write' | 'execute';
  readonly timeoutMs?: number;
  readonly maxTimeoutMs?: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  const costUsd = a.costUsd === undefined || b.costUsd === undefined ? undefined : a.costUsd + b.costUsd;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

/** A report with an estimate in the place of what it says nothing of: a server that counts nothing is paid all the same. */
export function completeUsage(
  reported: Usage | undefined,
  { inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>,
): Usage {
  const usage = reported ?? noUsage;
  return {
    ...usage,
    inputTokens: usage.inputTokens > 0 ? usage.inputTokens : inputTokens,
    outputTokens: usage.outputTokens > 0 ? usage.outputTokens : outputTokens,
  };
}

/** The arguments of a call, when the model's text is a JSON object; else undefined. Limits of size and depth are the tools' own. */
export function argumentsOf(call: Pick<ToolCall, 'arguments'>): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(call.arguments);
  return isRecord(value) ? value : undefined;
}

/** A text as a message part. */
export function textPart(text: string): TextPart {
  return { type: 'text', text };
}

/** The result that tells the model what went wrong with its call. */
export function errorResult(call: Pick<ToolCall, 'id'>, text: string): ToolResult {
  return { toolCallId: call.id, output: [textPart(text)], isError: true };
}

/** The text of a list of parts, joined; images and opaque blocks have none. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
