// The specification's rows on what every provider says to the engine: chunks, calls, and one conversion for both ways of asking.
import { describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import type { LLMProvider } from '../../src/provider/port.ts';
import type { Message, Part, Usage } from '../../src/schema/message.ts';
import type { StreamChunk } from '../../src/schema/stream.ts';
import * as anthropic from './anthropic/recordings.ts';
import { json, type Reply, startByteServer } from './byte-server.ts';
import { collect, contextOf, growingHistory, readFile, requestOf, usageOf } from './calling.ts';
import * as openai from './openai/recordings.ts';

interface Vendor {
  readonly name: string;
  readonly create: (baseUrl: string) => LLMProvider;
  /** An answer that thinks and then calls: as a stream, as a body, and what both come to. */
  readonly recording: { readonly stream: string; readonly body: unknown };
  readonly thinking: readonly string[];
  readonly text: readonly string[];
  readonly content: readonly Omit<Extract<Part, { type: 'opaque' }>, 'origin'>[];
  readonly calls: Message['toolCalls'];
  readonly usage: Usage;
  readonly failure: unknown;
  /** Where a tool on the wire has its schema. */
  readonly schemaOf: (tool: unknown) => unknown;
}

const vendors: readonly Vendor[] = [
  {
    name: 'openai',
    create: (baseUrl) => createOpenAIProvider('m', { apiKey: 'k', env: {}, baseUrl }),
    recording: openai.recordings[2] ?? { stream: '', body: undefined },
    thinking: ['I should ', 'look.'],
    text: [],
    content: [{ type: 'opaque', kind: 'reasoning_content', value: 'I should look.' }],
    calls: [{ id: 'a', name: 'read_file', arguments: '{"path":"a"}' }],
    usage: usageOf({ inputTokens: 120, outputTokens: 30, cacheReadTokens: 64, reasoningTokens: 8 }),
    failure: { error: { message: 'No.' } },
    schemaOf: (tool) => Object(tool).function.parameters,
  },
  {
    name: 'anthropic',
    create: (baseUrl) => createAnthropicProvider('m', 4096, { apiKey: 'k', env: {}, baseUrl }),
    recording: anthropic.recordings[1] ?? { stream: '', body: undefined },
    thinking: ['I should ', 'look. '],
    text: ['Reading.'],
    content: [
      { type: 'opaque', kind: 'thinking', value: { type: 'thinking', thinking: 'I should look. ', signature: 's1==' } },
      { type: 'opaque', kind: 'redacted_thinking', value: { type: 'redacted_thinking', data: 'd1' } },
    ],
    calls: [
      { id: 'toolu_a', name: 'read_file', arguments: '{"path":"ü"}' },
      { id: 'toolu_b', name: 'todo_read', arguments: '{}' },
    ],
    usage: usageOf({ inputTokens: 100, outputTokens: 40, cacheReadTokens: 50, cacheWriteTokens: 30 }),
    failure: { type: 'error', error: { type: 'invalid_request_error', message: 'No.' } },
    schemaOf: (tool) => Object(tool).input_schema,
  },
];

function messageOf({ name, content, text, calls, usage }: Vendor, endpoint: string): unknown {
  const origin = { provider: name, endpoint, model: 'm' };
  return {
    role: 'assistant',
    content: [...content.map((part) => ({ ...part, origin })), ...text.map((said) => ({ type: 'text', text: said }))],
    toolCalls: calls,
    finishReason: 'tool_calls',
    origin,
    usage,
  };
}

async function chunksOf({ create }: Vendor, reply: Reply): Promise<{ chunks: readonly StreamChunk[]; url: string }> {
  await using server = await startByteServer([reply]);
  return { chunks: await collect(create(server.url)), url: server.url };
}

describe.each(vendors)('$name', (vendor) => {
  test('[spec 5.1 Generate] [spec 3.1 assistant] [spec 3.2 Message.ToolCalls] [spec 3.2 ToolCall.ID] [spec 3.2 ToolCall.Name] an answer is a whole message with its calls, and the usage', async () => {
    await using server = await startByteServer([json(vendor.recording.body)]);
    const answer = await vendor.create(server.url).generate(requestOf([]), contextOf());
    expect(answer).toEqual({ message: messageOf(vendor, server.url), usage: vendor.usage });
  });

  test.each([
    ['absent', undefined],
    ['null', null],
    ['empty', {}],
    ['full of blanks', { prompt_tokens: null, completion_tokens: null, input_tokens: null, output_tokens: null }],
  ])('[spec 5.1 Generate] usage that counts nothing is none, in either mode, %s', async (_name, usage) => {
    const { body, stream } = vendor.recording;
    await using server = await startByteServer([json({ ...Object(body), usage }), { chunks: [countedAs(stream, usage)] }]);
    const { usage: _counted, ...message } = Object(messageOf(vendor, server.url));
    const provider = vendor.create(server.url);
    expect(await provider.generate(requestOf([]), contextOf())).toEqual({ message, usage: undefined });
    expect((await collect(provider)).at(-1)).toEqual({ type: 'done', message, usage: undefined });
  });

  test('[spec 5.1 GenerateStream] [spec 3.3 StreamChunk.Type] [spec 3.3 StreamChunk.Delta] [spec 3.3 StreamChunk.Message] [spec 3.3 StreamChunk.Usage] [spec 3.3 chunk text_delta] [spec 3.3 chunk thinking_delta] [spec 3.3 chunk done] [spec 3.3 toolCallAccumulator] a stream is thinking and text as they come, then one done with message, calls and usage', async () => {
    const { chunks, url } = await chunksOf(vendor, { chunks: [vendor.recording.stream] });
    expect(chunks).toEqual([
      ...vendor.thinking.map((delta) => ({ type: 'thinking_delta', delta })),
      ...vendor.text.map((delta) => ({ type: 'text_delta', delta })),
      { type: 'done', message: messageOf(vendor, url), usage: vendor.usage },
    ]);
  });

  test('[spec 3.3 StreamChunk.Error] [spec 3.3 chunk error] a failure is the one chunk error, which says what and whether again', async () => {
    const { chunks } = await chunksOf(vendor, json(vendor.failure, 400));
    expect(chunks).toEqual([
      {
        type: 'error',
        error: {
          kind: 'bad_request',
          status: 400,
          retryable: false,
          message: expect.stringContaining('No.'),
          said: expect.stringContaining('No.'),
          hint: expect.stringContaining('settings'),
        },
      },
    ]);
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    [
      'with fields and what is required',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
    ],
    ['with no fields', { type: 'object', properties: {} }],
    ['with nothing but its type', { type: 'object' }],
    [
      'with definitions, alternatives and nesting',
      {
        type: 'object',
        properties: {
          tree: { $ref: '#/$defs/tree' },
          mode: { enum: ['a', null, 1] },
          where: {
            anyOf: [
              { type: 'string', minLength: 1 },
              { type: 'array', items: { type: ['string', 'null'] }, maxItems: 3 },
            ],
          },
          __type: { type: 'object', patternProperties: { '^x-': {} }, additionalProperties: { type: 'number', default: 0 } },
        },
        required: ['tree'],
        oneOf: [{ required: ['mode'] }, { required: ['where'] }],
        $defs: { tree: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/tree' } } } } },
        description: '写 "it" down',
      },
    ],
  ])('[spec 3.2 ToolDefinition.InputSchema] a schema is the same on the wire, in either mode, %s', async (_name, inputSchema) => {
    await using server = await startByteServer([json(vendor.recording.body), { chunks: [vendor.recording.stream] }]);
    const provider = vendor.create(server.url);
    const request = requestOf([], { tools: [{ ...readFile, inputSchema }] });
    await provider.generate(request, contextOf());
    await collect(provider, request);
    expect(server.requests.map(({ body }) => vendor.schemaOf(Object(body).tools[0]))).toEqual([inputSchema, inputSchema]);
  });

  test('[spec 5.2 shared conversion] both ways of asking send the same messages and tools', async () => {
    await using server = await startByteServer([json(vendor.recording.body), { chunks: [vendor.recording.stream] }]);
    const provider = vendor.create(server.url);
    const request = requestOf(growingHistory()[2]?.messages ?? []);
    await provider.generate(request, contextOf());
    await collect(provider, request);
    const [blocking, streaming] = server.requests.map(({ body }) => Object(body));
    const { stream, stream_options: _options, ...rest } = streaming;
    expect([stream, rest]).toEqual([true, blocking]);
    expect(blocking.messages.length).toBeGreaterThan(2);
  });
});

/** The stream with this as the usage of each event that has one, wherever it stands in it. */
function countedAs(stream: string, usage: unknown): string {
  const replace = (key: string, value: unknown): unknown => (key === 'usage' ? usage : value);
  return stream.replaceAll(/^data: (\{.*)$/gm, (_line, event: string) => `data: ${JSON.stringify(JSON.parse(event), replace)}`);
}
