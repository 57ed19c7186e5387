// Servers that speak Messages and know less of it than the vendor: what they refuse is left out from then on, and nothing else.
import { describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.ts';
import { json, type RecordedRequest, type Reply, startByteServer } from '../byte-server.ts';
import { answerIn, assistant, contextOf, hello, requestOf, result, system, user } from '../calling.ts';
import { bodyOf, sse, streamOf } from './recordings.ts';

/** As much of a body as is looked at. */
interface Body {
  readonly stream?: boolean;
  readonly max_tokens: number;
  readonly thinking?: { readonly budget_tokens: number };
  readonly tool_choice?: object;
  readonly output_config?: { readonly effort?: string; readonly format?: object };
  readonly system: readonly Marked[];
  readonly tools: readonly Marked[];
}

interface Marked {
  readonly cache_control?: object;
}

const options = { apiKey: 'sk-ant-test', env: {}, reasoningEffort: 'high', maxOutputTokens: 8192 } as const;
const whole = json(bodyOf([{ type: 'text', text: 'ok' }], 'end_turn'));
const streamed: Reply = { chunks: [streamOf([[{ type: 'text', text: 'ok' }]], 'end_turn')] };

function refusal(message: string, status = 400): Reply {
  return json({ type: 'error', error: { type: 'invalid_request_error', message } }, status);
}

/** Refuses as long as `refuses` says why. */
function picky(refuses: (body: Body) => Reply | undefined) {
  return (request: RecordedRequest): Reply => {
    const body = Object(request.body);
    return refuses(body) ?? (body.stream === true ? streamed : whole);
  };
}

const marksIn = (value: unknown): boolean => JSON.stringify(value).includes('cache_control');
const schema = { type: 'object', properties: { cache_control: { type: 'string' } } };
const question = {
  ...requestOf([
    system('S'),
    user('Go'),
    assistant('I look.', ['a', 'read_file', '{"cache_control":"x"}']),
    result('a', 'x'),
    assistant('It is x.'),
    user('And?'),
  ]),
  toolChoice: 'none',
  outputSchema: schema,
} as const;

interface Case {
  readonly name: string;
  readonly model: string;
  readonly refuses: (body: Body) => Reply | undefined;
  /** The fields that are gone then. */
  readonly gone: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'Bedrock behind a gateway: output_config is an extra input',
    model: 'claude-opus-4-7',
    refuses: ({ output_config: output }) =>
      output === undefined ? undefined : refusal('output_config: Extra inputs are not permitted'),
    gone: ['output_config.format', 'output_config.effort'],
  },
  {
    name: 'an older model: no adaptive thinking, then no effort',
    model: 'claude-opus-5',
    refuses: ({ thinking, output_config: output }) => {
      if (thinking !== undefined) return refusal('adaptive thinking is not supported on this model');
      return output?.effort === undefined ? undefined : refusal('This model does not support the effort parameter.');
    },
    gone: ['thinking', 'output_config.effort'],
  },
  {
    name: 'a newer model behind a name that says nothing: no budget',
    model: 'the-model',
    refuses: ({ thinking }) =>
      thinking === undefined
        ? undefined
        : refusal(
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort".',
          ),
    gone: ['thinking'],
  },
  {
    name: 'a schema that the model’s structured outputs do not take',
    model: 'claude-opus-4-7',
    refuses: ({ output_config: output }) =>
      output?.format === undefined
        ? undefined
        : refusal("output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"),
    gone: ['output_config.format'],
  },
  {
    name: 'a proxy that validates with pydantic: no cache marks',
    model: 'glm-5',
    refuses: (body) =>
      body.system[0]?.cache_control === undefined ? undefined : refusal('system.0.cache_control: Extra inputs are not permitted'),
    gone: ['system.0.cache_control'],
  },
  {
    name: 'a FastAPI server: 422 with a place',
    model: 'kimi-k2',
    refuses: (body) =>
      body.tools[0]?.cache_control === undefined
        ? undefined
        : json(
            {
              detail: [
                { type: 'extra_forbidden', loc: ['body', 'tools', 0, 'cache_control'], msg: 'Extra inputs are not permitted' },
              ],
            },
            422,
          ),
    gone: ['tools.0.cache_control'],
  },
  {
    name: 'a model that knows no tool_choice "none"',
    model: 'deepseek-chat',
    refuses: ({ tool_choice: choice }) =>
      choice === undefined ? undefined : refusal("tool_choice: Input tag 'none' does not match"),
    gone: ['tool_choice'],
  },
];

const fields = [
  'thinking',
  'tool_choice',
  'output_config.effort',
  'output_config.format',
  'system.0.cache_control',
  'tools.0.cache_control',
];

function fieldsIn(body: unknown): readonly string[] {
  return fields.filter((field) => field.split('.').reduce<unknown>((value, name) => Object(value)[name], body) !== undefined);
}

