// A whole Messages answer to our Message; a stream is assembled into blocks first and then read by the same function.
import type { FinishReason, Message, Part, Usage } from '../../schema/message.ts';
import type { ModelResponse } from '../../schema/model-call.ts';
import { cleanText } from '../clean-text.ts';
import type { Connection } from '../connection.ts';
import { hasWords } from '../error-body.ts';
import { malformedError } from '../fault.ts';
import { textField } from '../lenient.ts';
import { mapErrorObject } from '../map-error.ts';
import { ToolCallAccumulator } from '../tool-call-accumulator.ts';
import { callPlace } from './call-place.ts';
import { messageSchema, type WireAnswer, type WireBlock, type WireUsage } from './wire.ts';

/** Reads the body of a blocking answer. Throws a ProviderError for an error object (G3-10) and for what is no message. */
export function readResponse(body: unknown, connection: Connection): ModelResponse {
  const parsed = messageSchema.safeParse(body);
  if (parsed.success && parsed.data.error) throw mapErrorObject(connection, parsed.data.error);
  if (!parsed.success || !parsed.data.content) {
    throw hasWords(body)
      ? mapErrorObject(connection, body)
      : malformedError(connection, 'an answer without content', parsed.error);
  }
  return renderAnswer(parsed.data, connection);
}

/** The blocks as a message with its origin: text and calls are ours, everything else stays the vendor's, in place and untouched. */
export function renderAnswer(answer: Omit<WireAnswer, 'error'>, connection: Connection): ModelResponse {
  const blocks = withoutCutThinking(answer);
  const calls = new ToolCallAccumulator();
  const content = blocks.flatMap((block, index): readonly Part[] => {
    if (block.type !== 'tool_use') return readBlock(block, connection);
    const number = calls.finish().length;
    calls.add({ index, id: textField(block, 'id'), name: textField(block, 'name'), arguments: block.input });
    const isLast = blocks.slice(index).every(({ type }) => type === 'tool_use');
    return isLast || calls.finish().length === number ? [] : [callPlace(number, connection.origin)];
  });
  const toolCalls = calls.finish();
  const usage = readUsage(answer.usage ?? {});
  const detail = cleanText(answer.stop_details?.explanation ?? answer.stop_details?.category ?? '', connection);
  const message: Message = {
    role: 'assistant',
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    finishReason: finishReasonOf(answer.stop_reason ?? '', toolCalls.length > 0),
    ...(detail === '' ? {} : { finishDetail: detail }),
    origin: connection.origin,
    ...(usage === undefined ? {} : { usage }),
  };
  return { message, usage };
}

/** Thinking that the output limit cut has no signature, and is refused when it comes back; it led to nothing anyway. */
function withoutCutThinking({ content, stop_reason: reason }: Omit<WireAnswer, 'error'>): readonly WireBlock[] {
  const blocks = content ?? [];
  const isCut = reason === 'max_tokens' || reason === 'model_context_window_exceeded';
  return isCut && blocks.at(-1)?.type === 'thinking' ? blocks.slice(0, -1) : blocks;
}

function readBlock(block: WireBlock, { origin }: Connection): readonly Part[] {
  if (block.type !== 'text') return [{ type: 'opaque', origin, kind: block.type, value: block }];
  const text = textField(block, 'text');
  return text === '' ? [] : [{ type: 'text', text }];
}

function finishReasonOf(reason: string, hasCalls: boolean): FinishReason {
  const known: Readonly<Record<string, FinishReason>> = {
    end_turn: 'stop',
    stop_sequence: 'stop',
    tool_use: 'tool_calls',
    max_tokens: 'length',
    pause_turn: 'pause',
    refusal: 'refusal',
    model_context_window_exceeded: 'context_overflow',
  };
  const named = known[reason] ?? 'other';
  return hasCalls && (named === 'stop' || named === 'other') ? 'tool_calls' : named;
}

/** Undefined where nothing was counted. The vendor counts cached input apart; ours includes it (schema/message.ts). */
export function readUsage(usage: WireUsage): Usage | undefined {
  if (typeof usage.input_tokens !== 'number' && typeof usage.output_tokens !== 'number') return undefined;
  const cacheReadTokens = usage.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  return {
    inputTokens: (usage.input_tokens ?? 0) + cacheReadTokens + cacheWriteTokens,
    outputTokens: usage.output_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? 0,
  };
}
