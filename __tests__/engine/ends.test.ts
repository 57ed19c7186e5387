// Every way a run can end: limits with their wrap-up, cancellation, a provider that fails, a reader who leaves. Nothing done is lost.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import { interruptedText } from '../../src/engine/tool-calls.ts';
import { textPart } from '../../src/schema/message.ts';
import type { EngineEvent } from '../../src/schema/run.ts';
import type { ProviderFault } from '../../src/schema/stream.ts';
import { echo, ManualClock, MemorySession, RecordingObserver, registryOf, settled, type TestTool } from './ports.ts';
import { call, calls, lastTextOf, readAll, result, ScriptedModel, type Step, says, usage, user } from './scripted-model.ts';

const deaf: TestTool = { run: () => new Promise(() => {}) };
const look = (id: string): Step => ({ answer: calls(call(id, 'echo')) });
const fault: ProviderFault = { kind: 'auth', message: 'key refused', hint: 'Check api_key.', status: 401, retryable: false };

function setUp(steps: readonly Step[], options: EngineOptions = {}) {
  const model = new ScriptedModel(steps);
  const session = new MemorySession();
  const clock = new ManualClock();
  const observer = new RecordingObserver();
  const events: EngineEvent[] = [];
  const registry = registryOf({ echo, deaf });
  const engine = createEngine(model, registry, '/w', {
    session,
    clock,
    observer,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { engine, model, session, clock, observer, events };
}

/** Each start of the observer has its end, the run's own one last. */
function isBalanced(calls: readonly string[]): boolean {
  const open = calls.filter((line) => /^turn \d+ in/.test(line)).length;
  const closed = calls.filter((line) => /^turn \d+ over/.test(line)).length;
  return open === closed && calls[0]?.startsWith('start') === true && calls.at(-1)?.startsWith('end') === true;
}

describe('max_turns', () => {
  test('[spec 4.3 MaxTurns] the last call is the wrap-up: the same tools, none to be chosen, a reminder that names the limit and is not stored', async () => {
    const { engine, model, session, observer, events } = setUp([look('c1'), look('c2'), { answer: says('two looks done') }], {
      maxTurns: 3,
    });
    const ended = await engine.run('hi');
    expect(ended).toMatchObject({ stopReason: 'max_turns', finalMessage: 'two looks done', turns: 3 });
    expect(model.requests.map((request) => request.toolChoice)).toEqual(['auto', 'auto', 'none']);
    expect(model.requests[2]?.tools).toEqual(model.requests[0]?.tools);
    expect(lastTextOf(model.requests[2])).toMatch(/limit of 3 turns.*what is done and what is left/);
    expect(model.requests[2]?.tailStart).toBe(6);
    expect(session.messages.map((message) => message.toolCallId ?? message.role)).toEqual([
      'user',
      'assistant',
      'c1',
      'assistant',
      'c2',
      'assistant',
    ]);
    expect(isBalanced(observer.calls)).toBe(true);
    expect(events.at(-1)).toEqual({ type: 'done', turn: 3, data: ended });
  });

  test('calls in the wrap-up are dropped, not run, and leave no trace in the history', async () => {
    const { engine, session, events } = setUp([{ answer: { ...calls(call('c1', 'echo')), content: [textPart('half done')] } }], {
      maxTurns: 1,
    });
    expect(await engine.run('hi')).toMatchObject({ stopReason: 'max_turns', finalMessage: 'half done', turns: 1 });
    expect(session.messages).toEqual([
      user('hi'),
      { role: 'assistant', content: [textPart('half done')], finishReason: 'tool_calls' },
    ]);
    expect(events.some((event) => event.type === 'tool_start')).toBe(false);
  });

  test('a wrap-up without text gives way to a message that names the limit, the turns and what was said last', async () => {
    const first: Step = { answer: { ...calls(call('c1', 'echo')), content: [textPart('I look first.')] } };
    const { engine, session } = setUp([first, look('c2')], { maxTurns: 2 });
    const { finalMessage } = await engine.run('hi');
    expect(finalMessage).toBe(
      'I look first.\n\nThe run stopped because it reached the limit of 2 turns, after 2 turns. What was done until then is kept.',
    );
    expect(session.messages).toHaveLength(3);
  });

  test('a wrap-up that fails keeps the limit as the reason and tells the cause', async () => {
    const ended = await setUp([look('c1'), { fault }], { maxTurns: 2 }).engine.run('hi');
    expect(ended).toMatchObject({ stopReason: 'max_turns', turns: 2, error: { code: 'PROVIDER_AUTH', message: 'key refused' } });
    expect(ended.finalMessage).toContain('the limit of 2 turns');
  });

  test('an answer that was cut before the wrap-up is kept with it', async () => {
    const { engine, session } = setUp([{ answer: says('Half an ans', 'length') }, { answer: says('All is left.') }], {
      maxTurns: 2,
    });
    expect((await engine.run('hi')).finalMessage).toBe('Half an ans\n\nAll is left.');
    expect(session.messages).toEqual([user('hi'), says('Half an ans\n\nAll is left.')]);
  });

  test('0 is no limit, and two hundred turns cost no more than their own messages', async () => {
    const estimated: number[] = [];
    const steps = Array.from({ length: 200 }, (_, index) => look(`c${index}`));
    const { engine } = setUp([...steps, { answer: says('ok') }], {
      maxTurns: 0,
      estimateTokens: (messages) => {
        estimated.push(messages.length);
        return messages.length;
      },
    });
    expect(await engine.run('hi')).toMatchObject({ stopReason: 'completed', turns: 201 });
    // Each of the 403 messages once, and the tools once or twice a turn: not the whole history again every turn.
    expect(estimated.filter((length) => length > 0)).toHaveLength(403);
    expect(estimated.every((length) => length <= 1)).toBe(true);
  });
});

describe('timeout', () => {
  const limits = { timeoutMs: 100_000, toolTimeoutMs: 0 };

  test('[spec 4.3 context cancelled] a running model call is stopped when the reserve begins, and the rest of the time is for the wrap-up', async () => {
    const { engine, model, session, clock, observer } = setUp(
      [look('c1'), { hang: true }, { answer: says('one look done') }],
      limits,
    );
    const ended = engine.run('hi');
    await settled();
    await clock.advance(74_999);
    expect(model.requests).toHaveLength(2);
    await clock.advance(1);
    expect(await ended).toMatchObject({ stopReason: 'timeout', finalMessage: 'one look done', turns: 3, durationMs: 75_000 });
    expect(model.contexts[1]?.signal.aborted).toBe(true);
    expect(lastTextOf(model.requests[2])).toContain('the time limit of 100 s');
    expect(session.messages.at(-1)).toEqual(says('one look done'));
    expect(isBalanced(observer.calls)).toBe(true);
    expect(clock.sleeping).toBe(0);
  });

  test('running tools are answered as interrupted, even the deaf ones', async () => {
    const { engine, model, session, clock } = setUp(
      [{ answer: calls(call('c1', 'echo'), call('c2', 'deaf')) }, { answer: says('half') }],
      limits,
    );
    const ended = engine.run('hi');
    await settled();
    await clock.advance(75_000);
    expect(await ended).toMatchObject({ stopReason: 'timeout', finalMessage: 'half', turns: 2 });
    expect(session.messages.slice(2, 4)).toEqual([result('c1', 'ran c1'), result('c2', interruptedText, true)]);
    expect(model.requests[1]?.toolChoice).toBe('none');
  });

  test('when the time is over the wrap-up is stopped too, and a mechanical message stands in', async () => {
    const { engine, clock, model, observer } = setUp([{ hang: true }, { hang: true }], limits);
    const ended = engine.run('hi');
    await settled();
    await clock.advance(75_000);
    await clock.advance(25_000);
    expect(await ended).toEqual(
      expect.objectContaining({
        stopReason: 'timeout',
        finalMessage:
          'The run stopped because it reached the time limit of 100 s, after 2 turns. What was done until then is kept.',
      }),
    );
    expect((await ended).error).toBeUndefined();
    expect(model.leftover).toBe(0);
    expect(isBalanced(observer.calls)).toBe(true);
  });

  test('a timer that fires a moment before the clock says so counts', async () => {
    const manual = new ManualClock();
    const clock = { ...manual, now: manual.now, sleep: manual.sleep, monotonicMs: () => 0 };
    const { engine, model } = setUp([{ hang: true }, { answer: says('ok') }], { ...limits, clock });
    const ended = engine.run('hi');
    await settled();
    await manual.advance(75_000);
    expect(await ended).toMatchObject({ stopReason: 'timeout', finalMessage: 'ok', turns: 2 });
    expect(model.requests.map((request) => request.toolChoice)).toEqual(['auto', 'none']);
  });

  test('when the timers say that all of the time is over, nothing is asked and no turn counts', async () => {
    const manual = new ManualClock();
    const clock = { ...manual, now: manual.now, sleep: async () => {}, monotonicMs: () => 0 };
    const { engine, model, observer } = setUp([], { ...limits, clock });
    const ended = await engine.run('hi');
    expect(ended).toMatchObject({ stopReason: 'timeout', turns: 0 });
    expect(ended.finalMessage).toContain('after 0 turns');
    expect(model.requests).toEqual([]);
    expect(isBalanced(observer.calls)).toBe(true);
  });

  test.each([
    [{ maxTokensTotal: 10 }, 'the budget of 10 tokens'],
    [{ maxCostUsd: 0.0001, priceOf: () => 1 }, 'the budget of $0.0001'],
  ])('a budget that not even one call fits says so, and claims no work (%j)', async (budget, name) => {
    const { engine, model } = setUp([], { ...limits, ...budget });
    expect(await engine.run('hi')).toMatchObject({
      stopReason: 'budget',
      turns: 0,
      finalMessage: `The run did not begin: not even one call to the model fits ${name}.`,
    });
    expect(model.requests).toEqual([]);
  });

  test('a turn that is called off before it asks the model does not count, nor do its tokens', async () => {
    const asked: number[] = [];
    const compactor = { compact: () => new Promise<never>(() => asked.push(1)) };
    const { engine, clock, events, observer } = setUp([], { ...limits, compactor });
    const ended = engine.run('hi');
    await settled();
    await clock.advance(100_000);
    expect(await ended).toMatchObject({ stopReason: 'timeout', turns: 0, usage: usage(0, 0) });
    expect(asked).toHaveLength(1);
    expect(events.map((event) => [event.type, event.turn])).toEqual([['done', 0]]);
    expect(isBalanced(observer.calls)).toBe(true);
  });

  test('the reserve is what was asked for when that is less than a quarter', async () => {
    const { engine, model, clock } = setUp([{ hang: true }, { answer: says('ok') }], { ...limits, wrapUpReserveMs: 10_000 });
    const ended = engine.run('hi');
    await settled();
    await clock.advance(89_999);
    expect(model.requests).toHaveLength(1);
    await clock.advance(1);
    expect((await ended).durationMs).toBe(90_000);
  });
});

describe('budget', () => {
  const spends = (id: string, input: number, output: number): Step => ({
    answer: calls(call(id, 'echo')),
    usage: usage(input, output),
  });

  test('ends while a wrap-up still fits, under the cap', async () => {
    const steps = [spends('c1', 1000, 100), spends('c2', 1200, 100), { answer: says('two done'), usage: usage(1400, 100) }];
    const { engine, model } = setUp(steps, { maxTokensTotal: 5000, estimateTokens: () => 1 });
    const ended = await engine.run('hi');
    expect(ended).toMatchObject({ stopReason: 'budget', finalMessage: 'two done', turns: 3 });
    expect(ended.usage.inputTokens + ended.usage.outputTokens).toBeLessThanOrEqual(5000);
    expect(model.requests.map((request) => request.toolChoice)).toEqual(['auto', 'auto', 'none']);
  });

  test('a budget that the next request alone would break ends without another call', async () => {
    const { engine, model } = setUp([spends('c1', 5000, 900)], { maxTokensTotal: 6000, estimateTokens: () => 1 });
    const ended = await engine.run('hi');
    expect(ended).toMatchObject({ stopReason: 'budget', turns: 1 });
    expect(ended.finalMessage).toContain('the budget of 6000 tokens');
    expect(model.leftover).toBe(0);
  });

  test('whatever the sizes, the cap is never passed by more than the last response', async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      let input = 50 + ((seed * 37) % 400);
      const outputs: number[] = [];
      const steps = Array.from({ length: 60 }, (_, index) => {
        const output = 1 + ((seed * 7919 + index * 104_729) % 300);
        outputs.push(output);
        const step = spends(`c${index}`, input, output);
        input += output + 1;
        return step;
      });
      const cap = 1000 + seed * 150;
      const estimateTokens: EngineOptions['estimateTokens'] = (messages) => messages.length;
      const ended = await setUp(steps, { maxTokensTotal: cap, estimateTokens, maxTurns: 0 }).engine.run('hi');
      expect(ended.stopReason).toBe('budget');
      const spent = ended.usage.inputTokens + ended.usage.outputTokens;
      expect(spent - cap).toBeLessThanOrEqual(outputs[ended.turns - 1] ?? 0);
    }
  });

  test('what the tools brought in counts before it is sent', async () => {
    const estimateTokens: EngineOptions['estimateTokens'] = (messages) => (messages[0]?.toolCallId === undefined ? 33 : 3000);
    const { engine, model } = setUp([spends('c1', 100, 10), { answer: says('enough') }], {
      maxTokensTotal: 6000,
      estimateTokens,
    });
    expect(await engine.run('hi')).toMatchObject({ stopReason: 'budget', turns: 2 });
    expect(model.requests.map((request) => request.toolChoice)).toEqual(['auto', 'none']);
  });

  test('a provider that reports nothing is counted by estimates', async () => {
    const steps = Array.from({ length: 30 }, (_, index) => look(`c${index}`));
    const ended = await setUp(steps, {
      maxTokensTotal: 9000,
      maxTurns: 0,
      estimateTokens: (messages) => messages.length * 100,
    }).engine.run('hi');
    expect(ended).toMatchObject({ stopReason: 'budget', usage: usage(0, 0) });
    expect(ended.turns).toBeLessThan(12);
  });
});

