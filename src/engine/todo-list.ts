// The to-do list of one run: brought back from the session, shown to the model, told and saved when it changed. Decides no end of a run.
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../schema/error.ts';
import { type Message, textPart } from '../schema/message.ts';
import { type TodoItem, todoMarks } from '../schema/todo.ts';
import type { Log } from '../schema/world.ts';
import type { NotedCall, Trouble } from './noted-calls.ts';
import type { Session, TodoStore } from './ports.ts';

const unreadable: Trouble = { code: 'todos_load_failed', text: 'The to-do list of this conversation could not be read' };
const unsaved: Trouble = { code: 'todos_save_failed', text: 'The to-do list could not be saved' };

/** Brings a session's list into the store at a run's start. */
export type RestoreTodos = (session: Session | undefined, call: NotedCall) => Promise<void>;

/**
 * One for all runs of an engine: each session's list is restored once, since from then on the store is ahead of it. Without a session, or
 * with a first one that has no list, the store keeps what it holds; another session's list takes the place of the one before, an empty one too.
 */
export function createTodoRestore(store: TodoStore | undefined): RestoreTodos {
  let owner: Session | undefined;
  return async (session, call) => {
    if (store === undefined || session === undefined || session === owner) return;
    const isAnother = owner !== undefined;
    owner = session;
    const stored = await call(unreadable, async () => (await session.getTodos?.()) ?? []);
    const items = stored?.value ?? [];
    if (isAnother || items.length > 0) store.restore(items);
  };
}

const noItems: readonly TodoItem[] = [];

interface TodoPorts {
  readonly store: TodoStore | undefined;
  readonly session: Session | undefined;
  readonly call: NotedCall;
  readonly log: Log;
}

export class TodoList {
  readonly #ports: TodoPorts;
  #isWritten = false;
  #told: readonly TodoItem[] | undefined;
  #saved: readonly TodoItem[] | undefined;

  constructor(ports: TodoPorts) {
    this.#ports = ports;
  }

  /** What the store holds now is not of this run. */
  begin(): void {
    this.#told = copyOf(this.items);
    this.#saved = this.#told;
  }

  get items(): readonly TodoItem[] {
    return this.#ports.store?.getItems() ?? noItems;
  }

  /** Whether the model wrote it in this run, as far as `keep` has seen. */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  /** Tells and saves a list that changed; one that could not be saved is tried again the next time. Never rejects. */
  async keep(tell: (items: readonly TodoItem[]) => void): Promise<void> {
    const { session, call, log } = this.#ports;
    if (this.#told === undefined) return;
    try {
      // Compared as a value: a store may hand out a copy each time, or one list that it changes.
      const items = copyOf(this.items);
      if (!isDeepStrictEqual(items, this.#told)) {
        tell(items);
        this.#told = items;
        this.#isWritten = true;
      }
      if (session === undefined || isDeepStrictEqual(items, this.#saved)) return;
      if ((await call(unsaved, () => session.saveTodos?.(items))) !== undefined) this.#saved = items;
    } catch (error) {
      log(`warning=todo_store_failed error=${messageOf(error)}`);
    }
  }
}

function copyOf(items: readonly TodoItem[]): readonly TodoItem[] {
  return items.map((item) => ({ ...item }));
}

/** Whether an item is still to be done. */
export function isOpen({ status }: TodoItem): boolean {
  return status === 'pending' || status === 'in_progress';
}

/** The open items for the end of a request; nothing when there are none. */
export function renderTodos(items: readonly TodoItem[]): readonly Message[] {
  const open = items.filter(isOpen);
  if (open.length === 0) return [];
  const completed = items.filter(({ status }) => status === 'completed').length;
  const lines = open.map(({ status, content }) => `${todoMarks[status]} ${content}`);
  const text = [`Your to-do list as it stands ([>] in progress, [ ] pending; ${completed} completed):`, ...lines].join('\n');
  return [{ role: 'user', content: [textPart(text)] }];
}
