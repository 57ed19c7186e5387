// Every option by its name: what it is when it is not given, what it does when it is, 0 as none; and what is refused.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { Hook } from '../../src/engine/ports.ts';
import { Harness9Error } from '../../src/schema/error.ts';
import { textOf } from '../../src/schema/message.ts';
import { MemorySession, RecordingObserver, registryOf, settled, type TestTool } from './ports.ts';
import { type Mode, modes, setScene } from './scene.ts';
import { call, calls, ScriptedModel, type Step, says, user } from './scripted-model.ts';

const look = (id: string): Step => ({ answer: calls(call(id, 'look', { id })) });
const looks = (count: number): readonly Step[] => Array.from({ length: count }, (_, at) => look(`c${at}`));
const end: Step = { answer: says('ok') };

describe.each(modes)('%s', (mode: Mode) => {
  test('[spec 5.5 WithMaxTurns] maxTurns is 50 unless it is given; 0 is no limit', async () => {
    const usual = setScene(mode, [...looks(49), { answer: says('fifty') }]);
    expect(await usual.play()).toMatchObject({ stopReason: 'max_turns', turns: 50, finalMessage: 'fifty' });
    const three = setScene(mode, [...looks(2), { answer: says('three') }], { maxTurns: 3 });
    expect(await three.play()).toMatchObject({ stopReason: 'max_turns', turns: 3 });
    const endless = setScene(mode, [...looks(70), end], { maxTurns: 0 });
    expect(await endless.play()).toMatchObject({ stopReason: 'completed', turns: 71 });
  });

  test.each<[number | undefined, number, string]>([
    [undefined, 59_999, 'asked still'],
    [undefined, 65_000, 'slow did not finish within 60 s'],
    [2000, 7000, 'slow did not finish within 2 s'],
    [0, 3_600_000, 'asked still'],
  ])(
    '[spec 5.5 WithToolTimeout] with toolTimeoutMs %p a deaf tool after %d ms: %s',
    async (toolTimeoutMs, elapsedMs, expected) => {
      const finish = Promise.withResolvers<string>();
      const slow: TestTool = { run: () => finish.promise };
      const session = new MemorySession();
      const { play, clock } = setScene(mode, [{ answer: calls(call('c1', 'slow')) }, end], {
        toolTimeoutMs,
        session,
        tools: { slow },
      });
      const ended = play();
      await settled();
      await clock.advance(elapsedMs - 5000);
      await clock.advance(5000);
      finish.resolve('asked still');
      await ended;
      expect(textOf(session.messages[2]?.content ?? [])).toContain(expected);
    },
  );

  test.each<[number | undefined, number]>([
    [undefined, 6],
    [0, 6],
    [2, 2],
    [1, 1],
  ])(
    '[spec 5.5 WithMaxConcurrentTools] with maxConcurrentTools %p so many of six calls run at a time: %d',
    async (maxConcurrentTools, most) => {
      let running = 0;
      const seen: number[] = [];
      const slow: TestTool = {
        run: async () => {
          running += 1;
          seen.push(running);
          await settled();
          running -= 1;
          return 'done';
        },
      };
      const six = calls(...['1', '2', '3', '4', '5', '6'].map((id) => call(id, 'slow')));
      const { play } = setScene(mode, [{ answer: six }, end], { maxConcurrentTools, tools: { slow } });
      expect(await play()).toMatchObject({ stopReason: 'completed' });
      expect([seen.length, Math.max(...seen)]).toEqual([6, most]);
    },
  );

  test('[spec 5.5 WithSession] session is none unless it is given; with one the history comes first and is saved', async () => {
    const bare = setScene(mode, [end, end]);
    expect((await bare.play('one')).sessionId).toBeUndefined();
    await bare.play('two');
    expect(bare.model.requests[1]?.messages.slice(1)).toEqual([user('two')]);
    const session = new MemorySession([user('before'), says('yes')]);
    const kept = setScene(mode, [end, end], { session });
    expect((await kept.play('one')).sessionId).toBe('s1');
    await kept.play('two');
    expect(kept.model.requests[1]?.messages.slice(1)).toEqual([
      user('before'),
      says('yes'),
      user('one'),
      says('ok'),
      user('two'),
    ]);
    expect(session.saves).toEqual([[user('one')], [says('ok')], [user('two')], [says('ok')]]);
  });

  test('[spec 5.5 WithContextWindow] contextWindow is 0 unless it is given, and goes to events and compactor', async () => {
    const windows: number[] = [];
    const compactor = {
      compact: async ({ contextWindow, messages }: { contextWindow: number; messages: readonly ReturnType<typeof user>[] }) => {
        windows.push(contextWindow);
        return { messages };
      },
    };
    for (const contextWindow of [undefined, 0, 128_000]) {
      const { play, events } = setScene(mode, [end], { contextWindow, compactor });
      await play();
      const told = events.flatMap((event) => (event.type === 'token_update' ? [event.data.contextWindow] : []));
      expect(told).toEqual([contextWindow ?? 0]);
    }
    expect(windows).toEqual([0, 0, 128_000]);
  });

  test('[spec 5.5 WithPromptBuilder] [spec 4.1 working directory] the prompt names the directory unless a builder says otherwise, once a run', async () => {
    const usual = setScene(mode, [end]);
    await usual.play();
    expect(textOf(usual.model.requests[0]?.messages[0]?.content ?? [])).toContain('in the directory /w.');
    const built: string[] = [];
    const promptBuilder = { build: () => `be brief ${built.push('')}` };
    const given = setScene(mode, [look('c1'), end, end], { promptBuilder });
    await given.play();
    await given.play();
    expect(given.model.requests.map(({ messages }) => textOf(messages[0]?.content ?? []))).toEqual([
      'be brief 1',
      'be brief 1',
      'be brief 2',
    ]);
    expect(given.model.requests.every(({ messages }) => messages.filter(({ role }) => role === 'system').length === 1)).toBe(
      true,
    );
  });

  test('[spec 5.5 WithEngineObserver] [spec 6.1 noopObserver] nobody is told unless an observer is given', async () => {
    expect(await setScene(mode, [end]).play()).toMatchObject({ stopReason: 'completed' });
    const observer = new RecordingObserver();
    await setScene(mode, [look('c1'), end], { observer }).play('hello');
    expect(observer.calls).toEqual([
      'start undefined hello',
      'turn 1 in interaction',
      'turn 1 over in turn 1, calls: true',
      'turn 2 in interaction',
      'turn 2 over in turn 2, calls: false',
      'end 2 in interaction',
    ]);
  });

  test('[spec 9 hooks] hooks are none unless they are given; they may have more than is asked for, and the list is read once', async () => {
    const asked: string[] = [];
    class Guard implements Hook {
      readonly name = 'guard';
      readonly timeoutMs = 0;
      readonly note = 'of its own';
      async preToolUse(): Promise<undefined> {
        asked.push(this.note);
      }
    }
    const hooks: Hook[] = [new Guard()];
    const { play } = setScene(mode, [look('c1'), end], { hooks });
    hooks.push({ name: 'late', stop: async () => ({ message: 'too late' }) });
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 2 });
    expect(asked).toEqual(['of its own']);
    expect(await setScene(mode, [look('c1'), end], { hooks: [] }).play()).toMatchObject({ stopReason: 'completed' });
  });

  test('[spec 5.5 SetSession] another session counts from the next run on, not for one that has begun; none is a session too few', async () => {
    const first = new MemorySession();
    const later = new MemorySession();
    const scene = setScene(mode, [look('c1'), end, end, end], {
      session: first,
      onEvent: ({ type }) => type === 'tool_start' && scene.engine.setSession(later),
    });
    expect((await scene.play('one')).sessionId).toBe('s1');
    await scene.play('two');
    expect(first.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(later.messages).toEqual([user('two'), says('ok')]);
    scene.engine.setSession(undefined);
    expect((await scene.play('three')).sessionId).toBeUndefined();
    expect(later.messages).toHaveLength(2);
  });
});

