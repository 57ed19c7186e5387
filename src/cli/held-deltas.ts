// Increments of a text on their way out: held back while they end in the middle of a word, so that a key that comes in pieces is seen whole.
import type { EngineEvent } from '../schema/run.ts';

type Delta = Extract<EngineEvent, { type: 'action_delta' | 'thinking_delta' }>;

/** A key is such a run of characters; other scripts have no spaces, but no keys either. */
const endsInWord = /[!-~]$/;

/**
 * Hands events on in their order and as they are. Increments that together hold a secret are handed on as one, with `redact` applied;
 * what is held back when another event comes goes before it.
 */
export function holdDeltas(write: (event: EngineEvent) => void, redact: (text: string) => string): (event: EngineEvent) => void {
  const held: Delta[] = [];
  const release = (): void => {
    const events = held.splice(0);
    const [first] = events;
    if (first === undefined) return;
    const text = events.map(({ data }) => data).join('');
    const shown = redact(text);
    for (const event of shown === text ? events : [{ ...first, data: shown }]) write(event);
  };
  return (event) => {
    if (!isDelta(event)) {
      release();
      write(event);
      return;
    }
    if (held[0]?.type !== event.type) release();
    held.push(event);
    if (!endsInWord.test(event.data)) release();
  };
}

function isDelta(event: EngineEvent): event is Delta {
  return event.type === 'action_delta' || event.type === 'thinking_delta';
}
