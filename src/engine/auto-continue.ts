// Whether a run goes on when the model ends with open items on its to-do list, and when that has become pointless. Pure.
import { oneLine } from '../schema/one-line.ts';
import type { TodoItem } from '../schema/todo.ts';
import { isOpen } from './todo-list.ts';

/** So many ends in a row without an item that was newly done or given up: the model will not finish the list. */
const mostIdleEnds = 3;

/** A note is a line under the answer. */
const mostNotedItems = 5;
const mostNotedChars = 120;

/**
 * `done`: the items that were completed or cancelled at any end: one that is opened again and done again is nothing new. `idleEnds`: ends in
 * a row that brought none.
 */
export interface Continuation {
  readonly done: ReadonlySet<string>;
  readonly idleEnds: number;
}

/** `goOn` sends the model on with `prompt`; `stalled` lets the run end with `note` for people. */
export type ContinuationDecision =
  | { readonly kind: 'goOn'; readonly prompt: string; readonly next: Continuation }
  | { readonly kind: 'stalled'; readonly note: string; readonly next: Continuation };

/** Where a run with this list begins. */
export function beginContinuation(items: readonly TodoItem[]): Continuation {
  return { done: doneOf(items), idleEnds: 0 };
}

/** What an end of the model with this list means; undefined when nothing is open. */
export function decideContinuation(items: readonly TodoItem[], last: Continuation): ContinuationDecision | undefined {
  const open = items.filter(isOpen);
  if (open.length === 0) return undefined;
  const done = doneOf(items);
  const hasProgress = !done.isSubsetOf(last.done);
  const next = { done: done.union(last.done), idleEnds: hasProgress ? 0 : last.idleEnds + 1 };
  return next.idleEnds < mostIdleEnds
    ? { kind: 'goOn', prompt: promptFor(open.length), next }
    : { kind: 'stalled', note: noteOn(open), next };
}

/** By id and words: a list that was emptied gives its ids to other items. */
function doneOf(items: readonly TodoItem[]): ReadonlySet<string> {
  return new Set(items.filter((item) => !isOpen(item)).map(({ id, content }) => `${id} ${content}`));
}

function promptFor(open: number): string {
  const count = open === 1 ? '1 item of your to-do list is' : `${open} items of your to-do list are`;
  return (
    `${count} still open. Go on with the next one and keep the list up to date. What cannot or need not be done any more: set it to ` +
    'cancelled, and say why. When nothing is open, write the whole final answer: only your last reply is shown.'
  );
}

function noteOn(open: readonly TodoItem[]): string {
  const named = open.slice(0, mostNotedItems).map(({ content }) => oneLine(content, mostNotedChars));
  const others = open.length - named.length;
  const list = [...named, ...(others === 0 ? [] : [`and ${others} more`])].join('; ');
  return `The run ended with open items on its to-do list, since nothing on it was finished any more: ${list}`;
}
