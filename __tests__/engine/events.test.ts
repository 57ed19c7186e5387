// The events of a run as whole lists: their order, their turns, what comes with each; the log lines beside them.
import { describe, expect, test } from '@jest/globals';
import type { Message } from '../../src/schema/message.ts';
import { textPart } from '../../src/schema/message.ts';
import type { EngineEvent } from '../../src/schema/run.ts';
import { Todos, todo } from './ports.ts';
import { inShort, type Mode, modes, setScene, story } from './scene.ts';
import { call, calls, type Step, says, usage } from './scripted-model.ts';

const thinking = { type: 'opaque' as const, origin: { provider: 'p', endpoint: 'e', model: 'm' }, kind: 'thinking', value: 'hm' };
const thinks = (message: Message): Message => ({ ...message, content: [thinking, ...message.content] });

const twoTurns: readonly Step[] = [
  { answer: thinks({ ...calls(call('w1', 'write_file')), content: [textPart('I write')] }), usage: usage(100, 10) },
  { answer: says('all done'), usage: usage(120, 5) },
];
const approving = { planMode: 'auto_edit' as const, approve: async () => ({ isAllowed: true }) };

describe('order', () => {
  test('[spec 3.3 event order] [spec 3.3 thinking_delta] [spec 3.3 action_delta] [spec 3.3 Event.Turn] a stream tells everything in its order', async () => {
    const { play, events } = setScene('runStream', twoTurns, approving);
    await play();
    expect(events.map(inShort)).toEqual([
      '1 estimated',
      '1 thinking_delta hm',
      '1 action_delta I',
      '1 action_delta  write',
      '1 actual',
      '1 approval w1',
      '1 start w1',
      '1 result w1',
      '2 estimated',
      '2 action_delta all',
      '2 action_delta  done',
      '2 actual',
      '2 done completed',
    ]);
  });

  test('[spec 4.6 shared loop] both modes tell the same story, but for the deltas', async () => {
    const stories = await Promise.all(
      modes.map(async (mode) => {
        const { play, events } = setScene(mode, twoTurns, approving);
        const ended = await play();
        return { ended, story: story(events), kinds: new Set(events.map(({ type }) => type)) };
      }),
    );
    expect(stories[0]?.story).toEqual(stories[1]?.story);
    expect(stories[0]?.ended).toEqual(stories[1]?.ended);
    expect([...(stories[1]?.kinds.difference(stories[0]?.kinds ?? new Set()) ?? [])].sort()).toEqual([
      'action_delta',
      'thinking_delta',
    ]);
  });
});

