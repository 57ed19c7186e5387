import { expect, test } from '@jest/globals';
import { waitAtMost } from '../../src/schema/wait-at-most.ts';
import { ManualClock, settled } from '../engine/ports.ts';

test('comes to what the work comes to, in both ways, and keeps no timer', async () => {
  const clock = new ManualClock();
  expect(await waitAtMost(clock, 100, Promise.resolve('done'))).toBe('done');
  await expect(waitAtMost(clock, 100, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await settled();
  expect(clock.sleeping).toBe(0);
});

test('comes to nothing when the time is over, whatever becomes of the work then', async () => {
  const clock = new ManualClock();
  const work = Promise.withResolvers<string>();
  const waiting = waitAtMost(clock, 100, work.promise);
  await clock.advance(100);
  expect(await waiting).toBeUndefined();
  work.reject(new Error('late'));
  await settled();
});
