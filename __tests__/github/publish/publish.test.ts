import { afterEach, describe, expect, test } from '@jest/globals';
import { announce } from '../../../src/github/publish/announce.ts';
import { finishWithFault } from '../../../src/github/publish/finish-fault.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf, writeOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

const stages: Stage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

async function open(options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  const stage = await openStage(options);
  stages.push(stage);
  return stage;
}

async function run(stage: Stage, plan: RunPlan = stage.plan, more: Partial<Bundle> = {}, elapsedMs = 108_000) {
  const announcement = await announce(plan, stage.ports, never);
  stage.clock.advance(elapsedMs);
  return publish(plan, bundleOf(plan, more), announcement, { ports: stage.ports, signal: never });
}

const reactionsOf = (stage: Stage) => stage.hub.snapshot().comments[0]?.reactions.map(({ content }) => content);
const branchesOf = (stage: Stage) => Object.keys(stage.hub.snapshot().refs).filter((ref) => ref.startsWith('refs/heads/'));
const edit = writeOf('src/cart.ts', 'export const total = 1;\n', { isNew: false });

describe('publish', () => {
  test('a comment on an issue becomes a commit, a draft pull request and one reply', async () => {
    const stage = await open();
    const outcome = await run(stage, stage.plan, {
      changes: [
        edit,
        writeOf('bin/run', '#!/bin/sh\n', { mode: '100755' }),
        writeOf('link', 'README.md', { mode: '120000' }),
        writeOf('logo.png', '', { content: { encoding: 'base64', data: 'iVAAAQ==' } }),
        { kind: 'delete', path: 'old.txt', patch: '' },
      ],
    });
    const [pull] = stage.hub.snapshot().pulls;
    expect(pull).toMatchObject({
      head: 'harness9/issue-12-fix-rounding',
      base: 'main',
      draft: true,
      title: 'Fix rounding in total()',
    });
    expect(outcome).toMatchObject({
      conclusion: 'success',
      branchName: 'harness9/issue-12-fix-rounding',
      pullRequest: { number: pull?.number, operation: 'created' },
      filesChanged: 5,
      warnings: [],
    });
    const tree = await stage.hub.git('ls-tree', '-r', 'refs/heads/harness9/issue-12-fix-rounding');
    expect(tree.split('\n').map((line) => line.replace(/ blob \w+\t/, ' '))).toEqual([
      '100644 README.md',
      '100755 bin/run',
      '120000 link',
      '100644 logo.png',
      '100644 src/cart.ts',
    ]);
    expect(await stage.hub.git('log', '-1', '--format=%B%P', 'refs/heads/harness9/issue-12-fix-rounding')).toBe(
      `Fix rounding in total()\n\nRequested-by: mona\nHarness9-run: ${stage.plan.run.url}\n${stage.plan.checkoutSha}`,
    );
    expect(stage.replies()).toEqual([
      [
        'Fixed the rounding in `total()`.',
        '',
        '<details><summary>1 command run: <code>npm test</code> passed</summary>\n\n- `npm test`: passed\n\n</details>',
        '',
        `**Done in 1 m 48 s** · [run](${stage.plan.run.url}) · branch \`harness9/issue-12-fix-rounding\` · #${pull?.number} · 9 turns · 41 k tokens (82 % cached)`,
      ].join('\n'),
    ]);
    expect(reactionsOf(stage)).toEqual(['eyes', '+1']);
  });

  test('a question gets an answer and no branch, no pull request, no diff (G1-42)', async () => {
    const stage = await open();
    const outcome = await run(stage, stage.plan, { changes: [], commands: [], reply: 'It rounds twice.' });
    expect(outcome).toMatchObject({ conclusion: 'no_changes', branchName: null, pullRequest: null });
    expect(branchesOf(stage)).toEqual(['refs/heads/main']);
    expect(stage.replies()).toEqual([
      `It rounds twice.\n\n**Done in 1 m 48 s** · [run](${stage.plan.run.url}) · 9 turns · 41 k tokens (82 % cached)`,
    ]);
  });

  test('a run up to a minute turns its progress comment into the reply', async () => {
    const stage = await open();
    const announcement = await announce(stage.plan, stage.ports, never);
    stage.clock.advance(60_000);
    const outcome = await publish(stage.plan, bundleOf(stage.plan), announcement, { ports: stage.ports, signal: never });
    expect(outcome.comment?.id).toBe(announcement.commentId);
    expect(stage.replies()).toHaveLength(1);
  });

  test('a longer run posts a new comment and takes the progress comment away', async () => {
    const stage = await open();
    const announcement = await announce(stage.plan, stage.ports, never);
    stage.clock.advance(61_000);
    const outcome = await publish(stage.plan, bundleOf(stage.plan), announcement, { ports: stage.ports, signal: never });
    expect(outcome.comment?.id).not.toBe(announcement.commentId);
    expect(stage.replies()).toHaveLength(1);
  });

  test('a second run for the same trigger changes nothing but the reply’s text (R4)', async () => {
    const stage = await open();
    const first = await run(stage);
    const second = await run(stage);
    expect(second).toMatchObject({
      branchName: first.branchName,
      commitSha: first.commitSha,
      comment: { id: first.comment?.id },
    });
    // Made by this very trigger, though by an earlier attempt.
    expect(second.pullRequest).toEqual({ ...first.pullRequest, operation: 'created' });
    expect(stage.hub.snapshot().pulls).toHaveLength(1);
    expect(stage.replies()).toHaveLength(1);
  });

  test.each([
    ['the reply', 'POST', /issues\/\d+\/comments$/],
    ['the branch', 'POST', /git\/refs$/],
    ['the pull request', 'POST', /pulls$/],
    ['the commit', 'POST', /git\/commits$/],
    ['the tree', 'POST', /git\/trees$/],
  ])('%s whose answer was lost is not made twice (R4)', async (_name, method, path) => {
    const stage = await open();
    const announcement = await announce(stage.plan, stage.ports, never);
    stage.clock.advance(100_000);
    stage.hub.fail({ method, path, status: 0, after: 'apply' });
    const outcome = await publish(stage.plan, bundleOf(stage.plan), announcement, { ports: stage.ports, signal: never });
    expect(outcome).toMatchObject({ conclusion: 'success', pullRequest: { operation: 'created' } });
    expect(stage.replies()).toHaveLength(1);
    expect(stage.hub.snapshot().pulls).toHaveLength(1);
    expect(branchesOf(stage)).toHaveLength(2);
  });

  test('a foreign comment with our marker is neither changed nor taken for ours (G8)', async () => {
    const stage = await open();
    const body = `<!-- harness9:v1 trigger=${stage.plan.trigger.id} kind=reply -->\nall done`;
    const foreign = stage.hub.comment({ author: 'eve', issue: stage.plan.thread?.number ?? 0, body });
    await run(stage);
    expect(stage.hub.snapshot().comments.find(({ id }) => id === foreign.id)?.body).toBe(body);
    expect(stage.replies()).toHaveLength(1);
  });

  test('a taken branch name gets a suffix', async () => {
    const stage = await open();
    await stage.hub.pushCommit({ branch: stage.plan.branchName, files: { 'x.txt': 'x\n' }, message: 'somebody else' });
    expect(await run(stage)).toMatchObject({ branchName: 'harness9/issue-12-fix-rounding-2', conclusion: 'success' });
  });

  test('where drafts are refused the pull request is ready', async () => {
    const stage = await open({ draftsAllowed: false });
    await run(stage);
    expect(stage.hub.snapshot().pulls).toMatchObject([{ draft: false }]);
  });

  test('where drafts are refused a mixed run opens none: the branch is pushed, and the reply says so and links', async () => {
    const stage = await open({ draftsAllowed: false });
    const outcome = await run(stage, { ...stage.plan, trust: 'mixed' });
    expect(stage.hub.snapshot().pulls).toEqual([]);
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: stage.plan.branchName, pullRequest: null });
    expect(stage.replies()[0]).toContain(
      'so it opens nothing but drafts: look at the branch and open the pull request yourself.',
    );
    expect(stage.replies()[0]).toContain(
      '[open a pull request](https://github.com/acme/shop/compare/main...harness9/issue-12-fix-rounding?expand=1)',
    );
  });

  test('a mixed run’s pull request is a draft whatever the plan’s mode says', async () => {
    const stage = await open();
    await run(stage, { ...stage.plan, trust: 'mixed', pullRequest: { ...stage.plan.pullRequest, mode: 'ready' } });
    expect(stage.hub.snapshot().pulls).toMatchObject([{ draft: true }]);
  });

  test('what is not finished is a draft that closes nothing, whatever the plan’s mode says', async () => {
    const stage = await open();
    const error = { code: 'VERIFY_FAILED', message: '`npm test` still fails.' };
    const plan: RunPlan = { ...stage.plan, pullRequest: { ...stage.plan.pullRequest, mode: 'ready' } };
    const result = { ...bundleOf(plan).result, error };
    expect(await run(stage, plan, { result })).toMatchObject({ conclusion: 'verify_failed', error: { message: error.message } });
    const [pull] = stage.hub.snapshot().pulls;
    expect(pull).toMatchObject({ draft: true, body: expect.stringContaining('**Not finished**: `npm test` still fails.') });
    expect(pull?.body).not.toContain('Closes #');
  });

  test('the pull request’s body says what it closes, who asked, and that checks do not start by themselves (G1-32)', async () => {
    const stage = await open();
    await run(stage);
    const number = stage.plan.thread?.number;
    expect(stage.hub.snapshot().pulls[0]?.body).toBe(
      [
        `<!-- harness9:v1 trigger=${stage.plan.trigger.id} kind=pull_request thread=issue-12 trust=trusted -->`,
        'Fixed the rounding in `total()`.',
        '<details><summary>1 command run: <code>npm test</code> passed</summary>\n\n- `npm test`: passed\n\n</details>',
        `Closes #${number}`,
        `Requested by @mona in #${number} · [run](${stage.plan.run.url})`,
        '> Checks do not start by themselves on what the workflow’s own token pushes. Close and reopen the pull request to start them, or let harness9 work as a GitHub App (`app_id` and `app_private_key`) or with a `github_token` of a person.',
      ].join('\n\n'),
    );
  });

  test('when GitHub makes no pull request the branch and a link are there', async () => {
    const stage = await open({ permissions: { contents: 'write', issues: 'write' } });
    const outcome = await run(stage);
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: stage.plan.branchName, pullRequest: null });
    expect(stage.replies().at(-1)).toContain(
      '[open a pull request](https://github.com/acme/shop/compare/main...harness9/issue-12-fix-rounding?expand=1)',
    );
    expect(stage.replies().at(-1)).toContain('`pull-requests: write`');
  });

  test('without the permission to push, the diff is in the reply, which names it (G1-34)', async () => {
    const stage = await open({ permissions: { contents: 'read', issues: 'write', 'pull-requests': 'write' } });
    const outcome = await run(stage);
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: null, commitSha: null });
    expect(stage.replies()[0]).toContain('`contents: write`');
    expect(stage.replies()[0]).toContain(
      '<details><summary>The diff (1 file, +1 −0)</summary>\n\n```diff\ndiff --git a/src/cart.ts',
    );
  });

  test('workflow files that GitHub refuses stay out, the rest is pushed (G1-15)', async () => {
    const stage = await open();
    stage.hub.fail({
      method: 'POST',
      path: /git\/refs$/,
      status: 403,
      body: { message: 'refusing to allow a GitHub App to create or update workflow' },
    });
    const outcome = await run(stage, stage.plan, { changes: [edit, writeOf('.github/workflows/ci.yml', 'on: push\n')] });
    expect(outcome).toMatchObject({ conclusion: 'success', pullRequest: { operation: 'created' } });
    expect(await stage.hub.git('ls-tree', '-r', '--name-only', `refs/heads/${outcome.branchName}`)).not.toContain('ci.yml');
    expect(stage.replies()[0]).toContain('\n**Not published:** `.github/workflows/ci.yml`: GitHub refused it');
    expect(stage.replies()[0]).toContain('+on: push');
  });

  test('a label’s run takes the label off', async () => {
    const stage = await open();
    const number = stage.plan.thread?.number ?? 0;
    await run(stage, {
      ...stage.plan,
      trigger: { kind: 'label', id: 'label-12-run-99', at: '', label: 'harness9', target: { kind: 'issue', number } },
    });
    expect(stage.hub.snapshot().issues[0]).toMatchObject({ labels: [], reactions: [{ content: 'eyes' }, { content: '+1' }] });
  });

  test('a refused reaction is a warning (G1-29)', async () => {
    const stage = await open();
    stage.hub.fail({
      method: 'POST',
      path: /reactions$/,
      status: 403,
      body: { message: 'Resource not accessible by integration' },
      times: 2,
    });
    const outcome = await run(stage);
    expect(outcome.conclusion).toBe('success');
    expect(outcome.warnings).toHaveLength(2);
  });

  test('a refused reply names the permission and keeps the text for the summary (G1-30)', async () => {
    const stage = await open();
    const announcement = await announce(stage.plan, stage.ports, never);
    stage.clock.advance(100_000);
    const body = { message: 'Resource not accessible by integration' };
    stage.hub.fail({ path: /issues\/\d+\/comments$/, method: 'POST', status: 403, body, times: 9 });
    stage.hub.fail({ path: /issues\/comments\/\d+$/, method: 'PATCH', status: 403, body, times: 9 });
    const outcome = await publish(stage.plan, bundleOf(stage.plan), announcement, { ports: stage.ports, signal: never });
    expect(outcome).toMatchObject({
      conclusion: 'error',
      comment: null,
      unposted: expect.stringContaining('Fixed the rounding'),
    });
    expect(outcome.error?.message).toContain('`issues: write`');
    expect(outcome.warnings).toEqual([]);
  });

  test('a secret in the answer does not leave, and one in a title neither', async () => {
    const stage = await open();
    await run(stage, stage.plan, { reply: 'the key is hunter2-hunter2', title: 'add hunter2-hunter2' });
    expect(JSON.stringify(stage.hub.snapshot())).not.toContain('hunter2-hunter2');
    expect(stage.replies()[0]).toContain('the key is ***');
  });

  test('what made the run fail is in the outcome, with its hint and without secrets', async () => {
    const stage = await open();
    const error = { code: 'MODEL_AUTH', message: 'the key hunter2-hunter2 was refused (401)', hint: 'Check `api_key`.' };
    const result = { ...bundleOf(stage.plan).result, stopReason: 'error' as const, error };
    const outcome = await run(stage, { ...stage.plan, thread: null }, { result, changes: [] });
    expect(outcome).toMatchObject({
      conclusion: 'error',
      error: { message: 'the key *** was refused (401)', hint: 'Check `api_key`.' },
    });
  });

  test('a plan that delivers in the reply pushes nothing', async () => {
    const stage = await open();
    const outcome = await run(stage, { ...stage.plan, delivery: 'reply' });
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: null });
    expect(branchesOf(stage)).toEqual(['refs/heads/main']);
    expect(stage.hub.requests.filter(({ path }) => path.includes('/git/'))).toEqual([]);
  });

  test('with `comment: none` nothing is said', async () => {
    const stage = await open();
    const outcome = await run(stage, { ...stage.plan, comment: 'none' });
    expect(outcome).toMatchObject({ conclusion: 'success', comment: null, warnings: [] });
    expect(stage.replies()).toEqual([]);
  });
});

