/** Writes answers as Anthropic's Messages does, whole and as a stream. */
import { pieces } from './openai-dialect.ts';
import type { Answer, RenderedAnswer } from './scripted-turn.ts';

/** The answer in both forms. */
export function renderAnthropic(answer: Answer): RenderedAnswer {
  const stopReason = answer.calls.length > 0 ? 'tool_use' : 'end_turn';
  const text = answer.text === '' ? [] : [{ type: 'text', text: answer.text }];
  const calls = answer.calls.map(({ id, name, arguments: json }) => ({ type: 'tool_use', id, name, input: parsed(json) }));
  const message = { id: `msg_${answer.id}`, type: 'message', role: 'assistant', model: answer.model, stop_sequence: null };
  const usage = { input_tokens: answer.inputTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const blocks = [
    ...text.map((block, index) =>
      blockEvents(
        index,
        { ...block, text: '' },
        pieces(block.text).map((piece) => ({ type: 'text_delta', text: piece })),
      ),
    ),
    ...answer.calls.map((call, index) =>
      blockEvents(
        text.length + index,
        { type: 'tool_use', id: call.id, name: call.name, input: {} },
        pieces(call.arguments).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      ),
    ),
  ];
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
    ...blocks.flat(),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: answer.outputTokens },
    },
    { type: 'message_stop' },
  ];
  return {
    body: {
      ...message,
      content: [...text, ...calls],
      stop_reason: stopReason,
      usage: { ...usage, output_tokens: answer.outputTokens },
    },
    events: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  };
}

type StreamEvent = Readonly<Record<string, unknown>> & { readonly type: string };

function blockEvents(index: number, block: unknown, deltas: readonly unknown[]): readonly StreamEvent[] {
  return [
    { type: 'content_block_start', index, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** This dialect carries arguments as an object; a script may ask for text that is none. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}
