// The machine's clock keeps the contract of the Clock port; nothing here measures real time.
import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../../src/schema/system-clock.ts';

describe('systemClock', () => {
  test('sleeps and wakes', async () => {
    await expect(systemClock.sleep(0, new AbortController().signal)).resolves.toBeUndefined();
  });

  test("an abort ends the sleep with the signal's own reason, before or during it", async () => {
    const reason = new Error('enough');
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const abort = new AbortController();
    const sleeping = systemClock.sleep(60_000, abort.signal);
    abort.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });

  test('a sleep that is longer than a timer can be does not end at once', async () => {
    const abort = new AbortController();
    const sleeping = systemClock.sleep(2 ** 40, abort.signal).then(
      () => 'woke',
      () => 'aborted',
    );
    await systemClock.sleep(5, abort.signal);
    abort.abort();
    expect(await sleeping).toBe('aborted');
  });

  test('never goes back', () => {
    const first = systemClock.monotonicMs();
    expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(first);
    expect(systemClock.now()).toBeInstanceOf(Date);
  });
});
