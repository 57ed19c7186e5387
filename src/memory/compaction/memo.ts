// What is found out about a message once and needed in every turn: its size and its short forms. Changes nothing but the time it takes.
import type { Message } from '../../schema/message.ts';
import { boundMessage, estimateMessage } from '../../schema/token-estimate.ts';
import { type MessageRoom, shortenMessage } from './shorten.ts';

export interface Memo {
  /** `estimateMessage`. */
  readonly estimate: (message: Message) => number;
  /** `shortenMessage`; the same object each time, so that whoever measures it can remember that, too. */
  readonly shorten: (message: Message, room: MessageRoom) => Message;
}

/** A view that does not fit tries a message in this many sizes or so; more are not worth their memory. */
const mostForms = 16;

/** Holds no message alive. */
export function createMemo(): Memo {
  const sizes = new WeakMap<Message, number>();
  const forms = new WeakMap<Message, Map<string, Message>>();
  const estimate = (message: Message): number => {
    const known = sizes.get(message) ?? estimateMessage(message);
    sizes.set(message, known);
    return known;
  };
  return {
    estimate,
    shorten: (message, room) => {
      if (boundMessage(message) <= room.tokens || estimate(message) <= room.tokens) return message;
      const own = forms.get(message) ?? new Map<string, Message>();
      forms.set(message, own);
      const key = `${room.tokens} ${room.opaqueTokens} ${room.headShare}`;
      const form = own.get(key) ?? shortenMessage(message, room);
      // Put behind all others, so that the first one is the one that was not asked for the longest.
      own.delete(key);
      own.set(key, form);
      const [oldest] = own.keys();
      if (own.size > mostForms && oldest !== undefined) own.delete(oldest);
      return form;
    },
  };
}
