import { describe, expect, test } from '@jest/globals';
import { holdDeltas } from '../../src/cli/held-deltas.ts';
import { createRedactor } from '../../src/redact/redactor.ts';
import { noUsage } from '../../src/schema/message.ts';
import type { EngineEvent } from '../../src/schema/run.ts';

const key = 'sk-live-9fK2mQ7xZt4LwB8vR1cN6yH3';
const { outward } = createRedactor([key]);

const delta = (data: string, type: 'action_delta' | 'thinking_delta' = 'action_delta'): EngineEvent => ({ type, turn: 1, data });
const reset: EngineEvent = { type: 'reset', turn: 1 };
const done: EngineEvent = {
  type: 'done',
  turn: 1,
  data: { stopReason: 'completed', finalMessage: '', turns: 1, usage: noUsage, durationMs: 1 },
};

/** After each event: what was handed on until then. */
function handOn(events: readonly EngineEvent[]): readonly (readonly EngineEvent[])[] {
  const seen: EngineEvent[] = [];
  const take = holdDeltas((event) => seen.push(event), outward);
  return events.map((event) => {
    take(event);
    return [...seen];
  });
}

describe('increments', () => {
  test('are handed on as they are, at the latest with the next event', () => {
    const events = [delta('One '), delta('tw'), delta('o'), delta('\n'), delta('three'), done];
    expect(handOn(events).map((seen) => seen.length)).toEqual([1, 1, 1, 4, 4, 6]);
    expect(handOn(events).at(-1)).toEqual(events);
  });

  test('that begin with the space before a word wait for the next one, not for the end', () => {
    const events = [delta('The'), delta(' total'), delta(' is'), delta(' off'), delta(' by a'), delta(' cent.'), done];
    expect(handOn(events).map((seen) => seen.length)).toEqual([0, 1, 2, 3, 4, 5, 7]);
  });

  test('of scripts without spaces do not wait', () => {
    expect(handOn([delta('会话'), delta('だ。'), delta('é')]).map((seen) => seen.length)).toEqual([1, 2, 3]);
  });

  test.each([1, 3, 7, 40])('in pieces of %d characters do not tell a key', (length) => {
    const pieces = `the key is ${key}, as you know`.match(new RegExp(`.{1,${length}}`, 'gs')) ?? [];
    for (const type of ['action_delta', 'thinking_delta'] as const) {
      const seen = handOn([...pieces.map((piece) => delta(piece, type)), done]).at(-1) ?? [];
      const text = seen.map((event) => (event.type === type ? event.data : '')).join('');
      expect(text).toMatch(/^the key is \*\*\*,? as you know$/);
    }
  });

  test('of two kinds, and of a call and its retry, are two texts', () => {
    // Neither piece tells the key, and no text holds both.
    const [head, rest] = [key.slice(0, 6), key.slice(6, 16)];
    const events = [delta(head), delta(rest, 'thinking_delta'), delta(head), reset, delta(rest), done];
    expect(handOn(events).at(-1)).toEqual(events);
  });

  test('keep the order and the values of all events, whatever comes when', () => {
    const pick = [delta('a'), delta('b '), delta('c', 'thinking_delta'), delta(' ', 'thinking_delta'), reset];
    // Every sequence of five out of five.
    for (let number = 0; number < 5 ** 5; number += 1) {
      const events = [...number.toString(5).padStart(5, '0')].map((digit) => pick[Number(digit)] ?? reset);
      expect(handOn([...events, done]).at(-1)).toEqual([...events, done]);
    }
  });
});
