// Events of a stream: its line ends, wherever it is cut, and its idle limit, on a clock that is turned by hand.
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { readEvents, type StreamEnd } from '../../src/provider/sse.ts';
import { recordings as ofMessages } from './anthropic/recordings.ts';
import { recordings } from './openai/recordings.ts';
import { serverRecordings } from './openai/server-recordings.ts';

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

test("a Messages server's pings keep a silent model alive for a while, not for ever (G2-26)", async () => {
  const { seen, end, say } = reading(1000);
  const listen = async (text: string) => {
    await jest.advanceTimersByTimeAsync(500);
    say(`event: message\ndata: ${text}\n\n`);
    await jest.advanceTimersByTimeAsync(0);
  };
  for (let pings = 0; pings < 4; pings += 1) await listen(`{"type": "ping"}`);
  await listen('{"type":"content_block_stop"}');
  for (let pings = 0; pings < 5; pings += 1) await listen('{"type":"ping"}');
  await jest.advanceTimersByTimeAsync(500);
  expect(await end).toBe('idle');
  expect(seen.map((data) => data.includes('ping'))).toEqual([...Array(4).fill(true), false, ...Array(5).fill(true)]);
});

/** The data of all events, as JSON. */
async function eventsOf(...pieces: readonly Uint8Array[]): Promise<string> {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const events: string[] = [];
  for await (const data of readEvents(body, { signal: new AbortController().signal, idleTimeoutMs: 1000 })) events.push(data);
  return JSON.stringify(events);
}

/** Bytes with line feeds in the place of other line ends; half of a CRLF counts as one. */
function withLineFeeds(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(/\r\n?/g, '\n'), 'latin1');
}

const severalLines = {
  name: 'data over several lines',
  stream: 'event: e\ndata: {"a":\ndata: "é日"}\n\n: c\n\ndata:\n\ndata: end\n',
};
const streams = [severalLines, ...recordings, ...serverRecordings.slice(0, 2), ...ofMessages.slice(0, 2)];

test.each(streams)(
  '$name: other line ends, split or broken off at any byte, bring what line feeds bring (G2-27)',
  async ({ stream }) => {
    const expected = await eventsOf(Buffer.from(stream));
    for (const end of ['\r\n', '\r']) {
      const bytes = Buffer.from(stream.replaceAll('\n', end));
      const wrong: number[] = [];
      for (let at = 0; at <= bytes.length; at += 1) {
        const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
        const isSame =
          (await eventsOf(head, tail)) === expected && (await eventsOf(head)) === (await eventsOf(withLineFeeds(head)));
        if (!isSame) wrong.push(at);
      }
      expect(wrong).toEqual([]);
    }
  },
);
