import { describe, expect, test } from '@jest/globals';
import type { TodoStore } from '../../src/engine/ports.ts';
import type { TodoDraft } from '../../src/planning/merge-todos.ts';
import { createTodoStore } from '../../src/planning/todo-store.ts';
import type { TodoItem, TodoStatus } from '../../src/schema/todo.ts';
import { todoStatusSchema } from '../../src/schema/todo.ts';
import { createRandom, type Random } from '../tools/random.ts';

const item = (id: string, status: TodoStatus, content = `step ${id}`): TodoItem => ({ id, content, status });

/** The list after a write, in short: `1 completed`. */
function write(before: readonly TodoItem[], drafts: readonly TodoDraft[]): readonly string[] | string {
  const outcome = createTodoStore(before).write(drafts);
  return outcome.kind === 'refused' ? outcome.reason : outcome.items.map(({ id, status }) => `${id} ${status}`);
}

describe('plan_write: a partial update is merged', () => {
  test.each<[what: string, before: readonly TodoItem[], drafts: readonly TodoDraft[], after: readonly string[]]>([
    [
      'what is in progress or completed stays',
      [item('1', 'completed'), item('2', 'in_progress')],
      [],
      ['1 completed', '2 in_progress'],
    ],
    ['what is pending or cancelled goes', [item('1', 'pending'), item('2', 'cancelled')], [], []],
    ['what was sent wins', [item('1', 'in_progress')], [item('1', 'completed')], ['1 completed']],
    ['completed may be opened again', [item('1', 'completed')], [item('1', 'in_progress')], ['1 in_progress']],
    ['everything may be cancelled', [item('1', 'completed')], [item('1', 'cancelled')], ['1 cancelled']],
    ['cancelled may be begun again', [item('1', 'cancelled')], [item('1', 'in_progress')], ['1 in_progress']],
    ['several may be in progress', [], [item('1', 'in_progress'), item('2', 'in_progress')], ['1 in_progress', '2 in_progress']],
    [
      'the order is the old one, and new items follow',
      [item('b', 'pending'), item('a', 'in_progress'), item('c', 'completed')],
      [item('z', 'pending'), item('c', 'completed'), item('b', 'in_progress')],
      ['b in_progress', 'a in_progress', 'c completed', 'z pending'],
    ],
  ])('%s', (_what, before, drafts, after) => {
    expect(write(before, drafts)).toEqual(after);
  });

  test('an item without an id is the one with its words, each once; others get numbers that were never another item’s', () => {
    const before = [item('1', 'in_progress', 'test'), item('7', 'pending', 'fix'), item('x', 'pending', 'test')];
    const drafts: TodoDraft[] = [
      { content: 'test', status: 'completed' },
      { content: 'test', status: 'pending' },
      { content: 'test', status: 'pending' },
    ];
    expect(write(before, drafts)).toEqual(['1 completed', 'x pending', '8 pending']);
  });

  test('an id that nobody knows does not make a second item of the same words', () => {
    expect(write([item('1', 'in_progress', 'fix')], [{ id: 'step-1', content: 'fix', status: 'completed' }])).toEqual([
      '1 completed',
    ]);
  });

  test('the words of an item that is named by its id are not taken for another one', () => {
    const drafts: TodoDraft[] = [
      { content: 'fix', status: 'pending' },
      { id: '1', content: 'fix', status: 'in_progress' },
    ];
    expect(write([item('1', 'pending', 'fix')], drafts)).toEqual(['1 in_progress', '2 pending']);
  });

  test('the words may change under the same id', () => {
    const store = createTodoStore([item('1', 'pending')]);
    store.write([item('1', 'pending', 'fix both')]);
    expect(store.getItems()).toEqual([item('1', 'pending', 'fix both')]);
  });
});

describe('plan_write: completed is earned', () => {
  test('one item a call may go from new or pending straight to completed', () => {
    expect(write([], [item('1', 'completed'), item('2', 'pending')])).toEqual(['1 completed', '2 pending']);
    expect(write([item('1', 'pending')], [item('1', 'completed')])).toEqual(['1 completed']);
  });

  test('two are refused as a whole, with the way that works', () => {
    const before = [item('1', 'pending'), item('2', 'in_progress')];
    const reason = write(before, [item('1', 'completed'), item('2', 'completed'), { content: 'more', status: 'completed' }]);
    expect(reason).toBe(
      '2 items (1, 3) would go straight to completed, and one a call may; set the ones that you work on to in_progress in this call, ' +
        'and to completed in a later one, when they are done and checked',
    );
  });

  test('leaving an item out and sending it anew is no way around', () => {
    expect(write([item('1', 'pending'), item('2', 'pending')], [item('8', 'completed'), item('9', 'completed')])).toContain(
      '2 items (8, 9)',
    );
  });

  test('all that were in progress may be completed together', () => {
    expect(write([item('1', 'in_progress'), item('2', 'in_progress')], [item('1', 'completed'), item('2', 'completed')])).toEqual(
      ['1 completed', '2 completed'],
    );
  });

  test('what was cancelled does not become completed, not even alone', () => {
    expect(write([item('1', 'cancelled')], [item('1', 'completed')])).toContain('item 1 is cancelled');
    expect(write([item('1', 'cancelled', 'fix')], [{ content: 'fix', status: 'completed' }])).toContain('item 1 is cancelled');
  });

  test('an id that is there twice is refused', () => {
    expect(write([], [item('1', 'pending', 'a'), item('1', 'pending', 'b')])).toContain('the id "1" is there twice');
  });
});

