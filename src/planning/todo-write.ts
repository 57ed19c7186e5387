// The todo_write tool: the model's own to-do list, shown back after every call. Changes nothing outside the run.
import { z } from 'zod';
import { isDeeperThan } from '../schema/json-depth.ts';
import { oneLine } from '../schema/one-line.ts';
import { parseJson } from '../schema/parse-json.ts';
import { type TodoItem, type TodoStatus, todoMarks, todoStatusSchema } from '../schema/todo.ts';
import { maxTodos } from './merge-todos.ts';
import type { WritableTodoStore } from './todo-store.ts';

/** A step is a line; who needs more has several steps. */
const maxContentChars = 500;
const maxIdChars = 64;
/** A list of items with fields of one value. */
const maxDepth = 2;

/** What other to-do lists call the states. Left: lower case, "_" between words. */
const statusAliases: ReadonlyMap<string, TodoStatus> = new Map([
  ['todo', 'pending'],
  ['open', 'pending'],
  ['not_started', 'pending'],
  ['doing', 'in_progress'],
  ['active', 'in_progress'],
  ['started', 'in_progress'],
  ['inprogress', 'in_progress'],
  ['done', 'completed'],
  ['complete', 'completed'],
  ['finished', 'completed'],
  ['canceled', 'cancelled'],
  ['skipped', 'cancelled'],
]);

const draftSchema = z.object({
  id: z.preprocess(
    mendId,
    z
      .string()
      .overwrite((id) => oneLine(id, maxIdChars + 1))
      .min(1)
      .max(maxIdChars)
      .optional(),
  ),
  content: z
    .string()
    // One over the limit is enough to be refused.
    .overwrite((content) => oneLine(content, maxContentChars + 1))
    .min(1, 'a step, in words')
    .max(maxContentChars, `at most ${maxContentChars} characters`),
  status: z.preprocess(mendStatus, todoStatusSchema),
});
const draftsSchema = z.array(draftSchema).max(maxTodos, `at most ${maxTodos} items`);
const argumentsSchema = z.object({ todos: z.preprocess(mendList, draftsSchema.optional()) });

/**
 * todo_write over `store`, as a specification that tools/tool.ts (`defineTool`) makes a tool of. Its effect is `read`: it changes nothing
 * outside the run, so it is there in plan mode and in untrusted runs, too.
 */
export function createTodoWriteTool(store: WritableTodoStore) {
  return {
    name: 'todo_write',
    description:
      'Keeps your to-do list for a task of several steps. Send all open items each time: pending and cancelled ones that you leave out ' +
      'are dropped, the others stay. Set an item to in_progress before you work on it, to completed once it is done and checked. ' +
      'Answers with the list; without todos it only shows it.',
    place: 'main',
    effect: 'read',
    schema: argumentsSchema,
    run: async ({ todos }: z.infer<typeof argumentsSchema>) => {
      const outcome = todos === undefined ? undefined : store.write(todos);
      if (outcome?.kind === 'refused') return { output: `todo_write: nothing was changed: ${outcome.reason}.`, isError: true };
      return { output: renderTodos(store.getItems()), isError: false };
    },
  } as const;
}

/** Some models send a list as the text of its JSON. */
function mendList(todos: unknown): unknown {
  if (typeof todos !== 'string' || isDeeperThan(todos, maxDepth)) return todos;
  const list = parseJson(todos);
  return Array.isArray(list) ? list : todos;
}

function mendId(id: unknown): unknown {
  if (typeof id === 'number') return String(id);
  return id === '' || id === null ? undefined : id;
}

function mendStatus(status: unknown): unknown {
  if (typeof status !== 'string') return status;
  const word = status
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return statusAliases.get(word) ?? (todoStatusSchema.safeParse(word).success ? word : status);
}

/** One line an item, with the id to name it by. */
function renderTodos(items: readonly TodoItem[]): string {
  if (items.length === 0) return 'The list is empty.';
  const done = items.filter(({ status }) => status === 'completed').length;
  const lines = items.map(({ id, content, status }) => `${todoMarks[status]} ${id}: ${content}`);
  return [`${done} of ${items.length} completed.`, ...lines].join('\n');
}
