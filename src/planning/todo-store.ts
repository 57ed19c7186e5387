// Holds the to-do list of one run. Matches the engine's `TodoStore` by shape, with `write` for the tool; keeps nothing on disk.
import type { TodoItem } from '../schema/todo.ts';
import { mergeTodos, type TodoDraft, type TodoWrite } from './merge-todos.ts';

export interface WritableTodoStore {
  /** The same list object as long as nothing was changed by a write. */
  getItems(): readonly TodoItem[];
  /** Sets the list: what the session kept. */
  restore(items: readonly TodoItem[]): void;
  /** Merges what the model sends into the list, or refuses all of it. */
  write(drafts: readonly TodoDraft[]): TodoWrite;
}

/** A list that begins with `items`. */
export function createTodoStore(items: readonly TodoItem[] = []): WritableTodoStore {
  let current: readonly TodoItem[] = [...items];
  return {
    getItems: () => current,
    restore: (restored) => {
      current = [...restored];
    },
    write: (drafts) => {
      const outcome = mergeTodos(current, drafts);
      if (outcome.kind === 'written') current = outcome.items;
      return outcome;
    },
  };
}
