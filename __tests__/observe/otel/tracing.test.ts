// What a receiver sees of a run: which span lies in which, how long each lasts, what it counts, how it ended.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { CallContext } from '../../../src/engine/ports.ts';
import { createSummarizationCompactor } from '../../../src/memory/compaction/summarization.ts';
import type { Tracing } from '../../../src/observe/otel/create-tracing.ts';
import { addUsage, type Message, noUsage, type Usage } from '../../../src/schema/message.ts';
import { echo, MemorySession, registryOf } from '../../engine/ports.ts';
import { modes } from '../../engine/scene.ts';
import { call, calls, ScriptedModel, type Step, says } from '../../engine/scripted-model.ts';
import { goodSummary } from '../../memory/compaction/summary-model.ts';
import { misplaced, type ReceivedSpan, type Receiver, spansNamed, startReceiver, treeOf } from './receiver.ts';
import { playTraced, startTracing, tracedModel } from './traced.ts';

let receiver: Receiver | undefined;
afterEach(async () => await receiver?.[Symbol.asyncDispose]());

async function start(): Promise<{ readonly receiver: Receiver; readonly tracing: Tracing; readonly log: string[] }> {
  receiver = await startReceiver();
  return { receiver, ...(await startTracing(receiver.url)) };
}

const usage = (base: number): Usage => ({
  inputTokens: base,
  outputTokens: base + 1,
  cacheReadTokens: base + 2,
  cacheWriteTokens: base + 3,
  reasoningTokens: base + 4,
});

const answered = (message: Message, spent: Usage): Step => ({
  answer: { ...message, origin: { provider: 'openai', endpoint: 'https://api.example.com/v1', model: 'gpt-x-2026' } },
  usage: spent,
});

const patience = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));
const counted = (spans: readonly ReceivedSpan[], name: string): number =>
  spans.reduce((sum, { attributes }) => sum + Number(attributes[name] ?? 0), 0);

