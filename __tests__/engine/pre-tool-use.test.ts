// Hooks before a call: who is asked in which order, what they may change, and that whatever fails lets nothing through.
import { describe, expect, test } from '@jest/globals';
import type { CallContext, Hook, PermissionChecker } from '../../src/engine/ports.ts';
import { interruptedText } from '../../src/engine/tool-calls.ts';
import type { PreToolUse, PreToolUseAnswer } from '../../src/schema/hook.ts';
import type { ToolCall } from '../../src/schema/message.ts';
import { runScopeOf } from '../../src/schema/run-scope.ts';
import { forever, hookOf, nameOf, never, observationsOf } from './hook-scene.ts';
import { FullSession, settled } from './ports.ts';
import { type Mode, modes, setScene, story } from './scene.ts';
import { call, calls, result, type Step, says } from './scripted-model.ts';

const end: Step = { answer: says('ok') };
const bash = (id = 'b1', args: object | string = { command: 'ls' }): ToolCall => call(id, 'bash', args);
const runs = (...wanted: readonly ToolCall[]): readonly Step[] => [{ answer: calls(...wanted) }, end];

type Answer = (event: PreToolUse, context: CallContext) => unknown;

const hook = (name: string, answer: Answer, timeoutMs?: number): Hook => hookOf('preToolUse', name, answer, timeoutMs);

const gives = (answer: PreToolUseAnswer | undefined): Answer => {
  return async () => answer;
};

