// Tools that are slow, deaf, broken or many: every call gets its one result, in order and in time.
import { describe, expect, test } from '@jest/globals';
import { interruptedText, runToolCalls, toolLimitMs } from '../../src/engine/tool-calls.ts';
import { type ToolCall, type ToolDefinition, textOf } from '../../src/schema/message.ts';
import { ManualClock, registryOf, settled, type TestTool } from './ports.ts';
import { call } from './scripted-model.ts';

/** Tools that write down when they begin and end, and end when they are told to. */
function setUp(
  tools: Readonly<Record<string, Omit<TestTool, 'run'> & Partial<TestTool>>>,
  options: { maxConcurrent?: number; timeoutMs?: number } = {},
) {
  const trace: string[] = [];
  const finish = new Map<string, (text: string) => void>();
  const run: TestTool['run'] = (toolCall) => {
    trace.push(`+${toolCall.id}`);
    return new Promise((resolve) => finish.set(toolCall.id, resolve));
  };
  const registry = registryOf(Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, { run, ...tool }])));
  const clock = new ManualClock();
  const abort = new AbortController();
  const start = (...toolCalls: ToolCall[]) =>
    runToolCalls(toolCalls, {
      registry,
      definitions: registry.getAvailableTools(),
      maxConcurrent: options.maxConcurrent ?? 0,
      timeoutMs: options.timeoutMs ?? 0,
      clock,
      context: { signal: abort.signal, run: {} },
      admit: async (asked) => ({ call: asked, denial: undefined, remark: undefined }),
      conclude: async (_call, result) => result,
      onStart: ({ id }) => trace.push(`start ${id}`),
      onDone: ({ id }, result) => trace.push(`-${id}${result.isError ? '!' : ''}`),
    }).then((results) => results.map((result) => `${result.toolCallId}: ${textOf(result.output)}${result.isError ? ' !' : ''}`));
  const end = async (id: string): Promise<void> => {
    finish.get(id)?.(`out ${id}`);
    await settled();
  };
  return { start, end, trace, clock, abort };
}

describe('order and concurrency', () => {
  test('[spec 4.4 concurrent calls] [spec 4.4 result order] [spec 4.4 captured variables] reading calls run together; results come in the order of the calls whatever ends first', async () => {
    const { start, end, trace } = setUp({ r: {} });
    const results = start(call('a', 'r'), call('b', 'r'), call('c', 'r'));
    await settled();
    expect(trace).toEqual(['start a', '+a', 'start b', '+b', 'start c', '+c']);
    for (const id of ['c', 'a', 'b']) await end(id);
    expect(trace.slice(6)).toEqual(['-c', '-a', '-b']);
    expect(await results).toEqual(['a: out a', 'b: out b', 'c: out c']);
  });

  test('calls that write or execute keep their order between each other, reading calls run beside', async () => {
    const { start, end, trace } = setUp({ r: {}, w: { effect: 'write' }, x: { effect: 'execute' } });
    const results = start(call('w1', 'w'), call('x1', 'x'), call('r1', 'r'), call('w2', 'w'));
    const begun = (): string[] => trace.filter((line) => line.startsWith('+'));
    await settled();
    expect(begun().sort()).toEqual(['+r1', '+w1']);
    await end('w1');
    expect(begun()).toHaveLength(3);
    await end('x1');
    expect(begun().slice(2)).toEqual(['+x1', '+w2']);
    await end('w2');
    await end('r1');
    expect(await results).toEqual(['w1: out w1', 'x1: out x1', 'r1: out r1', 'w2: out w2']);
  });

  test('[spec 4.4 concurrency limit] no more than maxConcurrent run at a time, first come first served', async () => {
    const { start, end, trace } = setUp({ r: {} }, { maxConcurrent: 2 });
    const results = start(...['a', 'b', 'c', 'd'].map((id) => call(id, 'r')));
    const running = (): number =>
      trace.filter((line) => line.startsWith('+')).length - trace.filter((line) => line.startsWith('-')).length;
    for (const id of ['a', 'b', 'c', 'd']) {
      await settled();
      expect(running()).toBeLessThanOrEqual(2);
      await end(id);
    }
    expect(trace.filter((line) => line.startsWith('+'))).toEqual(['+a', '+b', '+c', '+d']);
    expect(await results).toHaveLength(4);
  });

  test('a waiting writer takes no slot away from readers', async () => {
    const { start, end, trace } = setUp({ r: {}, w: { effect: 'write' } }, { maxConcurrent: 2 });
    const results = start(call('w1', 'w'), call('w2', 'w'), call('r1', 'r'));
    await settled();
    expect(trace.filter((line) => line.startsWith('+')).sort()).toEqual(['+r1', '+w1']);
    for (const id of ['w1', 'r1', 'w2']) await end(id);
    expect(await results).toHaveLength(3);
  });
});

