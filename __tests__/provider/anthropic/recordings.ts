// Messages answers as the vendor documents them: the same answer as a stream of bytes and as one body.

export function sse(events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export const messageStart = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 20, cache_creation_input_tokens: 30, cache_read_input_tokens: 50, output_tokens: 1 },
  },
};

function block(index: number, start: object, ...deltas: readonly object[]) {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** The last events of an answer. */
export function ending(stopReason: string | null) {
  return [
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 40 } },
    { type: 'message_stop' },
  ];
}

/** A stream of whole blocks. */
export function streamOf(blocks: readonly (readonly [object, ...object[]])[], stopReason: string | null): string {
  return sse([
    messageStart,
    ...blocks.flatMap(([start, ...deltas], index) => block(index, start, ...deltas)),
    ...ending(stopReason),
  ]);
}

export function bodyOf(content: readonly unknown[], stopReason: string | null): unknown {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: stopReason,
    usage: { ...messageStart.message.usage, output_tokens: 40 },
  };
}

export interface Recording {
  readonly name: string;
  readonly stream: string;
  readonly body: unknown;
}

export const recordings: readonly Recording[] = [
  {
    name: 'text after a ping',
    stream: streamOf(
      [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'Hello 日本' },
          { type: 'text_delta', text: '🌍!\n' },
        ],
      ],
      'end_turn',
    ).replace('event: content_block_delta', 'event: ping\ndata: {"type": "ping"}\n\nevent: content_block_delta'),
    body: bodyOf([{ type: 'text', text: 'Hello 日本🌍!\n' }], 'end_turn'),
  },
  {
    name: 'thinking, redacted thinking, text and two calls',
    stream: streamOf(
      [
        [
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'I should ' },
          { type: 'thinking_delta', thinking: 'look. ' },
          { type: 'signature_delta', signature: 's1==' },
        ],
        [{ type: 'redacted_thinking', data: 'd1' }],
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'Reading.' },
        ],
        [
          { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: {} },
          { type: 'input_json_delta', partial_json: '' },
          { type: 'input_json_delta', partial_json: '{"path":' },
          { type: 'input_json_delta', partial_json: '"ü"}' },
        ],
        [
          { type: 'tool_use', id: 'toolu_b', name: 'todo_read', input: {} },
          { type: 'input_json_delta', partial_json: '' },
        ],
      ],
      'tool_use',
    ),
    body: bodyOf(
      [
        { type: 'thinking', thinking: 'I should look. ', signature: 's1==' },
        { type: 'redacted_thinking', data: 'd1' },
        { type: 'text', text: 'Reading.' },
        { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: { path: 'ü' } },
        { type: 'tool_use', id: 'toolu_b', name: 'todo_read', input: {} },
      ],
      'tool_use',
    ),
  },
];
