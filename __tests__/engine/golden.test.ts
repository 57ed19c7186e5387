// The golden scenarios of the reference that concern the loop, in both modes: which tools ran, what was said, how it ended.
import { describe, expect, test } from '@jest/globals';
import { type Message, textOf } from '../../src/schema/message.ts';
import { FullSession, Todos, todo } from './ports.ts';
import { type Mode, modes, setScene, story, tails } from './scene.ts';
import { call, calls, result, type Step, says, user } from './scripted-model.ts';

const acts = (id: string, name: string, args: object = {}): Step => ({ answer: calls(call(id, name, args)) });
const answers = (text: string): Step => ({ answer: says(text) });
const plan = 'Plan:\n1. Fix total() in cart.ts\n2. Run the tests\nFiles: cart.ts\nCheck: npm test';

describe.each(modes)('%s', (mode: Mode) => {
  test('golden plan_generated: looking, then a plan as the last message; nothing was changed', async () => {
    const { play, ran, model } = setScene(mode, [acts('l1', 'look'), acts('l2', 'look', { path: 'b' }), answers(plan)], {
      planMode: 'plan',
    });
    expect(await play('fix the cart')).toMatchObject({ stopReason: 'completed', finalMessage: plan, turns: 3 });
    expect(ran).toEqual(['l1', 'l2']);
    expect(model.requests.flatMap(({ tools }) => tools.map(({ name }) => name))).not.toContain('write_file');
  });

  test('golden exploration_before_plan: a write while planning is refused, the plan comes all the same', async () => {
    const { play, ran, events } = setScene(mode, [acts('l1', 'look'), acts('w1', 'write_file'), answers(plan)], {
      planMode: 'plan',
    });
    expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: plan });
    expect(ran).toEqual(['l1']);
    expect(story(events)).toContain('2 result w1!');
  });

  test('golden plan_then_execute: the approved plan is carried out in the next run of the same session, item by item', async () => {
    const session = new FullSession();
    const todoStore = new Todos();
    const steps: readonly Step[] = [
      acts('l1', 'look'),
      answers(plan),
      acts('t1', 'todo_write', { todos: [todo('1', 'in_progress'), todo('2')] }),
      acts('w1', 'write_file'),
      acts('t2', 'todo_write', { todos: [todo('1', 'completed'), todo('2', 'in_progress')] }),
      acts('b1', 'bash'),
      answers('The first item is done.'),
      acts('t3', 'todo_write', { todos: [todo('1', 'completed'), todo('2', 'completed')] }),
      answers('Fixed and tested.'),
    ];
    const scene = setScene(mode, steps, {
      session,
      todoStore,
      planMode: 'plan',
      tools: { todo_write: todoStore.tool },
    });
    expect(await scene.play('fix the cart')).toMatchObject({ finalMessage: plan });
    scene.engine.setPlanMode('default');
    expect(await scene.play('approved')).toMatchObject({ stopReason: 'completed', finalMessage: 'Fixed and tested.', turns: 7 });
    expect(scene.ran).toEqual(['l1', 'w1', 'b1']);
    expect(scene.model.requests[2]?.messages.slice(1).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(session.savedTodos.at(-1)).toEqual([todo('1', 'completed'), todo('2', 'completed')]);
    expect(scene.events.filter(({ type }) => type === 'todo_update')).toHaveLength(3);
  });

  test('golden exploration_only: reading and answering needs neither list nor writes', async () => {
    const { play, ran, events } = setScene(
      mode,
      [acts('l1', 'look'), acts('l2', 'look', { path: 'b' }), answers('It is in b.')],
      {
        todoStore: new Todos(),
      },
    );
    expect(await play('where is it?')).toMatchObject({ stopReason: 'completed', turns: 3, finalMessage: 'It is in b.' });
    expect([ran, story(events).filter((line) => line.includes('todos'))]).toEqual([['l1', 'l2'], []]);
  });

  test('golden simple_task_no_plan: one write and an answer; nobody asks for a list', async () => {
    const { play, model } = setScene(mode, [acts('w1', 'write_file'), answers('Written.')], { todoStore: new Todos() });
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 2, finalMessage: 'Written.' });
    expect(tails(model).flat()).toEqual([]);
  });

  test('golden stall_nudge_preserves_loop: a reminder changes neither the history nor the tools', async () => {
    const session = new FullSession();
    const { play, model } = setScene(mode, [acts('l1', 'look'), acts('l2', 'look', { path: 'b' }), answers('ok')], {
      session,
      memoryNudge: { everyTurns: 1, text: 'You have not changed anything yet.' },
    });
    expect(await play()).toMatchObject({ stopReason: 'completed', turns: 3 });
    expect(tails(model)).toEqual(Array.from({ length: 3 }, () => ['You have not changed anything yet.']));
    expect(session.messages).toHaveLength(6);
    expect(JSON.stringify(session.messages)).not.toContain('not changed anything');
    expect(new Set(model.requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
  });

  test('golden plan_survives: what a compaction leaves out of the history, the list still says', async () => {
    const todoStore = new Todos();
    const compactor = {
      compact: async ({ messages }: { messages: readonly Message[] }) => ({
        messages: messages.length > 4 ? [...messages.slice(0, 1), user('summary')] : messages,
      }),
    };
    const open = [todo('1', 'completed'), todo('2', 'in_progress'), todo('3')];
    const { play, model } = setScene(
      mode,
      [acts('t1', 'todo_write', { todos: open }), acts('l1', 'look'), ...['1', '2', '3', '4'].map(answers)],
      { todoStore, compactor, tools: { todo_write: todoStore.tool } },
    );
    expect(await play()).toMatchObject({ stopReason: 'completed' });
    const sent = model.requests[2]?.messages.map(({ content }) => textOf(content)) ?? [];
    expect(sent.slice(1)).toEqual(['summary', expect.stringMatching(/1 completed\):\n\[>\] do 2\n\[ \] do 3$/)]);
  });

  test('golden max_turns_protection: a model without end is stopped with an answer', async () => {
    const endless = Array.from({ length: 4 }, (_, at) => acts(`l${at}`, 'look', { at }));
    const { play, ran } = setScene(mode, [...endless, answers('Four looks, nothing found.')], { maxTurns: 5 });
    expect(await play()).toMatchObject({ stopReason: 'max_turns', turns: 5, finalMessage: 'Four looks, nothing found.' });
    expect(ran).toHaveLength(4);
  });

  test('golden tool_error_observation and bash_fallback_on_error: a failure is an observation, and the model goes another way', async () => {
    const session = new FullSession();
    const { play, ran } = setScene(mode, [acts('x1', 'broken'), acts('b1', 'bash'), answers('ok')], {
      session,
      tools: { broken: { run: () => Promise.reject(new Error('no such thing')) } },
    });
    expect(await play()).toMatchObject({ stopReason: 'completed', finalMessage: 'ok' });
    expect(session.messages[2]).toEqual(result('x1', 'broken failed: no such thing', true));
    expect(ran).toEqual(['b1']);
  });

  test('golden parallel_tools, sequential_tool_chain and no_tool_conversation', async () => {
    const session = new FullSession();
    const steps: readonly Step[] = [
      { answer: calls(call('l1', 'look'), call('l2', 'look', { at: 2 }), call('w1', 'write_file')) },
      acts('b1', 'bash'),
      answers('chained'),
      answers('hello'),
    ];
    const { play, ran } = setScene(mode, steps, { session });
    expect(await play('work')).toMatchObject({ stopReason: 'completed', turns: 3 });
    expect(await play('hi')).toMatchObject({ stopReason: 'completed', turns: 1, finalMessage: 'hello' });
    expect([...ran.slice(0, 3)].sort()).toEqual(['l1', 'l2', 'w1']);
    expect(ran[3]).toBe('b1');
    expect(session.messages.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(['l1', 'l2', 'w1', 'b1']);
  });

  test('golden multi_turn_conversation: each run sees what was said before', async () => {
    const { play, model } = setScene(mode, [answers('I am'), answers('as I said')], { session: new FullSession() });
    await play('who are you?');
    await play('and again?');
    expect(model.requests[1]?.messages.slice(1)).toEqual([user('who are you?'), says('I am'), user('and again?')]);
  });
});
