// Reads a session's records: its messages, and the newest checkpoint, to-do list and plan. Pure; never writes.
import type { Message } from '../schema/message.ts';
import type { Checkpoint, SessionRecord } from '../schema/session.ts';
import type { TodoItem } from '../schema/todo.ts';

export type MessageRecord = Extract<SessionRecord, { type: 'message' }>;
export type CheckpointRecord = Extract<SessionRecord, { type: 'checkpoint' }>;

/** The messages in order. */
export function messagesOf(records: readonly SessionRecord[]): readonly Message[] {
  return records.filter(isMessage).map(({ message }) => message);
}

/** The newest checkpoint; its summary says, too, what is gone without one. */
export function checkpointOf(records: readonly SessionRecord[]): Checkpoint | undefined {
  const newest = records.findLast(isCheckpoint);
  if (newest === undefined) return undefined;
  const summary = [newest.summary, leftOutText(newest.leftOut ?? 0)].filter((text) => text !== '').join('\n\n');
  return { summary, coversMessages: newest.coversMessages };
}

/** The newest to-do list; empty when there is none. */
export function todosOf(records: readonly SessionRecord[]): readonly TodoItem[] {
  const newest = records.findLast((record) => record.type === 'todos');
  return newest?.type === 'todos' ? newest.items : [];
}

/** The newest plan; undefined when there is none. */
export function planOf(records: readonly SessionRecord[]): string | undefined {
  const newest = records.findLast((record) => record.type === 'plan');
  return newest?.type === 'plan' ? newest.text : undefined;
}

export function isMessage(record: SessionRecord): record is MessageRecord {
  return record.type === 'message';
}

export function isCheckpoint(record: SessionRecord): record is CheckpointRecord {
  return record.type === 'checkpoint';
}

/** Says what is missing, so that the model does not take the rest for all of it. */
function leftOutText(messages: number): string {
  if (messages === 0) return '';
  return `${messages} messages of this conversation were left out because the session had outgrown its file.`;
}
