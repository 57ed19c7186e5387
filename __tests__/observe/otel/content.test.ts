// What of a run's words leaves with the traces: nothing, unless it is asked for; then redacted, cut, and in the form of the conventions.
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { CallContext, ModelRequest } from '../../../src/engine/ports.ts';
import { createContent } from '../../../src/observe/otel/content.ts';
import { type Message, textPart } from '../../../src/schema/message.ts';
import { ProviderError } from '../../../src/schema/stream.ts';
import { MemorySession, registryOf } from '../../engine/ports.ts';
import { modes } from '../../engine/scene.ts';
import { call, calls, ScriptedModel, says, user } from '../../engine/scripted-model.ts';
import { spansNamed, startReceiver } from './receiver.ts';
import { playTraced, startTracing, tracedModel } from './traced.ts';

/** One word for each place that words can be in. */
const canaries = [
  'prompt',
  'system',
  'history',
  'answer',
  'thinking',
  'arguments',
  'file_name',
  'argument_name',
  'result',
  'tool_error',
  'tool_throws',
  'throws_code',
  'throws_name',
  'no_such_tool',
  'call_id',
  'description',
  'provider_message',
  'provider_hint',
  'provider_cause',
  'abort_reason',
].map((place) => `canary_${place}_e1f7`);
const canary = (place: string): string => canaries.find((word) => word === `canary_${place}_e1f7`) ?? '';

const noTools = { toolChoice: 'auto', tools: [], tailStart: 0 } as const;

describe.each(modes)('content of a %s that was not asked for', (mode) => {
  test('C13 is nowhere in what is sent: no prompt, answer, argument, result, file name or message of an error', async () => {
    await using receiver = await startReceiver();
    const { tracing, log } = await startTracing(receiver.url);
    const registry = registryOf({
      look: { run: () => canary('result') },
      fail: {
        run: () => {
          throw Object.assign(new Error(canary('tool_throws')), { code: canary('throws_code'), name: canary('throws_name') });
        },
      },
    });
    const described = {
      ...registry,
      getAvailableTools: () => registry.getAvailableTools().map((tool) => ({ ...tool, description: canary('description') })),
    };
    const model = new ScriptedModel([
      {
        answer: {
          ...calls(
            call('c1', 'look', { [canary('argument_name')]: canary('arguments'), path: `src/${canary('file_name')}.ts` }),
            call('c2', 'fail', canary('arguments')),
            call(`c3 ${canary('call_id')}`, 'look'),
            call(`functions.${canary('no_such_tool')}:0`, canary('no_such_tool')),
          ),
          content: [
            textPart(canary('answer')),
            { type: 'opaque', kind: 'thinking', origin: { provider: 'x', endpoint: 'y', model: 'z' }, value: canary('thinking') },
          ],
        },
      },
      {
        fault: { kind: 'auth', message: canary('provider_message'), hint: canary('provider_hint'), retryable: false },
        afterText: canary('answer'),
      },
    ]);
    await playTraced(
      mode,
      {
        tracing,
        model,
        registry: described,
        options: {
          session: new MemorySession([user(canary('history')), says(canary('history'))]),
          promptBuilder: { build: () => canary('system') },
        },
      },
      canary('prompt'),
    );
    await tracing.shutdown();
    const sent = receiver.raw.join('\n');
    expect(canaries.filter((word) => sent.includes(word))).toEqual([]);
    // That all of it was traced is seen by what is there in its place.
    expect(receiver.spans.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['chat gpt-x', undefined],
      ['execute_tool fail', '_OTHER'],
      ['execute_tool look', undefined],
      ['execute_tool look', undefined],
      ['execute_tool unknown', 'tool_error'],
      ['turn', undefined],
      ['chat gpt-x', 'PROVIDER_AUTH'],
      ['turn', undefined],
      ['invoke_agent harness9', 'PROVIDER_AUTH'],
    ]);
    expect(receiver.spans.flatMap(({ events, links }) => [...events, ...links])).toEqual([]);
    expect(receiver.spans.filter(({ status }) => status.message !== undefined)).toEqual([]);
    expect(log).toEqual([]);
  });

  test('nor is the reason of an abort, or the cause of a failure', async () => {
    await using receiver = await startReceiver();
    const { tracing } = await startTracing(receiver.url);
    const cancel = new AbortController();
    const reason = new Error(canary('abort_reason'), { cause: canary('provider_cause') });
    const model = new ScriptedModel([{ hang: true, onCall: () => cancel.abort(reason) }]);
    await playTraced(mode, { tracing, model, registry: registryOf({}) }, 'go', cancel.signal);
    const fault = { kind: 'transport', message: canary('provider_message'), retryable: false } as const;
    const failing = tracing.traceProvider(
      {
        generate: async () => {
          throw new ProviderError(fault, new Error(canary('provider_cause')));
        },
        generateStream: () => new ScriptedModel([{ fault }]).generateStream({ ...noTools, messages: [] }, callContext),
      },
      tracedModel,
    );
    await expect(failing.generate({ ...noTools, messages: [] }, callContext)).rejects.toThrow(canary('provider_message'));
    await tracing.shutdown();
    const sent = receiver.raw.join('\n');
    expect(receiver.spans).toHaveLength(4);
    expect(canaries.filter((word) => sent.includes(word))).toEqual([]);
  });
});

