// The compactor by messages: the contract, and what is its own.
import { describe, expect, test } from '@jest/globals';
import { createSlidingWindowCompactor } from '../../../src/memory/compaction/sliding-window.ts';
import { describeCompactor } from '../../contracts/compactor.ts';
import { asks, call, randomHistory, result, turn, user } from './histories.ts';
import { contextOf, inPieces, inputOf, takeTurns } from './turns.ts';
import { checkView } from './wire-rules.ts';

const wide = { contextWindow: 1_000_000 };
const task = user('Fix bug A.');

describe('[spec 9 SlidingWindowCompactor]', () => {
  describeCompactor('sliding_window', () => createSlidingWindowCompactor());

  test('by default a view has at most 100 messages, the system prompt among them', async () => {
    const compactor = createSlidingWindowCompactor();
    const growth = [[task], ...Array.from({ length: 200 }, (_unused, index) => turn(index, 10))];
    const turns = await takeTurns(compactor, growth, wide);
    const lengths = turns.map(({ messages }) => messages.length);
    expect(Math.max(...lengths)).toBe(100);
    expect(turns.filter(({ checkpoint }) => checkpoint !== undefined)).toHaveLength(6);
  });

  test('a window of any size, and not known at all, keeps to its number, with valid views, the task and the last exchange', async () => {
    for (const maxMessages of [6, 7, 12, 30]) {
      for (const contextWindow of [0, wide.contextWindow]) {
        const history = [task, ...randomHistory(maxMessages, { exchanges: 60, huge: 100, isSound: true }).slice(1)];
        const turns = await takeTurns(createSlidingWindowCompactor({ maxMessages }), inPieces(history), { contextWindow });
        for (const { messages, history: so } of turns) {
          const lastExchange = so.length - so.findLastIndex((message) => message.toolCallId === undefined);
          expect(messages.length).toBeLessThanOrEqual(Math.max(maxMessages, lastExchange + 3 + Math.floor(maxMessages / 4)));
          expect(messages[1]).toBe(task);
          expect(messages.at(-1)).toEqual(so.at(-1));
          checkView(messages);
        }
      }
    }
  });

  test('the last exchange stays whole, however many messages it has', async () => {
    const ids = Array.from({ length: 30 }, (_unused, index) => `p${index}`);
    const parallel = [
      asks(...ids.map((id) => call(id, 'read_file', { path: id }))),
      ...ids.map((id) => result(id, `text of ${id}`)),
    ];
    const history = [task, ...turn(1, 10), ...turn(2, 10), ...parallel];
    const { messages } = await createSlidingWindowCompactor({ maxMessages: 10 }).compact(inputOf(history, wide), contextOf());
    expect(messages.slice(-parallel.length)).toEqual(parallel);
    expect(messages).toHaveLength(3 + parallel.length);
  });

  test.each([0, -1, 1.5, Number.NaN])('maxMessages %d is no number of messages', (maxMessages) => {
    expect(() => createSlidingWindowCompactor({ maxMessages })).toThrow(
      expect.objectContaining({ code: 'COMPACTION_BAD_OPTION' }),
    );
  });
});
