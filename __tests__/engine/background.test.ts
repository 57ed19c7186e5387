// Work beside the turns: what it comes to reaches the model, and no run ends while it goes on, whatever the run's end and whatever it does.
import { describe, expect, test } from '@jest/globals';
import type { EngineOptions } from '../../src/engine/options.ts';
import type { BackgroundWork, EndedWork, Hook } from '../../src/engine/ports.ts';
import { type Message, messageFromRun, textOf } from '../../src/schema/message.ts';
import { createLedger, type Ledger, runScopeOf } from '../../src/schema/run-scope.ts';
import { untilAborted } from '../../src/schema/until-aborted.ts';
import { forever, hookOf, nameOf, never } from './hook-scene.ts';
import { FullSession, settled, type TestTool, todo } from './ports.ts';
import { type Mode, modes, setScene } from './scene.ts';
import { call, calls, lastTextOf, type Step, says, usage } from './scripted-model.ts';

/** Pieces of work with names; what one came to is "name: how". `stop` ends what runs, unless the work is `deaf`. */
class Work implements BackgroundWork {
  readonly running = new Set<string>();
  readonly trace: string[] = [];
  #ended: EndedWork[] = [];
  #waiting = Promise.withResolvers<void>();
  readonly #isDeaf: boolean;

  constructor(isDeaf = false) {
    this.#isDeaf = isDeaf;
  }

  /** Begins a piece of work for each call, by the call's id. */
  readonly tool: TestTool = {
    run: ({ id }) => {
      this.running.add(id);
      return `${id} goes on beside`;
    },
  };

  end(name: string, how = 'done'): void {
    this.running.delete(name);
    this.#ended.push({ text: `${name}: ${how}`, note: `${name} was ${how}` });
    if (this.running.size > 0) return;
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers();
  }

  takeEnded(): readonly EndedWork[] {
    return this.#ended.splice(0);
  }

