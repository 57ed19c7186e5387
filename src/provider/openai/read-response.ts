// A whole Chat Completions answer to our Message; a stream is assembled first and then read by the same function.
import type { FinishReason, Message, Part, ToolCall, Usage } from '../../schema/message.ts';
import type { ModelResponse } from '../../schema/model-call.ts';
import type { Connection } from '../connection.ts';
import { malformedError } from '../fault.ts';
import { ToolCallAccumulator } from '../tool-call-accumulator.ts';
import { mapErrorObject } from './map-error.ts';
import { completionSchema, reasoningFields, type WireCompletion, type WireMessage, type WireUsage } from './wire.ts';

/** What an answer comes down to, before it is a Message. */
export interface Answer {
  readonly text: string;
  readonly refusal: string;
  readonly reasoning: Readonly<Record<string, string>>;
  readonly calls: readonly ToolCall[];
  readonly finishReason: string | undefined;
  readonly usage: WireUsage | undefined;
}

/** Reads the body of a blocking answer. Throws a ProviderError for an error object or an answer without a choice (G2-10). */
export function readResponse(body: unknown, connection: Connection): ModelResponse {
  const completion = parseCompletion(body, connection);
  const choice = completion.choices?.[0];
  const message = choice?.message;
  if (message === undefined || message === null) throw malformedError(connection, 'an answer without a choice');
  const calls = new ToolCallAccumulator();
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    calls.add({ index, id: call.id, name: call.function?.name, arguments: call.function?.arguments });
  }
  return renderAnswer(
    {
      text: textOfContent(message),
      refusal: message.refusal ?? '',
      reasoning: Object.fromEntries(reasoningFields.map((field) => [field, textOfField(message, field)])),
      calls: calls.finish(),
      finishReason: choice?.finish_reason ?? undefined,
      usage: completion.usage ?? undefined,
    },
    connection,
  );
}

/** Parses an answer or a chunk; an error object inside becomes a ProviderError by its code. */
export function parseCompletion(body: unknown, connection: Connection): WireCompletion {
  const parsed = completionSchema.safeParse(body);
  if (!parsed.success) throw malformedError(connection, 'an answer of an unknown form', parsed.error);
  if (parsed.data.error !== undefined && parsed.data.error !== null) throw mapErrorObject(connection, parsed.data.error);
  return parsed.data;
}

/** The answer as a message with its origin; reasoning becomes opaque parts. */
export function renderAnswer(answer: Answer, connection: Connection): ModelResponse {
  const { origin } = connection;
  const usage = readUsage(answer.usage ?? {});
  const text = answer.text || answer.refusal;
  const content: readonly Part[] = [
    ...reasoningFields.flatMap((kind): readonly Part[] => {
      const value = answer.reasoning[kind] ?? '';
      return value === '' ? [] : [{ type: 'opaque', origin, kind, value }];
    }),
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

/** A field of text that is not in every server's answers. */
export function textOfField(message: WireMessage, field: string): string {
  const value = message[field];
  return typeof value === 'string' ? value : '';
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
function readUsage(usage: WireUsage): Usage | undefined {
  if (typeof usage.prompt_tokens !== 'number' && typeof usage.completion_tokens !== 'number') return undefined;
  return {
    inputTokens: usage.prompt_tokens ?? 0,
    outputTokens: usage.completion_tokens ?? 0,
    cacheReadTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWriteTokens: 0,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}
