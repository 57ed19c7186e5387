// Reads a session's records as a history of messages. Pure; never writes.
import type { Message } from '../schema/message.ts';
import { textPart } from '../schema/message.ts';
import type { SessionRecord } from '../schema/session.ts';

/** The messages in order. When what a leading checkpoint covers is gone, its summary stands in as the first message. */
export function messagesOf(records: readonly SessionRecord[]): readonly Message[] {
  const first = records[0];
  const standIn: readonly Message[] =
    first?.type === 'checkpoint'
      ? [{ role: 'user', content: [textPart(`Summary of the earlier part of this conversation:\n\n${first.summary}`)] }]
      : [];
  return [...standIn, ...records.flatMap((record) => (record.type === 'message' ? [record.message] : []))];
}
