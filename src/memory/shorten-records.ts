// Cuts a session's records down to a size: the oldest exchanges go first, what the user said stays. Pure.
import { isComment } from '../schema/message.ts';
import type { SessionRecord } from '../schema/session.ts';
import { bytesOf, cutRecord, cutText } from './cut-record.ts';
import { leaveOutPictures } from './leave-out-pictures.ts';
import { type CheckpointRecord, isCheckpoint, isMessage, type MessageRecord } from './session-records.ts';

// What the user said is small beside what tools answer; a share that keeps three quarters for the newest exchanges.
const pinnedShare = 1 / 4;
// A summary is a few thousand characters; one beyond this share is a fault that must not push out everything else.
const summaryShare = 1 / 32;
// A to-do list and a plan are a page each; one beyond this share is such a fault, too.
const stateShare = 1 / 8;

/**
 * The records that fit into `maxBytes` of JSON. All of them if they fit. Else the oldest pictures are gone, then the messages that the
 * checkpoint covers and, where that is not enough, the oldest exchanges after it. Of what is gone the user's own messages stay, before a checkpoint that covers them;
 * to-do list and plan stay, too.
 */
export function shortenRecords(given: readonly SessionRecord[], maxBytes: number, at: string): readonly SessionRecord[] {
  const excess = sizeOf(given) - maxBytes;
  if (excess <= 0) return given;
  const records = leaveOutPictures(given, excess);
  if (sizeOf(records) <= maxBytes) return records;
  const messages = records.filter(isMessage);
  const state = records.filter((record) => isState(record) && bytesOf(record) <= maxBytes * stateShare);
  const earlier = records.findLast(isCheckpoint);
  const covered = earlier?.coversMessages ?? 0;
  const marker = (coversMessages: number, leftOut: number): CheckpointRecord => {
    const summary = cutText(earlier?.summary ?? '', Math.floor(maxBytes * summaryShare));
    const total = (earlier?.leftOut ?? 0) + leftOut;
    return { type: 'checkpoint', at, summary, coversMessages, ...(total === 0 ? {} : { leftOut: total }) };
  };

  const room = maxBytes - sizeOf(state) - bytesOf(marker(messages.length, messages.length));
  const pinnedBytes = Math.floor(maxBytes * pinnedShare);
  const tail = tailOf(messages, covered, { room, pinnedBytes });
  const gone = messages.slice(0, messages.length - tail.length);
  const pinned = pinnedOf(gone, Math.min(pinnedBytes, room - sizeOf(tail)));
  // The summary stands for what it covers, but not for the user's own words.
  const leftOut = gone.filter((record, index) => !pinned.has(record) && (index >= covered || isOwn(record))).length;
  // Where nothing is missing there is nothing to say.
  const checkpoint = earlier === undefined && leftOut === 0 ? [] : [marker(pinned.size, leftOut)];
  return [...pinned.values(), ...checkpoint, ...tail, ...state];
}

/** `room`: for the tail and for the user's messages before it, which take `pinnedBytes` of it at most. */
interface Room {
  readonly room: number;
  readonly pinnedBytes: number;
}

/** The messages from `covered` on, or from the oldest exchange after it from which the rest fits. */
function tailOf(messages: readonly MessageRecord[], covered: number, { room, pinnedBytes }: Room): readonly MessageRecord[] {
  let before = sizeOf(messages.slice(0, covered).filter(isOwn));
  let after = sizeOf(messages.slice(covered));
  let newest: { readonly start: number; readonly left: number } = { start: messages.length, left: room };
  for (const [index, record] of messages.entries()) {
    if (index < covered) continue;
    if (index === covered || isExchangeStart(record)) {
      newest = { start: index, left: room - Math.min(before, pinnedBytes) };
      if (after <= newest.left) break;
    }
    after -= bytesOf(record);
    if (isOwn(record)) before += bytesOf(record);
  }
  const tail = messages.slice(newest.start);
  return sizeOf(tail) <= newest.left ? tail : cutExchange(tail, newest.left);
}

/** An exchange that is larger than all the room: its results are cut to equal shares. Nothing where the calls alone are too large. */
function cutExchange([answer, ...results]: readonly MessageRecord[], maxBytes: number): readonly MessageRecord[] {
  if (answer === undefined || results.length === 0) return [];
  const share = Math.floor((maxBytes - bytesOf(answer)) / results.length);
  const cut = results.map((record) => (bytesOf(record) <= share ? record : cutRecord(record, share)));
  return cut.every((record) => record !== undefined) ? [answer, ...cut] : [];
}

/**
 * What the user said of what is gone, in its order, by the record that it was: the first task, then from the newest back, each while it
 * fits. One that is larger than all of `maxBytes` is cut.
 */
function pinnedOf(gone: readonly MessageRecord[], maxBytes: number): ReadonlyMap<MessageRecord, MessageRecord> {
  const own = gone.filter(isOwn);
  const kept = new Map<MessageRecord, MessageRecord>();
  let left = maxBytes;
  for (const record of [...own.slice(0, 1), ...own.slice(1).reverse()]) {
    const fitting = bytesOf(record) <= maxBytes ? record : cutRecord(record, Math.floor(left / 2));
    if (fitting === undefined || bytesOf(fitting) > left) continue;
    kept.set(record, fitting);
    left -= bytesOf(fitting);
  }
  const inOrder = new Map<MessageRecord, MessageRecord>();
  for (const record of own) {
    const fitting = kept.get(record);
    if (fitting !== undefined) inOrder.set(record, fitting);
  }
  return inOrder;
}

function isState({ type }: SessionRecord): boolean {
  return type === 'todos' || type === 'plan';
}

/** A question or an answer starts an exchange; an observation belongs to the call before it. */
function isExchangeStart({ message }: MessageRecord): boolean {
  return message.toolCallId === undefined;
}

/** The first task and what was said later; not what a tool said. */
function isOwn({ message }: MessageRecord): boolean {
  return isComment(message);
}

function sizeOf(records: readonly SessionRecord[]): number {
  return records.reduce((sum, record) => sum + bytesOf(record), 0);
}