describe('the bound of 100 items', () => {
  const full = Array.from({ length: 100 }, (_, index) => item(String(index + 1), 'completed'));

  test('a full list makes room by its oldest completed items, but not by those that were sent', () => {
    const after = write(full, [
      item('1', 'completed'),
      { content: 'new', status: 'pending' },
      { content: 'too', status: 'pending' },
    ]);
    expect(after).toEqual(['1 completed', ...full.slice(3).map(({ id }) => `${id} completed`), '101 pending', '102 pending']);
  });

  test('what is in progress makes no room', () => {
    const busy = full.map(({ id }) => item(id, 'in_progress'));
    expect(write(busy, [{ content: 'new', status: 'pending' }])).toContain('it would have 101 items, and 100 are the most');
  });
});

describe('[spec 5.5 WithTodoStore] the store', () => {
  test('is the engine’s port by shape, and its list is the same object until a write changes it', () => {
    const store = createTodoStore();
    const port: TodoStore = store;
    const kept = [item('1', 'completed'), item('2', 'pending')];
    port.restore(kept);
    const restored = port.getItems();
    expect(restored).toEqual(kept);
    expect(port.getItems()).toBe(restored);
    store.write(kept);
    store.write([item('1', 'completed'), item('1', 'completed')]);
    expect(port.getItems()).toBe(restored);
    store.write([item('2', 'in_progress')]);
    expect(port.getItems()).not.toBe(restored);
    expect(restored).toEqual(kept);
  });

  test('keeps its own list, whatever becomes of the one that it was given', () => {
    const given = [item('1', 'pending')];
    const store = createTodoStore(given);
    given.pop();
    expect(store.getItems()).toHaveLength(1);
  });
});

const words = ['read', 'fix', 'test', 'tell'] as const;

function randomDrafts(random: Random, ids: readonly string[]): TodoDraft[] {
  return Array.from({ length: random.below(6) }, () => ({
    id: random.below(3) === 0 ? undefined : random.pick(ids),
    content: random.pick(words),
    status: random.pick(todoStatusSchema.options),
  }));
}

function expectMerged(before: readonly TodoItem[], drafts: readonly TodoDraft[], after: readonly TodoItem[]): void {
  const ids = after.map(({ id }) => id);
  const statusBefore = new Map(before.map(({ id, status }) => [id, status]));
  expect(new Set(ids).size).toBe(ids.length);
  // Nothing that was begun or done is lost, and everything that was sent is there.
  const lost = before.filter(({ id, status }) => (status === 'in_progress' || status === 'completed') && !ids.includes(id));
  expect(lost).toEqual([]);
  const contents = after.map(({ content, status }) => `${content} ${status}`);
  for (const { content, status } of drafts) expect(contents).toContain(`${content} ${status}`);
  expect(after.length).toBeLessThanOrEqual(before.length + drafts.length);
  // The old ones come first, in their old order.
  const old = ids.filter((id) => statusBefore.has(id));
  expect(ids.slice(0, old.length)).toEqual(old);
  expect(old).toEqual(before.map(({ id }) => id).filter((id) => ids.includes(id)));
  const completed = after.filter(({ status }) => status === 'completed').map(({ id }) => statusBefore.get(id));
  expect(completed).not.toContain('cancelled');
  expect(completed.filter((status) => status === undefined || status === 'pending').length).toBeLessThanOrEqual(1);
}

test('whatever is sent in whatever order: nothing begun is lost, the order is stable, completed is earned', () => {
  const random = createRandom(20260101);
  const seen = { written: 0, refused: 0 };
  for (let list = 0; list < 300; list += 1) {
    const store = createTodoStore();
    for (let turn = 0; turn < 8; turn += 1) {
      const before = store.getItems();
      const drafts = randomDrafts(random, ['1', '2', '3', 'a', 'b']);
      const outcome = store.write(drafts);
      seen[outcome.kind] += 1;
      if (outcome.kind === 'refused') expect(store.getItems()).toBe(before);
      else {
        expectMerged(before, drafts, store.getItems());
        const items = store.getItems();
        store.write(items);
        expect(store.getItems()).toBe(items);
      }
    }
  }
  expect(Math.min(seen.written, seen.refused)).toBeGreaterThan(300);
});
