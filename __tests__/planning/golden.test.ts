// The golden scenarios of planning: a scripted model, the real engine, the real tools over a real folder.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createEngine } from '../../src/engine/engine.ts';
import { createTodoStore } from '../../src/planning/todo-store.ts';
import { createTodoWriteTool } from '../../src/planning/todo-write.ts';
import { type Message, textOf } from '../../src/schema/message.ts';
import type { TodoStatus } from '../../src/schema/todo.ts';
import { createHostTools } from '../../src/tools/host-tools.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { FullSession } from '../engine/ports.ts';
import { call, calls, lastTextOf, ScriptedModel, says } from '../engine/scripted-model.ts';

let workDir = '';
beforeEach(() => {
  workDir = mkdtempSync(path.join(tmpdir(), 'harness9-planning-'));
  writeFileSync(path.join(workDir, 'cart.ts'), 'export const total = 1;\n');
});
afterEach(() => rmSync(workDir, { recursive: true, force: true }));

const plan = (read: TodoStatus, fix: TodoStatus, check: TodoStatus) => ({
  todos: [
    { id: '1', content: 'Read cart.ts', status: read },
    { id: '2', content: 'Fix the total', status: fix },
    { id: '3', content: 'Read it again', status: check },
  ],
});
const readCart = { path: 'cart.ts' };
const fixCart = { path: 'cart.ts', old_string: 'total = 1', new_string: 'total = 2' };

/** Runs the script to its end; what each call was answered, as `name: first line`, and what is left of list and file. */
async function run(...answers: readonly Message[]) {
  const store = createTodoStore();
  const registry = createRegistry();
  const lifetime = new AbortController();
  const host = { workDir, env: {}, redactionMark: '***', randomHex: () => 'aa', lifetime: lifetime.signal };
  for (const tool of [...createHostTools(host), defineTool(createTodoWriteTool(store))]) registry.register(tool);
  const model = new ScriptedModel(answers.map((answer) => ({ answer })));
  const results: string[] = [];
  const engine = createEngine(model, registry, workDir, {
    onEvent: (event) => {
      if (event.type === 'tool_start') results.push(event.data.name);
      if (event.type === 'tool_result' && event.data.result.isError) results.push(textOf(event.data.result.output));
    },
  });
  const { stopReason, turns } = await engine.run('Make the total 2.');
  lifetime.abort();
  expect([stopReason, turns, model.leftover]).toEqual(['completed', answers.length, 0]);
  return {
    calls: results,
    list: store.getItems().map(({ id, status }) => `${id} ${status}`),
    cart: readFileSync(path.join(workDir, 'cart.ts'), 'utf8'),
  };
}

const untouched = 'export const total = 1;\n';
const fixed = 'export const total = 2;\n';

test('plan_generated: a plan is written before anything is done, and stands there when the run ends', async () => {
  const seen = await run(calls(call('a', 'todo_write', plan('pending', 'pending', 'pending'))), says('Here is the plan.'));
  expect(seen).toEqual({ calls: ['todo_write'], list: ['1 pending', '2 pending', '3 pending'], cart: untouched });
});

test('exploration_before_plan: what is read goes before the plan, and nothing is written while exploring', async () => {
  const seen = await run(
    calls(call('a', 'read_file', readCart)),
    calls(call('b', 'todo_write', plan('completed', 'pending', 'pending'))),
    says('Read, and planned.'),
  );
  expect(seen).toEqual({
    calls: ['read_file', 'todo_write'],
    list: ['1 completed', '2 pending', '3 pending'],
    cart: untouched,
  });
});

test('plan_then_execute: each step is begun, done and completed, and partial updates keep the rest', async () => {
  const seen = await run(
    calls(call('a', 'todo_write', plan('in_progress', 'pending', 'pending')), call('b', 'read_file', readCart)),
    calls(call('c', 'todo_write', plan('completed', 'in_progress', 'pending'))),
    calls(call('d', 'edit_file', fixCart)),
    calls(call('e', 'todo_write', { todos: plan('completed', 'completed', 'in_progress').todos.slice(1) })),
    calls(call('f', 'read_file', readCart)),
    calls(call('g', 'todo_write', { todos: plan('completed', 'completed', 'completed').todos.slice(2) })),
    says('The total is 2.'),
  );
  expect(seen).toEqual({
    calls: ['todo_write', 'read_file', 'todo_write', 'edit_file', 'todo_write', 'read_file', 'todo_write'],
    list: ['1 completed', '2 completed', '3 completed'],
    cart: fixed,
  });
});

test('plan_write: a run that claims everything at once is refused, mends its call and goes on', async () => {
  const seen = await run(
    calls(call('a', 'todo_write', plan('completed', 'completed', 'completed'))),
    calls(call('b', 'todo_write', plan('in_progress', 'pending', 'pending'))),
    says('Begun.'),
  );
  expect(seen.calls).toEqual(['todo_write', expect.stringContaining('3 items (1, 2, 3) would go straight'), 'todo_write']);
  expect(seen.list).toEqual(['1 in_progress', '2 pending', '3 pending']);
});

test('exploration_only: a question is answered from what was read, without a list', async () => {
  const seen = await run(calls(call('a', 'read_file', readCart)), says('The total is 1.'));
  expect(seen).toEqual({ calls: ['read_file'], list: [], cart: untouched });
});

test('simple_task_no_plan: a small change needs no list', async () => {
  const seen = await run(calls(call('a', 'edit_file', fixCart)), says('Done.'));
  expect(seen).toEqual({ calls: ['edit_file'], list: [], cart: fixed });
});

test('[spec 5.5 WithTodoStore] [spec 9 todo persistence] the next run of the thread sees the open items and finishes them', async () => {
  const session = new FullSession();
  const runIn = async (...answers: readonly Message[]) => {
    const todoStore = createTodoStore();
    const registry = createRegistry();
    registry.register(defineTool(createTodoWriteTool(todoStore)));
    const model = new ScriptedModel(answers.map((answer) => ({ answer })));
    const { stopReason } = await createEngine(model, registry, workDir, { session, todoStore }).run('Go on.');
    expect([stopReason, model.leftover]).toEqual(['completed', 0]);
    return model.requests.map(lastTextOf);
  };
  // Sent on until three ends in a row have brought nothing.
  const unfinished = ['Tired.', 'Tired.', 'Still tired.', 'Enough.'].map((text) => says(text));
  await runIn(calls(call('a', 'todo_write', plan('completed', 'in_progress', 'pending'))), ...unfinished);
  // The model knows the words of the items from the end of the request, not their ids.
  const rest = ['Fix the total', 'Read it again'].map((content) => ({ content, status: 'in_progress' }));
  const [first, ...later] = await runIn(
    calls(call('b', 'todo_write', { todos: rest })),
    calls(call('c', 'todo_write', { todos: rest.map((item) => ({ ...item, status: 'done' })) })),
    says('All done.'),
  );
  expect(first).toMatch(/1 completed\):\n\[>\] Fix the total\n\[ \] Read it again$/);
  expect(later.at(-1)).not.toContain('[>]');
  expect(await session.getTodos()).toEqual(plan('completed', 'completed', 'completed').todos);
});
