// What people do to a thread, a pull request or a branch while a run works on it: the final state, and what the reply says of it.
import { afterEach, describe, expect, test } from '@jest/globals';
import { announce } from '../../../src/github/publish/announce.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import { renderSummary } from '../../../src/github/publish/render-summary.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

/** A run of the plan, with what happens between its first sign of life and its end. */
async function runWhile(plan: RunPlan, happens: () => unknown, more: Partial<Bundle> = {}) {
  const announcement = await announce(plan, stage.ports, never);
  stage.clock.advance(100_000);
  await happens();
  return publish(plan, bundleOf(plan, more), announcement, { ports: stage.ports, signal: never });
}

const pulls = () => stage.hub.snapshot().pulls;
const reply = () => stage.replies().at(-1) ?? '';
const headOf = (branch: string) => stage.hub.git('rev-parse', `refs/heads/${branch}`);

/** A plan for a person's open pull request from `feat` into `release`. */
async function planOnPull(options: Parameters<typeof openStage>[0] = {}) {
  stage = await openStage(options);
  await stage.hub.pushCommit({ branch: 'release', files: { 'release.txt': '1\n' }, message: 'release' });
  const from = { author: 'mona', head: 'feat', base: 'release', title: 'Feature' };
  const pull = await stage.hub.openPull({ ...from, files: { 'feat.ts': 'a\n' }, draft: true });
  const sha = await headOf('feat');
  const plan: RunPlan = {
    ...stage.plan,
    thread: { kind: 'pull_request', number: pull.number, title: 'Feature' },
    channel: { kind: 'thread', number: pull.number },
    threadKey: `pull_request-${pull.number}`,
    base: { branch: 'release', sha: await headOf('release') },
    head: { branch: 'feat', sha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
    checkoutSha: sha,
    delivery: 'push_to_head',
    pullRequest: { ...stage.plan.pullRequest, closes: null },
  };
  return { plan, number: pull.number, sha };
}

async function patchPull(number: number, change: { readonly base?: string; readonly state?: 'open' | 'closed' }) {
  const parameters = { owner: 'acme', repo: 'shop', pull_number: number, ...change };
  await stage.ports.api.rest('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', parameters, never);
}

describe('a pull request that a run works on', () => {
  test('whose base is deleted gets the commit all the same (G1-13)', async () => {
    const { plan, number, sha } = await planOnPull();
    const outcome = await runWhile(plan, () => stage.hub.deleteBranch('release'));
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: 'feat', pullRequest: { number, operation: 'updated' } });
    expect(await stage.hub.git('rev-parse', 'refs/heads/feat^')).toBe(sha);
  });

  test('that is closed with its base gone: the work goes to the default branch, and both is said (G1-13)', async () => {
    const { plan, number, sha } = await planOnPull();
    const outcome = await runWhile(plan, async () => {
      stage.hub.closeThread(number, 'mona');
      await stage.hub.deleteBranch('release');
    });
    expect(outcome).toMatchObject({ branchName: plan.branchName, pullRequest: { operation: 'created' } });
    expect(pulls().at(-1)).toMatchObject({ head: plan.branchName, base: 'main', state: 'open' });
    expect(await headOf('feat')).toBe(sha);
    expect(reply()).toContain(`> #${number} was closed meanwhile, so the changes are on a branch of their own.`);
    expect(reply()).toContain('> The branch `release` is gone, so the pull request goes to `main`.');
    expect(pulls().at(-1)?.body).toContain('> The branch `release` is gone, so the pull request goes to `main`.');
  });

  test('whose own branch is deleted: a new branch and a new pull request to where it went', async () => {
    const { plan, number } = await planOnPull();
    const outcome = await runWhile(plan, () => stage.hub.deleteBranch('feat'));
    expect(outcome).toMatchObject({ branchName: plan.branchName, pullRequest: { operation: 'created' } });
    expect(pulls()).toMatchObject([
      { number, state: 'closed' },
      { head: plan.branchName, base: 'release', state: 'open' },
    ]);
    expect(Object.keys(stage.hub.snapshot().refs)).not.toContain('refs/heads/feat');
    expect(reply()).toContain(`> #${number} was closed meanwhile, so the changes are on a branch of their own.`);
  });

  test('that goes to another base now is pushed to, and stays where its person put it', async () => {
    const { plan, number } = await planOnPull();
    const outcome = await runWhile(plan, () => patchPull(number, { base: 'main' }));
    expect(outcome).toMatchObject({ branchName: 'feat', pullRequest: { number, operation: 'updated' } });
    expect(pulls()).toMatchObject([{ number, base: 'main', state: 'open' }]);
  });

  test.each(['Reference cannot be updated', 'Git Repository is empty.'])(
    'whose branch GitHub answers 409 for (%s) stays as it is, and the commit is on a branch of its own',
    async (message) => {
      const { plan, sha } = await planOnPull();
      const outcome = await runWhile(plan, () =>
        stage.hub.fail({ method: 'PATCH', path: /git\/refs\//, status: 409, body: { message }, times: 9 }),
      );
      expect(outcome).toMatchObject({ conclusion: 'success', branchName: plan.branchName });
      expect(await headOf('feat')).toBe(sha);
      expect(pulls().at(-1)).toMatchObject({ head: plan.branchName, base: 'feat', state: 'open' });
      const said = `GitHub refused the push to \`feat\` (${message}), so the changes are on a branch of their own.`;
      expect(reply()).toContain(said);
    },
  );

  test('that went to another base and was closed: the new one goes to that base', async () => {
    const { plan, number } = await planOnPull();
    await runWhile(plan, async () => {
      await patchPull(number, { base: 'main' });
      stage.hub.closeThread(number, 'mona');
    });
    expect(pulls().at(-1)).toMatchObject({ head: plan.branchName, base: 'main' });
    expect(reply()).not.toContain('is gone');
  });

  test.each(['merged', 'closed'] as const)(
    'that is %s meanwhile is not pushed to, and the reply says why (G1-14)',
    async (how) => {
      const { plan, number, sha } = await planOnPull();
      const outcome = await runWhile(plan, async () => {
        if (how === 'merged') await stage.hub.mergePull(number, 'mona');
        else stage.hub.closeThread(number, 'mona');
      });
      expect(outcome).toMatchObject({ branchName: plan.branchName, pullRequest: { operation: 'created' } });
      expect(await headOf('feat')).toBe(sha);
      expect(pulls().at(-1)).toMatchObject({ base: 'release', state: 'open' });
      expect(reply()).toContain(`> #${number} was ${how} meanwhile, so the changes are on a branch of their own.`);
    },
  );

  test.each([
    ['trusted', 'feat'],
    ['mixed', 'harness9/issue-12-fix-rounding'],
  ] as const)('that is marked as ready: a %s run’s commit goes to %s', async (trust, branch) => {
    const { plan, number } = await planOnPull();
    expect(await runWhile({ ...plan, trust }, () => stage.hub.markReady(number))).toMatchObject({ branchName: branch });
    expect(reply().includes(`> #${number} was marked as ready meanwhile`)).toBe(trust === 'mixed');
  });
});

test.each([
  ['the workflow’s own token', { login: 'github-actions[bot]', id: 41_898_282 }, true],
  ['an app', { login: 'fixer[bot]', id: 77 }, false],
] as const)('a push by %s to a person’s pull request says in the reply whether its checks start (G1-32)', async (...row) => {
  const [, self, isTold] = row;
  const { plan } = await planOnPull();
  const outcome = await runWhile({ ...plan, self }, () => undefined);
  const words = ['Checks do not start by themselves', 'Close and reopen', '`app_id`', '`github_token`'];
  expect(outcome).toMatchObject({ branchName: 'feat', pullRequest: { operation: 'updated' } });
  expect(words.map((word) => reply().includes(word))).toEqual(words.map(() => isTold));
});

describe('the base of new work', () => {
  test('that is deleted: the pull request goes to the default branch, and its body says so (G1-13)', async () => {
    stage = await openStage();
    await stage.hub.pushCommit({ branch: 'release', files: { 'release.txt': '1\n' }, message: 'release' });
    const sha = await headOf('release');
    const plan = { ...stage.plan, base: { branch: 'release', sha }, checkoutSha: sha };
    const outcome = await runWhile(plan, () => stage.hub.deleteBranch('release'));
    expect(outcome).toMatchObject({ conclusion: 'success', pullRequest: { operation: 'created' } });
    expect(pulls()).toMatchObject([{ head: plan.branchName, base: 'main', body: expect.stringContaining('`release` is gone') }]);
  });

  test('that was renamed: the pull request goes to it by its new name', async () => {
    stage = await openStage({ defaultBranch: 'trunk' });
    const plan = { ...stage.plan, base: { ...stage.plan.base, branch: 'main' } };
    await runWhile(plan, () => undefined);
    expect(pulls()).toMatchObject([{ base: 'trunk' }]);
    expect(reply()).toContain('> The branch `main` is gone, so the pull request goes to `trunk`.');
  });

  test('that cannot be found or asked for is taken for there, and nothing is said', async () => {
    stage = await openStage();
    for (const status of [404, 403]) {
      stage.hub.fail({ method: 'GET', path: /git\/ref\/heads(?:\/|%2F)main$/, status });
      const plan = { ...stage.plan, trigger: { ...stage.plan.trigger, id: `t-${status}` }, branchName: `harness9/t-${status}` };
      expect(await runWhile(plan, () => undefined)).toMatchObject({ warnings: [], pullRequest: { operation: 'created' } });
    }
    expect(pulls().map(({ base }) => base)).toEqual(['main', 'main']);
  });

  test('that is gone leads no link astray, and nobody looks for it where no pull request is wanted', async () => {
    stage = await openStage({ defaultBranch: 'trunk' });
    const base = { ...stage.plan.base, branch: 'main' };
    const wanting = (mode: 'link' | 'none') => ({ ...stage.plan, base, pullRequest: { ...stage.plan.pullRequest, mode } });
    await runWhile(wanting('link'), () => undefined);
    expect(reply()).toContain('/compare/trunk...harness9/');
    const none = await runWhile({ ...wanting('none'), trigger: { ...stage.plan.trigger, id: 'other-1' } }, () => undefined);
    expect(none.warnings).toEqual([]);
  });
});

describe('a thread that nobody can be answered on any more', () => {
  const answers = [
    ['deleted', 404, 'Not Found', 'it was deleted or moved meanwhile: Not Found'],
    ['deleted for good', 410, 'This issue was deleted', 'it was deleted or moved meanwhile: This issue was deleted'],
    ['moved to another repository', 301, 'Moved Permanently', 'it was deleted or moved meanwhile: Moved Permanently'],
  ] as const;
  test.each(answers)('since it was %s: the work is published, the answer is in the summary, the job fails', async (...row) => {
    const [, status, message, words] = row;
    stage = await openStage();
    const headers = status === 301 ? { location: `${stage.hub.apiUrl}/repositories/7/issues/1/comments` } : {};
    const outcome = await runWhile(stage.plan, () => {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
        stage.hub.fail({ method, path: /\/issues\//, status, body: { message }, headers, times: 50 });
    });
    const number = stage.plan.thread?.number;
    expect(outcome).toMatchObject({
      conclusion: 'error',
      comment: null,
      pullRequest: { operation: 'created' },
      error: { message: `The reply could not be posted on #${number} (${words}); it is in the job summary.` },
    });
    expect(pulls()).toHaveLength(1);
    expect(renderSummary(stage.plan, bundleOf(stage.plan), outcome)).toContain('Fixed the rounding in');
  });

  test('since it was locked: the progress comment, which is ours to change, becomes the reply', async () => {
    stage = await openStage();
    const outcome = await runWhile(stage.plan, () => stage.hub.lockThread(stage.plan.thread?.number ?? 0));
    expect(outcome).toMatchObject({ conclusion: 'success', warnings: [] });
    expect(stage.replies()).toEqual([expect.stringMatching(/^Fixed the rounding/)]);
  });

  test('since it was locked, without a progress comment: the summary has the answer, and no permission is blamed', async () => {
    stage = await openStage();
    const number = stage.plan.thread?.number ?? 0;
    stage.hub.lockThread(number);
    const outcome = await runWhile(stage.plan, () => undefined);
    const why = 'Unable to create comment because issue is locked.';
    expect(outcome).toMatchObject({ conclusion: 'error', comment: null, pullRequest: { operation: 'created' } });
    expect(outcome.error?.message).toBe(`The reply could not be posted on #${number} (${why}); it is in the job summary.`);
    expect(outcome.unposted).toContain('Fixed the rounding');
  });
});

describe('a repository', () => {
  test('that is renamed during the run gets everything by its old name', async () => {
    stage = await openStage();
    const outcome = await runWhile(stage.plan, () => stage.hub.renameRepository('store'));
    expect(outcome).toMatchObject({ conclusion: 'success', pullRequest: { operation: 'created' }, warnings: [] });
    expect(pulls()).toMatchObject([{ head: stage.plan.branchName, body: expect.stringContaining('Fixed the rounding') }]);
    expect(stage.replies()).toEqual([expect.stringMatching(/^Fixed the rounding/)]);
    expect(await stage.fileAt(stage.plan.branchName, 'src/cart.ts')).toBe('export const total = 1;');
    const redirected = stage.hub.requests.filter(({ status }) => status === 307).map(({ method }) => method);
    expect(new Set(redirected)).toEqual(new Set(['POST', 'DELETE']));
  });

  test('whose pull request is pushed to under its old name has the commit', async () => {
    const { plan, sha } = await planOnPull();
    await runWhile(plan, () => stage.hub.renameRepository('store'));
    expect(await stage.hub.git('rev-parse', 'refs/heads/feat^')).toBe(sha);
  });
});
