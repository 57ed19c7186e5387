// Increments of a text on their way out: those of the word that is being said are held back, so that a key that comes in pieces is seen whole.
import type { EngineEvent } from '../schema/run.ts';

type Delta = Extract<EngineEvent, { type: 'action_delta' | 'thinking_delta' }>;

/** A key is a run of such characters; other scripts have no spaces, but no keys either. */
const endsInGap = /[^!-~]$/;
const startsInGap = /^[^!-~]/;

/**
 * Hands events on in their order and as they are. Increments that together hold a secret are handed on as one, with `redact` applied;
 * what is held back when another event comes goes before it.
 */
export function holdDeltas(write: (event: EngineEvent) => void, redact: (text: string) => string): (event: EngineEvent) => void {
  const held: Delta[] = [];
  const release = (count = held.length): void => {
    const events = held.splice(0, count);
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
    release(countWhole(held));
  };
}

/** How many of the first increments end between two words. Most models begin a word with the space before it. */
function countWhole(held: readonly Delta[]): number {
  return held.findLastIndex(({ data }, index) => endsInGap.test(data) || startsInGap.test(held[index + 1]?.data ?? '')) + 1;
}

function isDelta(event: EngineEvent): event is Delta {
  return event.type === 'action_delta' || event.type === 'thinking_delta';
}
