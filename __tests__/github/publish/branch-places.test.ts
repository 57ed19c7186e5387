// Which branch a run's work comes to stand on: names that are blocked, names that only look taken, and the branch of a pull request that has ended.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { writeOf } from '../plan-and-bundle.ts';
import { openStage, publishUnannounced, type Stage } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const publishOn = (plan: RunPlan, more?: Partial<Bundle>) => publishUnannounced(stage, plan, more);

const pulls = () => stage.hub.snapshot().pulls;
const branches = () => Object.keys(stage.hub.snapshot().refs).flatMap((ref) => /^refs\/heads\/(.+)/.exec(ref)?.[1] ?? []);
const somebodys = (branch: string) => stage.hub.pushCommit({ branch, files: { 'x.txt': 'x\n' }, message: 'x', author: 'mona' });
const headOf = (branch: string) => stage.hub.git('rev-parse', `refs/heads/${branch}`);

describe('a branch name', () => {
  test.each([
    ['a/b', ['a'], 'a-b'],
    ['harness9/issue-12/fix', ['harness9/issue-12'], 'harness9-issue-12-fix'],
    ['a/b', ['a', 'a-b'], 'a-b-2'],
    ['a/b', ['a/b/c'], 'a/b-2'],
    ['a/b', ['a/b/c', 'a/b-2/d', 'a/b-3'], 'a/b-4'],
    ['a', ['a/b'], 'a-2'],
    // Others are neighbours only: each is its own.
    ['a/b', ['a/bc', 'A/b', 'a/B', 'a/c'], 'a/b'],
  ])('%s beside %j becomes %s, and no other branch is touched', async (branchName, taken, expected) => {
    stage = await openStage();
    for (const branch of taken) await somebodys(branch);
    const before = await Promise.all(taken.map(headOf));
    const outcome = await publishOn({ ...stage.plan, branchName });
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: expected, pullRequest: { operation: 'created' } });
    expect(pulls()).toMatchObject([{ head: expected, state: 'open' }]);
    expect(await Promise.all(taken.map(headOf))).toEqual(before);
    expect(branches().sort()).toEqual(['main', ...taken, expected].sort());
    // What a run did is found again by the next one, under whatever name.
    expect(await publishOn({ ...stage.plan, branchName })).toMatchObject({
      branchName: expected,
      pullRequest: outcome.pullRequest,
    });
    expect(pulls()).toHaveLength(1);
  });

  test('of 255 bytes is told and linked in a reply that can be read', async () => {
    stage = await openStage();
    const branchName = `${'é'.repeat(60)}/${'é'.repeat(60)}/${'x'.repeat(13)}`;
    expect(Buffer.byteLength(branchName)).toBe(255);
    const mode = 'link' as const;
    const outcome = await publishOn({ ...stage.plan, branchName, pullRequest: { ...stage.plan.pullRequest, mode } });
    expect(outcome).toMatchObject({ conclusion: 'success', branchName });
    expect(stage.replies()[0]).toContain(`branch \`${branchName}\``);
    expect(stage.replies()[0]).toContain(`/compare/main...${branchName.split('/').map(encodeURIComponent).join('/')}?expand=1`);
  });

  test('that GitHub refuses for another reason is not tried under others', async () => {
    stage = await openStage();
    await somebodys(`${stage.plan.branchName}-of-old`);
    const refused = { message: 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n' };
    stage.hub.fail({ method: 'POST', path: /git\/refs$/, status: 422, body: refused, times: 99 });
    const outcome = await publishOn(stage.plan);
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: null, pullRequest: null });
    expect(stage.replies()[0]).toContain('+export const total = 1;');
    expect(stage.hub.requests.filter(({ method, path }) => method === 'POST' && /git\/refs$/.test(path))).toHaveLength(1);
  });
});