describe('cancelled', () => {
  test('before the start: no call, nothing loaded or saved, one done', async () => {
    const { engine, model, session, events, observer } = setUp([]);
    const ended = await engine.run('hi', AbortSignal.abort());
    expect(ended).toMatchObject({ stopReason: 'cancelled', turns: 0, finalMessage: '' });
    expect([model.requests, session.saves]).toEqual([[], []]);
    expect(events).toEqual([{ type: 'done', turn: 0, data: ended }]);
    expect(isBalanced(observer.calls)).toBe(true);
  });

  test('[spec 4.3 context cancelled] while the model is asked: at once, with no further call, though the provider is deaf', async () => {
    const abort = new AbortController();
    const { engine, model, session, observer } = setUp([look('c1'), { hang: true, onCall: () => abort.abort('enough') }]);
    expect(await engine.run('hi', abort.signal)).toMatchObject({ stopReason: 'cancelled', turns: 2 });
    expect(model.leftover).toBe(0);
    expect(session.messages).toHaveLength(3);
    expect(observer.errors).toEqual(['enough']);
    expect(isBalanced(observer.calls)).toBe(true);
  });

  test('[spec 4.3 context cancelled] a signal that runs out of time, as its maker set it, ends the run like any other', async () => {
    const { engine, model, observer } = setUp([look('c1'), { hang: true }]);
    expect(await engine.run('hi', AbortSignal.timeout(30))).toMatchObject({ stopReason: 'cancelled', turns: 2 });
    expect(model.leftover).toBe(0);
    expect(observer.errors).toEqual([expect.objectContaining({ name: 'TimeoutError' })]);
    expect(isBalanced(observer.calls)).toBe(true);
  });

  test('while tools run: every open call is answered, saved, and the run is over', async () => {
    const abort = new AbortController();
    const { engine, session, observer } = setUp([
      { answer: { ...calls(call('c1', 'deaf'), call('c2', 'deaf'), call('c3', 'echo')), content: [textPart('three at once')] } },
    ]);
    const ended = engine.run('hi', abort.signal);
    await settled();
    abort.abort();
    expect(await ended).toMatchObject({ stopReason: 'cancelled', finalMessage: 'three at once', turns: 1 });
    expect(session.messages.slice(2)).toEqual([
      result('c1', interruptedText, true),
      result('c2', interruptedText, true),
      result('c3', 'ran c3'),
    ]);
    expect(isBalanced(observer.calls)).toBe(true);
  });

  test('what a stream had said is kept', async () => {
    const abort = new AbortController();
    const { engine, session } = setUp([{ hang: true, afterText: 'I was about to', onCall: () => abort.abort() }]);
    const events = await readAll(engine.runStream('hi', abort.signal));
    expect(events.at(-1)).toMatchObject({ type: 'done', data: { stopReason: 'cancelled', finalMessage: 'I was about to' } });
    expect(session.messages).toEqual([user('hi'), says('I was about to', 'other')]);
  });

  test('a reader who leaves cancels the run, and what was done is saved by then', async () => {
    const { engine, model, session, events } = setUp([look('c1'), { hang: true }]);
    for await (const event of engine.runStream('hi')) if (event.turn === 2) break;
    expect(model.contexts[1]?.signal.aborted).toBe(true);
    expect(session.messages).toEqual([user('hi'), calls(call('c1', 'echo')), result('c1', 'ran c1')]);
    expect(events.at(-1)).toMatchObject({ type: 'done', data: { stopReason: 'cancelled' } });
  });

  test('[spec 4.6 cancel-aware sends] a reader who leaves while it waits for an event is let go', async () => {
    const { engine } = setUp([{ hang: true }]);
    const stream = engine.runStream('hi')[Symbol.asyncIterator]();
    await stream.next();
    const waiting = stream.next();
    await settled();
    await stream.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});

describe('error', () => {
  test('[spec 6.1 OnInteractionEnd] a provider that fails ends the run with its code and hint; what was done is kept', async () => {
    const { engine, session, observer, events } = setUp([
      { answer: { ...calls(call('c1', 'echo')), content: [textPart('looking')] } },
      { fault },
    ]);
    const ended = await engine.run('hi');
    expect(ended).toMatchObject({
      stopReason: 'error',
      finalMessage: 'looking',
      turns: 2,
      error: { code: 'PROVIDER_AUTH', message: 'key refused', hint: 'Check api_key.' },
    });
    expect(session.messages).toHaveLength(3);
    expect(events.at(-1)).toEqual({ type: 'error', turn: 2, data: ended });
    expect(observer.errors[0]).toBeInstanceOf(Error);
    expect(isBalanced(observer.calls)).toBe(true);
  });

  test('a stream ends in exactly one error, and keeps what it had said', async () => {
    const { engine, session } = setUp([{ fault, afterText: 'The plan is' }]);
    const events = await readAll(engine.runStream('hi'));
    expect(events.filter((event) => event.type === 'error' || event.type === 'done')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      data: { finalMessage: 'The plan is', error: { code: 'PROVIDER_AUTH' } },
    });
    expect(session.messages).toEqual([user('hi'), says('The plan is', 'other')]);
  });

  test('what a stream took back before it failed is not kept', async () => {
    const registry = registryOf({});
    const model = {
      generate: () => Promise.reject(new Error('not asked')),
      generateStream: async function* () {
        yield { type: 'text_delta', delta: 'first try' } as const;
        yield { type: 'reset' } as const;
        yield { type: 'text_delta', delta: 'second' } as const;
        yield { type: 'error', error: fault } as const;
      },
    };
    const events = await readAll(createEngine(model, registry, '/w').runStream('hi'));
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { finalMessage: 'second' } });
  });

  test('a provider that breaks its contract is an error, not a crash', async () => {
    const registry = registryOf({});
    const silent = { generate: async () => JSON.parse('null'), generateStream: async function* () {} };
    const engine = createEngine(silent, registry, '/w');
    expect(await engine.run('hi')).toMatchObject({ stopReason: 'error', error: { code: 'PROVIDER_MALFORMED' } });
    const events = await readAll(engine.runStream('hi'));
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { error: { code: 'PROVIDER_MALFORMED' } } });
  });
});
