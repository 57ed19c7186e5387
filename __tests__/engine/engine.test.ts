// The loop from outside: turns, history, session, options, observers, events; both modes must agree.
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import type { EngineOptions } from '../../src/engine/options.ts';
import { Harness9Error } from '../../src/schema/error.ts';
import { textOf, textPart } from '../../src/schema/message.ts';
import type { EngineEvent, RunResult } from '../../src/schema/run.ts';
import { depthOf, echo, ManualClock, MemorySession, RecordingObserver, registryOf, settled } from './ports.ts';
import { call, calls, readAll, result, ScriptedModel, type Step, says, usage, user } from './scripted-model.ts';

const oneCall: readonly Step[] = [
  { answer: { ...calls(call('c1', 'echo')), content: [textPart('let me look')] }, usage: usage(100, 10) },
  { answer: says('all done'), usage: usage(120, 5) },
];

function setUp(steps: readonly Step[], options: EngineOptions = {}) {
  const model = new ScriptedModel(steps);
  const session = new MemorySession();
  const registry = registryOf({ echo, bad: { run: () => Promise.reject(new Error('no luck')) } });
  const engine = createEngine(model, registry, '/work/dir', { session, clock: new ManualClock(), ...options });
  return { engine, model, session };
}

const completed: RunResult = {
  stopReason: 'completed',
  finalMessage: 'all done',
  turns: 2,
  usage: usage(220, 15),
  durationMs: 0,
  sessionId: 's1',
};