describe.each(modes)('a traced %s', (mode) => {
  test('[spec 5.5 WithEngineObserver] [spec 6.1 OnInteractionStart] [spec 6.1 OnInteractionEnd] [spec 6.1 OnTurnStart] [spec 6.1 OnTurnEnd] has its turns within, and in these the calls of model and tools, each with its time within that of its parent', async () => {
    const { receiver: there, tracing, log } = await start();
    const model = new ScriptedModel([
      answered(calls(call('c1', 'look'), call('c2', 'look')), usage(100)),
      answered(calls(call('c3', 'bash')), usage(200)),
      answered(says('done'), usage(300)),
    ]);
    const registry = registryOf({ look: echo, bash: { effect: 'execute', run: () => 'ok' } });
    const result = await playTraced(mode, { tracing, model, registry, options: { session: new MemorySession() } });
    await tracing.shutdown();
    expect(result.stopReason).toBe('completed');
    expect(treeOf(there.spans)).toEqual([
      {
        'invoke_agent harness9': [
          { turn: [{ 'chat gpt-x': [] }, { 'execute_tool look': [] }, { 'execute_tool look': [] }] },
          { turn: [{ 'chat gpt-x': [] }, { 'execute_tool bash': [] }] },
          { turn: [{ 'chat gpt-x': [] }] },
        ],
      },
    ]);
    expect(misplaced(there.spans)).toEqual([]);
    expect(new Set(there.spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spansNamed(there.spans, 'turn').map(({ attributes }) => attributes)).toEqual([
      { 'harness9.turn': 1, 'harness9.tool_calls': 2 },
      { 'harness9.turn': 2, 'harness9.tool_calls': 1 },
      { 'harness9.turn': 3, 'harness9.tool_calls': 0 },
    ]);
    expect(there.requests.map(({ path }) => path)).toEqual(['/v1/traces']);
    expect(there.resources).toEqual([
      expect.objectContaining({ 'service.name': 'harness9', 'service.version': '0.0.1', 'telemetry.sdk.name': 'opentelemetry' }),
    ]);
    expect(log).toEqual([]);
  });

  test('tells of each call of the model what the conventions name, with tokens that add up to the usage of the run', async () => {
    const { receiver: there, tracing } = await start();
    const model = new ScriptedModel([answered(calls(call('c1', 'look')), usage(100)), answered(says('done'), usage(1000))]);
    const session = new MemorySession();
    const result = await playTraced(mode, { tracing, model, registry: registryOf({ look: echo }), options: { session } });
    await tracing.shutdown();
    const [first, second] = spansNamed(there.spans, 'chat gpt-x');
    const streamed = {
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    };
    expect(second?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-x',
      'gen_ai.conversation.id': session.id,
      'gen_ai.response.model': 'gpt-x-2026',
      'gen_ai.response.finish_reasons': ['stop'],
      'server.address': 'api.example.com',
      'server.port': 443,
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 1001,
      'gen_ai.usage.cache_read.input_tokens': 1002,
      'gen_ai.usage.cache_write.input_tokens': 1003,
      'gen_ai.usage.cache_creation.input_tokens': 1003,
      'gen_ai.usage.reasoning.output_tokens': 1004,
      ...(mode === 'run' ? {} : streamed),
    });
    expect(first?.attributes['gen_ai.response.finish_reasons']).toEqual(['tool_calls']);
    // 3: the client's side of a call.
    expect(first?.kind).toBe(3);
    expect(result.usage).toEqual(addUsage(addUsage(noUsage, usage(100)), usage(1000)));
    expect(counted(there.spans, 'gen_ai.usage.input_tokens')).toBe(result.usage.inputTokens);
    expect(counted(there.spans, 'gen_ai.usage.output_tokens')).toBe(result.usage.outputTokens);
    expect(spansNamed(there.spans, 'invoke_agent harness9').map(({ attributes, status }) => [attributes, status])).toEqual([
      [
        {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'harness9',
          'gen_ai.conversation.id': session.id,
          'harness9.turns': 2,
        },
        { code: 0 },
      ],
    ]);
  });

  test('tells of each call of a tool its id, its exit code and the kind of its failure', async () => {
    const { receiver: there, tracing } = await start();
    const model = new ScriptedModel([
      {
        answer: calls(
          call('good', 'bash'),
          call('bad', 'bash', { exit: 3 }),
          call('slow', 'bash', { timedOut: true }),
          call('thrown', 'bash', { throws: true }),
          call('odd id ✗', 'look'),
          call('none', 'no_such_tool'),
        ),
      },
      { answer: says('done') },
    ]);
    const inner = registryOf({ bash: { effect: 'execute', run: () => 'ok' }, look: echo });
    const registry = {
      ...inner,
      execute: async (made: { id: string; name: string; arguments: string }, context: CallContext) => {
        const args = JSON.parse(made.arguments);
        if (args.throws) throw Object.assign(new Error('broken'), { code: 'EPIPE' });
        const result = await inner.execute(made, context);
        if (made.name !== 'bash') return result;
        const exit = { code: args.timedOut ? null : (args.exit ?? 0), signal: null, timedOut: args.timedOut === true };
        return { ...result, isError: exit.code !== 0, exit };
      },
    };
    await playTraced(mode, { tracing, model, registry });
    await tracing.shutdown();
    const told = there.spans
      .filter(({ name }) => name.startsWith('execute_tool'))
      .map(({ name, attributes, status, kind }): Record<string, unknown> => ({ name, ...attributes, status: status.code, kind }));
    const common = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.type': 'function', kind: 1 };
    const bash = { name: 'execute_tool bash', 'gen_ai.tool.name': 'bash', ...common };
    expect(told.sort((a, b) => String(a['gen_ai.tool.call.id']).localeCompare(String(b['gen_ai.tool.call.id'])))).toEqual([
      { ...bash, 'gen_ai.tool.call.id': 'bad', status: 2, 'process.exit.code': 3, 'error.type': 'tool_error' },
      { ...bash, 'gen_ai.tool.call.id': 'good', status: 0, 'process.exit.code': 0 },
      { ...bash, 'gen_ai.tool.call.id': 'slow', status: 2, 'error.type': 'timeout' },
      { ...bash, 'gen_ai.tool.call.id': 'thrown', status: 2, 'error.type': 'EPIPE' },
      { name: 'execute_tool look', 'gen_ai.tool.name': 'look', ...common, status: 0 },
      {
        name: 'execute_tool unknown',
        'gen_ai.tool.name': 'unknown',
        ...common,
        status: 2,
        'error.type': 'tool_error',
      },
    ]);
  });

  test('calls of one turn that run together lie side by side', async () => {
    const { receiver: there, tracing } = await start();
    const both = Promise.withResolvers<void>();
    let running = 0;
    const meet = async (): Promise<string> => {
      running += 1;
      if (running === 3) both.resolve();
      await both.promise;
      return 'met';
    };
    const model = new ScriptedModel([
      { answer: calls(call('a', 'look'), call('b', 'look'), call('c', 'look')) },
      { answer: says('done') },
    ]);
    await playTraced(mode, { tracing, model, registry: registryOf({ look: { run: meet } }) });
    await tracing.shutdown();
    const looks = spansNamed(there.spans, 'execute_tool look');
    const lastStart = looks
      .map((span) => span.startTimeUnixNano)
      .sort()
      .at(-1);
    expect(looks).toHaveLength(3);
    expect(new Set(looks.map(({ parentSpanId }) => parentSpanId)).size).toBe(1);
    expect(looks.filter((span) => span.endTimeUnixNano >= (lastStart ?? 0n))).toHaveLength(3);
  });

  test('a provider that fails ends the call and the run with the code of the failure', async () => {
    const { receiver: there, tracing } = await start();
    const model = new ScriptedModel([{ fault: { kind: 'rate_limit', message: 'slow down', retryable: false } }]);
    const result = await playTraced(mode, { tracing, model, registry: registryOf({}) });
    await tracing.shutdown();
    expect(result.stopReason).toBe('error');
    expect(there.spans.map(({ name, attributes, status }) => [name, attributes['error.type'], status])).toEqual([
      ['chat gpt-x', 'PROVIDER_RATE_LIMIT', { code: 2 }],
      ['turn', undefined, { code: 0 }],
      ['invoke_agent harness9', 'PROVIDER_RATE_LIMIT', { code: 2 }],
    ]);
  });

  test('a call that is called off and does not listen ends with the run, by the reason', async () => {
    const { receiver: there, tracing } = await start();
    const cancel = new AbortController();
    const model = new ScriptedModel([{ hang: true, afterText: 'so far', onCall: () => cancel.abort() }]);
    const result = await playTraced(mode, { tracing, model, registry: registryOf({}) }, 'go', cancel.signal);
    await tracing.shutdown();
    expect(result.stopReason).toBe('cancelled');
    expect(there.spans.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['chat gpt-x', 'AbortError'],
      ['turn', undefined],
      ['invoke_agent harness9', 'AbortError'],
    ]);
    expect(misplaced(there.spans)).toEqual([]);
  });

  test.each([
    ['MAX_TURNS', { maxTurns: 2 }],
    ['BUDGET', { maxTokensTotal: 1200 }],
    ['REPETITION', { maxRepeats: 2 }],
  ])('a run that the limit %s ends says so, whatever it could still say', async (limit, options) => {
    const { receiver: there, tracing } = await start();
    const steps = Array.from({ length: 9 }, (): Step => answered(calls(call('a', 'look')), usage(100)));
    const model = new ScriptedModel([...steps, { answer: says('cut short') }]);
    const registry = registryOf({ look: { run: () => 'the same' } });
    const result = await playTraced(mode, { tracing, model, registry, options });
    await tracing.shutdown();
    expect(result.stopReason.toUpperCase()).toBe(limit);
    const [agent] = spansNamed(there.spans, 'invoke_agent harness9');
    expect([agent?.attributes['error.type'], agent?.status]).toEqual([limit, { code: 2 }]);
    expect(misplaced(there.spans)).toEqual([]);
  });

  test('a tool that outlives its time ends with its turn', async () => {
    const { receiver: there, tracing } = await start();
    const cancel = new AbortController();
    const hang = async (): Promise<string> => {
      cancel.abort();
      return await new Promise<never>(() => {});
    };
    const model = new ScriptedModel([{ answer: calls(call('a', 'look')) }]);
    await playTraced(mode, { tracing, model, registry: registryOf({ look: { run: hang } }) }, 'go', cancel.signal);
    await tracing.shutdown();
    const tree = [{ 'invoke_agent harness9': [{ turn: [{ 'chat gpt-x': [] }, { 'execute_tool look': [] }] }] }];
    expect(treeOf(there.spans)).toEqual(tree);
    expect(spansNamed(there.spans, 'execute_tool look')[0]?.attributes['error.type']).toBe('AbortError');
    expect(misplaced(there.spans)).toEqual([]);
  });

  test('300 turns arrive whole, in batches', async () => {
    const { receiver: there, tracing, log } = await start();
    const steps = Array.from({ length: 299 }, (_, turn): Step => ({ answer: calls(call(`c${turn}`, 'look', { turn })) }));
    const model = new ScriptedModel([...steps, { answer: says('done') }]);
    const registry = registryOf({ look: { run: ({ id }) => `new ${id}` } });
    const result = await playTraced(mode, { tracing, model, registry, options: { maxTurns: 0 } });
    await tracing.shutdown();
    expect(result).toMatchObject({ stopReason: 'completed', turns: 300 });
    expect(there.spans).toHaveLength(1 + 300 + 300 + 299);
    expect(spansNamed(there.spans, 'turn').map(({ attributes }) => attributes['harness9.turn'])).toEqual(
      Array.from({ length: 300 }, (_, index) => index + 1),
    );
    expect(Math.max(...there.requests.map(({ spans }) => spans))).toBeLessThanOrEqual(128);
    expect(misplaced(there.spans)).toEqual([]);
    expect(log).toEqual([]);
  });
});