describe.each(modes)('%s', (mode: Mode) => {
  test('[spec 3.3 token_update] the estimate before each call, what was really used after it, corrected from then on', async () => {
    const { play, events } = setScene(mode, twoTurns, { estimateTokens: (messages) => messages.length * 25, contextWindow: 500 });
    await play();
    expect(events.filter(({ type }) => type === 'token_update')).toEqual([
      { type: 'token_update', turn: 1, data: { kind: 'estimated', tokens: 50, contextWindow: 500 } },
      { type: 'token_update', turn: 1, data: { kind: 'actual', tokens: 100, contextWindow: 500 } },
      { type: 'token_update', turn: 2, data: { kind: 'estimated', tokens: 200, contextWindow: 500 } },
      { type: 'token_update', turn: 2, data: { kind: 'actual', tokens: 120, contextWindow: 500 } },
    ]);
  });

  test.each([
    ['no usage', undefined],
    ['no input tokens', usage(0, 5)],
  ])('[spec 3.3 token_update] a provider that reports %s has no actual', async (_name, reported) => {
    const step: Step = reported === undefined ? { answer: says('ok') } : { answer: says('ok'), usage: reported };
    const { play, events } = setScene(mode, [step]);
    await play();
    expect(story(events)).toEqual(['1 estimated', '1 done completed']);
  });

  test('[spec 3.3 Event.Type] [spec 3.3 Event.Data] [spec 3.3 Event.Turn] there is one of every type, and each has its turn and the data of its type', async () => {
    const record = { strategy: 's', tokensBefore: 100, tokensAfter: 10, messagesBefore: 2, messagesAfter: 2 };
    const list = call('t1', 'todo_write', { todos: [todo('a', 'completed')] });
    const write = call('w1', 'write_file');
    const acts = { ...calls(list, write), content: [textPart('I write')] };
    const todoStore = new Todos();
    const well = setScene(mode, [{ answer: thinks(acts), resets: true }, ...twoTurns.slice(1)], {
      ...approving,
      todoStore,
      tools: { todo_write: todoStore.tool },
      compactor: { compact: async ({ messages }) => (messages.length === 2 ? { messages, record } : { messages }) },
      contextWindow: 500,
    });
    const badly = setScene(mode, [{ fault: { kind: 'auth', message: 'refused', retryable: false } }]);
    const [ended, failed] = [await well.play(), await badly.play()];
    const resultOf = (id: string, text: string) => ({
      result: { toolCallId: id, output: [textPart(text)], isError: false },
      durationMs: 0,
    });
    const estimate = { kind: 'estimated', tokens: expect.any(Number), contextWindow: 500 };
    const ofStream = (...events: readonly object[]): readonly object[] => (mode === 'run' ? [] : events);
    const expected: Readonly<Record<EngineEvent['type'], readonly object[]>> = {
      action_delta: ofStream(
        ...['gone', 'I', ' write'].map((data) => ({ turn: 1, data })),
        ...['all', ' done'].map((data) => ({ turn: 2, data })),
      ),
      thinking_delta: ofStream({ turn: 1, data: 'hm' }),
      reset: ofStream({ turn: 1 }),
      tool_start: [list, write].map((data) => ({ turn: 1, data })),
      tool_result: [resultOf('t1', 'noted'), resultOf('w1', 'write_file w1 done')].map((data) => ({ turn: 1, data })),
      token_update: [
        { turn: 1, data: estimate },
        { turn: 2, data: estimate },
        { turn: 2, data: { kind: 'actual', tokens: 120, contextWindow: 500 } },
      ],
      compaction: [{ turn: 1, data: record }],
      todo_update: [{ turn: 1, data: [todo('a', 'completed')] }],
      approval_required: [{ turn: 1, data: { call: write, reason: expect.stringContaining('auto_edit') } }],
      // What is told from within a call: below.
      subagent_update: [],
      done: [{ turn: 2, data: ended }],
      error: [{ turn: 1, data: failed }],
    };
    const seen = [...well.events, ...badly.events.filter(({ type }) => type === 'error')];
    expect(Object.groupBy(seen, ({ type }) => type)).toEqual(
      Object.fromEntries(
        Object.entries(expected)
          .filter(([, events]) => events.length > 0)
          .map(([type, events]) => [type, events.map((event) => ({ type, ...event }))]),
      ),
    );
  });

  test('[spec 3.3 tool_start] [spec 3.3 tool_result] each call begins with itself and ends with its result and its time', async () => {
    const { play, events, clock } = setScene(mode, [{ answer: calls(call('c1', 'slow', { a: 1 })) }, { answer: says('ok') }], {
      tools: {
        slow: {
          run: async () => {
            await clock.advance(40);
            return 'slept';
          },
        },
      },
    });
    await play();
    expect(events.filter(({ type }) => type.startsWith('tool_'))).toEqual([
      { type: 'tool_start', turn: 1, data: call('c1', 'slow', { a: 1 }) },
      {
        type: 'tool_result',
        turn: 1,
        data: { result: { toolCallId: 'c1', output: [textPart('slept')], isError: false }, durationMs: 40 },
      },
    ]);
  });

  test('[spec 3.3 done] [spec 3.3 error] exactly one of them ends a run, with its whole result', async () => {
    const well = setScene(mode, twoTurns);
    const badly = setScene(mode, [{ fault: { kind: 'auth', message: 'refused', retryable: false } }]);
    for (const [scene, type] of [[well, 'done'] as const, [badly, 'error'] as const]) {
      const data = await scene.play();
      const isEnd = (event: EngineEvent): boolean => event.type === 'done' || event.type === 'error';
      expect(scene.events.filter(isEnd)).toEqual([{ type, turn: data.turns, data }]);
      expect(scene.events.at(-1)?.type).toBe(type);
    }
  });

  test('[spec 2 emitter toolStart] [spec 2 emitter toolDone] a tool has its two log lines in both modes, and its two events', async () => {
    const { play, log, events } = setScene(mode, [{ answer: calls(call('c1', 'look')) }, { answer: says('ok') }]);
    await play();
    const prefix = mode === 'run' ? '[engine]' : '[engine-stream]';
    expect(log.filter((line) => line.includes('tool='))).toEqual([
      `${prefix} tool=look id=c1 state=started`,
      `${prefix} tool=look id=c1 state=done ms=0`,
    ]);
    expect(story(events).slice(1, 3)).toEqual(['1 start c1', '1 result c1']);
  });

  test('[spec 2 emitter generate] the text goes to the log whole, or to the reader piece by piece; never to both', async () => {
    const { play, log, events } = setScene(mode, [{ answer: says('hello you') }]);
    await play();
    const said = log.filter((line) => line.startsWith('[assistant]'));
    const deltas = events.flatMap((event) => (event.type === 'action_delta' ? [event.data] : []));
    expect([said, deltas]).toEqual(mode === 'run' ? [['[assistant] hello you'], []] : [[], ['hello', ' you']]);
  });
});
