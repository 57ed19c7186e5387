// What differs between servers: addresses, keys, limits, what goes back to whom; each over a fetch that records what it was asked.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../../src/engine/engine.ts';
import type { ProviderOptions } from '../../../src/provider/connection.ts';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import type { ModelRequest } from '../../../src/schema/model-call.ts';
import { createRegistry } from '../../../src/tools/registry.ts';
import { type ByteServer, json, type Reply, startByteServer } from '../byte-server.ts';
import { collect, contextOf, hello, requestOf, result, user } from '../calling.ts';
import { bodyOf, streamOf } from './recordings.ts';
import { serverRecordings } from './server-recordings.ts';

const key = 'sk-0123456789abcdef';
const ok = json(bodyOf({ content: 'ok' }, 'stop'));
const okStream: Reply = { chunks: [streamOf([{ content: 'ok' }], 'stop')] };

interface Asked {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a server at `baseUrl` is asked, without a network. */
async function askedAt(baseUrl: string, options: ProviderOptions = {}, request: ModelRequest = hello): Promise<Asked> {
  const asked: Asked[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push({ url: String(input), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) });
    return Response.json(bodyOf({ content: 'ok' }, 'stop'));
  };
  await createOpenAIProvider('m', { apiKey: key, env: {}, baseUrl, fetch, ...options }).generate(request, contextOf());
  const [first] = asked;
  if (first === undefined) throw new Error('nothing was asked');
  return first;
}

function providerAt(server: ByteServer, options: ProviderOptions = {}) {
  return createOpenAIProvider('m', { apiKey: key, env: {}, baseUrl: server.url, ...options });
}