const callContext: CallContext = { signal: new AbortController().signal, run: {} };

const partSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), content: z.string() }),
  z.strictObject({
    type: z.literal('tool_call'),
    id: z.string(),
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ type: z.literal('tool_call_response'), id: z.string(), response: z.array(z.unknown()) }),
  // Kinds of our own, which the conventions allow.
  z.strictObject({ type: z.literal('image'), mime_type: z.string(), bytes: z.number() }),
  z.strictObject({ type: z.literal('opaque'), kind: z.string() }),
]);
const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant', 'tool']),
  parts: z.array(partSchema),
  finish_reason: z.string().optional(),
});
const messagesOf = (json: unknown) => z.array(messageSchema).parse(JSON.parse(String(json)));

describe.each(modes)('content of a %s that was asked for', (mode) => {
  test('is in the form of the conventions, redacted everywhere', async () => {
    await using receiver = await startReceiver();
    const redact = (text: string): string => text.replaceAll('s3cret', '***');
    const { tracing, log } = await startTracing(receiver.url, { captureContent: true, redact });
    const registry = registryOf({ look: { run: () => 'found s3cret' } });
    const model = new ScriptedModel([
      {
        answer: {
          ...calls(call('c1 s3cret', 'look', { path: 's3cret.ts', s3cret: 1 })),
          content: [textPart('I look for s3cret')],
        },
      },
      { answer: says('It is s3cret.') },
    ]);
    const options = { promptBuilder: { build: () => 'never say s3cret' } };
    await playTraced(mode, { tracing, model, registry, options }, 'find s3cret');
    await tracing.shutdown();
    const [, second] = spansNamed(receiver.spans, 'chat gpt-x');
    const called = { type: 'tool_call', id: 'c1 ***', name: 'look', arguments: { path: '***.ts', '***': 1 } };
    const found = { type: 'text', content: 'found ***' };
    const asked = { role: 'user', parts: [{ type: 'text', content: 'find ***' }] };
    expect(JSON.parse(String(second?.attributes['gen_ai.system_instructions']))).toEqual([
      { type: 'text', content: 'never say ***' },
    ]);
    expect(messagesOf(second?.attributes['gen_ai.input.messages'])).toEqual([
      asked,
      { role: 'assistant', parts: [{ type: 'text', content: 'I look for ***' }, called] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1 ***', response: [found] }] },
    ]);
    expect(messagesOf(second?.attributes['gen_ai.output.messages'])).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'It is ***.' }], finish_reason: 'stop' },
    ]);
    const [tool] = spansNamed(receiver.spans, 'execute_tool look');
    expect(JSON.parse(String(tool?.attributes['gen_ai.tool.call.arguments']))).toEqual(called.arguments);
    expect(JSON.parse(String(tool?.attributes['gen_ai.tool.call.result']))).toEqual({ parts: [found] });
    const [agent] = spansNamed(receiver.spans, 'invoke_agent harness9');
    expect(messagesOf(agent?.attributes['gen_ai.input.messages'])).toEqual([asked]);
    expect(receiver.raw.join('\n')).not.toContain('s3cret');
    expect(log).toEqual([]);
  });

  test('that cannot be redacted stays here; the run and the rest of its spans are as ever', async () => {
    await using receiver = await startReceiver();
    const redact = (): string => {
      throw new Error('no rules');
    };
    const { tracing, log } = await startTracing(receiver.url, { captureContent: true, redact });
    const model = new ScriptedModel([{ answer: calls(call('c1', 'look')) }, { answer: says('done') }]);
    const registry = registryOf({ look: { run: () => 'x' } });
    const result = await playTraced(mode, { tracing, model, registry });
    await tracing.shutdown();
    expect(result.finalMessage).toBe('done');
    expect(
      receiver.spans.map(({ name, attributes }) => [
        name,
        Object.keys(attributes).filter((key) => /messages|call\.(a|r)/.test(key)),
      ]),
    ).toEqual([
      ['chat gpt-x', []],
      ['execute_tool look', []],
      ['turn', []],
      ['chat gpt-x', []],
      ['turn', []],
      ['invoke_agent harness9', []],
    ]);
    expect(log).toEqual(['[otel] warning=trace_content_left_out error=no rules']);
  });
});

