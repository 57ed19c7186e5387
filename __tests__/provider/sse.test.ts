// The idle limit of a stream, on a clock that is turned by hand.
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { readEvents, type StreamEnd } from '../../src/provider/sse.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});

afterEach(() => {
  jest.useRealTimers();
});

/** Reads in the background; `say` sends a text, `end` tells how the reading ended. */
function reading(idleTimeoutMs: number) {
  const seen: string[] = [];
  let say: (text: string) => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      say = (text) => controller.enqueue(Buffer.from(text));
    },
  });
  const end = (async (): Promise<StreamEnd> => {
    const events = readEvents(body, { signal: new AbortController().signal, idleTimeoutMs });
    for (;;) {
      const step = await events.next();
      if (step.done) {
        return step.value;
      }
      seen.push(step.value);
    }
  })();
  return { seen, end, say: (text: string) => say(text) };
}

test('every event with data starts the idle limit anew', async () => {
  const { seen, end, say } = reading(1000);
  for (const text of ['a', 'b', 'c']) {
    await jest.advanceTimersByTimeAsync(900);
    say(`data: ${text}\n\n`);
    await jest.advanceTimersByTimeAsync(1);
  }
  await jest.advanceTimersByTimeAsync(1000);
  expect(await end).toBe('idle');
  expect(seen).toEqual(['a', 'b', 'c']);
});

test('keep-alives do not (G2-26)', async () => {
  const { seen, end, say } = reading(1000);
  await jest.advanceTimersByTimeAsync(900);
  say(': ping\n\ndata:\n\n');
  await jest.advanceTimersByTimeAsync(101);
  expect(await end).toBe('idle');
  expect(seen).toEqual([]);
});
