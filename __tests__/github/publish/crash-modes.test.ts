import { afterEach, expect, test } from '@jest/globals';
import { makeRerunBundle } from '../../../src/action/bare-bundle.ts';
import { loadUndo } from '../../../src/github/control/undo.ts';
import { announce } from '../../../src/github/publish/announce.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Bundle, ReviewComment } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf, writeOf } from '../plan-and-bundle.ts';
import { dyingAt } from './dying.ts';
import { us } from './places.ts';
import { never, openStage, type Stage } from './stage.ts';

const stages: Stage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

interface Case {
  readonly plan: RunPlan;
  readonly bundle: Bundle;
  /** What has to be there in the end, whatever was lost on the way. */
  check(): Promise<void>;
}

const files = { 'src/cart.ts': 'export const total = 1;\n' };
const kindsOf = (texts: readonly { readonly author: string; readonly body: string }[]) =>
  texts.flatMap(({ author, body }) => (author === us ? (/kind=(\w+)/.exec(body)?.[1] ?? '?') : []));

async function onPull({ hub, plan }: Stage, more: Partial<RunPlan>): Promise<RunPlan> {
  const { number } = await hub.openPull({ author: 'mona', head: 'work', title: 'Work', files });
  const sha = await hub.git('rev-parse', 'refs/heads/work');
  return {
    ...plan,
    thread: { kind: 'pull_request', number, title: 'Work' },
    channel: { kind: 'thread', number },
    head: { branch: 'work', sha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
    checkoutSha: sha,
    pullRequest: { ...plan.pullRequest, closes: null },
    ...more,
  };
}

const line = { path: 'src/cart.ts', side: 'RIGHT', startLine: null, line: 1, code: 'export const total = 1;' } as const;
const finding: ReviewComment = { ...line, body: 'A cent is lost.', suggestion: null };

const modes: Readonly<Record<string, (stage: Stage) => Promise<Case>>> = {
  'a review': async (stage) => {
    const plan = await onPull(stage, { mode: 'review', delivery: 'reply', tools: 'read_only' });
    const bundle = bundleOf(plan, { changes: [], review: { verdict: 'comment', comments: [finding] } });
    const check = async () => {
      const { comments, reviews, reviewComments } = stage.hub.snapshot();
      expect([kindsOf(comments), kindsOf(reviews), kindsOf(reviewComments)]).toEqual([[], ['reply'], ['finding']]);
    };
    return { plan, bundle, check };
  },
  'a flaky check': async (stage) => {
    const on = await onPull(stage, { mode: 'fix', delivery: 'push_to_head' });
    const headSha = on.checkoutSha;
    const run = stage.hub.startRun({
      actor: 'mona',
      event: 'push',
      headSha,
      headBranch: 'work',
      workflowPath: '.github/workflows/ci.yml',
    });
    stage.hub.finishRun(run.id, 'failure');
    const failedCheck = { kind: 'workflow_run', id: run.id, attempt: 1, name: 'CI', headSha, passedBefore: true } as const;
    const plan: RunPlan = { ...on, failedCheck: { ...failedCheck, base: 'passed' } };
    const check = async () => {
      const { comments } = stage.hub.snapshot();
      expect(kindsOf(comments)).toEqual(['reply']);
      expect(comments.at(-1)?.body).toContain('The failed jobs run again: they passed on this commit before.');
    };
    return { plan, bundle: makeRerunBundle(plan), check };
  },
  'an undo': async (stage) => {
    const io = { ports: stage.ports, signal: never };
    const first = bundleOf(stage.plan, { changes: [writeOf('a.txt', 'ours\n')] });
    const { branchName, commitSha, pullRequest } = await publish(
      stage.plan,
      first,
      await announce(stage.plan, stage.ports, never),
      io,
    );
    const head = {
      branch: branchName ?? '',
      sha: commitSha ?? '',
      repository: 'acme/shop',
      isFork: false,
      movedAfterTrigger: false,
    };
    const plan: RunPlan = {
      ...stage.plan,
      mode: 'undo',
      trigger: { ...stage.plan.trigger, id: 'issue_comment-9' },
      head,
      checkoutSha: head.sha,
      delivery: 'push_to_head',
      pullRequest: { ...stage.plan.pullRequest, continues: pullRequest?.number ?? 0 },
    };
    const place = { api: stage.ports.api, repository: { owner: 'acme', repo: 'shop' } };
    const { undoes, ...undone } = await loadUndo(plan, place, never);
    const check = async () => {
      const { comments } = stage.hub.snapshot();
      expect(kindsOf(comments)).toEqual(['reply', 'reply']);
      expect(comments.at(-1)?.body).toContain('`a.txt` is as before it.');
      expect(await stage.hub.git('rev-parse', `refs/heads/${head.branch}^`)).toBe(head.sha);
      expect(await stage.hub.git('diff', '--stat', 'refs/heads/main', `refs/heads/${head.branch}`)).toBe('');
    };
    return { plan, bundle: bundleOf(plan, { ...undone, ...(undoes === null ? {} : { undoes }) }), check };
  },
};

const permissions = { contents: 'write', issues: 'write', pull_requests: 'write', actions: 'write', metadata: 'read' } as const;

/** The way of an undo is that of every push, which is killed after each call elsewhere. */
const steps = Object.entries(modes).map(([name, open]) => [name, name === 'an undo' ? 4 : 1, open] as const);

test.each(steps)(
  '%s that is killed after any call and begun again is there once (R1, R2, R4)',
  async (_name, step, open) => {
    let kills = 0;
    for (let last = 1; last < 60; last += step) {
      let seconds = 0;
      const stage = await openStage({ permissions, now: () => new Date(Date.UTC(2026, 2, 1) + 1000 * seconds++) });
      stages.push(stage);
      const { plan, bundle, check } = await open(stage);
      const run = async (io: Parameters<typeof publish>[3]) => {
        await publish(plan, bundle, await announce(plan, io.ports, io.signal), io);
        return !io.signal.aborted;
      };
      const isDone = await run(dyingAt(stage.ports, last)).catch(() => false);
      if (!isDone) {
        kills += 1;
        await run({ ports: stage.ports, signal: never });
      }
      await check();
      if (isDone) break;
    }
    expect(kills).toBeGreaterThan(3);
  },
  120_000,
);