describe.each(['blocking', 'streaming'] as const)('%s', (mode) => {
  test.each(cases)('$name', async ({ model, refuses, gone }) => {
    await using server = await startByteServer([picky(refuses)]);
    const provider = createAnthropicProvider(model, 8192, { ...options, baseUrl: server.url });
    expect(await answerIn(mode, provider, question)).toMatchObject({ message: { content: [{ text: 'ok' }] } });
    const asked = server.requests.length;
    expect(asked).toBe(1 + gone.length);
    await answerIn(mode, provider, question);
    expect(server.requests).toHaveLength(asked + 1);
    const left = fieldsIn(server.requests[0]?.body).filter(
      (field) =>
        !gone.some(
          (name) => field === name || field.startsWith(`${name}.`) || (/cache_control/.test(field) && /cache_control/.test(name)),
        ),
    );
    for (const request of server.requests.slice(asked - 1)) expect(fieldsIn(request.body)).toEqual(left);
  });

  test('what is called cache_control and is no mark stays', async () => {
    await using server = await startByteServer([
      picky((body) => (marksIn(body.system) ? refusal('cache_control is not supported') : undefined)),
    ]);
    const tool = { name: 'mark', description: 'Marks.', inputSchema: schema, place: 'main', effect: 'read' } as const;
    const provider = createAnthropicProvider('m', 8192, { ...options, baseUrl: server.url });
    await answerIn(mode, provider, { ...question, tools: [tool] });
    const [first, second] = server.requests.map(({ text }) => text);
    expect(second).toBe(first?.replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
    expect(second).toContain('{"cache_control":{"type":"string"}}');
    expect(second).toContain('"input":{"cache_control":"x"}');
  });

  test('an output limit above the model’s own is lowered to it, and the budget under it', async () => {
    const limit = 4096;
    const refuses = (body: Body) => {
      if (body.max_tokens > limit)
        return refusal(
          `max_tokens: ${body.max_tokens} > ${limit}, which is the maximum allowed number of output tokens for claude-sonnet-4-20250514`,
        );
      return (body.thinking?.budget_tokens ?? 0) >= body.max_tokens
        ? refusal('`max_tokens` must be greater than `thinking.budget_tokens`')
        : undefined;
    };
    await using server = await startByteServer([picky(refuses)]);
    const provider = createAnthropicProvider('claude-sonnet-4-20250514', 4096, {
      ...options,
      maxOutputTokens: 20_000,
      baseUrl: server.url,
    });
    await answerIn(mode, provider);
    await answerIn(mode, provider);
    expect(server.requests.map(({ body }) => [Object(body).max_tokens, Object(body).thinking.budget_tokens])).toEqual([
      [20_000, 10_000],
      [4096, 2048],
      [4096, 2048],
    ]);
  });

  test('a second refusal of the same is an error, and so is one of what was not sent', async () => {
    await using server = await startByteServer([refusal('thinking: no')]);
    const provider = createAnthropicProvider('claude-opus-5', 8192, { ...options, baseUrl: server.url });
    expect(await answerIn(mode, provider)).toMatchObject({ type: 'error', error: { kind: 'bad_request', retryable: false } });
    expect(server.requests).toHaveLength(2);
    await answerIn(mode, provider);
    expect(server.requests).toHaveLength(3);
  });
});

test('a schema goes to the vendor’s own API with every request, to other servers where no call can be made', async () => {
  const bodies: { readonly output_config?: object }[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    return new Response(String(whole.chunks[0]), { headers: { 'content-type': 'application/json' } });
  };
  const { reasoningEffort: _effort, ...plain } = options;
  for (const baseUrl of ['https://api.anthropic.com', 'https://api.anthropic.com/v1/', 'https://gateway.example']) {
    const provider = createAnthropicProvider('m', 8192, { ...plain, fetch, baseUrl });
    for (const toolChoice of ['auto', 'none'] as const)
      await provider.generate({ ...hello, toolChoice, outputSchema: schema }, contextOf());
  }
  const format = { output_config: { format: { type: 'json_schema', schema } } };
  expect(bodies.map(({ output_config }) => ({ output_config }))).toEqual([
    format,
    format,
    format,
    format,
    { output_config: undefined },
    format,
  ]);
});

test.each([
  [
    'message_stop is missing',
    streamOf([[{ type: 'text', text: 'ok' }]], 'end_turn').replace(sse([{ type: 'message_stop' }]), ''),
  ],
  ['[DONE] ends it', `${streamOf([[{ type: 'text', text: 'ok' }]], 'end_turn')}data: [DONE]\n\n`],
  [
    'pings come between all events',
    streamOf([[{ type: 'text', text: 'ok' }]], 'end_turn').replaceAll(
      '\n\n',
      '\n\nevent: ping\ndata: {"type":"ping"}\n\n: ping\n\n',
    ),
  ],
])('a stream is whole where %s', async (_, stream) => {
  await using server = await startByteServer([{ chunks: [stream] }]);
  const provider = createAnthropicProvider('m', 8192, { ...options, baseUrl: server.url });
  expect(await answerIn('streaming', provider)).toMatchObject({
    type: 'done',
    message: { content: [{ text: 'ok' }], finishReason: 'stop' },
  });
});