  async waitForAll(signal: AbortSignal): Promise<void> {
    this.trace.push('wait');
    if (this.running.size > 0) await untilAborted(this.#waiting.promise, signal);
  }

  async stop(): Promise<void> {
    this.trace.push(`stop ${[...this.running].join()}`);
    if (this.#isDeaf) return await forever();
    await new Promise((resolve) => setImmediate(resolve));
    for (const name of this.running) this.end(name, 'stopped');
  }
}

const begin = (...ids: readonly string[]): Step => ({ answer: calls(...ids.map((id) => call(id, 'begin'))) });
const look = (id = 'l'): Step => ({ answer: calls(call(id, 'look')) });
const answers = (...texts: readonly string[]): readonly Step[] => texts.map((text) => ({ answer: says(text) }));
/** What people, the model and the work said, calls and their results left out. */
const talk = (messages: readonly Message[]): readonly string[] =>
  messages
    .filter(({ toolCallId }) => toolCallId === undefined)
    .flatMap(({ content }) => textOf(content).split('\n\n'))
    .filter((text) => text !== '');
/** What is said to a model that had given its answer. */
const again = 'When nothing is left to be done, write the whole final answer again: only your last reply is shown.';
const late = (text: string): string => `Too late for the answer: ${text}`;

describe.each(modes)('%s', (mode: Mode) => {
  const set = (
    steps: readonly Step[],
    options: EngineOptions & { work?: Work; tools?: Readonly<Record<string, TestTool>> } = {},
  ) => {
    const { work = new Work(), tools = {}, ...more } = options;
    const session = new FullSession();
    const ledgers: Ledger[] = [];
    const tool: TestTool = {
      run: (one, context) => {
        ledgers.push(runScopeOf(context.run)?.ledger ?? createLedger());
        return work.tool.run(one, context);
      },
    };
    const scene = setScene(mode, steps, { session, background: work, ...more, tools: { begin: tool, ...tools } });
    let isOver = false;
    const play: typeof scene.play = async (...args) => {
      const ended = await scene.play(...args);
      isOver = true;
      expect(work.running.size === 0 || (ended.notes ?? []).some((note) => note.includes('may still go on'))).toBe(true);
      return ended;
    };
    return { ...scene, session, work, ledgers, play, isOver: () => isOver };
  };

  test('what ended during a turn is said to the model before its next call, once, and kept', async () => {
    const { play, model, session, work } = set([begin('a', 'b'), look(), ...answers('both done', 'all')], {
      onEvent: ({ type, turn }) => {
        if (type !== 'token_update' || work.running.size === 0) return;
        if (turn === 2) work.end('a');
        if (turn === 3) work.end('b');
      },
    });
    await work.tool.run(call('early', 'begin'), JSON.parse('{}'));
    work.end('early');
    const ended = play();
    await settled();
    expect(await ended).toMatchObject({ stopReason: 'completed' });
    expect(model.requests.map(lastTextOf)).toEqual(['early: done', 'b goes on beside', 'a: done', `b: done\n\n${again}`]);
    expect(talk(session.messages)).toEqual(['go', 'early: done', 'a: done', 'both done', 'b: done', again, 'all']);
    expect((await ended).notes).toBeUndefined();
  });

  test('an open answer and what continues it stay together', async () => {
    const work = new Work();
    const { play, session } = set([begin('a'), { answer: says('half', 'length') }, ...answers(' and half', 'a is done, too')], {
      work,
      onEvent: ({ type, turn }) => type === 'token_update' && turn === 2 && work.running.size > 0 && work.end('a'),
    });
    expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: 'a is done, too', turns: 4 });
    expect(talk(session.messages)).toEqual(['go', 'half and half', 'a: done', again, 'a is done, too']);
  });

  test('[spec 9 multi-agent] a model that is done waits for it, and answers what it came to; the list, the hooks and the follow-up come after', async () => {
    const order: string[] = [];
    const hooks: readonly Hook[] = [hookOf('stop', 'h', async () => void order.push('hook'))];
    const scene = set([begin('a', 'b'), ...answers('waiting', 'a and b are done')], {
      hooks,
      followUp: async () => void order.push('follow-up'),
    });
    const ended = scene.play();
    await settled();
    scene.work.end('a');
    await settled();
    expect([scene.isOver(), scene.model.requests.length, order]).toEqual([false, 2, []]);
    scene.work.end('b', 'failed');
    const result = await ended;
    expect([result.stopReason, result.finalMessage, result.notes]).toEqual(['completed', 'a and b are done', undefined]);
    expect(order).toEqual(['hook', 'follow-up']);
    expect(talk(scene.session.messages)).toEqual(['go', 'waiting', 'a: done', 'b: failed', again, 'a and b are done']);
    expect(scene.session.saves.at(-2)).toEqual([says('waiting'), messageFromRun('a: done', 'b: failed', again)]);
  });

  test('what the run says itself is marked as said by no person; the task and a follow-up are not', async () => {
    const said = ['hook says no', undefined];
    const asked = ['and the tests?', undefined];
    const scene = set([begin('a'), ...answers('1', '2', '3', '4')], {
      hooks: [hookOf('stop', 'h', async () => (said[0] === undefined ? undefined : { message: said.shift() ?? '' }))],
      followUp: async () => asked.shift(),
    });
    const ended = scene.play();
    await settled();
    scene.work.end('a');
    await ended;
    const marks = new Map(
      scene.session.messages.filter(({ role }) => role === 'user').map((one) => [textOf(one.content), one.isFromRun]),
    );
    expect([...marks]).toEqual([
      ['go', undefined],
      ['a goes on beside', undefined],
      [`a: done\n\n${again}`, true],
      [`hook says no\n\n${again}`, true],
      ['and the tests?', undefined],
    ]);
  });

  test('its results come before the open items of the to-do list', async () => {
    const write = call('t', 'todo_write', { todos: [todo('x')] });
    const scene = set([{ answer: calls(call('a', 'begin'), write) }, ...answers('1', '2', '3', '4')], {
      todoStore: { getItems: () => scene.todos.getItems(), restore: () => {} },
    });
    const ended = scene.play();
    await settled();
    scene.work.end('a');
    await ended;
    expect(talk(scene.session.messages).slice(1, 5)).toEqual(['1', 'a: done', again, '2']);
  });

  test('a run in plan mode waits for it, too', async () => {
    const { play, work, isOver, model } = set([begin('a'), ...answers('the plan', 'the plan, with a')], { planMode: 'plan' });
    const ended = play();
    await settled();
    expect([isOver(), model.requests.length]).toEqual([false, 2]);
    work.end('a');
    expect(await ended).toMatchObject({ stopReason: 'completed', finalMessage: 'the plan, with a' });
  });

  describe('at a limit', () => {
    test.each<[string, EngineOptions, readonly Step[]]>([
      ['max_turns', { maxTurns: 2 }, []],
      ['repetition', { maxRepeats: 2 }, [look('1'), look('2'), look('3'), look('4')]],
    ])('%s waits for it, and the wrap-up speaks of what it came to', async (stopReason, options, between) => {
      const same: TestTool = { run: () => 'the same' };
      const work = new Work();
      const { play, model, isOver } = set([begin('a'), ...between, ...answers('a is done')], {
        work,
        ...options,
        tools: { look: same },
      });
      const ended = play();
      await settled();
      expect([isOver(), model.leftover]).toEqual([false, 1]);
      work.end('a');
      expect(await ended).toMatchObject({ stopReason, finalMessage: 'a is done' });
      expect((await ended).notes).toBeUndefined();
      expect(model.requests.at(-1)?.toolChoice).toBe('none');
      expect(talk(model.requests.at(-1)?.messages ?? [])).toContain('a: done');
    });

    test('what takes longer than the work may take is stopped then, and the wrap-up speaks of that', async () => {
      const { play, work, clock, session } = set([begin('a'), ...answers('a was stopped')], {
        maxTurns: 2,
        timeoutMs: 100_000,
      });
      const ended = play();
      await settled();
      await clock.advance(74_999);
      expect(work.trace).toEqual(['wait']);
      await clock.advance(1);
      const { stopReason, finalMessage, notes } = await ended;
      expect([stopReason, finalMessage, notes]).toEqual(['max_turns', 'a was stopped', undefined]);
      expect(talk(session.messages)).toEqual(['go', 'a: stopped', 'a was stopped']);
    });

    const spent = (answer: Message): Step => ({ answer, usage: usage(1000, 100) });
    test.each<[string, EngineOptions, readonly Step[]]>([
      ['timeout', { timeoutMs: 100_000 }, [{ hang: true }]],
      ['budget', { maxTokensTotal: 3500, estimateTokens: () => 1 }, []],
    ])('%s stops it, and the wrap-up speaks of that', async (stopReason, options, between) => {
      const { play, work, clock, session } = set([spent(begin0('a')), ...between, spent(says('a was stopped'))], options);
      const ended = play();
      await settled();
      await clock.advance(75_000);
      const result = await ended;
      expect([result.stopReason, result.finalMessage, result.notes]).toEqual([stopReason, 'a was stopped', undefined]);
      expect(work.trace).toEqual(['stop a']);
      expect(talk(session.messages)).toEqual(['go', 'a: stopped', 'a was stopped']);
    });

    test('when the time is over while a model that is done waits, the run is wrapped up', async () => {
      const { play, clock, session } = set([begin('a'), ...answers('done but for a', 'a was stopped')], { timeoutMs: 100_000 });
      const ended = play();
      await settled();
      await clock.advance(75_000);
      expect(await ended).toMatchObject({ stopReason: 'timeout', finalMessage: 'a was stopped' });
      expect(talk(session.messages)).toEqual(['go', 'done but for a', 'a: stopped', 'a was stopped']);
    });

    test('what does not stop takes no more than the wrap-up leaves, and the run ends with a note', async () => {
      const work = new Work(true);
      const { play, clock, model, isOver } = set([begin('a'), { hang: true }, ...answers('left')], { work, timeoutMs: 100_000 });
      const ended = play();
      await settled();
      await clock.advance(75_000);
      await clock.advance(9_999);
      expect([model.leftover, isOver()]).toEqual([1, false]);
      await clock.advance(1);
      expect(await ended).toMatchObject({
        stopReason: 'timeout',
        finalMessage: 'left',
        durationMs: 85_000,
        notes: [expect.stringMatching(/^Work in the background could not be stopped, and may still go on: /)],
      });
      expect(work.trace).toEqual(['stop a']);
      const hasty = set([begin('a'), { hang: true }], { work: new Work(true), timeoutMs: 4000 });
      const over = hasty.play();
      await settled();
      await hasty.clock.advance(3000);
      await hasty.clock.advance(1000);
      await hasty.clock.advance(9000);
      expect(await over).toMatchObject({ stopReason: 'timeout', finalMessage: expect.stringContaining('the time limit of 4 s') });
    });

    test('what spends the tokens of the wrap-up while it is waited for leaves no room for it', async () => {
      const work = new Work();
      const { play, ledgers } = set([spent(begin0('a'))], { work, maxTurns: 2, maxTokensTotal: 10_000, estimateTokens: () => 1 });
      const ended = play();
      await settled();
      ledgers[0]?.spend({ tokens: 9000, usd: 0, usage: usage(9000, 0) });
      work.end('a');
      expect(await ended).toMatchObject({ stopReason: 'max_turns', turns: 1, notes: [late('a was done')] });
    });

    test('what is given back when it stops makes room for the wrap-up', async () => {
      const work = new Work();
      const { play, ledgers, session } = set([spent(begin0('a')), spent(says('a was stopped'))], {
        work,
        maxTokensTotal: 4000,
        estimateTokens: () => 1,
        onEvent: ({ type }) => type === 'tool_result' && ledgers[0]?.hold({ tokens: 2500, usd: 0 }),
      });
      const { stop } = work;
      work.stop = async () => {
        ledgers[0]?.hold({ tokens: -2500, usd: 0 });
        await Reflect.apply(stop, work, []);
      };
      expect(await play()).toMatchObject({ stopReason: 'budget', finalMessage: 'a was stopped' });
      expect(talk(session.messages)).toEqual(['go', 'a: stopped', 'a was stopped']);
    });

    test('without room for a wrap-up it is stopped, and what it came to is kept and told to people', async () => {
      const { play, session } = set([{ answer: begin0('a'), usage: usage(5000, 900) }], {
        maxTokensTotal: 6000,
        estimateTokens: () => 1,
      });
      expect(await play()).toMatchObject({ stopReason: 'budget', turns: 1, notes: [late('a was stopped')] });
      expect(talk(session.messages)).toEqual(['go', 'a: stopped']);
    });
  });

  describe('at any other end', () => {
    const fault = { kind: 'auth', message: 'no', retryable: false } as const;
    test('an error stops it, the run ends after that, and what it came to is kept and told to people', async () => {
      const { play, work, session } = set([begin('a', 'b'), { fault }]);
      const { stopReason, notes } = await play();
      expect([stopReason, notes, work.trace]).toEqual(['error', [late('a was stopped'), late('b was stopped')], ['stop a,b']]);
      expect(talk(session.messages)).toEqual(['go', 'a: stopped', 'b: stopped']);
    });

    test('what was brought in for a call that failed is told to people, and stands in the history once', async () => {
      const { play, work, session } = set([begin('a'), look(), { fault }], {
        onEvent: ({ type, turn }) => type === 'tool_result' && turn === 2 && work.end('a', `done${' x'.repeat(1000)}`),
      });
      const { notes } = await play();
      expect(notes).toEqual([expect.stringMatching(/^Too late for the answer: a was done( x)+ ?…$/)]);
      expect(notes?.[0]?.length).toBeLessThan(400);
      expect(talk(session.messages)).toHaveLength(2);
    });

    test('of many that came too late, five are named and the rest counted', async () => {
      const { play, session } = set([begin('a', 'b', 'c', 'd', 'e', 'f', 'g'), { fault }]);
      const { notes } = await play();
      const named = ['a', 'b', 'c', 'd', 'e'].map((name) => late(`${name} was stopped`));
      expect(notes).toEqual([...named, late('2 more that worked in the background.')]);
      expect(talk(session.messages)).toHaveLength(8);
    });

    test('a refusal is an end, so it is stopped', async () => {
      const { play, work } = set([begin('a'), { answer: says('no', 'refusal') }]);
      expect(await play()).toMatchObject({ stopReason: 'completed', notes: [late('a was stopped')] });
      expect(work.trace).toEqual(['stop a']);
    });

    test.each<[string, readonly Step[]]>([
      ['while the model is asked', [begin('a'), { hang: true }]],
      ['while a model that is done waits', [begin('a'), ...answers('waiting')]],
    ])('who cancels %s gets the end when all of it has ended', async (_name, steps) => {
      const abort = new AbortController();
      const { play, session, work } = set(steps);
      const ended = play('go', abort.signal);
      await settled();
      abort.abort();
      expect(await ended).toMatchObject({ stopReason: 'cancelled', notes: [late('a was stopped')] });
      expect([talk(session.messages).at(-1), work.trace.at(-1)]).toEqual(['a: stopped', 'stop a']);
    });

    test('who cancels while a limit waits for it is not wrapped up', async () => {
      const abort = new AbortController();
      const { play, model } = set([begin('a')], { maxTurns: 2 });
      const ended = play('go', abort.signal);
      await settled();
      abort.abort();
      expect(await ended).toMatchObject({ stopReason: 'cancelled', turns: 1 });
      expect(model.requests).toHaveLength(1);
    });

    test('a stop that does not end is waited for 10 s, then the run ends and says so', async () => {
      const abort = new AbortController();
      const { play, clock, isOver, events } = set([begin('a'), { hang: true }], { work: new Work(true) });
      const ended = play('go', abort.signal);
      await settled();
      abort.abort();
      await settled();
      await clock.advance(9_999);
      expect([isOver(), events.at(-1)?.type]).toEqual([false, 'token_update']);
      await clock.advance(1);
      expect((await ended).notes).toEqual([expect.stringContaining('could not be stopped, and may still go on')]);
      expect(clock.sleeping).toBe(0);
    });
  });

  describe('what fails is a note, and the run is not lost', () => {
    const failures: readonly (readonly [string, () => unknown])[] = [
      ['throws', () => never('broke')],
      ['rejects', () => Promise.reject(new Error('broke'))],
    ];
    const texts = [null, 7, 'text', [5], ['x'], [{ text: 'x' }], { 0: 'x' }].map((answer): [string, () => unknown] => [
      nameOf(answer),
      () => answer,
    ]);
    test.each<[string, keyof BackgroundWork, string, () => unknown]>([
      ['takeEnded throws', 'takeEnded', 'could not say what it came to: broke', () => never('broke')],
      ...texts.map(([name, answer]): [string, keyof BackgroundWork, string, () => unknown] => [
        `takeEnded gives ${name}`,
        'takeEnded',
        'could not say what it came to: its answer is none',
        answer,
      ]),
      ...failures.flatMap(([how, fail]): [string, keyof BackgroundWork, string, () => unknown][] => [
        [`waitForAll ${how}`, 'waitForAll', 'could not be waited for: broke', fail],
        [`stop ${how}`, 'stop', 'could not be stopped, and may still go on: broke', fail],
      ]),
    ])('%s', async (_name, key, why, fail) => {
      const { play, work } = set([look(), ...answers('done')]);
      Reflect.set(work, key, fail);
      const { stopReason, finalMessage, notes } = await play();
      expect([stopReason, finalMessage]).toEqual(['completed', 'done']);
      expect(notes).toEqual([expect.stringContaining(`Work in the background ${why}`)]);
    });

    test('work that cannot be waited for is stopped at the end', async () => {
      const { play, work } = set([begin('a'), ...answers('done')]);
      work.waitForAll = () => Promise.reject(new Error('broke'));
      expect(await play()).toMatchObject({
        stopReason: 'completed',
        notes: ['Work in the background could not be waited for: broke', late('a was stopped')],
      });
    });

    test('texts without words are nothing to say', async () => {
      const { play, work, session } = set(answers('done'));
      work.takeEnded = () => ['', ' \n'].map((text) => ({ text, note: 'x' }));
      expect(await play()).toMatchObject({ stopReason: 'completed', turns: 1 });
      expect(session.messages).toHaveLength(2);
    });
  });
});

function begin0(id: string): Message {
  return calls(call(id, 'begin'));
}
