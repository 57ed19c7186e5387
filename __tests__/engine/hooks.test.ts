// Hooks after a call, after a turn, and where a run would end: who is told what and when; and that one that fails spoils nothing.
import { describe, expect, test } from '@jest/globals';
import type { EngineOptions } from '../../src/engine/options.ts';
import type { Hook } from '../../src/engine/ports.ts';
import { interruptedText } from '../../src/engine/tool-calls.ts';
import type { PostToolUse, PostToolUseAnswer, PreToolUse, Stop, TurnComplete } from '../../src/schema/hook.ts';
import { type Message, textOf, textPart } from '../../src/schema/message.ts';
import { forever, hookOf, nameOf, never, observationsOf } from './hook-scene.ts';
import { FullSession, settled, type TestTool, todo } from './ports.ts';
import { type Mode, modes, setScene, story } from './scene.ts';
import { call, calls, lastTextOf, result, type Step, says, usage } from './scripted-model.ts';

const end: Step = { answer: says('ok') };
const look = (id: string): Step => ({ answer: calls(call(id, 'look')) });
const post = (name: string, answer: (event: PostToolUse) => unknown, timeoutMs?: number): Hook =>
  hookOf('postToolUse', name, answer, timeoutMs);
const turnIsComplete = (name: string, answer: (event: TurnComplete) => unknown, timeoutMs?: number): Hook =>
  hookOf('turnComplete', name, answer, timeoutMs);
const stop = (name: string, answer: (event: Stop) => unknown, timeoutMs?: number): Hook =>
  hookOf('stop', name, answer, timeoutMs);

