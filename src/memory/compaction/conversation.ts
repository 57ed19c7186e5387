// The history as compaction sees it: where it may be cut, and what the user said. Pure; knows no sizes.
import { isComment, type Message } from '../../schema/message.ts';
import type { Checkpoint } from '../../schema/session.ts';
import type { Memo } from './memo.ts';

/** `system` is never cut. `starts`: the indexes of `history` at which an exchange begins, that is where a cut may stand. `memo`: of its messages. */
export interface Conversation {
  readonly system: readonly Message[];
  readonly history: readonly Message[];
  readonly starts: readonly number[];
  /** The index of the first task; -1 when the user says nothing. */
  readonly taskAt: number;
  readonly memo: Memo;
}

/** Takes the system prompt off and finds the exchanges. */
export function readConversation(messages: readonly Message[], memo: Memo): Conversation {
  const begin = messages.findIndex((message) => message.role !== 'system');
  const system = begin === -1 ? messages : messages.slice(0, begin);
  const history = messages.slice(system.length);
  return { system, history, starts: exchangeStarts(history), taskAt: history.findIndex(isComment), memo };
}

/**
 * A checkpoint as it cuts this history: where it cuts is moved back to where an exchange begins, and never takes the last exchange. It may
 * cover none, when the messages that it stands for are gone. Undefined for one that covers more than there is: it belongs to another history.
 */
export function cutOf(checkpoint: Checkpoint | undefined, { history, starts }: Conversation): Checkpoint | undefined {
  if (checkpoint === undefined || checkpoint.coversMessages > history.length) return undefined;
  const coversMessages = starts.findLast((start) => start <= checkpoint.coversMessages) ?? 0;
  return coversMessages === 0 && checkpoint.summary === '' ? undefined : { ...checkpoint, coversMessages };
}

/**
 * An exchange is a comment, an answer, or calls with everything up to the last of their results, whatever stands in between. A result
 * belongs to the newest message before it that has a call of its id, as in the repair of histories.
 */
function exchangeStarts(history: readonly Message[]): readonly number[] {
  const ends = exchangeEnds(history);
  const starts: number[] = [];
  let end = -1;
  for (const [at, message] of history.entries()) {
    if (at > end && message.toolCallId === undefined) starts.push(at);
    end = Math.max(end, ends.get(at) ?? at);
  }
  return starts;
}

/** By the index of a message with calls: the index of their last result. */
function exchangeEnds(history: readonly Message[]): ReadonlyMap<number, number> {
  const open = new Map<string, number>();
  const ends = new Map<number, number>();
  for (const [at, message] of history.entries()) {
    if (message.toolCallId === undefined) {
      for (const call of message.toolCalls ?? []) open.set(call.id, at);
      continue;
    }
    const from = open.get(message.toolCallId);
    if (from !== undefined) ends.set(from, at);
    open.delete(message.toolCallId);
  }
  return ends;
}
