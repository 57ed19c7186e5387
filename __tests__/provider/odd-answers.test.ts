// Answers that are in another form than their head says, or come to another end, from servers of both vendors' kind.
import { describe, expect, test } from '@jest/globals';
import { createAnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../../src/provider/openai/openai-provider.ts';
import * as anthropic from './anthropic/recordings.ts';
import { json, type Reply, startByteServer } from './byte-server.ts';
import { answerIn, hello } from './calling.ts';
import * as openai from './openai/recordings.ts';

const text = [{ type: 'text', text: 'ok' }] as const;

const vendors = [
  {
    vendor: 'OpenAI',
    create: createOpenAIProvider,
    whole: JSON.stringify(openai.bodyOf({ content: 'ok' }, 'stop')),
    stream: openai.streamOf([{ content: 'ok' }], 'stop'),
    end: /data: \[DONE\]\n\n$/,
    half: openai.sse([openai.chunk({ content: 'o' })]).replace('data: [DONE]\n\n', ''),
  },
  {
    vendor: 'Anthropic',
    create: (model: string, options: object) => createAnthropicProvider(model, 4096, options),
    whole: JSON.stringify(anthropic.bodyOf(text, 'end_turn')),
    stream: anthropic.streamOf([text], 'end_turn'),
    end: /event: message_stop\ndata: .*\n\n$/,
    half: anthropic.sse([anthropic.messageStart]),
  },
] as const;

const modes = ['blocking', 'streaming'] as const;
const cases = vendors.flatMap((one) => modes.map((mode) => ({ ...one, mode })));
const done = { message: { content: text, finishReason: 'stop' } };

type Case = (typeof cases)[number];

async function answerTo(reply: Reply, { create, mode }: Case) {
  await using server = await startByteServer([reply]);
  // Waited for in full where the server hangs, and never where it does not.
  const idleTimeoutMs = 'end' in reply && reply.end === 'hang' ? 500 : 10_000;
  const provider = create('m', { apiKey: 'sk-test', env: {}, baseUrl: server.url, idleTimeoutMs });
  return await answerIn(mode, provider, hello);
}

describe.each(cases)('$vendor, $mode', (given) => {
  const { whole, stream, end, half } = given;

  test.each(['text/event-stream', 'application/json', 'application/x-ndjson', 'text/plain', 'text/html', ''])(
    'what an answer is, is seen by its first character; its type is "%s"',
    async (type) => {
      for (const body of [whole, ` \n${whole}`, stream, `\uFEFF${stream}`, `\n: wait\r\n\r\n${stream}`, `retry: 5\n\n${stream}`])
        expect([
          body,
          await answerTo({ type, chunks: [...Buffer.from(body)].map((byte) => Buffer.of(byte)) }, given),
        ]).toMatchObject([body, done]);
    },
  );

  test.each(['text/event-stream', 'application/json', 'text/html'])('a page is told as one under the type %s', async (type) => {
    const page = { type, chunks: ['<!doctype html><title>Sign in</title>'] };
    expect(await answerTo(page, given)).toMatchObject({
      type: 'error',
      error: { kind: 'malformed', retryable: false, message: expect.stringContaining('returned HTML') },
    });
  });

  test.each(['close', 'reset', 'hang'] as const)(
    'a whole answer without its last event counts, come what may: %s (G2-25)',
    async (how) => {
      const chunks = [stream.replace(end, '')];
      expect(await answerTo({ chunks, end: how }, given)).toMatchObject(done);
    },
  );

  test.each(['close', 'reset', 'hang'] as const)('half an answer does not: %s (G2-24)', async (how) => {
    const kind = how === 'hang' ? 'timeout' : 'transport';
    expect(await answerTo({ chunks: [half], end: how }, given)).toMatchObject({ type: 'error', error: { kind } });
  });

  test('what is no answer and has words is the error that it says, wherever it stands (G2-10)', async () => {
    const words = { message: 'This model’s maximum context length is 100 tokens.', type: 'BadRequestError', code: 400 };
    const event = `event: error\ndata: ${JSON.stringify(words)}\n\n`;
    for (const reply of [json(words), { chunks: [event] }, { chunks: [half, event] }])
      expect(await answerTo(reply, given)).toMatchObject({ type: 'error', error: { kind: 'context_overflow', status: 400 } });
  });

  test('words among the events of an answer do it no harm', async () => {
    expect(await answerTo({ chunks: [`data: {"message":"You are number 3."}\n\n${stream}`] }, given)).toMatchObject(done);
  });

  test('a refusal whose words break off is the one that its status says', async () => {
    const reply: Reply = { status: 401, type: 'application/json', chunks: ['{"error":'], end: 'reset' };
    expect(await answerTo(reply, given)).toMatchObject({ type: 'error', error: { kind: 'auth', status: 401, retryable: false } });
  });

  test('what an error object says behind a whole answer counts', async () => {
    const late = `data: {"error":{"type":"timeout_error","message":"Upstream timed out."}}\n\n`;
    expect(await answerTo({ chunks: [stream.replace(end, late)] }, given)).toMatchObject({
      type: 'error',
      error: { kind: 'timeout' },
    });
  });
});

test('an error that stands in the choice is the error (OpenRouter)', async () => {
  const choice = { index: 0, finish_reason: 'error', error: { code: 402, message: 'Insufficient credits.' } };
  for (const given of cases.filter(({ vendor }) => vendor === 'OpenAI'))
    for (const reply of [
      json({ choices: [{ ...choice, message: { content: 'ok' } }] }),
      { chunks: [openai.sse([openai.chunk({ content: 'o' }), { choices: [{ ...choice, delta: {} }] }])] },
    ])
      expect(await answerTo(reply, given)).toMatchObject({ type: 'error', error: { kind: 'quota', status: 402 } });
});

test('what a Messages answer can be read without may have any form', async () => {
  const odd = { usage: { input_tokens: '9', output_tokens: 3, output_tokens_details: [] }, stop_details: 'none' };
  const events = [
    { type: 'message_start', message: { ...odd, content: [] } },
    { type: 'content_block_start', index: 0, content_block: text[0] },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_details: 'none' }, usage: 'none' },
    { type: 'message_stop' },
  ];
  for (const given of cases.filter(({ vendor }) => vendor === 'Anthropic'))
    for (const reply of [json({ content: text, stop_reason: 'end_turn', ...odd }), { chunks: [anthropic.sse(events)] }])
      expect(await answerTo(reply, given)).toMatchObject({ ...done, usage: { outputTokens: 3 } });
});

test('a call that a Messages stream begins twice is one, and its input the one that came', async () => {
  const start = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'a', name: 'read_file', input: {} },
  };
  const piece = (partial_json: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json },
  });
  const whole = '{"path":"x"}';
  const ending = [{ type: 'content_block_stop', index: 0 }, ...anthropic.ending('tool_use')];
  for (const events of [
    [start, start, piece(whole)],
    [start, piece('{}'), piece(whole)],
    [start, piece(whole), piece(whole)],
  ])
    for (const given of cases.filter(({ vendor }) => vendor === 'Anthropic'))
      expect(await answerTo({ chunks: [anthropic.sse([anthropic.messageStart, ...events, ...ending])] }, given)).toMatchObject({
        message: { toolCalls: [{ id: 'a', name: 'read_file', arguments: whole }] },
      });
});
