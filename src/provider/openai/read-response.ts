// A whole Chat Completions answer to our Message; a stream is assembled first and then read by the same function.
import type { FinishReason, Message, Part, ToolCall, Usage } from '../../schema/message.ts';
import type { ModelResponse } from '../../schema/model-call.ts';
import type { Connection } from '../connection.ts';
import { hasWords } from '../error-body.ts';
import { malformedError } from '../fault.ts';
import { textField } from '../lenient.ts';
import { mapErrorObject } from '../map-error.ts';
import { ToolCallAccumulator } from '../tool-call-accumulator.ts';
import { factsOf } from './server-facts.ts';
import {
  callExtra,
  completionSchema,
  reasoningDetails,
  reasoningFields,
  type WireCompletion,
  type WireDetail,
  type WireMessage,
  type WireUsage,
} from './wire.ts';

/** What an answer comes down to, before it is a Message. `extras`: by the position of their calls; empty when no call has one. */
export interface Answer {
  readonly text: string;
  readonly refusal: string;
  readonly reasoning: Readonly<Record<string, string>>;
  readonly details: readonly WireDetail[];
  readonly calls: readonly ToolCall[];
  readonly extras: readonly unknown[];
  readonly finishReason: string | undefined;
  readonly usage: WireUsage | undefined;
}

/** Reads the body of a blocking answer. Throws a ProviderError for an error object or an answer without a choice (G2-10). */
export function readResponse(body: unknown, connection: Connection): ModelResponse {
  const completion = parseCompletion(body, connection);
  const choice = completion.choices?.[0];
  const message = choice?.message;
  if (message === undefined || message === null) {
    throw hasWords(body) ? mapErrorObject(connection, body) : malformedError(connection, 'an answer without a choice');
  }
  const calls = new ToolCallAccumulator();
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    calls.add({ index, id: call.id, name: call.function?.name, arguments: call.function?.arguments, extra: call[callExtra] });
  }
  return renderAnswer(
    {
      text: textOfContent(message),
      refusal: message.refusal ?? '',
      reasoning: Object.fromEntries(reasoningFields.map((field) => [field, textField(message, field)])),
      details: message[reasoningDetails] ?? [],
      calls: calls.finish(),
      extras: calls.extras(),
      finishReason: choice?.finish_reason ?? undefined,
      usage: completion.usage ?? choice?.usage ?? undefined,
    },
    connection,
  );
}

/** Parses an answer or a chunk; an error object inside becomes a ProviderError by its code. */
export function parseCompletion(body: unknown, connection: Connection): WireCompletion {
  const parsed = completionSchema.safeParse(body);
  if (!parsed.success) throw malformedError(connection, 'an answer of an unknown form', parsed.error);
  const { error, object, choices } = parsed.data;
  if (object === 'error') throw mapErrorObject(connection, body);
  // Some send an empty one with every answer.
  const failed = [error, ...(choices ?? []).map((choice) => choice.error)].find((one) => Boolean(one));
  if (failed !== undefined) throw mapErrorObject(connection, failed);
  return parsed.data;
}

/** The answer as a message with its origin; reasoning becomes opaque parts. Throws a ProviderError for one that says that it failed. */
export function renderAnswer(answer: Answer, connection: Connection): ModelResponse {
  // OpenRouter's word for a model that broke off, where no error object says more.
  if (answer.finishReason === 'error') throw malformedError(connection, 'an answer that ended in an error');
  const { origin } = connection;
  const usage = readUsage(answer.usage ?? {}, connection);
  const text = answer.text || answer.refusal;
  const opaque = (kind: string, value: unknown): Part => ({ type: 'opaque', origin, kind, value });
  const content: readonly Part[] = [
    ...reasoningFields.flatMap((kind) => (answer.reasoning[kind] ? [opaque(kind, answer.reasoning[kind])] : [])),
    ...(answer.details.length === 0 ? [] : [opaque(reasoningDetails, answer.details)]),
    ...(answer.extras.length === 0 ? [] : [opaque(callExtra, answer.extras)]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ];
  const message: Message = {
    role: 'assistant',
    content,
    ...(answer.calls.length === 0 ? {} : { toolCalls: answer.calls }),
    finishReason: finishReasonOf(answer),
    origin,
    ...(usage === undefined ? {} : { usage }),
  };
  return { message, usage };
}

/** The text of a content field, which some servers send as a list of parts. */
export function textOfContent(message: WireMessage): string {
  return typeof message.content === 'string' ? message.content : (message.content ?? []).map((part) => part.text ?? '').join('');
}

/** Calls that are there decide, not the reason (G2-11); but `length` says that the last of them may be cut (G2-31). */
function finishReasonOf(answer: Answer): FinishReason {
  const known: Readonly<Record<string, FinishReason>> = {
    stop: 'stop',
    tool_calls: 'tool_calls',
    function_call: 'tool_calls',
    length: 'length',
    content_filter: 'content_filter',
  };
  const named = known[answer.finishReason ?? ''] ?? 'other';
  if (answer.calls.length > 0 && (named === 'stop' || named === 'other')) return 'tool_calls';
  return answer.refusal !== '' && named === 'stop' ? 'refusal' : named;
}

/** Undefined where nothing was counted. */
function readUsage(usage: WireUsage, connection: Connection): Usage | undefined {
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage;
  const costUsd = factsOf(connection).saysCost ? costOf(usage) : undefined;
  if (typeof usage.prompt_tokens !== 'number' && typeof usage.completion_tokens !== 'number') return undefined;
  return {
    inputTokens: usage.prompt_tokens ?? 0,
    outputTokens: usage.completion_tokens ?? 0,
    cacheReadTokens: input?.cached_tokens ?? usage.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0,
    cacheWriteTokens: input?.cache_write_tokens ?? usage.cache_creation_input_tokens ?? 0,
    reasoningTokens: output?.reasoning_tokens ?? 0,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

function costOf({ cost, is_byok: isByOwnKey, cost_details: details }: WireUsage): number | undefined {
  if (typeof cost !== 'number' || isByOwnKey !== true) return cost ?? undefined;
  const upstream = details?.upstream_inference_cost;
  return typeof upstream === 'number' ? cost + upstream : undefined;
}