describe('the address', () => {
  test.each([
    ['https://r.openai.azure.com', 'https://r.openai.azure.com/openai/v1/chat/completions'],
    ['https://r.openai.azure.com/', 'https://r.openai.azure.com/openai/v1/chat/completions'],
    ['https://r.openai.azure.com/openai', 'https://r.openai.azure.com/openai/v1/chat/completions'],
    ['https://r.openai.azure.com/openai/v1/', 'https://r.openai.azure.com/openai/v1/chat/completions'],
    ['https://r.services.ai.azure.com/openai/v1', 'https://r.services.ai.azure.com/openai/v1/chat/completions'],
    [
      'https://r.cognitiveservices.azure.com?api-version=preview',
      'https://r.cognitiveservices.azure.com/openai/v1/chat/completions?api-version=preview',
    ],
    [
      'https://r.openai.azure.com/openai/deployments/gpt',
      'https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    ],
    [
      'https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2025-01-01-preview',
      'https://r.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2025-01-01-preview',
    ],
    [
      'https://gateway.example/x/openai/deployments/gpt',
      'https://gateway.example/x/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    ],
  ])('%s is Azure’s: %s, with the key in its own header', async (baseUrl, url) => {
    const asked = await askedAt(baseUrl);
    expect([asked.url, asked.headers.get('api-key'), asked.headers.get('authorization')]).toEqual([url, key, null]);
  });

  test.each([
    ['https://api.openai.com', 'https://api.openai.com/v1/chat/completions'],
    ['https://eu.api.openai.com/v1', 'https://eu.api.openai.com/v1/chat/completions'],
    ['https://openrouter.ai', 'https://openrouter.ai/api/v1/chat/completions'],
    ['https://openrouter.ai/api/v1', 'https://openrouter.ai/api/v1/chat/completions'],
    ['https://api.deepseek.com', 'https://api.deepseek.com/chat/completions'],
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1/chat/completions'],
    ['http://localhost:11434/v1/', 'http://localhost:11434/v1/chat/completions'],
    ['http://localhost:8080', 'http://localhost:8080/chat/completions'],
    ['https://api.moonshot.ai/v1', 'https://api.moonshot.ai/v1/chat/completions'],
    [
      'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
      'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions',
    ],
    [
      'https://generativelanguage.googleapis.com/v1beta/openai/',
      'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions',
    ],
    ['https://openai.azure.com.evil.example/v1', 'https://openai.azure.com.evil.example/v1/chat/completions'],
    ['https://api.openai.com.evil.example/', 'https://api.openai.com.evil.example/chat/completions'],
  ])('%s is asked at %s, with a bearer', async (baseUrl, url) => {
    const asked = await askedAt(baseUrl);
    expect([asked.url, asked.headers.get('authorization'), asked.headers.get('api-key')]).toEqual([url, `Bearer ${key}`, null]);
  });

  test('a key in the query reaches the request and no text', async () => {
    const body = { error: { message: 'no: the code is hidden-code-123 and q=/chat/completions?code=hidden-code-123&x=1' } };
    await using server = await startByteServer([json(body, 400)]);
    const provider = createOpenAIProvider('m', { apiKey: key, env: {}, baseUrl: `${server.url}/v1?code=hidden-code-123&x=1` });
    const error: unknown = await provider.generate(hello, contextOf()).catch((reason: unknown) => reason);
    expect(server.requests[0]?.path).toBe('/v1/chat/completions?code=hidden-code-123&x=1');
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('hidden-code');
  });
});

describe('the output limit and the schema', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
  const format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };

  test.each([
    ['https://api.openai.com/v1', 'max_completion_tokens', true],
    ['https://r.openai.azure.com', 'max_completion_tokens', true],
    ['https://openrouter.ai/api/v1', 'max_tokens', true],
    ['https://api.deepseek.com', 'max_tokens', false],
    ['http://127.0.0.1:11434/v1', 'max_tokens', false],
  ])('%s gets %s; beside tools a schema: %s', async (baseUrl, name, isBeside) => {
    const options = { maxOutputTokens: 77 };
    const beside = await askedAt(baseUrl, options, { ...hello, outputSchema: schema });
    expect(beside.body[name]).toBe(77);
    expect(beside.body.response_format).toEqual(isBeside ? format : undefined);
    const last = await askedAt(baseUrl, options, { ...hello, outputSchema: schema, toolChoice: 'none' });
    expect(last.body.response_format).toEqual(format);
    const without = await askedAt(baseUrl, options, { ...hello, outputSchema: schema, tools: [] });
    expect(without.body.response_format).toEqual(format);
  });

  const strictOf = async (outputSchema: ModelRequest['outputSchema'] & object) => {
    const { body } = await askedAt('https://api.openai.com/v1', {}, { ...hello, outputSchema });
    return body.response_format === undefined ? 'not sent' : Object(body.response_format).json_schema.strict;
  };

  test.each<[string, Readonly<Record<string, unknown>>, unknown]>([
    ['closed, all needed', schema, true],
    ['open', { type: 'object', properties: { a: {} }, required: ['a'] }, undefined],
    ['a field that may be missing', { ...schema, required: [] }, undefined],
    ['a word that strict does not know', { ...schema, properties: { a: { type: 'string', minLength: 1 } } }, undefined],
    ['open below', { ...schema, properties: { a: { type: 'object', properties: {} } } }, undefined],
    [
      'closed below, by reference and in a list',
      { ...schema, properties: { a: { type: 'array', items: { $ref: '#/$defs/x' } } }, $defs: { x: schema } },
      true,
    ],
    ['a choice below', { ...schema, properties: { a: { anyOf: [{ type: 'string' }, schema] } } }, true],
    ['an open choice below', { ...schema, properties: { a: { anyOf: [{ type: 'object' }] } } }, undefined],
    ['a list', { type: 'array', items: schema }, 'not sent'],
    ['anything', {}, 'not sent'],
  ])('a schema that is %s', async (_name, outputSchema, strict) => {
    expect(await strictOf(outputSchema)).toBe(strict);
  });

  test('a refused response_format is left out from then on', async () => {
    const refusal = { error: { message: 'This response_format type is unavailable now', type: 'invalid_request_error' } };
    await using server = await startByteServer([json(refusal, 400), ok]);
    const provider = providerAt(server);
    const request: ModelRequest = { ...hello, outputSchema: schema, toolChoice: 'none' };
    await provider.generate(request, contextOf());
    await provider.generate(request, contextOf());
    expect(server.requests.map(({ text }) => text.includes('response_format'))).toEqual([true, false, false]);
  });
});

describe('reasoning_effort', () => {
  test.each(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const)(
    '%s is sent as it is; unset it is not sent',
    async (effort) => {
      const asked = await askedAt('https://api.openai.com/v1', { reasoningEffort: effort });
      expect(asked.body.reasoning_effort).toBe(effort);
      expect('reasoning_effort' in (await askedAt('https://api.openai.com/v1')).body).toBe(false);
    },
  );

  test('a refusal of a model that has thinking in its name is no refusal of the effort', async () => {
    await using server = await startByteServer([
      json({ error: { message: 'The model kimi-k2-thinking takes no tools' } }, 400),
      ok,
    ]);
    const provider = providerAt(server, { reasoningEffort: 'high' });
    await expect(provider.generate(hello, contextOf())).rejects.toMatchObject({ fault: { kind: 'bad_request' } });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [
      "Unsupported value: 'reasoning_effort' does not support 'max' with this model. Supported values are: 'low', 'medium', and 'high'.",
      'high',
    ],
    ["Input should be 'low' or 'medium' for reasoning_effort", 'medium'],
    ["litellm.UnsupportedParamsError: openai does not support parameters: ['reasoning_effort'], for model=m.", undefined],
    ['"m" does not support thinking', undefined],
  ])('refused with "%s" it is %s from then on', async (message, effort) => {
    await using server = await startByteServer([json({ error: { message } }, 400), okStream]);
    const provider = providerAt(server, { reasoningEffort: 'max' });
    await collect(provider);
    await collect(provider);
    expect(server.requests.map(({ body }) => Object(body).reasoning_effort)).toEqual(['max', effort, effort]);
  });
});