describe.each(modes)('%s', (mode: Mode) => {
  test('[spec 9 hooks] hooks are asked in their order, with the turn, the call and its tool; without an opinion the call runs', async () => {
    const asked: unknown[] = [];
    const answers: readonly unknown[] = [undefined, {}, { reason: 'fine' }, { decision: undefined }, { decision: 'allow' }];
    const hooks = answers.map((answer, at) =>
      hook(`h${at}`, async (event, { run, signal }) => {
        asked.push([at, event, runScopeOf(run)?.ledger.spent !== undefined, signal.aborted]);
        return answer;
      }),
    );
    const session = new FullSession();
    const { play, registry } = setScene(mode, runs(bash(), call('x', 'nothing')), { hooks: hooks.slice(0, 1), session });
    await play();
    const tool = registry.getAvailableTools().find(({ name }) => name === 'bash');
    expect(asked).toEqual([
      [0, { turn: 1, call: bash(), tool }, true, false],
      [0, { turn: 1, call: call('x', 'nothing'), tool: undefined }, true, false],
    ]);
    asked.length = 0;
    const five = setScene(mode, runs(bash()), { hooks });
    expect((await five.play()).notes).toBeUndefined();
    expect([asked.map((one) => Reflect.get(Object(one), 0)), five.ran]).toEqual([[0, 1, 2, 3, 4], ['b1']]);
  });

  test('[spec 9 hooks] the first denial ends it: nobody behind it is asked, and the model hears who and why', async () => {
    const asked: string[] = [];
    const noting = (name: string, answer: PreToolUseAnswer | undefined): Hook =>
      hook(name, async () => {
        asked.push(name);
        return answer;
      });
    const permissions: PermissionChecker = {
      check: async () => {
        asked.push('rules');
        return { kind: 'none' };
      },
    };
    const approve = async () => {
      asked.push('person');
      return { isAllowed: true };
    };
    const session = new FullSession();
    const hooks = [
      noting('first', { decision: 'allow' }),
      noting('ask', { decision: 'ask' }),
      noting('guard', { decision: 'deny', reason: 'no shell on\nFridays' }),
      noting('last', undefined),
    ];
    const { play, ran, events } = setScene(mode, runs(bash()), { hooks, permissions, approve, session });
    expect(await play()).toMatchObject({ stopReason: 'completed' });
    expect([asked, ran]).toEqual([['first', 'ask', 'guard'], []]);
    expect(observationsOf(session)).toEqual(['b1! "bash" was not run: the hook "guard" denied it: no shell on\nFridays']);
    expect(story(events)).toEqual(['1 estimated', '1 start b1', '1 result b1!', '2 estimated', '2 done completed']);
  });

  test.each([undefined, '', ' \n'])('a denial needs no reason: %j', async (reason) => {
    const session = new FullSession();
    const hooks = [hook('guard', gives({ decision: 'deny', reason }))];
    await setScene(mode, runs(bash()), { hooks, session }).play();
    expect(observationsOf(session)).toEqual(['b1! "bash" was not run: the hook "guard" denied it.']);
  });

  test('[spec 9 hooks] a call that is rewritten is judged, asked about, shown and run as it is now; the history keeps what the model said', async () => {
    const seen: Record<string, string[]> = { second: [], rules: [], person: [], tool: [] };
    const session = new FullSession();
    const hooks = [
      hook('quiet', async () => ({ arguments: { command: 'ls', quiet: true } })),
      hook('look', async ({ call: { arguments: args } }) => void seen.second?.push(args)),
      hook('deep', async () => ({ decision: 'ask', arguments: { command: 'ls -R' } })),
    ];
    const { play, events, log } = setScene(mode, runs(bash()), {
      hooks,
      session,
      permissions: {
        check: async ({ arguments: args }) => {
          seen.rules?.push(args);
          return { kind: 'none' };
        },
      },
      approve: async ({ call: { arguments: args } }) => {
        seen.person?.push(args);
        return { isAllowed: true };
      },
      tools: { bash: { effect: 'execute', run: ({ arguments: args }) => String(seen.tool?.push(args)) } },
    });
    await play();
    const last = ['{"command":"ls -R"}'];
    expect(seen).toEqual({ second: ['{"command":"ls","quiet":true}'], rules: last, person: last, tool: last });
    expect(events.flatMap((event) => (event.type === 'tool_start' ? [event.data] : []))).toEqual([
      bash('b1', { command: 'ls -R' }),
    ]);
    expect(log).toContainEqual(expect.stringMatching(/tool=bash id=b1 state=done/));
    expect(session.messages[1]?.toolCalls).toEqual([bash()]);
    const told = 'b1 The hooks "quiet", "deep" changed the arguments of this call to {"command":"ls -R"}\n1';
    expect(observationsOf(session)).toEqual([told]);
    const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.data.result.output] : []));
    expect(results).toEqual([session.messages[2]?.content]);
  });

  test('the same arguments, spelt otherwise, are no change', async () => {
    const session = new FullSession();
    const hooks = [hook('same', async () => ({ arguments: { b: [1, { d: 2, c: 3 }], a: 1 } }))];
    await setScene(mode, runs(bash('b1', '{ "a": 1.0, "b": [1, {"c": 3, "d": 2}] }')), { hooks, session }).play();
    expect(observationsOf(session)).toEqual(['b1 bash b1 done']);
  });

  test('arguments that no tool could read may be mended; what is shown of long ones is one line', async () => {
    const session = new FullSession();
    const hooks = [hook('mend', async () => ({ arguments: { text: `two\nlines${'x'.repeat(5000)}`, gone: undefined } }))];
    const ran: string[] = [];
    const tools = { bash: { run: ({ arguments: args }: ToolCall) => String(ran.push(args)) } };
    await setScene(mode, runs(bash('b1', '{"text":')), { hooks, session, tools }).play();
    expect(ran).toEqual([`{"text":"two\\nlines${'x'.repeat(5000)}"}`]);
    const [told = ''] = observationsOf(session);
    expect(told).toMatch(/^b1 The hook "mend" changed the arguments of this call to \{"text":"two\\nlinesx+…\n1$/);
    expect(told.length).toBeLessThan(400);
  });

  test('a call that is rewritten and then denied is told of as it was judged', async () => {
    const session = new FullSession();
    const hooks = [
      hook('deep', async () => ({ arguments: { command: 'rm -rf .' } })),
      hook('guard', gives({ decision: 'deny', reason: 'never' })),
    ];
    await setScene(mode, runs(bash()), { hooks, session }).play();
    expect(observationsOf(session)).toEqual([
      'b1! The hook "deep" changed the arguments of this call to {"command":"rm -rf ."}\n' +
        '"bash" was not run: the hook "guard" denied it: never',
    ]);
  });

  test('what is rewritten is brought into the tool’s own words, and stays a call of the same tool with the same id', async () => {
    const seen: ToolCall[] = [];
    const hooks = [
      hook('old', async () => ({ arguments: { cmd: 'pwd' } })),
      hook('look', async ({ call: now }) => void seen.push(now)),
    ];
    const { play, registry, ran, events } = setScene(mode, runs(bash()), { hooks });
    // One that takes the chance to make another call of it.
    registry.canonicalCall = (one) =>
      one.arguments.includes('"cmd"')
        ? { id: 'other', name: 'write_file', arguments: one.arguments.replace('"cmd"', '"command"') }
        : one;
    await play();
    expect(seen).toEqual([bash('b1', { command: 'pwd' })]);
    expect(events).toContainEqual({ type: 'tool_start', turn: 1, data: bash('b1', { command: 'pwd' }) });
    expect(ran).toEqual(['b1']);
  });

  test('a call whose rewritten words cannot be read does not run', async () => {
    const session = new FullSession();
    const hooks = [hook('old', async () => ({ arguments: { cmd: 'pwd' } }))];
    const { play, registry, ran } = setScene(mode, runs(bash()), { hooks, session });
    registry.canonicalCall = (one) => (one.arguments.includes('"cmd"') ? never('not known') : one);
    await play();
    expect([ran, observationsOf(session)]).toEqual([[], [expect.stringContaining('the hook "old" failed: not known.')]]);
  });

  describe('whatever is no answer denies', () => {
    class Denial {
      readonly decision = 'deny';
    }
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const answers: readonly (readonly [string, Answer])[] = [
      ['an error at once', () => never(new Error('boom'))],
      ['an error later', () => Promise.reject(new Error('boom'))],
      ['a text as an error', () => Promise.reject('boom')],
      ['nothing as an error', () => Promise.reject(undefined)],
      ['an object as an error', () => Promise.reject({ code: 1 })],
      ...[
        null,
        0,
        1,
        true,
        false,
        Number.NaN,
        '',
        'allow',
        [],
        ['deny'],
        { decision: 'yes' },
        { decision: null },
        { decision: true },
        { descision: 'deny' },
        { decision: 'allow', why: 'x' },
        { decision: 'allow', reason: 5 },
        { arguments: Number.NaN },
        { arguments: [] },
        { arguments: 'ls' },
        { arguments: null },
        { arguments: new Map([['command', 'ls']]) },
        { arguments: { n: Number.NaN } },
        { arguments: { n: Number.POSITIVE_INFINITY } },
        { arguments: { n: 1n } },
        { arguments: { f: () => 1 } },
        { arguments: { at: new Date(0) } },
        { arguments: cycle },
        { decision: 'deny', arguments: [] },
        new Map([['decision', 'deny']]),
        new Date(0),
        new Denial(),
        () => ({ decision: 'allow' }),
      ].map((answer, at): [string, Answer] => [`${at}: ${nameOf(answer)}`, async () => answer]),
    ];
    test.each(answers)('%s', async (_name, answer) => {
      const session = new FullSession();
      const hooks = [hook('allow', gives({ decision: 'allow' })), hook('broken', answer), hook('after', () => never('asked'))];
      const { play, ran, log } = setScene(mode, runs(bash('b1'), bash('b2')), { hooks, session });
      const ended = await play();
      expect([ended.stopReason, ran]).toEqual(['completed', []]);
      const told = observationsOf(session);
      expect(told).toHaveLength(2);
      for (const text of told) expect(text).toMatch(/^b.! "bash" was not run: the hook "broken" failed: .*What a hook cannot/);
      expect(ended.notes).toEqual([
        expect.stringMatching(/^The hook "broken" \(PreToolUse\) failed: .+; what it could not judge was denied\.$/),
      ]);
      expect(log.filter((line) => line.includes('warning=hook_failed hook=broken event=PreToolUse'))).toHaveLength(2);
    });

    test('the model is told what was wrong with it, on a line', async () => {
      const session = new FullSession();
      const answers2: readonly unknown[] = [{ descision: 'deny' }, { arguments: { a: { b: Number.NaN } } }, 'allow'];
      for (const answer of answers2) {
        await setScene(mode, runs(bash()), { hooks: [hook('h', async () => answer)], session }).play();
      }
      const [unknown = '', nan = '', text = ''] = observationsOf(session);
      expect(unknown).toContain('failed: its answer is none (Unrecognized key: "descision")');
      expect(nan).toContain('failed: its answer is none (arguments.a');
      expect(text).toContain('failed: its answer is none (expected a plain object)');
    });
  });

  test.each([
    [undefined, 59_999, 60_000, 'did not answer within 60 s'],
    [250, 249, 250, 'did not answer within 0.25 s'],
  ])('[spec 9 hooks] with timeoutMs %p it is waited for %d ms, not %d, then it denies', async (timeoutMs, before, after, why) => {
    const session = new FullSession();
    const signals: AbortSignal[] = [];
    const deaf: Answer = (_event, { signal }) => {
      signals.push(signal);
      return forever();
    };
    const { play, clock, ran, events } = setScene(mode, runs(bash()), { hooks: [hook('deaf', deaf, timeoutMs)], session });
    const ended = play();
    await settled();
    await clock.advance(before);
    expect([events.at(-1)?.type, signals[0]?.aborted]).toEqual(['token_update', false]);
    await clock.advance(after - before);
    expect(await ended).toMatchObject({
      notes: [`The hook "deaf" (PreToolUse) ${why}; what it could not judge was denied.`],
    });
    expect([signals[0]?.aborted, ran, clock.sleeping]).toEqual([true, [], 0]);
    expect(observationsOf(session)[0]).toContain(`"bash" was not run: the hook "deaf" ${why}. What a hook cannot judge`);
  });

  test('timeoutMs 0 is no limit, and the time that a hook takes is not the tool’s', async () => {
    const slow = hook('slow', async () => await clock.sleep(3_600_000, new AbortController().signal), 0);
    const { play, clock, ran, events } = setScene(mode, runs(bash()), { hooks: [slow], toolTimeoutMs: 1000 });
    const ended = play();
    await settled();
    await clock.advance(3_600_000);
    expect((await ended).notes).toBeUndefined();
    expect(ran).toEqual(['b1']);
    expect(events.flatMap((event) => (event.type === 'tool_result' ? [event.data.durationMs] : []))).toEqual([0]);
  });

  test('calls of one turn that read are judged beside each other, each by its own chain; the results keep their order', async () => {
    const release = Promise.withResolvers<void>();
    const trace: string[] = [];
    const hooks = [
      hook('one', async ({ call: { id } }) => {
        trace.push(`one ${id}`);
        if (id === 'l1') await release.promise;
        return id === 'l2' ? { arguments: { at: 2 } } : undefined;
      }),
      hook('two', async ({ call: { id, arguments: args } }) => {
        trace.push(`two ${id} ${args}`);
        return id === 'l3' ? { decision: 'deny' } : undefined;
      }),
    ];
    const session = new FullSession();
    const { play } = setScene(mode, runs(call('l1', 'look'), call('l2', 'look'), call('l3', 'look')), { hooks, session });
    const ended = play();
    await settled();
    expect(trace).toEqual(['one l1', 'one l2', 'one l3', 'two l2 {"at":2}', 'two l3 {}']);
    release.resolve();
    await ended;
    expect(observationsOf(session)).toEqual([
      'l1 look l1 done',
      'l2 The hook "one" changed the arguments of this call to {"at":2}\nlook l2 done',
      'l3! "look" was not run: the hook "two" denied it.',
    ]);
  });

  test('a call that writes is judged when the one before it is over, hooks behind it included', async () => {
    const trace: string[] = [];
    const both: Hook = {
      name: 'both',
      preToolUse: async ({ call: { id } }) => void trace.push(`before ${id}`),
      postToolUse: async ({ call: { id } }) => {
        await settled();
        trace.push(`after ${id}`);
        return undefined;
      },
    };
    await setScene(mode, runs(call('w1', 'write_file'), bash()), { hooks: [both] }).play();
    expect(trace).toEqual(['before w1', 'after w1', 'before b1', 'after b1']);
  });

  test('a call that the output limit cut is no call: nobody is asked about it', async () => {
    const asked: string[] = [];
    const hooks = [hook('h', async ({ call: { id } }) => void asked.push(id))];
    const cut: Step = { answer: { ...calls(call('l1', 'look'), bash('b1', '{"command":"l')), finishReason: 'length' } };
    await setScene(mode, [cut, end], { hooks }).play();
    expect(asked).toEqual(['l1']);
  });

  test('an abort ends the waiting: the calls are answered as interrupted, nothing ran, nobody else is asked', async () => {
    const abort = new AbortController();
    const session = new FullSession();
    const asked: string[] = [];
    const hooks = [hook('deaf', forever), hook('after', () => asked.push('after'))];
    const { play, ran, events } = setScene(mode, runs(bash('b1'), call('l1', 'look')).slice(0, 1), {
      hooks,
      session,
      permissions: {
        check: async () => {
          asked.push('rules');
          return { kind: 'none' };
        },
      },
    });
    const ended = play('go', abort.signal);
    await settled();
    abort.abort();
    expect(await ended).toMatchObject({ stopReason: 'cancelled', turns: 1 });
    expect((await ended).notes).toBeUndefined();
    expect([ran, asked]).toEqual([[], []]);
    expect(session.messages.slice(2)).toEqual([result('b1', interruptedText, true), result('l1', interruptedText, true)]);
    expect(story(events)).toEqual(['1 estimated', '1 done cancelled']);
  });

  test('the run’s time ends the waiting, too, and nothing ran', async () => {
    const hooks = [hook('deaf', forever, 0)];
    const { play, clock, ran } = setScene(mode, runs(bash()), { hooks, timeoutMs: 100_000 });
    const ended = play();
    await settled();
    await clock.advance(75_000);
    expect(await ended).toMatchObject({ stopReason: 'timeout', finalMessage: 'ok' });
    expect(ran).toEqual([]);
  });
});