describe('tools that fail', () => {
  test('a tool that throws, rejects, says nothing or is not there is answered', async () => {
    const { start } = setUp({
      throws: {
        run: () => {
          throw new Error('at once');
        },
      },
      rejects: { run: () => Promise.reject(new Error('later')) },
      silent: { run: () => '' },
    });
    expect(await start(call('a', 'throws'), call('b', 'rejects'), call('c', 'silent'), call('d', 'nothing'))).toEqual([
      'a: throws failed: at once !',
      'b: rejects failed: later !',
      'c: (no output)',
      'd: unknown tool nothing !',
    ]);
  });
});

describe('time limits', () => {
  test('[spec 4.4 tool timeout] one that runs out of time touches no other: those beside it run on, and keep what they say', async () => {
    const slow: TestTool['run'] = ({ id }, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(`${id} was cut off`));
        later.set(id, () => resolve(`${id} is whole`));
      });
    const later = new Map<string, () => void>();
    const tools = { short: { run: slow, timeoutMs: 1_000 }, r: { run: slow }, w: { run: slow, effect: 'write' as const } };
    const { start, clock, trace } = setUp(tools, { timeoutMs: 60_000 });
    const results = start(call('r1', 'r'), call('s1', 'short'), call('w1', 'w'), call('s2', 'short'));
    await settled();
    await clock.advance(1_000);
    expect(trace.filter((line) => line.startsWith('-'))).toEqual(['-s1', '-s2']);
    for (const id of ['w1', 'r1']) later.get(id)?.();
    expect(await results).toEqual(['r1: r1 is whole', 's1: s1 was cut off', 'w1: w1 is whole', 's2: s2 was cut off']);
  });

  test('[spec 4.4 tool timeout] a tool that ignores its signal is answered after the limit and a little patience', async () => {
    const { start, clock } = setUp({ r: {} }, { timeoutMs: 60_000 });
    const results = start(call('a', 'r'));
    await settled();
    await clock.advance(60_000);
    await clock.advance(5_000);
    expect(await results).toEqual(['a: r did not finish within 60 s and was stopped. Make the call smaller. !']);
    expect(clock.sleeping).toBe(0);
  });

  test('a tool that listens answers for itself', async () => {
    const { start, clock } = setUp(
      {
        r: {
          run: (_call, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('printed so far'))),
        },
      },
      { timeoutMs: 1000 },
    );
    const results = start(call('a', 'r'));
    await settled();
    await clock.advance(1000);
    expect(await results).toEqual(['a: printed so far']);
    expect(clock.sleeping).toBe(0);
  });

  test('the time counts from the start of the call, not from its waiting', async () => {
    const { start, end, clock } = setUp({ r: {} }, { timeoutMs: 1000, maxConcurrent: 1 });
    const results = start(call('a', 'r'), call('b', 'r'));
    await clock.advance(900);
    await end('a');
    await clock.advance(900);
    await end('b');
    expect(await results).toEqual(['a: out a', 'b: out b']);
  });

  const tool = (limits: Partial<ToolDefinition>): ToolDefinition => ({
    name: 'bash',
    description: '',
    inputSchema: {},
    place: 'host',
    effect: 'execute',
    ...limits,
  });
  test.each<[string, object | string, Partial<ToolDefinition>, number]>([
    ['the engine default', {}, {}, 60_000],
    ['the tool own limit', {}, { timeoutMs: 120_000 }, 120_000],
    ['a tool without limit', {}, { timeoutMs: 0 }, 0],
    ['what the call asks for', { timeout_secs: 300 }, { timeoutMs: 120_000, maxTimeoutMs: 600_000 }, 300_000],
    ['at most what the tool allows', { timeout_secs: 9999 }, { timeoutMs: 120_000, maxTimeoutMs: 600_000 }, 600_000],
    ['less, if asked', { timeout_secs: 0.5 }, { timeoutMs: 120_000, maxTimeoutMs: 600_000 }, 500],
    ['not for tools that do not offer it', { timeout_secs: 300 }, { timeoutMs: 120_000 }, 120_000],
    ['nonsense is not heard', { timeout_secs: -1 }, { timeoutMs: 120_000, maxTimeoutMs: 600_000 }, 120_000],
    ['broken arguments are not heard', '{"timeout_secs":', { timeoutMs: 120_000, maxTimeoutMs: 600_000 }, 120_000],
  ])('%s', (_name, args, limits, expected) => {
    expect(toolLimitMs(call('a', 'bash', args), tool(limits), 60_000)).toBe(expected);
  });
});

describe('interruption', () => {
  test('open and waiting calls are answered at once, the waiting ones without ever starting', async () => {
    const { start, end, trace, abort } = setUp({ r: {}, w: { effect: 'write' } }, { maxConcurrent: 2 });
    const results = start(call('r1', 'r'), call('w1', 'w'), call('w2', 'w'), call('r2', 'r'));
    await settled();
    await end('r1');
    abort.abort();
    expect(await results).toEqual(['r1: out r1', ...['w1', 'w2', 'r2'].map((id) => `${id}: ${interruptedText} !`)]);
    expect(trace.filter((line) => line.startsWith('start')).sort()).toEqual(['start r1', 'start r2', 'start w1']);
  });
});
