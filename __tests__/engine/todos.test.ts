// The to-do list: brought back, shown, told, saved; and the run that goes on until it is done, stalls, or reaches a limit.
import { describe, expect, test } from '@jest/globals';
import { beginContinuation, decideContinuation } from '../../src/engine/auto-continue.ts';
import { textOf } from '../../src/schema/message.ts';
import type { TodoItem, TodoStatus } from '../../src/schema/todo.ts';
import { FullSession, MemorySession, Todos, todo } from './ports.ts';
import { type Mode, modes, setScene, story, tails } from './scene.ts';
import { call, calls, type Step, says, usage } from './scripted-model.ts';

const writes = (id: string, ...todos: readonly TodoItem[]): Step => ({ answer: calls(call(id, 'todo_write', { todos })) });
const answers = (text: string): Step => ({ answer: says(text) });
const shown = (completed: number, ...lines: readonly string[]): string =>
  [`Your to-do list as it stands ([>] in progress, [ ] pending; ${completed} completed):`, ...lines].join('\n');
const noteOn = (...open: readonly string[]): string =>
  `The run ended with open items on its to-do list, since nothing on it was finished any more: ${open.join('; ')}`;
const goOn = expect.stringContaining('Go on with the next one');

describe.each(modes)('%s', (mode: Mode) => {
  const scene = (steps: readonly Step[], options: Parameters<typeof setScene>[2] = {}) => {
    const todoStore = new Todos();
    const tools = { todo_write: todoStore.tool, ...options.tools };
    return { ...setScene(mode, steps, { todoStore, ...options, tools }), store: todoStore };
  };

  test('[spec 5.5 WithTodoStore] what is open stands at the end of each request, and is never stored', async () => {
    const session = new FullSession();
    const { play, model } = scene(
      [
        writes('c1', todo('a', 'in_progress'), todo('b'), todo('c', 'completed'), todo('d', 'cancelled')),
        writes('c2', todo('a', 'completed'), todo('b', 'cancelled'), todo('c', 'completed')),
        answers('ok'),
      ],
      { session },
    );
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 3 });
    expect(tails(model)).toEqual([[], [shown(1, '[>] do a', '[ ] do b')], []]);
    expect(JSON.stringify(session.messages)).not.toContain('as it stands');
    expect(model.requests.map(({ messages, tailStart }) => messages.length - tailStart)).toEqual([0, 1, 0]);
  });

  test('a changed list is told and saved after its turn, an unchanged one is not', async () => {
    const session = new FullSession();
    const first = [todo('a', 'in_progress')];
    const { play, events } = scene(
      [writes('c1', ...first), { answer: calls(call('c2', 'look')) }, writes('c3', todo('a', 'completed')), answers('ok')],
      { session },
    );
    await play();
    expect(session.savedTodos).toEqual([first, [todo('a', 'completed')]]);
    expect(events.filter(({ type }) => type === 'todo_update')).toEqual([
      { type: 'todo_update', turn: 1, data: first },
      { type: 'todo_update', turn: 3, data: [todo('a', 'completed')] },
    ]);
    expect(story(events).slice(0, 5)).toEqual([
      '1 estimated',
      '1 start c1',
      '1 result c1',
      '1 todos a:in_progress',
      '2 estimated',
    ]);
  });

  test('what changes the list outside of a turn is told and saved before the end, whatever the end', async () => {
    const session = new FullSession();
    const { play, events, store } = scene([{ fault: { kind: 'auth', message: 'no', retryable: false } }], {
      session,
      onEvent: (event) => {
        events.push(event);
        if (event.type === 'token_update') store.items = [todo('late')];
      },
    });
    expect(await play()).toMatchObject({ stopReason: 'error' });
    expect(story(events)).toEqual(['1 estimated', '1 todos late:pending', '1 error error']);
    expect(session.savedTodos).toEqual([[todo('late')]]);
  });

  test('a list that cannot be saved is noted, tried again, and never fatal', async () => {
    const session = new FullSession();
    const { play } = scene([writes('c1', todo('a', 'completed')), answers('ok')], {
      session,
      onEvent: (event) => {
        session.failing = event.type === 'todo_update';
      },
    });
    expect(await play()).toMatchObject({ stopReason: 'completed', notes: ['The to-do list could not be saved: disk full'] });
    expect(session.savedTodos).toEqual([[todo('a', 'completed')]]);
  });

  test('[spec 9 todo persistence] a session brings its list back once, and the store is ahead of it from then on', async () => {
    const session = new FullSession({ todos: [todo('old', 'in_progress')] });
    const { play, model, events, store } = scene([answers('one'), answers('two')], { session });
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 1 });
    store.items = [todo('mine')];
    await play();
    expect(tails(model)).toEqual([[shown(0, '[>] do old')], [shown(0, '[ ] do mine')]]);
    expect(story(events).filter((line) => line.includes('todos'))).toEqual([]);
    expect(session.savedTodos).toEqual([]);
  });

  test.each([
    ['there is no session', undefined],
    ['the session has none', new FullSession()],
    ['the session knows no lists', new MemorySession()],
  ])('the store keeps what it holds when %s', async (_name, session) => {
    const { play, model } = scene([answers('ok')], { session, todoStore: new Todos([todo('kept')]) });
    expect(await play()).toMatchObject({ stopReason: 'completed' });
    expect(tails(model)).toEqual([[shown(0, '[ ] do kept')]]);
  });

  test.each([
    ['its own list', new FullSession({ todos: [todo('other')] }), [shown(0, '[ ] do other')]],
    ['an empty one when it has none', new FullSession(), []],
    ['an empty one when it knows no lists', new MemorySession(), []],
  ])('[spec 5.5 SetSession] another session brings %s: nobody sees the list of somebody else', async (_name, other, expected) => {
    const { play, engine, model } = scene([answers('one'), answers('two')], {
      session: new FullSession({ todos: [todo('first')] }),
    });
    await play();
    engine.setSession(other);
    await play();
    expect(tails(model)).toEqual([[shown(0, '[ ] do first')], expected]);
  });

  test('a list that cannot be read is noted; another session then begins with an empty one', async () => {
    const broken = new FullSession({ todos: [todo('never')] });
    const { play, engine, model } = scene([answers('one'), answers('two')], {
      session: new FullSession({ todos: [todo('first')] }),
    });
    await play();
    broken.failing = true;
    engine.setSession(broken);
    const ended = await play();
    expect(ended.notes).toContain('The to-do list of this conversation could not be read: disk gone');
    expect(tails(model)[1]).toEqual([]);
  });

  test('[spec 9 auto-continue] the run goes on while items are open, and every end with progress gives it three more', async () => {
    const session = new FullSession();
    const steps: readonly Step[] = [
      writes('c1', todo('a'), todo('b')),
      answers('first end'),
      writes('c2', todo('a', 'completed'), todo('b')),
      answers('second end'),
      writes('c3', todo('a', 'completed'), todo('b', 'cancelled')),
      answers('all done'),
    ];
    const { play, model } = scene(steps, { session });
    expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: 'all done', turns: 6 });
    const asked = session.messages.filter((message) => message.role === 'user' && message.toolCallId === undefined);
    expect(asked.map(({ content }) => textOf(content))).toEqual(['go', goOn, goOn]);
    expect(model.leftover).toBe(0);
  });

  test('[spec 9 stall detection] three ends in a row without an item newly done end the run, with a note on what is open', async () => {
    const { play, model, events } = scene([
      writes('c1', todo('a'), todo('b', 'in_progress')),
      answers('one'),
      answers('two'),
      answers('three'),
    ]);
    expect(await play()).toEqual(
      expect.objectContaining({ stopReason: 'completed', finalMessage: 'three', turns: 4, notes: [noteOn('do a', 'do b')] }),
    );
    expect(model.leftover).toBe(0);
    expect(story(events).at(-1)).toBe('4 done completed');
  });

  test('an item that was done before does not count again, one that is cancelled does', async () => {
    const done = todo('a', 'completed');
    const { play } = scene([
      writes('c1', done, todo('b'), todo('c')),
      answers('one: a is new'),
      writes('c2', todo('a', 'in_progress'), todo('b'), todo('c')),
      answers('two: idle'),
      writes('c3', done, todo('b', 'cancelled'), todo('c')),
      answers('three: b is new'),
      answers('four: idle'),
      answers('five: idle'),
      answers('six: idle'),
    ]);
    expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: 'six: idle', notes: [noteOn('do c')] });
  });

  test('what an earlier run has done is no progress of this one', async () => {
    const session = new FullSession({ todos: [todo('a', 'completed'), todo('b')] });
    const { play, model } = scene(
      [writes('c1', todo('a', 'completed'), todo('b', 'in_progress')), ...['1', '2', '3'].map(answers)],
      { session },
    );
    expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: '3', notes: [noteOn('do b')] });
    expect(model.leftover).toBe(0);
  });

  test('a list that was only brought back does not keep the run going, nor does a plan', async () => {
    const session = new FullSession({ todos: [todo('a')] });
    expect(await scene([answers('done')], { session }).play()).toMatchObject({ stopReason: 'completed', turns: 1 });
    const planned = scene([writes('c1', todo('a')), answers('the plan')], { planMode: 'plan' });
    expect(await planned.play()).toMatchObject({ stopReason: 'completed', finalMessage: 'the plan', turns: 2 });
  });

  test('the follow-up is asked only when the list has nothing to say: done, or stalled', async () => {
    const asked: string[] = [];
    const followUp = async ({ finalMessage }: { finalMessage: string }) => {
      asked.push(finalMessage);
      return asked.length === 1 ? 'does it work?' : undefined;
    };
    const whole = scene(
      [writes('c1', todo('a')), answers('early'), writes('c2', todo('a', 'completed')), answers('done'), answers('it does')],
      { followUp },
    );
    expect(await whole.play()).toMatchObject({ stopReason: 'completed', finalMessage: 'it does', turns: 5 });
    expect(asked).toEqual(['done', 'it does']);
    asked.length = 0;
    const stalled = scene([writes('c1', todo('a')), ...['1', '2', '3', 'checked'].map(answers)], { followUp });
    expect(await stalled.play()).toMatchObject({ finalMessage: 'checked', notes: [noteOn('do a')] });
    expect(asked).toEqual(['3', 'checked']);
  });

  test('what stalled and was then finished after a follow-up leaves no note', async () => {
    const steps = [
      writes('c1', todo('a')),
      ...['1', '2', '3'].map(answers),
      writes('c2', todo('a', 'completed')),
      answers('finished'),
    ];
    const { play } = scene(steps, { followUp: async ({ finalMessage }) => (finalMessage === '3' ? 'and a?' : undefined) });
    const ended = await play();
    expect([ended.finalMessage, ended.notes]).toEqual(['finished', undefined]);
  });

  test('limits win over an open list', async () => {
    const { play, model } = scene([writes('c1', todo('a')), answers('early'), answers('a is left')], { maxTurns: 3 });
    expect(await play()).toMatchObject({ stopReason: 'max_turns', finalMessage: 'a is left', turns: 3 });
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'none']);
  });

  test('a refused answer is an end, whatever is open', async () => {
    const { play } = scene([writes('c1', todo('a')), { answer: says('no', 'refusal') }]);
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 2, error: { code: 'MODEL_REFUSED' } });
  });

  test('a cancelled run is not gone on with, and the next one is not driven by its list', async () => {
    const abort = new AbortController();
    const session = new FullSession();
    const { play, model } = scene([writes('c1', todo('a')), { hang: true, onCall: () => abort.abort() }, answers('hello')], {
      session,
    });
    expect(await play('go', abort.signal)).toMatchObject({ stopReason: 'cancelled', turns: 2 });
    expect(session.savedTodos).toEqual([[todo('a')]]);
    expect(await play('hi')).toMatchObject({ stopReason: 'completed', finalMessage: 'hello', turns: 1 });
    expect(tails(model).at(-1)).toEqual([shown(0, '[ ] do a')]);
  });

  test('who cancels while the model gives its answer gets the answer, and no more is asked', async () => {
    const abort = new AbortController();
    const session = new FullSession();
    const { play } = scene([writes('c1', todo('a')), { answer: says('so far'), usage: usage(1, 1) }], {
      session,
      onEvent: (event) => event.type === 'token_update' && event.data.kind === 'actual' && abort.abort(),
    });
    expect(await play('go', abort.signal)).toMatchObject({ stopReason: 'completed', finalMessage: 'so far' });
    expect(session.messages.at(-1)?.role).toBe('assistant');
  });

  test('a run that is cancelled before it begins touches neither list nor session', async () => {
    const session = new FullSession({ todos: [todo('old')] });
    const todoStore = new Todos([todo('mine')]);
    const { play, events } = scene([], { session, todoStore });
    await play('go', AbortSignal.abort());
    expect([todoStore.items, session.savedTodos, story(events)]).toEqual([[todo('mine')], [], ['0 done cancelled']]);
  });

  test.each<[string, (items: readonly TodoItem[]) => TodoItem[]]>([
    ['a copy each time', (items) => items.map((item) => ({ ...item }))],
    ['one list that it changes', (items) => [...items]],
  ])('a store may hand out %s: what counts is what the list says', async (name, handOut) => {
    const kept: TodoItem[] = [];
    const isOne = name.startsWith('one');
    const todoStore = {
      getItems: () => (isOne ? kept : handOut(kept)),
      restore: (items: readonly TodoItem[]) => void kept.splice(0, kept.length, ...items),
    };
    const tool = {
      run: (written: { readonly arguments: string }) => {
        todoStore.restore(JSON.parse(written.arguments).todos);
        return 'noted';
      },
    };
    const session = new FullSession({ todos: [todo('old')] });
    const steps: readonly Step[] = [
      { answer: calls(call('l1', 'look')) },
      writes('c1', todo('old', 'completed'), todo('a', 'in_progress')),
      answers('early'),
      writes('c2', todo('old', 'completed'), todo('a', 'completed')),
      answers('done'),
      answers('hello'),
    ];
    const { play, events } = setScene(mode, steps, { todoStore, session, tools: { todo_write: tool } });
    expect(await play()).toMatchObject({ finalMessage: 'done', turns: 5 });
    const told = ['2 todos old:completed a:in_progress', '4 todos old:completed a:completed'];
    expect(story(events).filter((line) => line.includes('todos'))).toEqual(told);
    expect(session.savedTodos).toHaveLength(2);
    expect(await play()).toMatchObject({ finalMessage: 'hello', turns: 1 });
  });

  test.each<[string, unknown]>([
    ['nothing but white space', ' \n'],
    ['no text', 42],
  ])('a follow-up that says %s is none', async (_name, answer) => {
    const session = new FullSession();
    const options = { session };
    Reflect.set(options, 'followUp', async () => answer);
    const { play } = scene([answers('done')], options);
    expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: 'done', turns: 1 });
    expect(session.messages).toHaveLength(2);
  });

  test('a store that throws ends the run as an error, with one event', async () => {
    let reads = 0;
    const todoStore = {
      restore: () => {},
      getItems: () => {
        reads += 1;
        if (reads > 2) throw new Error('store broke');
        return [];
      },
    };
    const { play, events } = scene([{ answer: calls(call('c1', 'look')) }], { todoStore });
    expect(await play()).toMatchObject({ stopReason: 'error', error: { message: 'store broke' } });
    expect(story(events).at(-1)).toMatch(/error error$/);
  });
});

