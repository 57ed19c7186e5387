import { afterEach, expect, test } from '@jest/globals';
import type { GitHubApi } from '../../../src/github/api.ts';
import { announce } from '../../../src/github/publish/announce.ts';
import type { PublishPorts } from '../../../src/github/publish/ports.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import { bundleOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

const stages: Stage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

/** The process dies when the call of this number was answered: the answer is not seen, and nothing comes after it. */
function dyingAt(
  ports: PublishPorts,
  last: number,
): { readonly ports: PublishPorts; readonly signal: AbortSignal; isDead(): boolean } {
  const death = new AbortController();
  let calls = 0;
  const count = () => {
    calls += 1;
    if (calls >= last) death.abort(new Error('killed'));
    death.signal.throwIfAborted();
  };
  const api: GitHubApi = {
    ...ports.api,
    rest: async (route, parameters, signal) => {
      death.signal.throwIfAborted();
      const answer = await ports.api.rest(route, parameters, signal);
      count();
      return answer;
    },
    pages: async function* (route, parameters, signal) {
      death.signal.throwIfAborted();
      yield* ports.api.pages(route, parameters, signal);
      count();
    },
  };
  return { ports: { ...ports, api }, signal: death.signal, isDead: () => death.signal.aborted };
}

test('killed after any call and started again: one reply, one branch, one pull request, no progress comment (R1, R2, R4)', async () => {
  let kills = 0;
  for (let last = 1; last < 60; last += 1) {
    // Each commit has a time of its own, so that the same tree never has the same name twice.
    let seconds = 0;
    const stage = await openStage({ now: () => new Date(Date.UTC(2026, 2, 1) + 1000 * seconds++) });
    stages.push(stage);
    const dying = dyingAt(stage.ports, last);
    const isDone = await runAll(stage, dying).catch(() => false);
    if (!isDone) {
      kills += 1;
      await runAll(stage, { ports: stage.ports, signal: never });
    }
    const { comments, pulls, refs } = stage.hub.snapshot();
    const ours = comments.filter(({ author }) => author === 'github-actions[bot]');
    expect({ last, ours: ours.map(({ body }) => /kind=(\w+)/.exec(body)?.[1]) }).toEqual({ last, ours: ['reply'] });
    expect(pulls).toHaveLength(1);
    expect(Object.keys(refs).filter((ref) => ref.startsWith('refs/heads/'))).toEqual([
      'refs/heads/main',
      'refs/heads/harness9/issue-12-fix-rounding',
    ]);
    if (isDone) break;
  }
  expect(kills).toBeGreaterThan(10);
}, 120_000);

async function runAll(stage: Stage, io: { readonly ports: PublishPorts; readonly signal: AbortSignal }): Promise<boolean> {
  const announcement = await announce(stage.plan, io.ports, io.signal);
  stage.clock.advance(100_000);
  await publish(stage.plan, bundleOf(stage.plan), announcement, io);
  return !io.signal.aborted;
}
