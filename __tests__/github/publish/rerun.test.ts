import { afterEach, describe, expect, test } from '@jest/globals';
import { makeRerunBundle } from '../../../src/action/bare-bundle.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

async function failed(options: Parameters<typeof openStage>[0] = {}): Promise<RunPlan> {
  stage = await openStage(options);
  const { hub } = stage;
  const { number } = await hub.openPull({
    author: 'mona',
    head: 'work',
    title: 'Work',
    files: { 'src/cart.ts': 'export const total = 2;\n' },
  });
  const sha = await hub.git('rev-parse', 'refs/heads/work');
  const run = hub.startRun({
    actor: 'mona',
    event: 'push',
    headSha: sha,
    headBranch: 'work',
    workflowPath: '.github/workflows/ci.yml',
  });
  hub.finishRun(run.id, 'failure');
  return {
    ...stage.plan,
    mode: 'fix',
    delivery: 'push_to_head',
    thread: { kind: 'pull_request', number, title: 'Work' },
    channel: { kind: 'thread', number },
    head: { branch: 'work', sha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
    checkoutSha: sha,
    trigger: { kind: 'failure', id: `fix-${number}-${sha.slice(0, 12)}`, at: '2020-01-01T00:00:00Z', target: null },
    failedCheck: { kind: 'workflow_run', id: run.id, attempt: 1, name: 'CI', headSha: sha, passedBefore: true, base: 'passed' },
    pullRequest: { ...stage.plan.pullRequest, closes: null },
  };
}

function run(plan: RunPlan, bundle = makeRerunBundle(plan)) {
  const startedAt = stage.ports.clock.now().toISOString();
  return publish(plan, bundle, { version: 1, commentId: null, startedAt, warnings: [] }, { ports: stage.ports, signal: never });
}

describe('a check that passed on the same commit before', () => {
  test('runs again, and the reply says why nothing was changed', async () => {
    const plan = await failed({ permissions: { contents: 'write', issues: 'write', pull_requests: 'write', actions: 'write' } });
    const outcome = await run(plan);
    expect(outcome).toMatchObject({ conclusion: 'success', filesChanged: 0, commitSha: null });
    expect(stage.replies().join('\n')).toContain('The failed jobs run again: they passed on this commit before.');
  });

  test('whose token may not is told what the job needs', async () => {
    const plan = await failed();
    const outcome = await run(plan);
    expect(outcome.conclusion).toBe('no_changes');
    expect(stage.replies().join('\n')).toContain('`actions: write`');
  });
});

describe('a change that is not shown to mend the check', () => {
  test('is not pushed: the reply has its diff and what was not shown', async () => {
    const plan = await failed();
    const message = '`npm test` still fails with this change (exit code 1).';
    const { result } = bundleOf(plan);
    const outcome = await run(plan, bundleOf(plan, { result: { ...result, error: { code: 'VERIFY_FAILED', message } } }));
    expect(outcome).toMatchObject({ conclusion: 'verify_failed', commitSha: null });
    const said = stage.replies().join('\n');
    expect(said).toContain('still fails with this change');
    expect(said).toContain('+export const total = 1;');
    expect(await stage.fileAt('work', 'src/cart.ts')).toBe('export const total = 2;');
  });
});