describe.each(modes)('%s', (mode: Mode) => {
  describe('postToolUse', () => {
    test('[spec 9 hooks] they are asked in reverse, each about the result as the one before left it; what they leave is what everybody sees', async () => {
      const seen: unknown[] = [];
      const answers: readonly (PostToolUseAnswer | undefined)[] = [{ isError: true }, undefined, { output: [textPart('cut')] }];
      const noting = (at: number) => async (event: PostToolUse) => {
        const { turn, call: ran, result: left } = event;
        seen.push([at, turn, ran.id, textOf(left.output), left.isError]);
        return answers[at];
      };
      const hooks = answers.map((_answer, at) => post(`h${at}`, noting(at)));
      const session = new FullSession();
      const { play, events } = setScene(mode, [look('l1'), end], { hooks, session });
      expect((await play()).notes).toBeUndefined();
      expect(seen).toEqual([
        [2, 1, 'l1', 'look l1 done', false],
        [1, 1, 'l1', 'cut', false],
        [0, 1, 'l1', 'cut', false],
      ]);
      expect(session.messages[2]).toEqual(result('l1', 'cut', true));
      expect(events).toContainEqual({
        type: 'tool_result',
        turn: 1,
        data: { result: { toolCallId: 'l1', output: [textPart('cut')], isError: true }, durationMs: 0 },
      });
    });

    test('a call that failed or ran out of time was run, one that was denied was not', async () => {
      const asked: string[] = [];
      const fails: TestTool = { run: () => never('broke') };
      const slow: TestTool = { run: forever, timeoutMs: 1000 };
      const hooks: readonly Hook[] = [
        hookOf('preToolUse', 'guard', async ({ call: { name } }: PreToolUse) =>
          name === 'bash' ? { decision: 'deny' } : undefined,
        ),
        post('h', async ({ call: { name }, result: { isError } }) => void asked.push(`${name} ${isError}`)),
      ];
      const all = calls(call('1', 'fails'), call('2', 'slow'), call('3', 'bash'), call('4', 'nothing'), call('5', 'write_file'));
      const { play, clock } = setScene(mode, [{ answer: all }, end], {
        hooks,
        planMode: 'auto_edit',
        tools: { fails, slow },
      });
      const ended = play();
      await settled();
      await clock.advance(1000);
      await clock.advance(5000);
      await ended;
      expect(asked.sort()).toEqual(['fails true', 'slow true']);
    });

    test('they are told of the call that ran, and what was changed of it is said first whatever they make of the result', async () => {
      const seen: unknown[] = [];
      const session = new FullSession();
      const hooks: readonly Hook[] = [
        hookOf('preToolUse', 'deep', async () => ({ arguments: { at: 1 } })),
        post('mute', async ({ call: ran }) => {
          seen.push(ran);
          return { output: [] };
        }),
      ];
      await setScene(mode, [look('l1'), end], { hooks, session }).play();
      expect(seen).toEqual([call('l1', 'look', { at: 1 })]);
      const told = 'The hook "deep" changed the arguments of this call to {"at":1}';
      expect(observationsOf(session)).toEqual([`l1 ${told}\n(no output)`]);
      const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0K' } as const;
      const shows = hooks.with(
        1,
        post('show', async () => ({ output: [image] })),
      );
      const other = new FullSession();
      await setScene(mode, [look('l1'), end], { hooks: shows, session: other }).play();
      expect(other.messages[2]?.content).toEqual([textPart(told), image]);
    });

    const broken: readonly (readonly [string, () => unknown])[] = [
      ['an error at once', () => never('boom')],
      ['an error later', () => Promise.reject('boom')],
      ...[
        null,
        7,
        'text',
        [],
        { output: 'text' },
        { output: [{ type: 'text' }] },
        { isError: 1 },
        { error: true },
        new Date(0),
      ].map((answer): [string, () => unknown] => [nameOf(answer), async () => answer]),
    ];
    test.each(broken)('one that fails (%s) leaves the result as it was, with one note however often', async (_name, answer) => {
      const session = new FullSession();
      const hooks = [post('last', async () => ({ isError: true })), post('broken', answer)];
      const { play, log } = setScene(mode, [{ answer: calls(call('l1', 'look'), call('l2', 'look')) }, end], { hooks, session });
      expect((await play()).notes).toEqual([
        expect.stringMatching(/^The hook "broken" \(PostToolUse\) failed: .+; the results stayed as they were\.$/),
      ]);
      expect(observationsOf(session)).toEqual(['l1! look l1 done', 'l2! look l2 done']);
      expect(log.filter((line) => line.includes('warning=hook_failed hook=broken event=PostToolUse'))).toHaveLength(2);
    });

    test('a failure that is a whole sentence is told as a part of one', async () => {
      const hooks = [post('h', () => never('The disk is full.'))];
      const { play } = setScene(mode, [{ answer: calls(call('l1', 'look')) }, end], { hooks });
      expect((await play()).notes).toEqual([
        'The hook "h" (PostToolUse) failed: The disk is full; the results stayed as they were.',
      ]);
    });

    test('one that fails each time in other words is noted once, and another one of the same name for itself', async () => {
      let count = 0;
      const failing = (): never => {
        count += 1;
        return never(`boom ${count}`);
      };
      const hooks = [post('h', failing), post('h', failing)];
      const { play } = setScene(mode, [{ answer: calls(call('l1', 'look'), call('l2', 'look')) }, end], { hooks });
      const stays = '; the results stayed as they were.';
      expect((await play()).notes).toEqual([
        `The hook "h" (PostToolUse) failed: boom 1${stays}`,
        expect.stringMatching(/^The hook "h" \(PostToolUse\) failed: boom [23]; the results stayed as they were\.$/),
      ]);
      expect(count).toBe(4);
    });

    test('[spec 9 hooks] its time is not the tool’s, and one that takes too long leaves the result as it was', async () => {
      const session = new FullSession();
      const { play, clock, events } = setScene(mode, [look('l1'), end], {
        hooks: [post('deaf', forever, 5000)],
        session,
        toolTimeoutMs: 1000,
      });
      const ended = play();
      await settled();
      await clock.advance(4999);
      expect(events.at(-1)?.type).toBe('tool_start');
      await clock.advance(1);
      expect((await ended).notes).toEqual([
        'The hook "deaf" (PostToolUse) did not answer within 5 s; the results stayed as they were.',
      ]);
      expect(observationsOf(session)).toEqual(['l1 look l1 done']);
      expect(events.flatMap((event) => (event.type === 'tool_result' ? [event.data.durationMs] : []))).toEqual([0]);
    });

    test('an abort ends the waiting and what was run keeps its result; who is interrupted is told of to nobody', async () => {
      const abort = new AbortController();
      const session = new FullSession();
      const asked: string[] = [];
      const both = calls(call('l1', 'look'), call('d1', 'deaf'));
      const hooks = [
        post('h', ({ call: { id } }) => {
          asked.push(id);
          return forever();
        }),
      ];
      const { play, events } = setScene(mode, [{ answer: both }], { hooks, session, tools: { deaf: { run: forever } } });
      const ended = play('go', abort.signal);
      await settled();
      abort.abort();
      expect(await ended).toMatchObject({ stopReason: 'cancelled' });
      expect((await ended).notes).toBeUndefined();
      expect(asked).toEqual(['l1']);
      expect(session.messages.slice(2)).toEqual([result('l1', 'look l1 done'), result('d1', interruptedText, true)]);
      expect(story(events)).toEqual([
        '1 estimated',
        '1 start l1',
        '1 start d1',
        '1 result d1!',
        '1 result l1',
        '1 done cancelled',
      ]);
    });
  });

  describe('turnComplete', () => {
    const told = (): { hooks: readonly Hook[]; seen: unknown[]; session: FullSession } => {
      const seen: unknown[] = [];
      const session = new FullSession();
      const note = (name: string): Hook =>
        turnIsComplete(name, async ({ turn, calls: made }) => {
          seen.push([name, turn, made.map(({ id }) => id), session.messages.length]);
          return 'whatever';
        });
      return { hooks: [note('a'), note('b')], seen, session };
    };

    test('[spec 9 hooks] they are told one after another of each turn, when its results are saved; of the last turn too', async () => {
      const { hooks, seen, session } = told();
      const { play } = setScene(mode, [{ answer: calls(call('l1', 'look'), call('l2', 'look')) }, end], { hooks, session });
      expect((await play()).notes).toBeUndefined();
      expect(seen).toEqual([
        ['a', 1, ['l1', 'l2'], 4],
        ['b', 1, ['l1', 'l2'], 4],
        ['a', 2, [], 5],
        ['b', 2, [], 5],
      ]);
    });

    test('after the wrap-up they are told, too; not of an answer that is asked for again, nor of a call that failed', async () => {
      const { hooks, seen, session } = told();
      const limited = setScene(mode, [look('l1'), { answer: says('half', 'length') }, { answer: says('left') }], {
        hooks,
        session,
        maxTurns: 3,
      });
      expect(await limited.play()).toMatchObject({ stopReason: 'max_turns' });
      expect(seen).toEqual([
        ['a', 1, ['l1'], 3],
        ['b', 1, ['l1'], 3],
        ['a', 3, [], 4],
        ['b', 3, [], 4],
      ]);
      const { seen: others, ...other } = told();
      const fault = { kind: 'auth', message: 'no', retryable: false } as const;
      await setScene(mode, [{ fault }], other).play();
      await setScene(mode, [{ fault }], { ...other, maxTurns: 1 }).play();
      await setScene(mode, [{ answer: says('') }], { ...other, maxTurns: 1 }).play();
      expect(others).toEqual([]);
    });

    test('the calls are the model’s own, not as a hook rewrote them', async () => {
      const seen: unknown[] = [];
      const hooks: readonly Hook[] = [
        hookOf('preToolUse', 'deep', async () => ({ arguments: { at: 1 } })),
        turnIsComplete('h', async ({ calls: made }) => void seen.push(made)),
      ];
      await setScene(mode, [look('l1'), end], { hooks }).play();
      expect(seen).toEqual([[call('l1', 'look')], []]);
    });

    test('the run goes on when they are done, and one that fails or takes too long is a note', async () => {
      const seen: number[] = [];
      const hooks = [
        turnIsComplete('broken', () => never('boom')),
        turnIsComplete('deaf', forever, 1000),
        turnIsComplete('last', async ({ turn }) => void seen.push(turn)),
      ];
      const { play, clock, model } = setScene(mode, [look('l1'), end], { hooks });
      const ended = play();
      await settled();
      expect([model.requests.length, seen]).toEqual([1, []]);
      await clock.advance(1000);
      expect([model.requests.length, seen]).toEqual([2, [1]]);
      await clock.advance(1000);
      expect(await ended).toMatchObject({
        stopReason: 'completed',
        notes: [
          'The hook "broken" (TurnComplete) failed: boom; the run went on without it.',
          'The hook "deaf" (TurnComplete) did not answer within 1 s; the run went on without it.',
        ],
      });
      expect(seen).toEqual([1, 2]);
    });

    test('what one has to say to people is a note, once for the same words, and not that it failed', async () => {
      const says = (name: string, words: (turn: number) => string) =>
        turnIsComplete(name, async ({ turn }) => ({ note: words(turn) }));
      const hooks = [says('disk', () => 'The disk\nis full.'), says('TurnComplete[1]', (turn) => `turn ${turn}`)];
      const { play, log } = setScene(mode, [look('l1'), end], { hooks });
      expect((await play()).notes).toEqual([
        'The hook "disk" (TurnComplete): The disk is full.',
        'The hook "TurnComplete[1]": turn 1',
        'The hook "TurnComplete[1]": turn 2',
      ]);
      expect(log.join('')).not.toContain('hook_failed');
    });

    test('an abort ends the waiting', async () => {
      const abort = new AbortController();
      const { play } = setScene(mode, [look('l1')], { hooks: [turnIsComplete('deaf', forever)] });
      const ended = play('go', abort.signal);
      await settled();
      abort.abort();
      expect(await ended).toMatchObject({ stopReason: 'cancelled', turns: 1 });
    });
  });

  describe('stop', () => {
    const answers = (...texts: readonly string[]): readonly Step[] => texts.map((text) => ({ answer: says(text) }));

    test('[spec 9 hooks] the first message sends the model on, in their order; each is told how often it has done so itself', async () => {
      const seen: unknown[] = [];
      const following = (name: string, left: (string | undefined)[]) => async (event: Stop) => {
        seen.push([name, event]);
        const message = left.shift();
        return message === undefined ? undefined : { message };
      };
      const hooks = [
        stop('test', following('test', ['tests fail', undefined, 'still one', undefined])),
        stop('lint', following('lint', ['lint it', undefined])),
      ];
      const session = new FullSession();
      const { play, model } = setScene(mode, answers('1', '2', '3', '4'), {
        hooks,
        session,
        followUp: async ({ turn }) => void seen.push(['followUp', turn]),
      });
      expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: '4', turns: 4 });
      // An answer to what is new alone would be all that people see.
      const again = '\n\nWhen nothing is left to be done, write the whole final answer again: only your last reply is shown.';
      expect(model.requests.map(lastTextOf)).toEqual(['go', `tests fail${again}`, `lint it${again}`, `still one${again}`]);
      expect(seen).toEqual([
        ['test', { turn: 1, finalMessage: '1', sentBack: 0 }],
        ['test', { turn: 2, finalMessage: '2', sentBack: 1 }],
        ['lint', { turn: 2, finalMessage: '2', sentBack: 0 }],
        ['test', { turn: 3, finalMessage: '3', sentBack: 1 }],
        ['test', { turn: 4, finalMessage: '4', sentBack: 2 }],
        ['lint', { turn: 4, finalMessage: '4', sentBack: 1 }],
        ['followUp', 4],
      ]);
      expect(session.messages.map(({ role }) => role)).toEqual(Array.from({ length: 4 }, () => ['user', 'assistant']).flat());
    });

    test('what is open on the to-do list comes first, the hooks then, the follow-up last', async () => {
      const order: string[] = [];
      const hooks = [
        stop('h', async ({ finalMessage, sentBack }) => {
          order.push(`stop ${finalMessage}`);
          return sentBack === 0 ? { message: 'hook' } : undefined;
        }),
      ];
      const write = (item: ReturnType<typeof todo>): Step => ({ answer: calls(call('t', 'todo_write', { todos: [item] })) });
      const scene = setScene(
        mode,
        [write(todo('a')), ...answers('1'), write(todo('a', 'completed')), ...answers('2', '3', '4')],
        {
          hooks,
          todoStore: { getItems: () => scene.todos.getItems(), restore: () => {} },
          followUp: async ({ finalMessage }) => {
            order.push(`followUp ${finalMessage}`);
            return finalMessage === '3' ? 'sure?' : undefined;
          },
        },
      );
      expect(await scene.play()).toMatchObject({ finalMessage: '4' });
      expect(order).toEqual(['stop 2', 'stop 3', 'followUp 3', 'stop 4', 'followUp 4']);
    });

    const never0: Hook = stop('h', () => never('asked'));
    test.each<[string, readonly Step[], EngineOptions, string]>([
      ['a limit', [look('l1'), end], { maxTurns: 2 }, 'max_turns'],
      ['an error', [{ fault: { kind: 'auth', message: 'no', retryable: false } }], {}, 'error'],
      ['a refusal', [{ answer: says('no', 'refusal') }], {}, 'completed'],
      ['an empty answer', [{ answer: says('') }, { answer: says('') }], {}, 'completed'],
      ['a plan', [end], { planMode: 'plan' }, 'completed'],
    ])('they are not asked after %s', async (_name, steps, options, stopReason) => {
      const ended = await setScene(mode, steps, { hooks: [never0], ...options }).play();
      expect([ended.stopReason, ended.notes]).toEqual([stopReason, undefined]);
    });

    test('who cancels while the model gives its answer hears it; the run was not found good, so it is cancelled', async () => {
      const abort = new AbortController();
      const { play } = setScene(mode, [{ answer: says('so far'), usage: usage(1, 1) }], {
        hooks: [never0],
        onEvent: (event) => event.type === 'token_update' && event.data.kind === 'actual' && abort.abort(),
      });
      const ended = await play('go', abort.signal);
      expect([ended.stopReason, ended.finalMessage, ended.notes]).toEqual(['cancelled', 'so far', undefined]);
    });

    const broken: readonly (readonly [string, () => unknown])[] = [
      ['an error at once', () => never('boom')],
      ['an error later', () => Promise.reject('boom')],
      ...[null, 'go on', ['go on'], { message: '' }, { message: ' \n' }, { message: 5 }, { text: 'go on' }, {}].map(
        (answer): [string, () => unknown] => [nameOf(answer), async () => answer],
      ),
    ];
    test.each(broken)('one that fails (%s) lets the run end, with a note; those behind it are asked', async (_name, answer) => {
      const asked: string[] = [];
      const hooks = [stop('broken', answer), stop('last', async ({ finalMessage }) => void asked.push(finalMessage))];
      expect(await setScene(mode, answers('done'), { hooks }).play()).toMatchObject({
        stopReason: 'completed',
        finalMessage: 'done',
        notes: [expect.stringMatching(/^The hook "broken" \(Stop\) failed: .+; the run was ended all the same\.$/)],
      });
      expect(asked).toEqual(['done']);
    });

    test('[spec 9 hooks] one that takes too long lets the run end, with a note', async () => {
      const { play, clock } = setScene(mode, answers('done'), { hooks: [stop('deaf', forever, 2000)] });
      const ended = play();
      await settled();
      await clock.advance(2000);
      expect(await ended).toMatchObject({
        stopReason: 'completed',
        notes: ['The hook "deaf" (Stop) did not answer within 2 s; the run was ended all the same.'],
      });
    });

    test('one that lets the run end has a note for people all the same; the next one is asked', async () => {
      const hooks = [
        stop('first', async ({ sentBack }) => (sentBack === 0 ? { message: 'again', note: 'a' } : { note: 'b' })),
        stop('next', async () => undefined),
      ];
      expect(await setScene(mode, answers('1', '2'), { hooks }).play()).toMatchObject({
        stopReason: 'completed',
        finalMessage: '2',
        notes: ['The hook "first" (Stop): a', 'The hook "first" (Stop): b'],
      });
    });

    test('one that is never content is ended by the limit of turns, after as many tries as there are', async () => {
      const seen: number[] = [];
      const hooks = [
        stop('never', async ({ sentBack }) => {
          seen.push(sentBack);
          return { message: 'not yet' };
        }),
      ];
      const { play, model } = setScene(mode, answers('1', '2', '3', 'what is left'), { hooks, maxTurns: 4 });
      expect(await play()).toMatchObject({ stopReason: 'max_turns', finalMessage: 'what is left', turns: 4 });
      expect([seen, model.requests.map(({ toolChoice }) => toolChoice)]).toEqual([
        [0, 1, 2],
        ['auto', 'auto', 'auto', 'none'],
      ]);
    });

    test('when the run’s time is over before it has answered, the run is not complete: it is wrapped up, with a note', async () => {
      const session = new FullSession();
      const hooks = [stop('slow', forever, 0), never0];
      const { play, clock } = setScene(mode, answers('done', 'the tests did not end'), { hooks, session, timeoutMs: 100_000 });
      const ended = play();
      await settled();
      await clock.advance(75_000);
      expect(await ended).toMatchObject({
        stopReason: 'timeout',
        finalMessage: 'the tests did not end',
        notes: ['The time of the run was over before the hook "slow" (Stop) had said whether the run may end.'],
      });
      expect(session.messages.map(({ content }: Message) => textOf(content))).toEqual(['go', 'done', 'the tests did not end']);
    });

    test('who cancels while it is asked ends the run, with the answer', async () => {
      const abort = new AbortController();
      const session = new FullSession();
      const { play } = setScene(mode, answers('done'), { hooks: [stop('slow', forever)], session });
      const ended = play('go', abort.signal);
      await settled();
      abort.abort();
      const { stopReason, finalMessage, notes } = await ended;
      expect([stopReason, finalMessage, notes]).toEqual(['cancelled', 'done', undefined]);
      expect(session.messages).toHaveLength(2);
    });
  });
});
