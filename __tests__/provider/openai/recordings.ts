// Chat Completions answers as the vendor documents them: the same answer as a stream of bytes and as one body.
import type { Usage } from '../../../src/schema/message.ts';

/** A stream of these events, `[DONE]` behind them. */
export function sse(events: readonly unknown[]): string {
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
}

export function chunk(delta: unknown, finish: string | null = null): unknown {
  return { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], usage: null };
}

export function body(message: object, finish: string, usage: unknown): unknown {
  return {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    usage,
  };
}

const usage = {
  prompt_tokens: 120,
  completion_tokens: 30,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 64 },
  completion_tokens_details: { reasoning_tokens: 8 },
};
const usageChunk = { id: 'c', object: 'chat.completion.chunk', choices: [], usage };

export interface Recording {
  readonly name: string;
  readonly stream: string;
  readonly body: unknown;
  readonly usage: Partial<Usage>;
}

const counted: Partial<Usage> = { inputTokens: 120, outputTokens: 30, cacheReadTokens: 64, reasoningTokens: 8 };

export const recordings: readonly Recording[] = [
  {
    name: 'text with a filter chunk and usage',
    stream: sse([
      { choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
      chunk({ role: 'assistant', content: '', refusal: null }),
      chunk({ content: 'Hello 日本' }),
      chunk({ content: '🌍!\n' }),
      chunk({}, 'stop'),
      usageChunk,
    ]),
    body: body({ content: 'Hello 日本🌍!\n' }, 'stop', usage),
    usage: counted,
  },
  {
    name: 'two parallel calls, interleaved, the second with its finish in the same chunk',
    stream: sse([
      chunk({ role: 'assistant', content: 'Reading.' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read_file', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'read_file', arguments: '{"pa' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: null, arguments: '{"path":"x' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: 'th":"ü"}' } }] }, 'tool_calls'),
      usageChunk,
    ]),
    body: body(
      {
        content: 'Reading.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"x"}' } },
          { id: 'b', type: 'function', function: { name: 'read_file', arguments: '{"path":"ü"}' } },
        ],
      },
      'tool_calls',
      usage,
    ),
    usage: counted,
  },
  {
    name: 'reasoning_content before a call',
    stream: sse([
      chunk({ role: 'assistant', content: null, reasoning_content: 'I should ' }),
      chunk({ content: null, reasoning_content: 'look.' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read_file', arguments: '{"path":"a"}' } }] }),
      chunk({}, 'tool_calls'),
      usageChunk,
    ]),
    body: body(
      {
        content: null,
        reasoning_content: 'I should look.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
      },
      'tool_calls',
      usage,
    ),
    usage: counted,
  },
];

/** A stream of these deltas, ending in `finish`. */
export function streamOf(deltas: readonly unknown[], finish: string | null = 'tool_calls'): string {
  return sse([...deltas.map((delta) => chunk(delta)), chunk({}, finish)]);
}

/** An answer of this message. */
export function bodyOf(message: object, finish: string | null): unknown {
  return { choices: [{ index: 0, message, finish_reason: finish }] };
}