describe('publish to a pull request’s branch', () => {
  async function openPull(options: Parameters<typeof openStage>[0] = {}) {
    const stage = await open(options);
    const pull = await stage.hub.openPull({ author: 'mona', head: 'feat/#1-x', title: 'Feature', files: { 'feat.ts': 'a\n' } });
    const sha = await stage.hub.git('rev-parse', 'refs/heads/feat/#1-x');
    const plan: RunPlan = {
      ...stage.plan,
      thread: { kind: 'pull_request', number: pull.number, title: 'Feature' },
      head: { branch: 'feat/#1-x', sha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
      checkoutSha: sha,
      delivery: 'push_to_head',
      pullRequest: { ...stage.plan.pullRequest, closes: null },
    };
    return { stage, plan, sha, number: pull.number };
  }

  test('the commit lands on the branch, whatever legal name it has (G1-12)', async () => {
    const { stage, plan, sha, number } = await openPull();
    const outcome = await run(stage, plan);
    expect(outcome).toMatchObject({
      conclusion: 'success',
      branchName: 'feat/#1-x',
      pullRequest: { number, operation: 'updated' },
    });
    expect(await stage.hub.git('rev-parse', 'refs/heads/feat/#1-x^')).toBe(sha);
    expect(stage.hub.snapshot().pulls).toHaveLength(1);
    expect(await run(stage, plan)).toMatchObject({ commitSha: outcome.commitSha, branchName: 'feat/#1-x' });
  });

  test('a push whose answer was lost is done (R4)', async () => {
    const { stage, plan } = await openPull();
    stage.hub.fail({ method: 'PATCH', path: /git\/refs/, status: 0, after: 'apply' });
    expect(await run(stage, plan)).toMatchObject({ branchName: 'feat/#1-x', pullRequest: { operation: 'updated' } });
  });

  test('a branch that moved meanwhile is not pushed to: new branch, stacked pull request, both commits named (E12)', async () => {
    const { stage, plan, sha } = await openPull();
    const moved = await stage.hub.pushCommit({ branch: 'feat/#1-x', files: { 'feat.ts': 'b\n' }, message: 'more' });
    const outcome = await run(stage, plan);
    expect(outcome.branchName).toBe(plan.branchName);
    expect(await stage.hub.git('rev-parse', 'refs/heads/feat/#1-x')).toBe(moved);
    expect(stage.hub.snapshot().pulls.at(-1)).toMatchObject({ base: 'feat/#1-x', head: plan.branchName });
    expect(stage.replies()[0]).toContain(`moved from ${sha.slice(0, 7)} to ${moved.slice(0, 7)} meanwhile`);
  });

  test('a protected branch refuses, and a new one takes the changes (G1-34)', async () => {
    const { stage, plan, sha } = await openPull({ protectedBranches: ['feat/#1-x'] });
    const outcome = await run(stage, plan);
    expect(outcome).toMatchObject({ branchName: plan.branchName, pullRequest: { operation: 'created' } });
    expect(await stage.hub.git('rev-parse', 'refs/heads/feat/#1-x')).toBe(sha);
  });

  test('nothing is ever forced (R8)', async () => {
    const { stage, plan } = await openPull();
    await run(stage, plan);
    expect(stage.hub.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('git/refs'))).toHaveLength(1);
    expect(JSON.stringify(stage.hub.requests)).not.toMatch(/force\\?"\s*:\s*true/);
  });
});

describe('announce', () => {
  test('a re-run finds its progress comment again, and a lost answer makes no second one (R4)', async () => {
    const stage = await open();
    stage.hub.fail({ method: 'POST', path: /issues\/\d+\/comments$/, status: 0, after: 'apply' });
    const first = await announce(stage.plan, stage.ports, never);
    const second = await announce(stage.plan, stage.ports, never);
    expect(first.commentId).not.toBe(null);
    expect(second).toEqual({ ...first, startedAt: second.startedAt });
    expect(stage.replies()).toEqual([`### harness9 is working on it… [View run](${stage.plan.run.url})`]);
  });

  test('another trigger on the same thread has a comment of its own', async () => {
    const stage = await open();
    const first = await announce(stage.plan, stage.ports, never);
    const other = { ...stage.plan, trigger: { ...stage.plan.trigger, id: `${stage.plan.trigger.id}0` } };
    expect((await announce(other, stage.ports, never)).commentId).not.toBe(first.commentId);
    expect(stage.replies()).toHaveLength(2);
  });

  const withoutPermission = { permissions: { contents: 'write', issues: 'read' } } as const;

  test('a job that may not comment starts nothing: the error names the permission, and nothing is posted (G1-30)', async () => {
    const stage = await open(withoutPermission);
    await expect(announce(stage.plan, stage.ports, never)).rejects.toMatchObject({
      isMissingPermission: true,
      hint: 'Add "issues: write" to the permissions of the workflow\'s job.',
    });
    expect([stage.replies(), reactionsOf(stage)]).toEqual([[], []]);
    expect(stage.hub.requests.filter(({ path }) => path.endsWith('/reactions'))).toEqual([]);
  });

  test('where no comments are wanted a refused reaction is a warning and no more (G1-29)', async () => {
    const stage = await open(withoutPermission);
    const announcement = await announce({ ...stage.plan, comment: 'none' }, stage.ports, never);
    expect(announcement).toMatchObject({ commentId: null, warnings: [expect.stringContaining('reaction')] });
    expect(stage.log).toEqual([`[publish] ${announcement.warnings[0]}`]);
  });

  test.each([
    [403, 'Unable to create comment because issue is locked.'],
    [404, 'Not Found'],
    [422, 'Validation Failed'],
  ])('a comment that is refused with %i (%s) is a warning, and the reaction is tried (G1-29)', async (status, message) => {
    const stage = await open();
    stage.hub.fail({ method: 'POST', path: /issues\/\d+\/comments$/, status, body: { message } });
    const announcement = await announce(stage.plan, stage.ports, never);
    expect(announcement).toMatchObject({ commentId: null, warnings: [expect.stringContaining(message)] });
    expect(reactionsOf(stage)).toEqual(['eyes']);
  });
});

describe('finishWithFault', () => {
  test('a fault is the one reply, says what to do, and leaves a frown', async () => {
    const stage = await open();
    const announcement = await announce(stage.plan, stage.ports, never);
    stage.clock.advance(5_000);
    const fault = {
      conclusion: 'error' as const,
      message: 'The model refused the key (401).',
      hint: 'Check the input `api_key`.',
    };
    const outcome = await finishWithFault(stage.plan, announcement, fault, { ports: stage.ports, signal: never });
    expect(outcome).toMatchObject({
      conclusion: 'error',
      comment: { id: announcement.commentId },
      error: { message: fault.message, hint: fault.hint },
      warnings: [],
    });
    expect(stage.replies()).toEqual([
      [
        '**Failed:** The model refused the key (401).',
        '> Check the input `api_key`.',
        'Nothing was pushed. To try again, reply `@harness9 continue`.',
        `**Failed after 5 s** · [run](${stage.plan.run.url})`,
      ].join('\n\n'),
    ]);
    expect(reactionsOf(stage)).toEqual(['eyes', 'confused']);
  });

  test('a refused bundle keeps the answer', async () => {
    const stage = await open();
    const announcement = await announce(stage.plan, stage.ports, never);
    const fault = {
      conclusion: 'refused' as const,
      message: '101 files are written; the limit is 100',
      answer: 'I renamed everything.',
    };
    await finishWithFault(stage.plan, announcement, fault, { ports: stage.ports, signal: never });
    expect(stage.replies()[0]).toMatch(
      /^I renamed everything\.\n\n\*\*Not published:\*\* 101 files are written; the limit is 100\n/,
    );
  });

  test('a reply that GitHub refuses is handed to the summary (G1-30)', async () => {
    const stage = await open({ permissions: { issues: 'read' } });
    const announcement = { version: 1, commentId: null, startedAt: '2026-03-01T10:00:00Z', warnings: [] } as const;
    const outcome = await finishWithFault(
      stage.plan,
      announcement,
      { conclusion: 'error', message: 'no' },
      { ports: stage.ports, signal: never },
    );
    expect(outcome.unposted).toContain('**Failed:** no');
    expect(outcome.error).toEqual({ message: 'no' });
    expect(outcome.warnings[0]).toContain('`issues: write`');
  });
});
