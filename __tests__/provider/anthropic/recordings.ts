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
  {
    name: 'thinking that is not shown, a call, thinking between, and a call again',
    stream: streamOf(
      [
        [
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'signature_delta', signature: 'EqQB' },
          { type: 'signature_delta', signature: '+/==' },
        ],
        [
          { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: {} },
          { type: 'input_json_delta', partial_json: '{"path":"ü' },
          { type: 'input_json_delta', partial_json: '🌍"}' },
        ],
        [
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: '' },
          { type: 'thinking_delta', thinking: '日本\r\n' },
          { type: 'signature_delta', signature: 's2' },
        ],
        [
          { type: 'text', text: 'And ' },
          { type: 'text_delta', text: '' },
          { type: 'text_delta', text: 'this.' },
        ],
        [{ type: 'tool_use', id: 'toolu_b', name: 'read_file', input: { path: 'b' } }],
      ],
      'tool_use',
    ),
    body: bodyOf(
      [
        { type: 'thinking', thinking: '', signature: 'EqQB+/==' },
        { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: { path: 'ü🌍' } },
        { type: 'thinking', thinking: '日本\r\n', signature: 's2' },
        { type: 'text', text: 'And this.' },
        { type: 'tool_use', id: 'toolu_b', name: 'read_file', input: { path: 'b' } },
      ],
      'tool_use',
    ),
  },
  {
    name: 'tools of the server, citations, and a pause',
    stream: streamOf(
      [
        [
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          { type: 'input_json_delta', partial_json: '' },
          { type: 'input_json_delta', partial_json: '{"query":"\\u00fc\\ud83c' },
          { type: 'input_json_delta', partial_json: '\\udf0d"}' },
        ],
        [
          {
            type: 'web_search_tool_result',
            tool_use_id: 'srvtoolu_1',
            content: [{ type: 'web_search_result', url: 'https://a.example' }],
          },
        ],
        [
          { type: 'text', text: '', citations: [] },
          { type: 'citations_delta', citation: { type: 'web_search_result_location', cited_text: 'x' } },
          { type: 'text_delta', text: 'It is x.' },
        ],
      ],
      'pause_turn',
    ),
    body: bodyOf(
      [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'ü🌍' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [{ type: 'web_search_result', url: 'https://a.example' }],
        },
        { type: 'text', text: 'It is x.', citations: [{ type: 'web_search_result_location', cited_text: 'x' }] },
      ],
      'pause_turn',
    ),
  },
  {
    name: 'as a gateway writes it: nulls, no space, no event names, the same index, usage at the end only',
    stream: gatewayStream(),
    body: bodyOf(
      [
        { type: 'text', text: 'Both.' },
        { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: { path: 'a' } },
        { type: 'tool_use', id: 'toolu_b', name: 'read_file', input: { path: 'b' } },
      ],
      'tool_use',
    ),
  },
  {
    name: 'a refusal in the middle of a text',
    stream: streamOf(
      [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'I can' },
        ],
      ],
      'refusal',
    ),
    body: bodyOf([{ type: 'text', text: 'I can' }], 'refusal'),
  },
  {
    name: 'an answer that the output limit cut while it thought',
    stream: streamOf(
      [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'First' },
        ],
        [
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'and the' },
        ],
      ],
      'max_tokens',
    ),
    body: bodyOf(
      [
        { type: 'text', text: 'First' },
        { type: 'thinking', thinking: 'and the', signature: '' },
      ],
      'max_tokens',
    ),
  },
];

/** Answers that come to nothing, and the kind of fault that each ends in. */
export const failures: readonly { readonly name: string; readonly stream: string; readonly kind: string }[] = [
  {
    name: 'overloaded after some text and half of a call',
    stream: sse([
      messageStart,
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'I 日' }),
      ...block(
        1,
        { type: 'tool_use', id: 'a', name: 'bash', input: {} },
        { type: 'input_json_delta', partial_json: '{"comm' },
      ).slice(0, 2),
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ] as { type: string }[]),
    kind: 'overloaded',
  },
  {
    name: 'an error without a type of event, before anything else',
    stream: 'data: {"error":{"type":"invalid_request_error","message":"No."}}\n\n',
    kind: 'bad_request',
  },
  {
    name: 'an error whose words stand beside its type',
    stream: sse([messageStart, { type: 'error', message: 'upstream has gone' }] as { type: string }[]),
    kind: 'overloaded',
  },
  {
    name: 'an end without a reason, a call open',
    stream: sse([
      messageStart,
      ...block(
        0,
        { type: 'tool_use', id: 'a', name: 'bash', input: {} },
        { type: 'input_json_delta', partial_json: '{"comm' },
      ).slice(0, 2),
      { type: 'message_stop' },
    ] as { type: string }[]),
    kind: 'transport',
  },
];

/** Each of these forms was seen of proxies that translate from another protocol. */
function gatewayStream(): string {
  const none = { text: null, partial_json: null, thinking: null, signature: null };
  const blocks = [
    ...block(0, { type: 'text', text: '' }, { ...none, type: 'text_delta', text: 'Both.' }),
    ...['a', 'b'].flatMap((path) =>
      block(
        0,
        { type: 'tool_use', id: `toolu_${path}`, name: 'read_file', input: {} },
        { ...none, type: 'input_json_delta', partial_json: JSON.stringify({ path }) },
      ),
    ),
  ];
  const usage = { ...messageStart.message.usage, output_tokens: 40 };
  const events: readonly object[] = [
    { type: 'message_start', message: { ...messageStart.message, usage: { input_tokens: 0, output_tokens: 0 } } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => `data:${JSON.stringify(event)}\n\n`).join(': keep-alive\n\n');
}