describe('a server that only streams', () => {
  test.each([
    {
      error: {
        message: 'This model only support stream mode, please enable the stream parameter to access the model. ',
        type: 'invalid_request_error',
      },
    },
    {
      error: {
        message: 'parameter.enable_thinking must be set to false for non-streaming calls',
        code: 'invalid_parameter_error',
      },
    },
    { error: { message: 'parameter.enable_thinking必须设置为false才能进行非流式调用', param: null } },
    { error: { message: 'enable thinking can not be support when `stream=False`.', code: 'invalid_parameter_error' } },
    { detail: 'Stream must be set to true' },
  ])('is asked for streams from then on: %j', async (refusal) => {
    await using server = await startByteServer([json(refusal, 400), okStream]);
    const provider = providerAt(server);
    for (let call = 0; call < 2; call += 1) {
      const { message } = await provider.generate(hello, contextOf());
      expect(message.content).toEqual([{ type: 'text', text: 'ok' }]);
    }
    expect(server.requests.map(({ body }) => Object(body).stream)).toEqual([undefined, true, true]);
  });

  test('is not one that refuses something else', async () => {
    await using server = await startByteServer([
      json({ error: { message: 'stream: extra inputs are not permitted' } }, 400),
      okStream,
    ]);
    await expect(providerAt(server).generate(hello, contextOf())).rejects.toMatchObject({ fault: { kind: 'bad_request' } });
    expect(server.requests).toHaveLength(1);
  });
});

describe('what only one server understands', () => {
  const withOpaque = ['OpenRouter', 'Gemini', 'DeepSeek', 'vLLM'].map((name) => {
    const recording = serverRecordings.find((one) => one.name.startsWith(name));
    if (recording === undefined) throw new Error(name);
    return [name, recording] as const;
  });

  test.each(withOpaque)(
    '%s gets back what it sent, byte for byte, whole and streamed; nobody else does',
    async (_name, recording) => {
      const sent = Object(recording.body).choices[0].message;
      const fields = ['reasoning_content', 'reasoning', 'reasoning_details'].filter((field) => sent[field]);
      const signatures: unknown[] = (sent.tool_calls ?? []).map((call: { extra_content?: unknown }) => call.extra_content);
      await using server = await startByteServer([json(recording.body), ok, { chunks: [recording.stream] }, ok]);
      await using stranger = await startByteServer([ok]);
      const provider = providerAt(server);
      const whole = (await provider.generate(hello, contextOf())).message;
      const ids = (whole.toolCalls ?? []).map(({ id }) => id);
      const next = requestOf([user('Go'), whole, ...ids.map((id) => result(id, 'x')), user('On')]);
      await provider.generate(next, contextOf());
      const last = (await collect(provider)).at(-1);
      if (last?.type !== 'done') throw new Error(String(last?.type));
      await provider.generate({ ...next, messages: next.messages.with(1, last.message) }, contextOf());
      await providerAt(stranger).generate(next, contextOf());
      const answers = [server.requests[1], server.requests[3]].map((request) => Object(request?.body).messages[1]);
      for (const answer of answers) {
        expect(fields.map((field) => JSON.stringify(answer[field]))).toEqual(fields.map((field) => JSON.stringify(sent[field])));
        expect((answer.tool_calls ?? []).map((call: { extra_content?: unknown }) => call.extra_content)).toEqual(signatures);
      }
      expect(stranger.requests[0]?.text).not.toMatch(/reasoning|extra_content|signature/);
    },
  );

  test('DeepSeek’s older models refuse what they sent: it stays away from then on', async () => {
    const refusal = {
      error: { message: 'The reasoning_content field is not allowed in the input messages', type: 'invalid_request_error' },
    };
    const thought = json(bodyOf({ content: 'a', reasoning_content: 'r' }, 'stop'));
    await using server = await startByteServer([thought, json(refusal, 400), ok]);
    const provider = providerAt(server);
    const { message } = await provider.generate(hello, contextOf());
    const next = requestOf([user('Go'), message, user('On')]);
    await provider.generate(next, contextOf());
    await provider.generate(next, contextOf());
    expect(server.requests.map(({ text }) => text.includes('reasoning_content'))).toEqual([false, true, false, false]);
  });

  test('OpenRouter’s price is money, everybody else’s is a number', async () => {
    expect(await costAt('https://openrouter.ai/api/v1', { cost: 0.25 })).toBe(0.25);
    expect(await costAt('https://llm.example/v1', { cost: 0.25 })).toBeUndefined();
  });

  test.each([
    ['a breakdown of the same', { cost: 0.25, is_byok: false, cost_details: { upstream_inference_cost: 0.25 } }, 0.25],
    ['what the user’s own key is billed', { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0.5 } }, 0.5],
    ['that, and a fee', { cost: 0.25, is_byok: true, cost_details: { upstream_inference_cost: 0.5 } }, 0.75],
    ['left out, so nobody knows', { cost: 0, is_byok: true }, undefined],
  ])('what the maker of an OpenRouter model takes is %s', async (_what, usage, expected) => {
    expect(await costAt('https://openrouter.ai/api/v1', usage)).toBe(expected);
  });

  async function costAt(baseUrl: string, said: object): Promise<number | undefined> {
    const usage = { prompt_tokens: 1, completion_tokens: 1, ...said };
    const fetch = async () => Response.json({ ...Object(bodyOf({ content: 'ok' }, 'stop')), usage });
    const provider = createOpenAIProvider('m', { apiKey: key, env: {}, baseUrl, fetch });
    return (await provider.generate(hello, contextOf())).usage?.costUsd;
  }
});

