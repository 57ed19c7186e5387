// What servers send that is not as documented, and the failures: each becomes the right answer or the right fault.
import { describe, expect, test } from '@jest/globals';
import { createOpenAIProvider } from '../../../src/provider/openai/openai-provider.ts';
import { json, type Reply, startByteServer } from '../byte-server.ts';
import { answerIn, collect } from '../calling.ts';
import { bodyOf, streamOf } from './recordings.ts';

const key = 'sk-secret-key-1234';

async function answerOf(reply: Reply, mode: 'blocking' | 'streaming', path = '/v1') {
  await using server = await startByteServer([reply]);
  const provider = createOpenAIProvider('m', { apiKey: key, env: {}, baseUrl: `${server.url}${path}` });
  return await answerIn(mode, provider);
}

/** An address where nobody listens any more. */
async function closedServer() {
  await using server = await startByteServer([]);
  return { url: server.url };
}

describe('calls', () => {
  const call = { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"x"}' } };

  test.each(['stop', 'other', null, 'function_call'])('are kept when the reason says %s (G2-11)', async (reason) => {
    const message = { role: 'assistant', content: 'let me look', tool_calls: [call] };
    expect(await answerOf(json(bodyOf(message, reason)), 'blocking')).toMatchObject({
      message: { toolCalls: [{ id: 'a' }], finishReason: 'tool_calls', content: [{ text: 'let me look' }] },
    });
  });

  test('and their finish may share a chunk with text (G2-13)', async () => {
    const chunk = { choices: [{ delta: { content: 'ok', tool_calls: [{ index: 0, ...call }] }, finish_reason: 'tool_calls' }] };
    expect(await answerOf({ chunks: [`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`] }, 'streaming')).toMatchObject({
      message: { content: [{ text: 'ok' }], toolCalls: [{ id: 'a', name: 'read_file', arguments: '{"path":"x"}' }] },
    });
  });

  test('that were announced and never came leave the reason as it was, for the engine to see (G2-14)', async () => {
    expect(await answerOf(json(bodyOf({ content: null, tool_calls: [] }, 'tool_calls')), 'blocking')).toMatchObject({
      message: { content: [], finishReason: 'tool_calls' },
    });
  });

  test('that were cut by the limit say so and keep their text (G2-31)', async () => {
    const cut = { index: 0, id: 'a', function: { name: 'write_file', arguments: '{"path":"README.md","content":"# Ti' } };
    expect(await answerOf({ chunks: [streamOf([{ tool_calls: [cut] }], 'length')] }, 'streaming')).toMatchObject({
      message: { finishReason: 'length', toolCalls: [{ arguments: '{"path":"README.md","content":"# Ti' }] },
    });
  });
});

describe.each(['blocking', 'streaming'] as const)('%s', (mode) => {
  test.each([
    [429, 'rate_limit', true],
    [502, 'overloaded', true],
    [401, 'auth', false],
    [402, 'quota', false],
    [400, 'bad_request', false],
  ])('an error object with code %i inside a 200 is %s (G2-10)', async (code, kind, retryable) => {
    const error = { message: `Provider returned error for ${key}`, code, metadata: { raw: '…' } };
    expect(await answerOf(json({ error }), mode)).toMatchObject({ type: 'error', error: { kind, retryable, status: code } });
  });

  test('an answer without choices is malformed and tried again (G2-10)', async () => {
    expect(await answerOf(json({ id: 'x', choices: [] }), mode)).toMatchObject({ error: { kind: 'malformed', retryable: true } });
  });

  test.each([
    [401, { error: { message: `Incorrect API key provided: ${key}`, code: 'invalid_api_key' } }, 'auth', false],
    [404, { error: { message: 'The model m does not exist', code: 'model_not_found' } }, 'not_found', false],
    [429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }, 'quota', false],
    [429, { error: { message: 'Too many tokens, please wait before trying again.' } }, 'rate_limit', true],
    [400, { error: { message: 'too long', code: 'context_length_exceeded' } }, 'context_overflow', false],
    [400, { error: { message: 'maximum context length is 8192 tokens' } }, 'context_overflow', false],
    [500, { error: { message: 'oops' } }, 'overloaded', true],
    [422, { detail: 'wrong' }, 'bad_request', false],
  ])('status %i with %j is %s (G2-20, G2-22)', async (status, body, kind, retryable) => {
    const last = await answerOf(json(body, status), mode);
    expect(last).toMatchObject({ type: 'error', error: { kind, retryable, status } });
    expect(JSON.stringify(last)).not.toContain(key);
  });

  test.each([
    [200, 'malformed', false],
    [404, 'malformed', false],
    [502, 'overloaded', true],
  ])('an HTML page with status %i names the base URL (G2-37)', async (status, kind, retryable) => {
    const page = { status, type: 'text/html', chunks: ['<!DOCTYPE html><html><body>nginx</body></html>'] };
    const last = await answerOf(page, mode, '/v1?token=hidden-in-query');
    expect(last).toMatchObject({
      error: {
        kind,
        retryable,
        status,
        message: expect.stringContaining(`endpoint returned HTML (status ${status}) - check base URL`),
      },
    });
    expect(JSON.stringify(last)).not.toContain('hidden-in-query');
  });

  test('a redirect is not followed: the key goes nowhere else (I2)', async () => {
    await using elsewhere = await startByteServer([json({})]);
    const last = await answerOf({ status: 307, headers: { location: `${elsewhere.url}/v1/chat/completions` }, chunks: [] }, mode);
    expect(last).toMatchObject({ error: { kind: 'transport', retryable: false, hint: expect.stringContaining('base_url') } });
    expect(elsewhere.requests).toEqual([]);
  });

  test('a server that is not there is a transport fault that may be tried again', async () => {
    const { url } = await closedServer();
    const provider = createOpenAIProvider('m', { apiKey: key, env: {}, baseUrl: url });
    expect((await collect(provider)).at(-1)).toMatchObject({ error: { kind: 'transport', retryable: true } });
  });
});

test('an error object after some text ends the stream with its fault (G2-10)', async () => {
  const chunks = [
    'data: {"choices":[{"delta":{"content":"so"}}]}\n\n',
    'data: {"error":{"message":"upstream died","code":502}}\n\n',
  ];
  await using server = await startByteServer([{ chunks }]);
  const all = await collect(createOpenAIProvider('m', { apiKey: key, env: {}, baseUrl: server.url }));
  expect(all).toEqual([
    { type: 'text_delta', delta: 'so' },
    { type: 'error', error: expect.objectContaining({ kind: 'overloaded', status: 502, retryable: true }) },
  ]);
  expect(all.at(-1)).toMatchObject({ error: { message: expect.stringContaining('upstream died') } });
});

test('Retry-After comes as milliseconds, whichever form it has (G2-29)', async () => {
  const waits = ['2', '1.5', '0x10', '-1', 'Thu, 01 Jan 1970 00:00:00 GMT'].map(async (value) => {
    const last = await answerOf({ ...json({ error: { message: 'slow' } }, 429), headers: { 'retry-after': value } }, 'streaming');
    return last !== undefined && 'error' in last ? (last.error as { retryAfterMs?: number }).retryAfterMs : 'none';
  });
  expect(await Promise.all(waits)).toEqual([2000, 1500, undefined, undefined, 0]);
});

test('a server that does not stream is read all the same', async () => {
  expect(await answerOf(json(bodyOf({ content: 'plain' }, 'stop')), 'streaming')).toMatchObject({
    type: 'done',
    message: { content: [{ type: 'text', text: 'plain' }], finishReason: 'stop' },
  });
});