test('the call that writes a summary is one of its turn, and its tokens add up with the others', async () => {
  const { receiver: there, tracing } = await start();
  const steps = Array.from({ length: 5 }, (_, turn): Step => ({ answer: calls(call(`c${turn}`, 'look', { turn })) }));
  const model = new ScriptedModel([...steps, answered(says(goodSummary), usage(1000)), answered(says('done'), usage(10))]);
  const compactor = createSummarizationCompactor({ provider: tracing.traceProvider(model, tracedModel) });
  const registry = registryOf({ look: { run: () => 'tree '.repeat(25_000) } });
  const options = { compactor, contextWindow: 128_000 };
  const result = await playTraced('run', { tracing, model, registry, options });
  await tracing.shutdown();
  const turns = treeOf(there.spans).flatMap((run) => run['invoke_agent harness9'] ?? []);
  expect(turns.at(-1)).toEqual({ turn: [{ 'chat gpt-x': [] }, { 'chat gpt-x': [] }] });
  expect([counted(there.spans, 'gen_ai.usage.input_tokens'), result.usage.inputTokens]).toEqual([1010, 1010]);
  expect(misplaced(there.spans)).toEqual([]);
});

test('a stream that begins anew is one call, which tells how often', async () => {
  const { receiver: there, tracing } = await start();
  const model = new ScriptedModel([{ answer: says('done'), resets: true }]);
  await playTraced('runStream', { tracing, model, registry: registryOf({}) });
  await tracing.shutdown();
  expect(spansNamed(there.spans, 'chat gpt-x').map(({ attributes }) => attributes['harness9.resets'])).toEqual([1]);
});