describe('a run', () => {
  test('[spec 4 loop] [spec 4.2 one call per turn] [spec 4.3 natural termination] [spec 7 blocking] [spec 5.5 Run] calls the model, runs its tools, and ends when there are no more calls', async () => {
    const { engine, model, session } = setUp(oneCall);
    expect(await engine.run('hello')).toEqual(completed);
    expect(session.messages).toEqual([
      user('hello'),
      { ...calls(call('c1', 'echo')), content: [textPart('let me look')], usage: usage(100, 10) },
      result('c1', 'ran c1'),
      { ...says('all done'), usage: usage(120, 5) },
    ]);
    expect(model.requests.map((request) => [request.toolChoice, request.messages.length, request.tailStart])).toEqual([
      ['auto', 2, 2],
      ['auto', 4, 4],
    ]);
  });

  test('[spec 4.1 system prompt not stored] [spec 4.1 only new messages saved] saves the prompt before the first call and each turn as a whole, never the system prompt', async () => {
    const { engine, session } = setUp(oneCall);
    await engine.run('hello');
    expect(session.saves.map((messages) => messages.map((message) => message.role))).toEqual([
      ['user'],
      ['assistant', 'user'],
      ['assistant'],
    ]);
  });

  test('[spec 4.1 no session] [spec 3.1 system] the request is the system prompt, which names the working directory or is what the builder says, and the prompt', async () => {
    const plain = setUp([{ answer: says('ok') }]);
    await plain.engine.run('hi');
    expect(textOf(plain.model.requests[0]?.messages[0]?.content ?? [])).toContain('/work/dir');
    const built = setUp([{ answer: says('ok') }], { promptBuilder: { build: () => 'be brief' } });
    await built.engine.run('hi');
    expect(built.model.requests[0]?.messages).toEqual([{ role: 'system', content: [textPart('be brief')] }, user('hi')]);
  });

  test('[spec 3.2 ToolResult.IsError] [spec 3.2 ToolResult.Output] a failing tool is an observation, and its message reaches the model', async () => {
    const { engine, model } = setUp([{ answer: calls(call('c1', 'bad')) }, { answer: says('ok') }]);
    expect((await engine.run('hi')).stopReason).toBe('completed');
    expect(model.requests[1]?.messages.at(-1)).toEqual(result('c1', 'bad failed: no luck', true));
  });

  test('[spec 3.1 user] [spec 4.5 observation] the results of a turn are user messages with the ids of their calls, in the order of the calls, whichever ends first', async () => {
    const done = new Map<string, (text: string) => void>();
    const slow = registryOf({ slow: { run: ({ id }) => new Promise((resolve) => done.set(id, resolve)) } });
    const model = new ScriptedModel([
      { answer: calls(call('c1', 'slow'), call('c2', 'slow'), call('c3', 'nothing'), call('c4', 'slow')) },
      { answer: says('ok') },
    ]);
    const session = new MemorySession();
    const ended = createEngine(model, slow, '/w', { session }).run('hi');
    for (const id of ['c4', 'c2', 'c1']) {
      await settled();
      done.get(id)?.(`${id} says`);
    }
    expect(await ended).toMatchObject({ stopReason: 'completed' });
    const observations = [
      result('c1', 'c1 says'),
      result('c2', 'c2 says'),
      result('c3', 'unknown tool nothing', true),
      result('c4', 'c4 says'),
    ];
    expect(model.requests[1]?.messages.slice(1)).toEqual([user('hi'), session.messages[1], ...observations]);
    expect(session.messages.slice(2)).toEqual([...observations, says('ok')]);
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user', 'user', 'user', 'assistant']);
  });

  test('[spec 4.1 session restored] goes on from the session, repaired, and never asks twice for what was cut', async () => {
    const session = new MemorySession([user('old'), calls(call('t1', 'echo'), call('t2', 'echo')), result('t1', 'r')]);
    const { engine, model } = setUp([{ answer: says('ok') }], { session });
    await engine.run('new');
    expect(model.requests[0]?.messages.slice(1).map((message) => message.toolCallId ?? message.role)).toEqual([
      'user',
      'assistant',
      't1',
      't2',
      'user',
    ]);
    expect(session.saves).toEqual([[user('new')], [says('ok')]]);
  });

  test('[spec 4.1 unreadable session] a session that fails is a note and a warning, not the end', async () => {
    const lines: string[] = [];
    const session = new MemorySession();
    session.failing = true;
    const { engine } = setUp(oneCall, { session, log: (line) => lines.push(line) });
    const ended = await engine.run('hello');
    expect(ended).toEqual({ ...completed, notes: [expect.stringContaining('disk gone'), expect.stringContaining('disk full')] });
    expect(lines.filter((line) => line.startsWith('[engine] warning=session_'))).toHaveLength(4);
  });

  test('a session that never answers holds nothing up for long', async () => {
    const clock = new ManualClock();
    const deaf = { id: 's1', getMessages: async () => [], addMessages: () => new Promise<void>(() => {}) };
    const ended = setUp([{ answer: says('ok') }], { session: deaf, clock }).engine.run('hello');
    for (let save = 0; save < 2; save += 1) {
      await settled();
      await clock.advance(10_000);
    }
    expect(await ended).toMatchObject({ stopReason: 'completed', notes: [expect.stringContaining('could not be saved')] });
    expect(clock.sleeping).toBe(0);
  });

  test('what could not be saved is saved with the next turn', async () => {
    const session = new MemorySession();
    const registry = registryOf({
      heal: {
        run: () => {
          session.failing = false;
          return 'healed';
        },
      },
    });
    const engine = createEngine(
      new ScriptedModel([{ answer: calls(call('c1', 'heal')) }, { answer: says('ok') }]),
      registry,
      '/w',
      { session },
    );
    session.failing = true;
    await engine.run('hello');
    expect(session.messages).toEqual([user('hello'), calls(call('c1', 'heal')), result('c1', 'healed'), says('ok')]);
  });

  test('setSession counts from the next run on, not for one that has begun', async () => {
    const later = new MemorySession();
    const { engine, session } = setUp([{ answer: says('one') }, { answer: says('two') }]);
    const first = engine.run('first');
    engine.setSession(later);
    await first;
    await engine.run('second');
    expect(session.messages).toEqual([user('first'), says('one')]);
    expect(later.messages).toEqual([user('second'), says('two')]);
  });

  test('[spec 3.2 ToolResult.ToolCallID] [spec 3.2 Message.ToolCallID] call ids that are empty, or taken, are made unique, and results keep to them', async () => {
    const { engine, session } = setUp([
      { answer: calls(call('', 'echo'), call('', 'echo'), call('a', 'echo')) },
      { answer: calls(call('a', 'echo')) },
      { answer: says('ok') },
    ]);
    await engine.run('hi');
    expect(session.messages.flatMap((message) => message.toolCallId ?? [])).toEqual(['call', 'call_2', 'a', 'a_2']);
    expect(session.messages.flatMap((message) => (message.toolCalls ?? []).map(({ id }) => id))).toEqual([
      'call',
      'call_2',
      'a',
      'a_2',
    ]);
  });

  test('a follow-up sends the model on; what it ended with stays in the history', async () => {
    const asked: unknown[] = [];
    const { engine, session } = setUp([{ answer: says('one') }, { answer: says('two') }], {
      followUp: async (state) => {
        asked.push(state);
        return state.turn === 1 ? 'and the rest?' : undefined;
      },
    });
    expect((await engine.run('hi')).finalMessage).toBe('two');
    expect(session.messages).toEqual([user('hi'), says('one'), user('and the rest?'), says('two')]);
    expect(asked).toEqual([
      { turn: 1, finalMessage: 'one' },
      { turn: 2, finalMessage: 'two' },
    ]);
  });

  test('a port that throws ends the run as an error with what was done', async () => {
    const { engine, session } = setUp(oneCall, {
      estimateTokens: () => {
        if (session.messages.length === 3) throw new Error('estimate broke');
        return 1;
      },
    });
    const ended = await engine.run('hello');
    expect([ended.stopReason, ended.finalMessage, ended.error?.message]).toEqual(['error', 'let me look', 'estimate broke']);
    expect(session.messages).toHaveLength(3);
  });
});

