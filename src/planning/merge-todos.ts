// What a write of the to-do list makes of it: partial updates merged, steps that claim work nobody saw refused. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { TodoItem } from '../schema/todo.ts';

/** What the model sends: an item without `id` is known by its content, or new. */
export interface TodoDraft {
  readonly id?: string | undefined;
  readonly content: string;
  readonly status: TodoItem['status'];
}

/** `refused`: nothing was changed; the reason tells the model how to mend the call. */
export type TodoWrite =
  | { readonly kind: 'written'; readonly items: readonly TodoItem[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** More is no plan any more, and every answer shows all of it. */
export const maxTodos = 100;

/**
 * The list after a write. What was sent wins; of the rest, what is in progress or completed stays and what is pending or cancelled goes.
 * Known items keep their places, new ones follow in the order sent. A full list loses its oldest completed items. The same object when
 * nothing changes.
 */
export function mergeTodos(current: readonly TodoItem[], drafts: readonly TodoDraft[]): TodoWrite {
  const repeated = findRepeatedId(drafts);
  if (repeated !== undefined) return refused(`the id "${repeated}" is there twice; give each item its own, or none to a new one`);
  const sent = identify(current, drafts);
  const problem = findForbiddenStep(current, sent);
  if (problem !== undefined) return refused(problem);
  const items = place(current, sent);
  if (items.length > maxTodos) {
    return refused(`it would have ${items.length} items, and ${maxTodos} are the most: complete or cancel some first`);
  }
  return { kind: 'written', items: isDeepStrictEqual(items, current) ? current : items };
}

function refused(reason: string): TodoWrite {
  return { kind: 'refused', reason };
}

function findRepeatedId(drafts: readonly TodoDraft[]): string | undefined {
  const ids = drafts.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return ids.find((id, index) => ids.indexOf(id) !== index);
}

/** Every draft as an item: by its id, else by the content of an item that no draft has named, else with a new id. */
function identify(current: readonly TodoItem[], drafts: readonly TodoDraft[]): readonly TodoItem[] {
  const known = new Set(current.map(({ id }) => id));
  const named = new Set(drafts.map(({ id }) => id));
  const newId = counterAfter([...known, ...named]);
  return drafts.map(({ id, content, status }) => {
    if (id !== undefined && known.has(id)) return { id, content, status };
    // Models number their items anew, or leave the numbers out; the words tell that it is the same one.
    const same = current.find((item) => item.content === content && !named.has(item.id));
    const ownId = same?.id ?? id ?? newId();
    named.add(ownId);
    return { id: ownId, content, status };
  });
}

/** Numbers above all those that are ids already, so that no id comes to mean another item. */
function counterAfter(ids: readonly (string | undefined)[]): () => string {
  let last = Math.max(0, ...ids.map((id) => (id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : 0)));
  return () => {
    last += 1;
    return String(last);
  };
}

/** Completed is earned: one small thing a call may go there directly, and nothing that was cancelled. */
function findForbiddenStep(current: readonly TodoItem[], sent: readonly TodoItem[]): string | undefined {
  const before = new Map(current.map(({ id, status }) => [id, status]));
  const completed = sent.filter(({ status }) => status === 'completed');
  const revived = completed.find(({ id }) => before.get(id) === 'cancelled');
  if (revived !== undefined) {
    return `item ${revived.id} is cancelled and cannot become completed; set it to in_progress first, and work on it`;
  }
  const jumps = completed.filter(({ id }) => (before.get(id) ?? 'pending') === 'pending');
  if (jumps.length <= 1) return undefined;
  const ids = jumps.map(({ id }) => id).join(', ');
  return (
    `${jumps.length} items (${ids}) would go straight to completed, and one a call may; ` +
    'set the ones that you work on to in_progress in this call, and to completed in a later one, when they are done and checked'
  );
}

function place(current: readonly TodoItem[], sent: readonly TodoItem[]): readonly TodoItem[] {
  const byId = new Map(sent.map((item) => [item.id, item]));
  const kept = current.flatMap((item) => {
    const update = byId.get(item.id);
    if (update !== undefined) return [update];
    return item.status === 'in_progress' || item.status === 'completed' ? [item] : [];
  });
  const known = new Set(current.map(({ id }) => id));
  const added = sent.filter(({ id }) => !known.has(id));
  let excess = kept.length + added.length - maxTodos;
  const roomy = kept.filter(({ id, status }) => {
    // A thread's list lives through many runs: without this it would be full for ever.
    const isDropped = excess > 0 && status === 'completed' && !byId.has(id);
    if (isDropped) excess -= 1;
    return !isDropped;
  });
  return [...roomy, ...added];
}
