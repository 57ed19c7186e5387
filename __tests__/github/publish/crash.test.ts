import { afterEach, expect, test } from '@jest/globals';
import { announce } from '../../../src/github/publish/announce.ts';
import type { PublishPorts } from '../../../src/github/publish/ports.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf, writeOf } from '../plan-and-bundle.ts';
import { dyingAt } from './dying.ts';
import { openScene, placeKinds, us } from './places.ts';
import { never, openStage, type Stage } from './stage.ts';

const stages: Stage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

test.each(placeKinds)(
  'killed after any call and started again in a %s: one reply, one branch, one pull request, no progress comment (R1, R2, R4)',
  async (kind) => {
    let kills = 0;
    for (let last = 1; last < 60; last += 1) {
      // Each commit has a time of its own, so that the same tree never has the same name twice.
      let seconds = 0;
      const { stage, plan, ours } = await openScene(kind, { now: () => new Date(Date.UTC(2026, 2, 1) + 1000 * seconds++) });
      stages.push(stage);
      const others = Object.keys(stage.hub.snapshot().refs);
      const dying = dyingAt(stage.ports, last);
      const isDone = await runAll(stage, dying, plan).catch(() => false);
      if (!isDone) {
        kills += 1;
        await runAll(stage, { ports: stage.ports, signal: never }, plan);
      }
      const { pulls, refs, comments } = stage.hub.snapshot();
      const expected = kind === 'report' ? 'report' : 'reply';
      expect({ last, ours: ours().map((body) => /kind=(\w+)/.exec(body)?.[1]) }).toEqual({ last, ours: [expected] });
      if (kind !== 'thread') expect(comments.filter(({ author }) => author === us)).toEqual([]);
      expect(pulls.filter(({ author }) => author === us)).toHaveLength(1);
      expect(Object.keys(refs).filter((ref) => ref.startsWith('refs/heads/') && !others.includes(ref))).toEqual([
        'refs/heads/harness9/issue-12-fix-rounding',
      ]);
      if (isDone) break;
    }
    expect(kills).toBeGreaterThan(9);
  },
  120_000,
);

test('killed after any call while it goes on with our pull request: one commit, and the description is the new one (R2, R4)', async () => {
  let kills = 0;
  for (let last = 1; last < 60; last += 1) {
    let seconds = 0;
    const stage = await openStage({ now: () => new Date(Date.UTC(2026, 2, 1) + 1000 * seconds++) });
    stages.push(stage);
    const { first, plan } = await beginPull(stage);
    const more = { changes: [writeOf('two.txt', '2\n')], reply: 'Two.' };
    const isDone = await runAll(stage, dyingAt(stage.ports, last), plan, more).catch(() => false);
    if (!isDone) {
      kills += 1;
      await runAll(stage, { ports: stage.ports, signal: never }, plan, more);
    }
    const { comments, pulls } = stage.hub.snapshot();
    const ours = comments.filter(({ author }) => author === 'github-actions[bot]');
    expect({ last, ours: ours.map(({ body }) => /kind=(\w+)/.exec(body)?.[1]) }).toEqual({ last, ours: ['reply', 'reply'] });
    expect(pulls).toMatchObject([{ head: plan.head?.branch, body: expect.stringContaining('\n\nTwo.\n\n') }]);
    expect(await stage.hub.git('rev-parse', `refs/heads/${plan.head?.branch}^`)).toBe(first);
    expect(ours.at(-1)?.body).toContain(`· #${pulls[0]?.number} ·`);
    if (isDone) break;
  }
  expect(kills).toBeGreaterThan(10);
}, 120_000);

/** A first run's pull request, and the plan of a later request that goes on with it. */
async function beginPull(stage: Stage): Promise<{ readonly first: string; readonly plan: RunPlan }> {
  const announcement = await announce(stage.plan, stage.ports, never);
  const outcome = await publish(stage.plan, bundleOf(stage.plan), announcement, { ports: stage.ports, signal: never });
  const first = outcome.commitSha ?? '';
  const comment = stage.hub.comment({ author: 'mona', issue: stage.plan.thread?.number ?? 0, body: '@harness9 two' });
  const target = { kind: 'issue_comment', id: comment.id } as const;
  const plan: RunPlan = {
    ...stage.plan,
    trigger: { ...stage.plan.trigger, id: `issue_comment-${comment.id}`, target },
    head: { branch: outcome.branchName ?? '', sha: first, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
    checkoutSha: first,
    delivery: 'push_to_head',
    pullRequest: { ...stage.plan.pullRequest, continues: outcome.pullRequest?.number ?? 0 },
  };
  return { first, plan };
}

async function runAll(
  stage: Stage,
  io: { readonly ports: PublishPorts; readonly signal: AbortSignal },
  plan = stage.plan,
  more: Partial<Bundle> = {},
): Promise<boolean> {
  const announcement = await announce(plan, io.ports, io.signal);
  stage.clock.advance(100_000);
  await publish(plan, bundleOf(plan, more), announcement, io);
  return !io.signal.aborted;
}
