// End to end on dist: what is very large costs few calls, little memory, and a request to the model that has an end.
import { expect, test } from '@jest/globals';
import { openLargePull, openLongIssue, runOnLarge } from './large-thread.ts';

test.each([
  ['G1-22 a thread of 1,000 comments', openLongIssue],
  ['G1-24 a pull request of 3,000 files and 1,000 comments', openLargePull],
])(
  '%s is answered within bounds',
  async (_what, open) => {
    const run = await runOnLarge(open);
    expect(run.conclusion).toBe('no_changes');
    expect(run.calls).toBeLessThan(100);
    expect(run.requestBytes).toBeLessThan(300_000);
    expect(run.maxRssMb).toBeLessThan(300);
  },
  180_000,
);
