// Makes one message record smaller, with a note in it that says so. Pure.
import type { Part } from '../schema/message.ts';
import { textOf, textPart } from '../schema/message.ts';
import type { SessionRecord } from '../schema/session.ts';
import { partitionPoint } from './partition-point.ts';
import type { MessageRecord } from './session-records.ts';

const cutNote = '[The rest was left out because the session had outgrown its file.]';

/** Bytes that a record takes in the session file, with the comma after it. */
export function bytesOf(record: SessionRecord): number {
  return Buffer.byteLength(JSON.stringify(record)) + 1;
}

/** The beginning of the message's text and a note, in at most `maxBytes`; undefined where not even the note fits. */
export function cutRecord(record: MessageRecord, maxBytes: number): MessageRecord | undefined {
  const text = textOf(record.message.content);
  const withText = (length: number): MessageRecord => {
    const content: readonly Part[] = [textPart([cutText(text, length), cutNote].filter((part) => part !== '').join('\n'))];
    return { ...record, message: { ...record.message, content } };
  };
  const length = partitionPoint(text.length + 1, (candidate) => bytesOf(withText(candidate)) > maxBytes) - 1;
  return length < 0 ? undefined : withText(length);
}

/** The first `length` characters; never half of one that takes two. */
export function cutText(text: string, length: number): string {
  const end = /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return text.slice(0, Math.max(0, end));
}
