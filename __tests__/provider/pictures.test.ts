// Pictures that a server refuses must not cost the conversation; over real HTTP.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import type { LLMProvider } from '../../src/provider/port.ts';
import { textOf } from '../../src/schema/message.ts';
import type { RunResult } from '../../src/schema/run.ts';
import { json, type Reply, startByteServer } from './byte-server.ts';
import { assistant, contextOf, requestOf, result, system, user } from './calling.ts';

const picture = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
const seen = requestOf([
  system('Be brief.'),
  user('Look.'),
  assistant('', ['a', 'read_file', '{}']),
  { ...result('a', ''), content: [{ type: 'text', text: 'see' }, picture] },
]);
const leftOut = 'a picture; left out: refused by the model’s server';

const vendors = {
  openai: {
    create: (baseUrl: string): LLMProvider => createOpenAIProvider('m', { apiKey: 'k', env: {}, baseUrl }),
    refuse: (message: string, status: number): Reply => json({ error: { message, type: 'invalid_request_error' } }, status),
    ok: json({ choices: [{ message: { role: 'assistant', content: 'Fine.' }, finish_reason: 'stop' }] }),
  },
  anthropic: {
    create: (baseUrl: string): LLMProvider => createAnthropicProvider('m', 4096, { apiKey: 'k', env: {}, baseUrl }),
    refuse: (message: string, status: number): Reply => {
      const type = status === 413 ? 'request_too_large' : 'invalid_request_error';
      return json({ type: 'error', error: { type, message } }, status);
    },
    ok: json({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Fine.' }],
      stop_reason: 'end_turn',
      usage: {},
    }),
  },
} as const;

const refusals = [
  [
    400,
    'messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
  ],
  [400, 'Could not process image'],
  [400, 'Failed to deserialize the JSON body: messages[3]: unknown variant `image_url`, expected `text`'],
  [404, 'No endpoints found that support image input'],
  [422, 'This model is not multimodal'],
  [413, 'Request exceeds the maximum size'],
] as const;

describe.each(['openai', 'anthropic'] as const)('%s', (vendor) => {
  const { create, refuse, ok } = vendors[vendor];

  test.each(refusals)('a refusal (%i %s) is answered without pictures, and so is what follows', async (status, message) => {
    await using server = await startByteServer([refuse(message, status), ok]);
    const provider = create(server.url);
    for (let call = 0; call < 2; call += 1) {
      expect(textOf((await provider.generate(seen, contextOf())).message.content)).toBe('Fine.');
    }
    const texts = server.requests.map(({ text }) => text);
    expect(texts.map((text) => text.includes('AAAA'))).toEqual([true, false, false]);
    expect(texts.map((text) => text.includes(leftOut))).toEqual([false, true, true]);
  });

  test('a request that is refused without them, too, is told with that; pictures are shown again', async () => {
    await using server = await startByteServer([refuse('No image of the model m', 400), refuse('No, really', 400), ok]);
    const provider = create(server.url);
    await expect(provider.generate(seen, contextOf())).rejects.toThrow(/No, really/);
    await provider.generate(seen, contextOf());
    expect(server.requests.map(({ text }) => text.includes('AAAA'))).toEqual([true, false, true]);
  });

  test.each([
    ['that says nothing of pictures', seen, refuse('Unknown field', 400)],
    ['of the key', seen, refuse('No image for you', 401)],
    ['of a request without pictures', requestOf([user('Hi')]), refuse('No image', 400)],
  ])('a refusal %s is none of them', async (_name, request, reply) => {
    await using server = await startByteServer([reply, ok]);
    await expect(create(server.url).generate(request, contextOf())).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(['openai', 'anthropic'] as const)('%s, a run', (vendor) => {
  const { create, refuse, ok } = vendors[vendor];
  const registry = { getAvailableTools: () => [], execute: async () => ({ toolCallId: '', output: [], isError: true }) };
  const prompt = [{ type: 'text', text: 'like this:' } as const, picture];

  test.each(['run', 'runStream'] as const)('says once that its model was shown no pictures, by %s', async (verb) => {
    const length = json(
      vendor === 'openai'
        ? { choices: [{ message: { role: 'assistant', content: 'Half' }, finish_reason: 'length' }] }
        : { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Half' }], stop_reason: 'max_tokens', usage: {} },
    );
    await using server = await startByteServer([refuse('This model sees no image', 400), length, ok]);
    const engine = createEngine(create(server.url), registry, '/w');
    const results: RunResult[] = [];
    if (verb === 'run') results.push(await engine.run(prompt));
    else for await (const event of engine.runStream(prompt)) if (event.type === 'done') results.push(event.data);
    expect(results.map(({ finalMessage, notes }) => [finalMessage, notes])).toEqual([
      [expect.stringContaining('Fine.'), ['Pictures were left out of what m was shown: refused by the model’s server.']],
    ]);
    expect(server.requests).toHaveLength(3);
  });
});
