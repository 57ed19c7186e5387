// Hooks in traces: whoever made a turn slow, denied a call or sent the model back is to be seen there, without a word of theirs.
import { afterEach, expect, test } from '@jest/globals';
import type { Hook } from '../../../src/engine/ports.ts';
import type { Tracing } from '../../../src/observe/otel/create-tracing.ts';
import { ManualClock, registryOf } from '../../engine/ports.ts';
import { modes } from '../../engine/scene.ts';
import { call, calls, ScriptedModel, says } from '../../engine/scripted-model.ts';
import { type Receiver, spansNamed, startReceiver, treeOf } from './receiver.ts';
import { playTraced, startTracing } from './traced.ts';

const started: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) await each[Symbol.asyncDispose]();
});

async function start(clock = new ManualClock()): Promise<{ there: Receiver; tracing: Tracing; clock: ManualClock }> {
  const there = await startReceiver();
  started.push(there);
  const { tracing } = await startTracing(there.url, { clock });
  return { there, tracing, clock };
}

test.each(modes)('in %s an asking that comes to something, or takes its time, is a span within its turn', async (mode) => {
  const { there, tracing, clock } = await start();
  let stops = 0;
  const guard: Hook = {
    name: 'guard',
    async preToolUse({ call: { name } }) {
      await clock.advance(100);
      return name === 'drop' ? { decision: 'deny', reason: 'CANARY' } : undefined;
    },
    async turnComplete() {
      await clock.advance(99);
    },
  };
  const check: Hook = {
    name: 'verify_command',
    async postToolUse() {
      await clock.advance(10);
      return { output: [{ type: 'text', text: 'CANARY' }] };
    },
    async stop() {
      await clock.advance(90_000);
      stops += 1;
      return stops === 1 ? { message: 'CANARY' } : undefined;
    },
    timeoutMs: 0,
  };
  const model = new ScriptedModel([
    { answer: calls(call('a', 'look'), call('b', 'drop')) },
    { answer: says('done') },
    { answer: says('now it is') },
  ]);
  const registry = registryOf({ look: { effect: 'write', run: () => 'seen' }, drop: { effect: 'write', run: () => 'dropped' } });
  await playTraced(mode, { tracing, model, registry, options: { hooks: [guard, check].map(tracing.traceHook) } });
  await tracing.shutdown();
  const chat = { 'chat gpt-x': [] };
  const [guarded, verified] = [{ 'hook guard': [] }, { 'hook verify_command': [] }];
  expect(treeOf(there.spans)).toEqual([
    {
      'invoke_agent harness9': [
        { turn: expect.arrayContaining([chat, guarded, { 'execute_tool look': [] }, verified]) },
        { turn: [chat, verified] },
        { turn: [chat, verified] },
      ],
    },
  ]);
  const told = [...spansNamed(there.spans, 'hook guard'), ...spansNamed(there.spans, 'hook verify_command')].map(
    ({ attributes, startTimeUnixNano: from, endTimeUnixNano: to }) => ({ ...attributes, ms: Number((to - from) / 1_000_000n) }),
  );
  const of = (name: string, event: string, ms: number, decision?: string) => ({
    'harness9.hook.name': name,
    'harness9.hook.event': event,
    ...(decision === undefined ? {} : { 'harness9.hook.decision': decision }),
    ms,
  });
  expect(told).toEqual([
    of('guard', 'PreToolUse', 100),
    of('guard', 'PreToolUse', 100, 'deny'),
    of('verify_command', 'PostToolUse', 10),
    of('verify_command', 'Stop', 90_000, 'send_back'),
    of('verify_command', 'Stop', 90_000),
  ]);
  expect(spansNamed(there.spans, 'turn').map(({ attributes }) => attributes['harness9.tool_calls_not_run'])).toEqual([
    1,
    undefined,
    undefined,
  ]);
  expect(there.raw.join('\n')).not.toContain('CANARY');
});

test('a hook that has nothing to say of a call, and says so at once, is no span', async () => {
  const { there, tracing } = await start();
  const hook = tracing.traceHook({ name: 'other', preToolUse: async () => undefined, stop: async () => ({ message: 'more' }) });
  const context = { run: {}, signal: new AbortController().signal };
  await hook.preToolUse?.({ turn: 1, call: call('a', 'look'), tool: undefined }, context);
  await hook.stop?.({ turn: 1, finalMessage: '', sentBack: 0 }, context);
  await tracing.shutdown();
  expect(there.spans.map(({ attributes }) => attributes['harness9.hook.event'])).toEqual(['Stop']);
});

test('one that fails, or is given up, ends with the kind of its failure; what it threw goes on', async () => {
  const { there, tracing } = await start();
  const broken = tracing.traceHook({
    name: 'broken',
    stop: async () => {
      throw Object.assign(new Error('CANARY'), { code: 'EPIPE' });
    },
    turnComplete: async () => await new Promise<never>(() => {}),
  });
  const run = tracing.observer.onTurnStart(tracing.observer.onInteractionStart({}, undefined, 'go'), 1);
  const over = new AbortController();
  const context = { run, signal: over.signal };
  await expect(broken.stop?.({ turn: 1, finalMessage: '', sentBack: 0 }, context)).rejects.toThrow('CANARY');
  void broken.turnComplete?.({ turn: 1, calls: [] }, context);
  over.abort(Object.assign(new Error('time'), { code: 'TIME_IS_UP' }));
  tracing.observer.onTurnEnd(run, 1, false);
  await tracing.shutdown();
  expect(spansNamed(there.spans, 'hook broken').map(({ attributes }) => attributes['error.type'])).toEqual([
    'EPIPE',
    'TIME_IS_UP',
  ]);
  expect(there.raw.join('\n')).not.toContain('CANARY');
});

test('a hook has what it had, and no more', async () => {
  const { tracing } = await start();
  const hook: Hook = { name: 'small', timeoutMs: 7, postToolUse: async () => undefined };
  expect(tracing.traceHook(hook)).toEqual({ name: 'small', timeoutMs: 7, postToolUse: expect.any(Function) });
  await tracing.shutdown();
});