test.each([
  ['{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}', 'context_overflow'],
  [{ error: { message: 'Invalid schema for function' } }, 'bad_request'],
])('what the server behind OpenRouter said is read and shown: %j', async (raw, kind) => {
  const error = { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'Anthropic' } };
  for (const status of [400, 200]) {
    await using server = await startByteServer([json({ error }, status)]);
    await expect(providerAt(server).generate(hello, contextOf())).rejects.toMatchObject({
      fault: { kind, retryable: false, message: expect.stringMatching(/Provider returned error.*(?:too long|Invalid schema)/) },
    });
  }
});

describe('names and ids of calls that a server would refuse', () => {
  const long = `toolu_${'x'.repeat(80)}`;

  test('but for the ids that it gave itself: gateways put signatures into them', async () => {
    const id = `call_1__thought__${'QUJD'.repeat(40)}==`;
    const calls = [{ id, type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }];
    await using server = await startByteServer([json(bodyOf({ content: null, tool_calls: calls }, 'tool_calls')), ok]);
    const provider = providerAt(server);
    const { message } = await provider.generate(hello, contextOf());
    await provider.generate(requestOf([user('Go'), message, result(id, 'x')]), contextOf());
    expect(Object(server.requests[1]?.body).messages.slice(1)).toMatchObject([{ tool_calls: calls }, { tool_call_id: id }]);
  });

  test('are sent in a form that every server takes, the same for call and result', async () => {
    const calls = [
      { id: long, name: 'functions.read file!', arguments: '{}' },
      { id: 'ü', name: 'é'.repeat(3), arguments: '{}' },
      { id: 'read_file:0', name: 'x'.repeat(90), arguments: '{}' },
    ];
    const messages = [
      user('Go'),
      { role: 'assistant' as const, content: [], toolCalls: calls },
      ...calls.map(({ id }) => result(id, 'x')),
    ];
    const { body } = await askedAt('https://api.openai.com/v1', {}, requestOf(messages));
    const [, assistant, ...results] = Object(body).messages;
    const sent = assistant.tool_calls.map((call: { id: string; function: { name: string } }) => [call.id, call.function.name]);
    expect(results.map((message: { tool_call_id: string }) => message.tool_call_id)).toEqual(sent.map(([id]: string[]) => id));
    expect(sent.map(([, name]: string[]) => name)).toEqual(['functions_read_file_', '_', 'x'.repeat(64)]);
    expect(sent[2][0]).toBe('read_file:0');
    for (const [id] of sent) expect(id).toMatch(/^[\w:-]{1,40}$/);
    expect(new Set(sent.map(([id]: string[]) => id)).size).toBe(3);
  });
});

describe('a prompt that a content filter stops', () => {
  const azure = {
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: {
      code: 'ResponsibleAIPolicyViolation',
      content_filter_result: { jailbreak: { filtered: true, detected: true } },
    },
  };
  const dashscope = {
    code: 'data_inspection_failed',
    param: null,
    message: 'Input data may contain inappropriate content.',
    type: 'data_inspection_failed',
  };

  test.each([
    [400, azure],
    [400, dashscope],
    [200, azure],
  ])('(status %i) ends the run with what the server says, asked for once', async (status, error) => {
    await using server = await startByteServer([json({ error }, status)]);
    const end = await createEngine(providerAt(server), createRegistry(), '/w').run('go');
    expect(end).toMatchObject({
      stopReason: 'error',
      error: {
        code: 'PROVIDER_CONTENT_FILTER',
        message: expect.stringContaining(error.message),
        hint: expect.stringContaining('other words'),
      },
    });
    expect(server.requests).toHaveLength(1);
  });
});