describe('what is refused', () => {
  const hook = (more: object): object => ({ name: 'h', preToolUse: async () => undefined, ...more });
  const create = (options: unknown) => () =>
    Reflect.apply(createEngine, undefined, [new ScriptedModel([]), registryOf({}), '/w', options]);

  test.each([
    ['maxTurns', -1],
    ['maxTurns', '3'],
    ['toolTimeoutMs', Number.NaN],
    ['maxConcurrentTools', 1.5],
    ['timeoutMs', Number.POSITIVE_INFINITY],
    ['wrapUpReserveMs', null],
    ['maxTokensTotal', -0.1],
    ['maxCostUsd', -0.01],
    ['maxCostUsd', Number.NaN],
    ['maxCostUsd', '2'],
    ['priceOf', 0.03],
    ['contextWindow', true],
    ['maxRepeats', '0'],
    ['session', { getMessages: () => [] }],
    ['compactor', []],
    ['planMode', 'readonly'],
    ['planMode', null],
    ['permissions', () => ({ kind: 'allow' })],
    ['permissions', {}],
    ['hooks', {}],
    ['hooks', 'guard'],
    ['hooks', [undefined]],
    ['hooks', [() => {}]],
    ['hooks', [hook({ name: undefined })]],
    ['hooks', [hook({ name: ' ' })]],
    ['hooks', [hook({ preToolUse: true })]],
    ['hooks', [hook({ postToolUse: 'deny' })]],
    ['hooks', [hook({ turnComplete: {} })]],
    ['hooks', [hook({ stop: null })]],
    ['hooks', [hook({ timeoutMs: -1 })]],
    ['hooks', [hook({ timeoutMs: 1.5 })]],
    ['hooks', [hook({ timeoutMs: '60' })]],
    ['hooks', [hook({}), { name: 'misspelt', preToolUsed: () => {} }]],
    ['background', { takeEnded: () => [], waitForAll: async () => {} }],
    ['within', null],
    ['within', []],
    ['approve', true],
    ['todoStore', { getItems: () => [] }],
    ['memoryNudge', 5],
    ['memoryNudge', { everyTurns: -1, text: 'x' }],
    ['memoryNudge', { everyTurns: 1 }],
    ['promptBuilder', () => 'x'],
    ['observer', {}],
    ['onEvent', {}],
    ['log', { info: () => {} }],
    ['clock', 0],
    ['random', 0.5],
    ['followUp', null],
    ['outputSchema', { type: 'object' }],
    ['outputSchema', { schema: [], check: () => ({ value: 1 }) }],
    ['outputSchema', { schema: {} }],
    ['estimateTokens', 4],
    ['tail', () => []],
    ['max_turns', 3],
  ])('%s: %p, by name, before anything starts', (name, value) => {
    expect(create({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'ENGINE_BAD_OPTION', message: expect.stringContaining(name) }),
    );
  });

  test('what is expected is said in words', () => {
    expect(create({ planMode: 'read', memoryNudge: {}, maxRepeats: -1 })).toThrow(
      'planMode is "read", expected one of default, plan, auto_edit, accept_edits; memoryNudge is an object with nothing, expected an ' +
        'object with everyTurns, a whole number of 0 or more, and text, a string; maxRepeats is -1, expected a whole number of 0 or more.',
    );
  });

  test.each([
    ['nobody who knows prices', {}],
    ["a price of everything but the run's own model", { priceOf: () => undefined }],
  ])('a budget in dollars with %s, since nothing could hold it', (_name, given) => {
    expect(create({ maxCostUsd: 2, ...given })).toThrow(
      "maxCostUsd is given, expected priceOf with it that knows the price of the run's own model",
    );
    expect(create({ maxCostUsd: 0, ...given })).not.toThrow();
  });

  test.each<[string, readonly unknown[], string]>([
    [
      'no model',
      [undefined, registryOf({}), '/w'],
      'provider is undefined, expected an object with the functions generate, generateStream',
    ],
    ['half a model', [{ generate: () => {} }, registryOf({}), '/w'], 'provider is an object with generate, expected'],
    [
      'no tools',
      [new ScriptedModel([]), [], '/w'],
      'registry is a list, expected an object with the functions getAvailableTools, execute',
    ],
    ['no directory', [new ScriptedModel([]), registryOf({})], 'workDir is undefined, expected the path of a directory'],
  ])('%s', (_name, args, message) => {
    expect(() => Reflect.apply(createEngine, undefined, args)).toThrow(
      expect.objectContaining({ code: 'ENGINE_BAD_OPTION', message: expect.stringContaining(message) }),
    );
  });

  const begin = (mode: Mode, ...args: readonly unknown[]): Promise<unknown> => {
    const { engine } = setScene(mode, [end]);
    return Promise.try(() => Reflect.apply(engine[mode], engine, args));
  };

  test.each(modes)('%s without a prompt, or with a signal that is none, in words', async (mode) => {
    const refusals: [readonly unknown[], string, string][] = [
      [[], 'ENGINE_BAD_PROMPT', 'The prompt is undefined, expected a text or a list of parts.'],
      [[5], 'ENGINE_BAD_PROMPT', 'The prompt is number'],
      [[[{ text: 'go' }]], 'ENGINE_BAD_PROMPT', 'The prompt is a list with something else than parts'],
      [[''], 'ENGINE_EMPTY_PROMPT', 'empty'],
      [[[]], 'ENGINE_EMPTY_PROMPT', 'empty'],
      [['go', null], 'ENGINE_BAD_SIGNAL', 'The second argument of a run is null, expected an AbortSignal.'],
      [['go', new AbortController()], 'ENGINE_BAD_SIGNAL', 'is object'],
    ];
    for (const [args, code, message] of refusals) {
      await expect(begin(mode, ...args)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    }
  });

  test.each(modes)('%s with a builder that gives no text', async (mode) => {
    const builders: [() => unknown, string][] = [
      [() => undefined, 'promptBuilder.build gave undefined, expected a text.'],
      [async () => 'late', 'promptBuilder.build gave a promise, expected a text.'],
    ];
    for (const [build, message] of builders) {
      const options = {};
      Reflect.set(options, 'promptBuilder', { build });
      const { play, events } = setScene(mode, [end], options);
      await expect(play()).rejects.toMatchObject({ code: 'ENGINE_BAD_PROMPT', message });
      expect(events).toEqual([]);
    }
  });

  test('a setter that gets nonsense throws and changes nothing', async () => {
    const session = new MemorySession();
    const { engine, play, model } = setScene('run', [end], { session, planMode: 'plan' });
    expect(() => Reflect.apply(engine.setPlanMode, engine, ['readonly'])).toThrow(Harness9Error);
    expect(() => Reflect.apply(engine.setPlanMode, engine, [undefined])).toThrow(
      'planMode is undefined, expected one of default',
    );
    expect(() => Reflect.apply(engine.setSession, engine, [{ id: 'x' }])).toThrow(/session is an object with id, expected/);
    expect(() => Reflect.apply(engine.setSession, engine, [null])).toThrow(Harness9Error);
    await play();
    expect([session.messages.length, model.requests[0]?.tools.length]).toEqual([2, 2]);
  });
});