describe('decideContinuation', () => {
  const statuses: readonly TodoStatus[] = ['pending', 'in_progress', 'completed', 'cancelled'];
  const isOver = ({ status }: TodoItem): boolean => status === 'completed' || status === 'cancelled';

  /** Every list of the items a, b, c, by its number below 64. */
  function listOf(number: number): readonly TodoItem[] {
    return ['a', 'b', 'c'].map((id, place) => todo(id, statuses[Math.floor(number / 4 ** place) % 4]));
  }

  /** The last run of ends without an item that was over at no end before. */
  function idleEnds(lists: readonly (readonly TodoItem[])[]): number {
    const isIdle = lists.map((items, at) => {
      const before = lists.slice(0, at).flatMap((earlier) => earlier.filter(isOver).map(({ id }) => id));
      return items.filter(isOver).every(({ id }) => before.includes(id));
    });
    return isIdle.length - 1 - isIdle.lastIndexOf(false);
  }

  /** What is decided at each end, with the lists that the ends found. */
  function decide(lists: readonly (readonly TodoItem[])[]): readonly (string | undefined)[] {
    let state = beginContinuation([]);
    return lists.map((items) => {
      const decision = decideContinuation(items, state);
      state = decision?.next ?? state;
      return decision?.kind;
    });
  }

  test('whatever becomes of the list, three ends in a row without an item newly done stop it, and nothing else does', () => {
    for (let seed = 0; seed < 400; seed += 1) {
      // Mostly one list, so that idle ends are not rare; one with nothing open ends a run.
      const numbers = Array.from({ length: 10 }, (_, end) => ((end + seed) % 3 === 0 ? (seed * 37 + end * 11) % 64 : seed % 64));
      const lists = numbers.map(listOf).filter((items) => !items.every(isOver));
      const expected = lists.map((_, end) => (idleEnds(lists.slice(0, end + 1)) < 3 ? 'goOn' : 'stalled'));
      expect(decide(lists)).toEqual(expected);
    }
    expect(decide([[todo('a', 'completed'), todo('b', 'cancelled')], []])).toEqual([undefined, undefined]);
  });

  test('an item that is opened and done again and again is no progress, so it cannot go on for ever', () => {
    const toAndFro = Array.from({ length: 6 }, (_, end) => [todo('a', end % 2 === 0 ? 'completed' : 'in_progress'), todo('b')]);
    expect(decide(toAndFro)).toEqual(['goOn', 'goOn', 'goOn', 'stalled', 'stalled', 'stalled']);
  });

  test('a new list may give its ids anew: what is done on it counts', () => {
    const step = (content: string, status: TodoStatus): TodoItem => ({ id: '1', content, status });
    const lists = ['one', 'two', 'three', 'four'].map((content) => [step(content, 'completed'), todo('b')]);
    expect(decide([...lists, ...lists])).toEqual(['goOn', 'goOn', 'goOn', 'goOn', 'goOn', 'goOn', 'stalled', 'stalled']);
  });

  test('the note on a long list names the first items, each on a line, and how many more there are', () => {
    const items = Array.from({ length: 100 }, (_, at) => ({ ...todo(`${at}`), content: `${at}\n${'long '.repeat(100)}` }));
    const last = [0, 1, 2].reduce((state) => decideContinuation(items, state)?.next ?? state, beginContinuation([]));
    const decision = decideContinuation(items, last);
    const note = decision?.kind === 'stalled' ? decision.note : '';
    expect(note).toMatch(/: 0 long .{1,120}…; 1 long .*; 4 long .*…; and 95 more$/);
    expect(note.length).toBeLessThan(800);
  });
});