describe('options', () => {
  test('every bad one is named with its value before anything starts', () => {
    const create = (): unknown =>
      createEngine(new ScriptedModel([]), registryOf({}), '', {
        maxTurns: -1,
        toolTimeoutMs: Number.NaN,
        maxConcurrentTools: 1.5,
      });
    expect(create).toThrow(Harness9Error);
    expect(create).toThrow(
      /workDir is "", expected the path of a directory.*maxTurns is -1, expected.*toolTimeoutMs is NaN.*maxConcurrentTools is 1\.5/,
    );
  });

  test('unknown names and wrong kinds are refused, not passed over', () => {
    const given: unknown = {
      max_turns: 3,
      maxTurns: '3',
      log: { info: () => {} },
      followUp: null,
      session: { id: 's', getMessages: () => [] },
      clock: undefined,
      compactor: [],
    };
    const create = (options: unknown) => () =>
      Reflect.apply(createEngine, undefined, [new ScriptedModel([]), registryOf({}), '/w', options]);
    expect(create(given)).toThrow(
      expect.objectContaining({ code: 'ENGINE_BAD_OPTION', message: expect.stringMatching(/^The engine cannot start: /) }),
    );
    for (const problem of [
      /"max_turns" is no option \(there are maxTurns, /,
      /maxTurns is "3", expected a whole number of 0 or more/,
      /log is an object with info, expected a function/,
      /followUp is null, expected a function/,
      /session is an object with id, getMessages, expected an object with the functions getMessages, addMessages/,
      /compactor is a list, expected an object with the functions compact/,
    ]) {
      expect(create(given)).toThrow(problem);
    }
    expect(create(given)).not.toThrow(/clock is/);
    expect(create(null)).toThrow('the options are null, expected an object');
    expect(create({ __proto__: null, constructor: 1 })).toThrow('"constructor" is no option');
  });

  test('an empty prompt throws in both modes and saves nothing', async () => {
    const { engine, session } = setUp([]);
    await expect(engine.run(' ')).rejects.toThrow(Harness9Error);
    expect(() => engine.runStream([])).toThrow(Harness9Error);
    expect(session.saves).toEqual([]);
  });
});

describe('events', () => {
  const steps: readonly Step[] = [{ ...oneCall[0], resets: true } as Step, ...oneCall.slice(1)];
  const startedCall = call('c1', 'echo');
  const toolResult = { toolCallId: 'c1', output: [textPart('ran c1')], isError: false };
  const estimate: EngineOptions = { estimateTokens: (messages) => messages.length, contextWindow: 500 };
  const blocking: EngineEvent[] = [
    { type: 'token_update', turn: 1, data: { kind: 'estimated', tokens: 2, contextWindow: 500 } },
    { type: 'token_update', turn: 1, data: { kind: 'actual', tokens: 100, contextWindow: 500 } },
    { type: 'tool_start', turn: 1, data: startedCall },
    { type: 'tool_result', turn: 1, data: { result: toolResult, durationMs: 0 } },
    // 4 by the estimate, times 3: the first report was 50 times as much, which is followed so far.
    { type: 'token_update', turn: 2, data: { kind: 'estimated', tokens: 12, contextWindow: 500 } },
    { type: 'token_update', turn: 2, data: { kind: 'actual', tokens: 120, contextWindow: 500 } },
    { type: 'done', turn: 2, data: completed },
  ];

  test('a blocking run sends all but the deltas', async () => {
    const events: EngineEvent[] = [];
    await setUp(steps, { ...estimate, onEvent: (event) => events.push(event) }).engine.run('hello');
    expect(events).toEqual(blocking);
  });

  test('[spec 5.5 RunStream] [spec 4.6 streamGenerate] [spec 7 streaming] a stream sends the same with the deltas between, to its reader and to onEvent alike', async () => {
    const heard: EngineEvent[] = [];
    const { engine } = setUp(steps, { ...estimate, onEvent: (event) => heard.push(event) });
    const events = await readAll(engine.runStream('hello'));
    const delta = (turn: number, data: string): EngineEvent => ({ type: 'action_delta', turn, data });
    expect(events).toEqual([
      blocking[0],
      delta(1, 'gone'),
      { type: 'reset', turn: 1 },
      ...['let', ' me', ' look'].map((word) => delta(1, word)),
      ...blocking.slice(1, 5),
      ...['all', ' done'].map((word) => delta(2, word)),
      ...blocking.slice(5),
    ]);
    expect(heard).toEqual(events);
  });

  test('both modes leave the same history and the same result', async () => {
    const whole = setUp(steps);
    const streamed = setUp(steps);
    const ended = await whole.engine.run('hello');
    expect((await readAll(streamed.engine.runStream('hello'))).at(-1)).toEqual({ type: 'done', turn: 2, data: ended });
    expect(streamed.session.messages).toEqual(whole.session.messages);
    expect(streamed.model.requests).toEqual(whole.model.requests);
  });

  test('a listener that throws is logged and survived', async () => {
    const lines: string[] = [];
    const { engine } = setUp(oneCall, {
      log: (line) => lines.push(line),
      onEvent: () => {
        throw new Error('bad listener');
      },
    });
    expect(await engine.run('hello')).toEqual(completed);
    expect(lines.some((line) => line.includes('bad listener'))).toBe(true);
  });

  test('nothing runs before the first read, and a slow reader loses nothing', async () => {
    const { engine, model } = setUp(oneCall);
    const stream = engine.runStream('hello')[Symbol.asyncIterator]();
    await new Promise((resolve) => setImmediate(resolve));
    expect(model.requests).toHaveLength(0);
    const types: string[] = [];
    for (let item = await stream.next(); item.done !== true; item = await stream.next()) {
      types.push(item.value.type);
      for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(types.filter((type) => type === 'done')).toHaveLength(1);
    expect(types).toHaveLength(12);
  });
});

describe('observer and log', () => {
  test('[spec 6.1 OnInteractionStart] [spec 6.1 OnInteractionEnd] [spec 6.1 OnTurnStart] [spec 6.1 OnTurnEnd] callbacks are balanced and everything below gets the context of its turn', async () => {
    const observer = new RecordingObserver();
    const depths: string[] = [];
    const model = new ScriptedModel(oneCall);
    const registry = registryOf({ echo: { run: (_call, { run }) => String(depths.push(depthOf(run))) } });
    await createEngine(model, registry, '/w', { observer }).run('hello');
    expect(observer.calls).toEqual([
      'start undefined hello',
      'turn 1 in interaction',
      'turn 1 over in turn 1, calls: true',
      'turn 2 in interaction',
      'turn 2 over in turn 2, calls: false',
      'end 2 in interaction',
    ]);
    expect(observer.errors).toEqual([undefined]);
    expect([...depths, ...model.contexts.map(({ run }) => depthOf(run))]).toEqual(['turn 1', 'turn 1', 'turn 2']);
  });

  test('an observer that throws is survived', async () => {
    const broken = (): never => {
      throw new Error('observer');
    };
    const observer = { onInteractionStart: broken, onInteractionEnd: broken, onTurnStart: broken, onTurnEnd: broken };
    expect(await setUp(oneCall, { observer }).engine.run('hello')).toEqual(completed);
  });

  test('[spec 6.2 [engine]] [spec 6.2 [assistant]] [spec 6.2 key=value] logs a line for each turn and, when blocking, the text of the model', async () => {
    const lines: string[] = [];
    await setUp(oneCall, { log: (line) => lines.push(line) }).engine.run('hello');
    expect(lines).toEqual([
      '[engine] state=started max_turns=50 tool_timeout_ms=60000 max_concurrent=0',
      '[assistant] let me look',
      '[engine] tool=echo id=c1 state=started',
      '[engine] tool=echo id=c1 state=done ms=0',
      '[engine] turn=1 tools=1 llm_ms=0 tools_ms=0 history=3',
      '[assistant] all done',
      '[engine] turn=2 tools=0 llm_ms=0 tools_ms=0 history=4',
      '[engine] state=ended stop=completed turns=2 total_ms=0',
    ]);
  });

  test('[spec 6.2 [engine-stream]] [spec 6.2 no prefix] a stream says in every line of its own that it is one, whatever else the engine runs', async () => {
    const lines: string[] = [];
    const { engine } = setUp([...oneCall, { answer: says('again') }], {
      log: (line) => lines.push(line),
      onEvent: (event) => {
        if (event.type === 'done') throw new Error('listener');
      },
    });
    await readAll(engine.runStream('hello'));
    expect(lines).toHaveLength(7);
    expect(lines.filter((line) => !line.startsWith('[engine-stream] '))).toEqual([]);
    lines.length = 0;
    await engine.run('once more');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['[engine]', '[assistant]', '[engine]', '[engine]', '[engine]']);
  });
});