describe('the size of content', () => {
  const content = createContent((text) => text);
  const chat = (messages: readonly Message[], answer?: Message) =>
    content.ofChat({ ...noTools, messages } satisfies ModelRequest, answer);
  const maxBytes = 32 * 1024;

  test.each([
    ['one long text', [user('x'.repeat(1_000_000))]],
    ['one long text of wide characters', [user('漢😀'.repeat(100_000))]],
    ['one long text that JSON makes longer', [user('\u0001"\\'.repeat(100_000))]],
    ['many messages', Array.from({ length: 20_000 }, (_, index) => user(`message ${index}`))],
    ['many empty messages', Array.from({ length: 20_000 }, () => user(''))],
    ['one message of many parts', [{ role: 'user' as const, content: Array.from({ length: 20_000 }, () => textPart('x')) }]],
    [
      'calls of long arguments',
      [calls(...Array.from({ length: 50 }, (_, index) => call(`c${index}`, 'look', { path: 'y'.repeat(9000) })))],
    ],
  ])('of %s is at most 32 KB of whole JSON', (_name, messages) => {
    const json = String(chat(messages)['gen_ai.input.messages']);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(maxBytes);
    // Half a character would come back as something else.
    expect(Buffer.from(json).toString()).toBe(json);
    expect(json.isWellFormed()).toBe(true);
    messagesOf(json);
  });

  test('the newest messages are the ones that are kept, in their order', () => {
    const messages = Array.from({ length: 500 }, (_, index) => user(`${index} ${'z'.repeat(200)}`));
    const kept = messagesOf(chat(messages)['gen_ai.input.messages']).map(({ parts }) => parts[0]);
    const numbers = kept.map((part) => Number(part?.type === 'text' ? part.content.split(' ')[0] : -1));
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => 500 - numbers.length + index));
    expect(numbers.length).toBeGreaterThan(50);
  });

  test('a secret is taken out before the text is cut, not cut in two', () => {
    const secret = 'k'.repeat(40);
    const careful = createContent((text) => text.replaceAll(secret, '***'));
    // A text is cut at one of these, by what else there is.
    for (const end of [maxBytes, maxBytes / 4]) {
      for (let before = end - 60; before < end; before += 7) {
        const { 'gen_ai.input.messages': json } = careful.ofPrompt(`${'a'.repeat(before)}${secret}${'b'.repeat(50_000)}`);
        expect(String(json)).not.toContain('kk');
      }
    }
  });

  test('pictures and vendors’ own blocks are told of, not sent', () => {
    const origin = { provider: 'openai', endpoint: 'e', model: 'm' };
    const message: Message = {
      role: 'user',
      content: [
        { type: 'image', mediaType: 'image/png', data: Buffer.from('12345').toString('base64') },
        { type: 'opaque', origin, kind: 'thinking', value: 'secret thoughts' },
      ],
    };
    expect(messagesOf(chat([message])['gen_ai.input.messages'])).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'image', mime_type: 'image/png', bytes: 5 },
          { type: 'opaque', kind: 'thinking' },
        ],
      },
    ]);
  });

  test('arguments that are no object are told as text', () => {
    const of = (args: string) =>
      JSON.parse(String(content.ofCall(call('c', 'look', args), undefined)['gen_ai.tool.call.arguments']));
    expect([of('{"a":1}'), of('[1]'), of('{"a":'), of('')]).toEqual([{ a: 1 }, { text: '[1]' }, { text: '{"a":' }, { text: '' }]);
  });
});
