import { expect, test } from '@jest/globals';
import { createQueue } from '../../src/schema/queue.ts';

test('one piece of work begins when the one before it has ended, in the order of the calls, whatever became of it', async () => {
  const inTurn = createQueue();
  const done: string[] = [];
  const work = (name: string, waits: number) => async (): Promise<string> => {
    done.push(`${name} begins`);
    for (let turn = 0; turn < waits; turn += 1) await new Promise(setImmediate);
    done.push(`${name} ends`);
    return name;
  };
  const failing = async (): Promise<string> => {
    await work('broken', 2)();
    throw new Error('no');
  };
  const thrower = (): string => {
    throw new Error('at once');
  };
  const all = [inTurn(work('slow', 3)), inTurn(failing), inTurn(thrower), inTurn(work('quick', 0)), inTurn(() => 'plain')];
  const ends = await Promise.allSettled(all);
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.message))).toEqual([
    ...['slow', 'no', 'at once', 'quick', 'plain'],
  ]);
  expect(done).toEqual(['slow', 'broken', 'quick'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(await inTurn(work('later', 1))).toBe('later');
});
