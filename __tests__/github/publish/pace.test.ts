import { describe, expect, test } from '@jest/globals';
import { backoffAfterEdit, backoffAfterRefusal, paceOf } from '../../../src/github/publish/pace.ts';
import { reduceProgress, renderStatus, startProgress } from '../../../src/github/publish/render-progress.ts';
import type { EngineEvent } from '../../../src/schema/run.ts';
import { plan } from '../plan-and-bundle.ts';

/** How many edits a run makes that has news all the time. */
function editsOf(runMs: number): number {
  let edits = 0;
  for (let now = 0; now < runMs; now += paceOf(now, 0).editMs) edits += 1;
  return edits;
}

describe('the pace of edits (G1-31)', () => {
  test('is at most one in 3 s at first, one in 15 s and less after ten minutes, and goes on without news', () => {
    for (let elapsedMs = 0; elapsedMs < 6 * 3_600_000; elapsedMs += 7_000) {
      const { editMs, refreshMs } = paceOf(elapsedMs, 0);
      expect(editMs).toBeGreaterThanOrEqual(elapsedMs >= 600_000 ? 15_000 : 3_000);
      expect(editMs).toBeLessThanOrEqual(30_000);
      expect(refreshMs).toBeGreaterThanOrEqual(Math.max(15_000, editMs));
      expect(refreshMs).toBeLessThanOrEqual(60_000);
    }
  });

  test('leaves most of the 500 changes an hour to others', () => {
    expect(editsOf(30 * 60_000)).toBeLessThan(125);
    expect(editsOf(60 * 60_000)).toBeLessThan(200);
  });

  test('after refusals it waits a minute, then longer, and not for ever; after an edit that was taken it is as before', () => {
    const waits = [1, 2, 3, 4, 5, 6].reduce<number[]>((all) => [...all, backoffAfterRefusal(all.at(-1) ?? 0)], []);
    expect(waits).toEqual([60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
    expect(paceOf(5_000, 240_000).editMs).toBe(240_000);
    expect([backoffAfterEdit(undefined), backoffAfterEdit(0.9), backoffAfterEdit(0.1), backoffAfterEdit(0)]).toEqual([
      0, 0, 60_000, 60_000,
    ]);
  });
});

test('the status is one line: the item, how many are done, the step, the figures', () => {
  const events: readonly EngineEvent[] = [
    {
      turn: 7,
      type: 'todo_update',
      data: [
        { id: '1', content: 'Read it', status: 'completed' },
        { id: '2', content: 'Fix `total()`\nnow', status: 'in_progress' },
      ],
    },
    { turn: 7, type: 'tool_start', data: { id: 'a', name: 'bash', arguments: '{"command":"npm test"}' } },
  ];
  const state = events.reduce(reduceProgress, startProgress);
  expect(renderStatus(state, { plan, elapsedMs: 72_000 })).toBe(
    'At work: **Fix `total()` now** · 1 of 2 items done · Running `npm test`… · turn 7 of 50 · 1 m 12 s · [run](https://github.com/acme/shop/actions/runs/99)',
  );
  expect(renderStatus(startProgress, { plan, elapsedMs: 3_000 })).toBe(
    'At work: 3 s · [run](https://github.com/acme/shop/actions/runs/99)',
  );
});
