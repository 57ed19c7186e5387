import { afterEach, describe, expect, test } from '@jest/globals';
import { conclude } from '../../../src/github/publish/conclude.ts';
import { nothingDelivered } from '../../../src/github/publish/delivery.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf, headSha, plan as planOfIssue, writeOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

const stages: Stage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

const { result } = bundleOf(planOfIssue);
const cut = { ...result, stopReason: 'max_turns' } as const;
const head = { branch: 'feature', sha: headSha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false };
const failedCheck = {
  kind: 'workflow_run',
  id: 5,
  attempt: 1,
  name: 'CI',
  headSha,
  passedBefore: false,
  base: 'passed',
} as const;
const left: Bundle['leftOut'] = [{ path: '.github/workflows/ci.yml', reason: 'protected', patch: '' }];
const found = { verdict: 'comment', comments: [] } as const;

type Row = readonly [string, Partial<RunPlan>, Partial<Bundle>, string];
const rows: readonly Row[] = [
  ['changes on a branch', {}, {}, 'success'],
  ['changes in the reply', { delivery: 'reply' }, {}, 'success'],
  ['an answer', {}, { changes: [] }, 'no_changes'],
  ['nothing but what a person has to publish', {}, { changes: [], leftOut: left }, 'refused'],
  ['a part that a person has to publish', {}, { leftOut: left }, 'success'],
  ['a plan', { mode: 'plan', delivery: 'reply' }, { changes: [] }, 'success'],
  ['a plan that was cut', { mode: 'plan', delivery: 'reply' }, { changes: [], result: cut }, 'max_turns'],
  ['changes, cut', {}, { result: cut }, 'max_turns'],
  ['a review', { mode: 'review', delivery: 'reply', head }, { changes: [], review: found }, 'success'],
  ['a review of which there is none', { mode: 'review', delivery: 'reply', head }, { changes: [] }, 'no_changes'],
  [
    'a mending that is not shown to mend',
    { mode: 'fix', failedCheck },
    { result: { ...result, error: { code: 'VERIFY_FAILED', message: 'x' } } },
    'verify_failed',
  ],
];

describe('a run and a dry run of the same work end with the same word', () => {
  test.each(rows)('%s', async (_what, of, more, conclusion) => {
    const ends = [];
    for (const dryRun of [false, true]) {
      const stage = await openStage();
      stages.push(stage);
      const plan: RunPlan = { ...stage.plan, ...of, dryRun, comment: dryRun ? 'none' : 'auto' };
      const announcement = {
        version: 1 as const,
        commentId: null,
        startedAt: stage.ports.clock.now().toISOString(),
        warnings: [],
      };
      const bundle = bundleOf(plan, { changes: [writeOf('src/new.ts', 'x\n')], ...more });
      const outcome = await publish(plan, bundle, announcement, { ports: stage.ports, signal: never });
      ends.push(outcome.conclusion);
    }
    expect(ends).toEqual([conclusion, conclusion]);
  });
});

test('a merge of the base that nothing was changed on is work', () => {
  const bundle = bundleOf(planOfIssue, { changes: [] });
  const went = { delivery: nothingDelivered(bundle), isElsewhere: false };
  expect(conclude(planOfIssue, bundle, { ...went, isPushed: true })).toBe('success');
  expect(conclude(planOfIssue, bundle, { ...went, isPushed: false })).toBe('no_changes');
});
