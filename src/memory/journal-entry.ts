// What a journal's lines say: records, and marks that take records away. Applies them in order; knows no file.
import { z } from 'zod';
import type { SessionRecord } from '../schema/session.ts';
import { sessionRecordSchema } from '../schema/session.ts';
import { isCheckpoint, isMessage } from './session-records.ts';

const at = z.string();

/** A journal only grows, so what is taken away is an entry, too. The envelope has records only. */
export const journalEntrySchema = z.discriminatedUnion('type', [
  sessionRecordSchema,
  z.object({ type: z.literal('pop'), at }),
  z.object({ type: z.literal('clear'), at }),
  z.object({ type: z.literal('no_plan'), at }),
]);
export type JournalEntry = Readonly<z.infer<typeof journalEntrySchema>>;

/** What entries amount to: no marks, and one checkpoint, to-do list and plan at most. */
export function foldEntries(entries: readonly JournalEntry[]): SessionRecord[] {
  const records: SessionRecord[] = [];
  for (const entry of entries) applyEntry(records, entry);
  return records;
}

/** Changes `records` as the entry says. */
export function applyEntry(records: SessionRecord[], entry: JournalEntry): void {
  switch (entry.type) {
    case 'message':
    case 'usage':
      records.push(entry);
      return;
    case 'checkpoint':
      takeOut(records, isCheckpoint);
      // It cannot stand for what came after it.
      records.push({ ...entry, coversMessages: Math.min(entry.coversMessages, countMessages(records)) });
      return;
    case 'todos':
    case 'plan':
      takeOut(records, ({ type }) => type === entry.type);
      records.push(entry);
      return;
    case 'no_plan':
      takeOut(records, ({ type }) => type === 'plan');
      return;
    case 'pop':
      takeOutNewestMessage(records);
      return;
    case 'clear':
      takeOut(records, ({ type }) => type !== 'usage');
  }
}

function takeOutNewestMessage(records: SessionRecord[]): void {
  const newest = records.findLastIndex(isMessage);
  if (newest === -1) return;
  records.splice(newest, 1);
  const left = countMessages(records);
  takeOut(records, (record) => isCheckpoint(record) && record.coversMessages > left);
}

function takeOut(records: SessionRecord[], isOut: (record: SessionRecord) => boolean): void {
  let kept = 0;
  for (const record of records) {
    if (isOut(record)) continue;
    records[kept] = record;
    kept += 1;
  }
  records.length = kept;
}

function countMessages(records: readonly SessionRecord[]): number {
  return records.filter(isMessage).length;
}