test('a stream that is left, breaks or never says its end has an ended span that says so', async () => {
  const { receiver: there, tracing } = await start();
  const chunk = { type: 'text_delta', delta: 'x' } as const;
  const streams = {
    left: async function* () {
      yield chunk;
      yield chunk;
    },
    broken: async function* () {
      yield chunk;
      throw new TypeError('torn');
    },
    endless: async function* () {
      yield chunk;
    },
  };
  const request = { messages: [], tools: [], toolChoice: 'auto', tailStart: 0 } as const;
  const context = { signal: new AbortController().signal, run: {} };
  const never = async (): Promise<never> => await new Promise<never>(() => {});
  for (const generateStream of Object.values(streams)) {
    const traced = tracing.traceProvider({ generate: never, generateStream }, tracedModel);
    try {
      for await (const _ of traced.generateStream(request, context)) if (generateStream === streams.left) break;
    } catch {
      // Told by its span.
    }
  }
  await tracing.shutdown();
  expect(there.spans.map(({ attributes }) => attributes['error.type'])).toEqual([
    'stream_left',
    'TypeError',
    'stream_without_end',
  ]);
});

test('a run that a call begins lies within that call, whoever of the two ends first', async () => {
  const { receiver: there, tracing } = await start();
  const beginSubagent = async (context: CallContext, name: string): Promise<void> => {
    const model = new ScriptedModel([{ answer: calls(call('s', 'wait')) }, { answer: says('found') }]);
    const registry = registryOf({ wait: { run: () => patience(20).then(() => 'waited') } });
    await playTraced('run', { tracing, model, registry, options: { within: context.run, observer: tracing.observerOf(name) } });
  };
  let background: Promise<void> | undefined;
  const registry = registryOf({
    task: {
      run: async (_call, context) => {
        background = beginSubagent(context, 'late');
        await beginSubagent(context, 'early');
        return 'done';
      },
    },
    quick: {
      run: (_call, context) => {
        background = beginSubagent(context, 'later');
        return 'begun';
      },
    },
  });
  const model = new ScriptedModel([{ answer: calls(call('a', 'task'), call('b', 'quick')) }, { answer: says('done') }]);
  await playTraced('run', { tracing, model, registry });
  await background;
  await tracing.shutdown();
  const turns = [{ turn: [{ 'chat gpt-x': [] }, { 'execute_tool wait': [] }] }, { turn: [{ 'chat gpt-x': [] }] }];
  const sub = (name: string) => ({ [`invoke_agent ${name}`]: turns });
  expect(treeOf(there.spans)).toEqual([
    {
      'invoke_agent harness9': [
        {
          turn: [
            { 'chat gpt-x': [] },
            { 'execute_tool task': [sub('late'), sub('early')] },
            { 'execute_tool quick': [sub('later')] },
          ],
        },
        { turn: [{ 'chat gpt-x': [] }] },
      ],
    },
  ]);
  expect(there.spans.every(({ attributes }) => attributes['error.type'] === undefined)).toBe(true);
});

test('two runs of one tracing are two traces', async () => {
  const { receiver: there, tracing } = await start();
  const play = async () =>
    await playTraced('run', { tracing, model: new ScriptedModel([{ answer: says('hi') }]), registry: registryOf({}) });
  await Promise.all([play(), play()]);
  await tracing.shutdown();
  expect(new Set(there.spans.map(({ traceId }) => traceId)).size).toBe(2);
  expect(misplaced(there.spans)).toEqual([]);
});

test('what is still open at the shutdown is sent as abandoned; what comes later is not waited for', async () => {
  const { receiver: there, tracing } = await start();
  const run = tracing.observer.onInteractionStart({}, undefined, 'go');
  const turn = tracing.observer.onTurnStart(run, 1);
  await tracing.shutdown();
  tracing.observer.onTurnEnd(turn, 1, false);
  tracing.observer.onInteractionEnd(run, 1, undefined);
  tracing.observer.onInteractionEnd({}, 1, undefined);
  await tracing.shutdown();
  expect(there.spans.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['turn', 'abandoned'],
    ['invoke_agent harness9', 'abandoned'],
  ]);
});
