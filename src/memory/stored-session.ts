// What every session store gives: one conversation that outlives the process. Matches the engine's `Session` by shape, with more.
import type { Message } from '../schema/message.ts';
import type { Checkpoint } from '../schema/session.ts';
import type { TodoItem } from '../schema/todo.ts';

/**
 * One conversation of a store. A promise that resolves means that it is on disk. The system prompt is never stored. Messages come back as
 * they went in. One contract suite holds every store to this (`__tests__/contracts/session.ts`).
 */
export interface StoredSession {
  readonly id: string;
  /** 0 = all, n = the last n, in order. */
  getMessages(limit: number): Promise<readonly Message[]>;
  /** All of them or none. */
  addMessages(messages: readonly Message[]): Promise<void>;
  /** Takes the newest message out and returns it; undefined when there is none. A checkpoint that covered it is gone, too. */
  popMessage(): Promise<Message | undefined>;
  /** Takes out messages, checkpoint, todo list and plan; the session itself stays. */
  clear(): Promise<void>;
  /** Empty when none was saved. */
  getTodos(): Promise<readonly TodoItem[]>;
  saveTodos(items: readonly TodoItem[]): Promise<void>;
  /** The last one saved; undefined when there is none. Its summary says, too, how many messages are gone without one. */
  getCheckpoint(): Promise<Checkpoint | undefined>;
  /** Replaces the one before. One that covers more than is stored covers all that is stored. */
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>;
  /** The plan that waits to be carried out; undefined when there is none. */
  getPlan(): Promise<string | undefined>;
  /** undefined takes the plan away. */
  savePlan(text: string | undefined): Promise<void>;
}
