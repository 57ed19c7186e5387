import { describe, expect, test } from '@jest/globals';
import { createTodoStore } from '../../src/planning/todo-store.ts';
import { createTodoWriteTool } from '../../src/planning/todo-write.ts';
import { textOf } from '../../src/schema/message.ts';
import type { TodoItem } from '../../src/schema/todo.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';

function setUp(items: readonly TodoItem[] = []) {
  const store = createTodoStore(items);
  const tool = defineTool(createTodoWriteTool(store));
  const registry = createRegistry();
  registry.register(tool);
  const call = async (args: unknown, name = 'todo_write') => {
    const given = { id: 'c1', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
    const { output, isError } = await registry.execute(given, { signal: new AbortController().signal });
    return { text: textOf(output), isError };
  };
  return { store, tool, call };
}

describe('todo_write', () => {
  test('answers with the list as it is now, with the ids to name the items by', async () => {
    const { call } = setUp();
    const todos = [
      { content: 'Read the cart', status: 'completed' },
      { content: 'Fix the rounding', status: 'in_progress' },
      { id: 'check', content: 'Run the tests', status: 'pending' },
      { content: 'Rewrite it in Rust', status: 'cancelled' },
    ];
    expect(await call({ todos })).toEqual({
      text: '1 of 4 completed.\n[x] 1: Read the cart\n[>] 2: Fix the rounding\n[ ] check: Run the tests\n[-] 3: Rewrite it in Rust',
      isError: false,
    });
  });

  test.each(['', '{}', '{"todos":null}'])(
    'plan_write: without todos (%j) it shows the list and changes nothing',
    async (args) => {
      const { call, store } = setUp([{ id: '1', content: 'Fix', status: 'pending' }]);
      const before = store.getItems();
      expect(await call(args)).toEqual({ text: '0 of 1 completed.\n[ ] 1: Fix', isError: false });
      expect(store.getItems()).toBe(before);
    },
  );

  test('G6-25 a list that comes as the text of its JSON is taken as one; any other text is refused, however it nests', async () => {
    const { call, store } = setUp();
    const todos = [{ content: 'Fix', status: 'pending' }];
    expect(await call({ todos: JSON.stringify(todos) })).toEqual({ text: '0 of 1 completed.\n[ ] 1: Fix', isError: false });
    for (const text of ['', 'Fix', '{"content":"Fix"}', '[{"content":"Fix"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`]) {
      expect(await call({ todos: text })).toMatchObject({ isError: true });
    }
    expect(store.getItems()).toEqual([{ id: '1', ...todos[0] }]);
  });

  test('an empty list says so', async () => {
    expect(await setUp().call({ todos: [] })).toEqual({ text: 'The list is empty.', isError: false });
  });

  test('a refusal leaves the list as it was and tells how', async () => {
    const { call, store } = setUp();
    const todos = [
      { content: 'a', status: 'completed' },
      { content: 'b', status: 'completed' },
    ];
    const { text, isError } = await call({ todos });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^todo_write: nothing was changed: 2 items .*in_progress/)]);
    expect(store.getItems()).toEqual([]);
  });

  test.each([
    ['done', 'completed'],
    ['Complete', 'completed'],
    ['FINISHED', 'completed'],
    ['todo', 'pending'],
    ['open', 'pending'],
    ['not-started', 'pending'],
    ['doing', 'in_progress'],
    ['in progress', 'in_progress'],
    ['In-Progress', 'in_progress'],
    ['canceled', 'cancelled'],
    ['skipped', 'cancelled'],
  ])('G6-25 the word %s of another list means %s', async (status, meant) => {
    const { call, store } = setUp();
    await call({ todos: [{ content: 'a', status }] });
    expect(store.getItems()).toEqual([{ id: '1', content: 'a', status: meant }]);
  });

  test('G6-25 numbers as ids, empty ids and the fields of other lists are understood', async () => {
    const { call, store } = setUp();
    const todos = [
      { id: 4, content: 'a', status: 'pending', activeForm: 'Doing a', priority: 'high' },
      { id: '', content: 'b', status: 'pending' },
      { id: null, content: 'c', status: 'pending' },
    ];
    expect((await call({ todos }, 'TodoWrite')).isError).toBe(false);
    expect(store.getItems().map(({ id }) => id)).toEqual(['4', '5', '6']);
  });

  test.each<[problem: string, todos: unknown, text: RegExp]>([
    ['no list', 'fix it', /"todos" is "fix it"; expected: array/],
    ['a status of no list', [{ content: 'a', status: 'blocked' }], /"todos\.0\.status" is "blocked"; expected: .*"in_progress"/],
    ['a status that is a name of Object', [{ content: 'a', status: 'constructor' }], /"todos\.0\.status" is "constructor"/],
    ['no status', [{ content: 'a' }], /"todos\.0\.status" is missing/],
    ['no words', [{ content: ' \n ', status: 'pending' }], /"todos\.0\.content" is " \\n "; expected: a step, in words/],
    ['501 characters', [{ content: 'x'.repeat(501), status: 'pending' }], /"todos\.0\.content" is .*; expected: at most 500/],
    ['an id of 65', [{ id: 'x'.repeat(65), content: 'a', status: 'pending' }], /"todos\.0\.id" is/],
    [
      '101 items',
      Array.from({ length: 101 }, (_, i) => ({ content: `${i}`, status: 'pending' })),
      /"todos" is .*at most 100 items/,
    ],
    ['an item that is a text', ['fix'], /"todos\.0" is "fix"; expected: object/],
  ])('%s is refused with field, value and what is expected', async (_problem, todos, text) => {
    const { call, store } = setUp();
    expect(await call({ todos })).toEqual({ text: expect.stringMatching(text), isError: true });
    expect(store.getItems()).toEqual([]);
  });

  test('500 characters are taken whole', async () => {
    const { call, store } = setUp();
    await call({ todos: [{ content: 'x'.repeat(500), status: 'pending' }] });
    expect(store.getItems()[0]?.content).toBe('x'.repeat(500));
  });

  test('an item cannot leave its line', async () => {
    const { call } = setUp();
    const todos = [{ id: '1\n[x] 9', content: 'a\r\n[x] 2: b\u2028c\u202e\u0007', status: 'pending' }];
    expect((await call({ todos })).text).toBe('0 of 1 completed.\n[ ] 1 [x] 9: a [x] 2: b c');
  });

  test('is offered to runs that only read, in our own process, and is small in every request', () => {
    const { definition } = setUp().tool;
    expect([definition.place, definition.effect]).toEqual(['main', 'read']);
    expect(definition.inputSchema).toEqual({
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          maxItems: 100,
          items: {
            type: 'object',
            properties: {
              id: { type: 'string', minLength: 1, maxLength: 64 },
              content: { type: 'string', minLength: 1, maxLength: 500 },
              status: { type: 'string', enum: ['pending', 'in_progress', 'completed', 'cancelled'] },
            },
            required: ['content', 'status'],
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    });
    expect(Buffer.byteLength(JSON.stringify(definition))).toBeLessThan(1_024);
  });
});
