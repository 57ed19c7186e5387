import { describe, expect, test } from '@jest/globals';
import { composeMainTools } from '../../src/compose/main-tools.ts';
import type { TodoItem } from '../../src/schema/todo.ts';

const guidance = { skills: [], readSkill: async () => null };
const item = (id: string, status: TodoItem['status']): TodoItem => ({ id, content: `Step ${id}`, status });
const finished = [item('1', 'completed'), item('2', 'cancelled')];

describe('the to-do list of a conversation', () => {
  test.each([
    ['comes back, finished items and all, to a run that goes on with it', true, [...finished, item('3', 'pending')], true],
    ['comes back while one item is in progress', true, [item('1', 'in_progress')], true],
    ['does not come back once nothing on it is open', true, finished, false],
    ['does not come back to another request', false, [item('1', 'in_progress')], false],
  ])('%s', (_what, goesOn, items, isBack) => {
    const { todoStore } = composeMainTools(guidance, goesOn);
    todoStore.restore(items);
    expect(todoStore.getItems()).toEqual(isBack ? items : []);
  });

  test('is written as ever, whatever came back', async () => {
    const { tools, todoStore } = composeMainTools(guidance, false);
    todoStore.restore([item('1', 'in_progress')]);
    const signal = new AbortController().signal;
    await tools[0]?.execute({ todos: [{ content: 'Mend it', status: 'in_progress' }] }, { signal });
    expect(todoStore.getItems()).toEqual([{ id: '1', content: 'Mend it', status: 'in_progress' }]);
  });
});