describe('a schedule', () => {
  const scheduled = (run: number): RunPlan => ({
    ...stage.plan,
    thread: null,
    channel: null,
    comment: 'none',
    threadKey: 'other-1',
    trigger: { kind: 'prompt', id: `schedule-${run}`, at: '2020-01-01T00:00:00Z', target: null },
    pullRequest: { ...stage.plan.pullRequest, closes: null },
  });
  const bump = (version: number) => ({ changes: [writeOf('deps.txt', `${version}\n`)] });
  /** As the gate plans it: on the newest commit of the base. */
  async function nextRun(run: number, version = run) {
    const sha = await headOf('main');
    const plan = { ...scheduled(run), base: { branch: 'main', sha }, checkoutSha: sha };
    return publishOn(plan, version === 0 ? { changes: [] } : bump(version));
  }

  test.each([
    ['merged, its branch left', 'merged', false],
    ['merged, its branch taken away', 'merged', true],
    ['closed by a person, its branch left', 'closed', false],
    ['closed by a person, its branch taken away', 'closed', true],
  ] as const)('whose pull request was %s opens one more from the same branch, and then keeps to it', async (...row) => {
    const [, how, isDeleted] = row;
    stage = await openStage();
    const { branchName, pullRequest } = await nextRun(1);
    const first = pullRequest?.number ?? 0;
    if (how === 'merged') await stage.hub.mergePull(first, 'mona');
    else stage.hub.closeThread(first, 'mona');
    if (isDeleted) await stage.hub.deleteBranch(branchName ?? '', 'mona');
    const second = await nextRun(2);
    expect(second).toMatchObject({ branchName, pullRequest: { operation: 'created' } });
    expect(second.pullRequest?.number).not.toBe(first);
    const third = await nextRun(3);
    expect(third).toMatchObject({ branchName, pullRequest: { number: second.pullRequest?.number, operation: 'updated' } });
    expect(pulls().map(({ state }) => state)).toEqual(['closed', 'open']);
    expect(branches().sort()).toEqual([branchName, 'main'].sort());
    // Nothing but this run's work is proposed.
    expect(await stage.hub.git('diff', '--name-only', `refs/heads/main...refs/heads/${branchName}`)).toBe('deps.txt');
    expect(await stage.fileAt(branchName ?? '', 'deps.txt')).toBe('3');
  });

  test('may be merged every week for a year', async () => {
    stage = await openStage();
    for (let week = 1; week <= 25; week += 1) {
      const { pullRequest, branchName } = await nextRun(week);
      expect([pullRequest?.operation, branchName]).toEqual(['created', scheduled(week).branchName]);
      await stage.hub.mergePull(pullRequest?.number ?? 0, 'mona');
    }
    expect(branches()).toHaveLength(2);
  });

  test('leaves a branch that a person went on with, and keeps to the next name', async () => {
    stage = await openStage();
    const first = await nextRun(1);
    stage.hub.closeThread(first.pullRequest?.number ?? 0, 'mona');
    const theirs = await somebodys(first.branchName ?? '');
    const second = await nextRun(2);
    expect(second).toMatchObject({ branchName: `${first.branchName}-2`, pullRequest: { operation: 'created' } });
    expect(await nextRun(3)).toMatchObject({ branchName: `${first.branchName}-2`, pullRequest: { operation: 'updated' } });
    expect(await headOf(first.branchName ?? '')).toBe(theirs);
    expect(await nextRun(4, 0)).toMatchObject({ pullRequest: { number: second.pullRequest?.number, operation: 'closed' } });
    expect(branches().sort()).toEqual([first.branchName, 'main'].sort());
  });

  test('that is trusted less than the one before leaves its branch alone', async () => {
    stage = await openStage();
    const first = await nextRun(1);
    const head = await headOf(first.branchName ?? '');
    const outcome = await publishOn({ ...scheduled(2), trust: 'mixed' }, bump(2));
    expect(outcome).toMatchObject({ branchName: `${first.branchName}-2`, pullRequest: { operation: 'created' } });
    expect(await headOf(first.branchName ?? '')).toBe(head);
  });

  test('goes on with its open pull request, whatever newer one from its branch a person opened and closed', async () => {
    stage = await openStage();
    const first = await nextRun(1);
    await somebodys('release');
    const from = { author: 'mona', head: first.branchName ?? '', base: 'release', title: 'There, too', files: {} };
    stage.hub.closeThread((await stage.hub.openPull(from)).number, 'mona');
    expect(await nextRun(2)).toMatchObject({ pullRequest: { number: first.pullRequest?.number, operation: 'updated' } });
  });

  test('writes on no branch from which a person has a pull request now', async () => {
    stage = await openStage();
    const first = await nextRun(1);
    stage.hub.closeThread(first.pullRequest?.number ?? 0, 'mona');
    const head = await headOf(first.branchName ?? '');
    await stage.hub.openPull({ author: 'mona', head: first.branchName ?? '', title: 'Mine now', files: {} });
    expect(await nextRun(2)).toMatchObject({ branchName: `${first.branchName}-2`, pullRequest: { operation: 'created' } });
    expect(await headOf(first.branchName ?? '')).toBe(head);
    expect(await nextRun(3, 0)).toMatchObject({ pullRequest: { operation: 'closed' } });
    expect(pulls().map(({ author, state }) => `${author} ${state}`)).toEqual([
      'github-actions[bot] closed',
      'mona open',
      'github-actions[bot] closed',
    ]);
  });

  test('closes the one below a branch that was made later, which has its flat name', async () => {
    stage = await openStage();
    await somebodys('harness9');
    const { branchName } = await nextRun(1);
    expect(branchName).toBe('harness9-issue-12-fix-rounding');
    expect(await nextRun(2, 0)).toMatchObject({ pullRequest: { operation: 'closed' } });
    expect(branches().sort()).toEqual(['harness9', 'main']);
  });
});
