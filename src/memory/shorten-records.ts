// Cuts a session's records down to a size, between whole exchanges only. Pure.
import type { SessionRecord } from '../schema/session.ts';

/** The newest records that fit into `maxBytes` of JSON: from the newest checkpoint on, else from the oldest exchange that still fits. */
export function shortenRecords(records: readonly SessionRecord[], maxBytes: number, at: string): readonly SessionRecord[] {
  const sizes = records.map((record) => Buffer.byteLength(JSON.stringify(record)) + 1);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= maxBytes) return records;
  const checkpoint = records.findLastIndex((record) => record.type === 'checkpoint');
  const sizeFrom = (start: number): number => sizes.slice(start).reduce((sum, size) => sum + size, 0);
  if (checkpoint > 0 && sizeFrom(checkpoint) <= maxBytes) return records.slice(checkpoint);

  const marker = leftOut(countMessages(records), at);
  const start = firstThatFits(records, sizes, maxBytes - Buffer.byteLength(JSON.stringify(marker)) - 1);
  return [leftOut(countMessages(records.slice(0, start)), at), ...records.slice(start)];
}

/** The earliest start of an exchange from which the rest fits; the end when not even the last exchange does. */
function firstThatFits(records: readonly SessionRecord[], sizes: readonly number[], maxBytes: number): number {
  let start = records.length;
  let size = 0;
  for (let index = records.length - 1; index >= 0; index -= 1) {
    size += sizes[index] ?? 0;
    if (size > maxBytes) break;
    if (isExchangeStart(records[index])) start = index;
  }
  return start;
}

/** A question or an answer starts an exchange; an observation belongs to the call before it. */
function isExchangeStart(record: SessionRecord | undefined): boolean {
  return record?.type === 'message' && record.message.toolCallId === undefined;
}

function countMessages(records: readonly SessionRecord[]): number {
  return records.filter((record) => record.type === 'message').length;
}

/** Says in the history's own form what is missing, so that the model does not take the rest for all of it. */
function leftOut(messages: number, at: string): SessionRecord {
  const summary = `The first ${messages} messages of this conversation were left out because the session had outgrown its file.`;
  return { type: 'checkpoint', at, summary, coversMessages: messages };
}
