// Takes pictures out of a session's records, with a note in the place of each, the oldest first: they weigh more than all words. Pure.
import { type Part, textPart } from '../schema/message.ts';
import type { SessionRecord } from '../schema/session.ts';
import { isMessage, type MessageRecord } from './session-records.ts';

const note = textPart('[A picture was left out because the session had outgrown its file.]');

/** The records with as few of their pictures left out as it takes to save `bytes`; with none of them where that is not enough. */
export function leaveOutPictures(records: readonly SessionRecord[], bytes: number): readonly SessionRecord[] {
  let left = bytes;
  return records.map((record) => {
    if (left <= 0 || !hasPictures(record)) return record;
    const content = record.message.content.map((part): Part => {
      if (left <= 0 || part.type !== 'image') return part;
      left -= sizeOf(part) - sizeOf(note);
      return note;
    });
    return { ...record, message: { ...record.message, content } };
  });
}

function hasPictures(record: SessionRecord): record is MessageRecord {
  return isMessage(record) && record.message.content.some(({ type }) => type === 'image');
}

function sizeOf(part: Part): number {
  return Buffer.byteLength(JSON.stringify(part));
}
