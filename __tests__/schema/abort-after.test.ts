import { expect, test } from '@jest/globals';
import { abortAfter } from '../../src/schema/abort-after.ts';
import { ManualClock, settled } from '../engine/ports.ts';

const over = (): Error => new Error('over');

test('aborts when the time has run out, with the reason that is made then, and not before', async () => {
  const clock = new ManualClock();
  const signal = abortAfter(clock, 100, new AbortController().signal, over);
  await clock.advance(99);
  expect(signal.aborted).toBe(false);
  await clock.advance(1);
  expect(signal.reason).toEqual(new Error('over'));
});

test('never aborts when it was stopped before, and keeps no timer', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const signal = abortAfter(clock, 100, stop.signal, over);
  stop.abort(new Error('enough'));
  await settled();
  expect(clock.sleeping).toBe(0);
  await clock.advance(100);
  expect(signal.aborted).toBe(false);
});
