// What GitHub refuses of a branch or a pull request, in each of its ways: what is kept, and what the reply tells people to do.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { writeOf } from '../plan-and-bundle.ts';
import { openStage, publishUnannounced, type Stage } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const publishOn = (plan: RunPlan, more?: Partial<Bundle>) => publishUnannounced(stage, plan, more);

const pulls = () => stage.hub.snapshot().pulls;
const branches = () => Object.keys(stage.hub.snapshot().refs).filter((ref) => ref.startsWith('refs/heads/'));
const reply = () => stage.replies()[0] ?? '';
const wishing = (wishes: Partial<RunPlan['pullRequest']>): RunPlan => ({
  ...stage.plan,
  pullRequest: { ...stage.plan.pullRequest, ...wishes },
});

const edit = writeOf('src/cart.ts', 'export const total = 1;\n', { isNew: false });
const workflow = writeOf('.github/workflows/ci.yml', 'on: push\n');

describe('a workflow file', () => {
  const ways = [
    [403, 'Resource not accessible by integration'],
    [404, 'Not Found'],
    [422, 'refusing to allow an OAuth App to create or update workflow `.github/workflows/ci.yml` without `workflow` scope'],
  ] as const;
  const steps = ['trees', 'refs'] as const;
  const cases = ways.flatMap(([status, message]) => steps.map((step) => [status, step, message] as const));

  test.each(cases)(
    'that is refused with %i by git/%s is shown, and the rest is pushed (G1-15)',
    async (status, step, message) => {
      stage = await openStage();
      stage.hub.fail({ method: 'POST', path: new RegExp(`git/${step}$`), status, body: { message } });
      const outcome = await publishOn(stage.plan, { changes: [edit, workflow] });
      expect(outcome).toMatchObject({ conclusion: 'success', pullRequest: { operation: 'created' } });
      const files = await stage.hub.git('ls-tree', '-r', '--name-only', `refs/heads/${outcome.branchName}`);
      expect([files.includes('src/cart.ts'), files.includes('ci.yml')]).toEqual([true, false]);
      expect(await stage.fileAt(outcome.branchName ?? '', 'src/cart.ts')).toBe('export const total = 1;');
      expect(reply()).toContain('**Not published:** `.github/workflows/ci.yml`');
      expect(reply()).toContain('a token with the permission "workflows"');
      expect(pulls()[0]?.body).toContain('+on: push');
      // What is not all there closes nothing.
      expect(pulls()[0]?.body).not.toContain('Closes #');
    },
  );

  test.each(cases)(
    'that is all there is, refused with %i by git/%s, is in the reply with what it needs (G1-15)',
    async (...row) => {
      const [status, step, message] = row;
      stage = await openStage();
      stage.hub.fail({ method: 'POST', path: new RegExp(`git/${step}$`), status, body: { message }, times: 9 });
      const outcome = await publishOn(stage.plan, { changes: [workflow] });
      expect(outcome).toMatchObject({ conclusion: 'success', branchName: null, pullRequest: null });
      expect(branches()).toEqual(['refs/heads/main']);
      expect(reply()).toContain('+on: push');
      expect(reply()).toContain('a token with the permission "workflows"');
      expect(reply()).not.toContain('contents: write');
    },
  );
});

describe('a protected branch', () => {
  test.each(['ruleset', 'classic'] as const)(
    'by a %s keeps its commit, and the work is on one of its own (G1-34)',
    async (protection) => {
      stage = await openStage({ protectedBranches: ['feat'], protection });
      const pull = await stage.hub.openPull({ author: 'mona', head: 'feat', title: 'Feature', files: { 'feat.ts': 'a\n' } });
      const sha = await stage.hub.git('rev-parse', 'refs/heads/feat');
      const outcome = await publishOn({
        ...stage.plan,
        thread: { kind: 'pull_request', number: pull.number, title: 'Feature' },
        channel: { kind: 'thread', number: pull.number },
        head: { branch: 'feat', sha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
        checkoutSha: sha,
        delivery: 'push_to_head',
      });
      expect(outcome).toMatchObject({ branchName: stage.plan.branchName, pullRequest: { operation: 'created' } });
      expect(await stage.hub.git('rev-parse', 'refs/heads/feat')).toBe(sha);
      expect(pulls().at(-1)).toMatchObject({ base: 'feat', head: stage.plan.branchName });
      expect(reply()).toContain('> GitHub refused the push to `feat`');
      expect(reply()).toContain('Changes must be made through a pull request.');
    },
  );

  test('that takes signed commits takes ours, which GitHub signs (G1-34)', async () => {
    stage = await openStage();
    stage.hub.configure({ signedBranches: [stage.plan.branchName] });
    expect(await publishOn(stage.plan)).toMatchObject({ branchName: stage.plan.branchName });
  });
});

describe('a pull request that GitHub does not make', () => {
  test.each([
    [
      'the setting is off',
      { actionsMayCreatePulls: false },
      null,
      'GitHub Actions is not permitted to create or approve pull requests.',
      '"Allow GitHub Actions to create and approve pull requests"',
    ],
    [
      'there is nothing between',
      {},
      {
        message: 'Validation Failed',
        errors: [{ resource: 'PullRequest', code: 'custom', message: 'No commits between main and x' }],
      },
      'Validation Failed: No commits between main and x',
      'GitHub made no pull request',
    ],
    [
      'a field is wrong',
      {},
      { message: 'Validation Failed', errors: [{ resource: 'PullRequest', field: 'base', code: 'invalid' }] },
      'Validation Failed: base: invalid',
      'GitHub made no pull request',
    ],
  ] as const)('since %s leaves the branch, and a link with the reason', async (...row) => {
    const [, options, body, answer, advice] = row;
    stage = await openStage(options);
    if (body !== null) stage.hub.fail({ method: 'POST', path: /pulls$/, status: 422, body, times: 9 });
    const outcome = await publishOn(stage.plan);
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: stage.plan.branchName, pullRequest: null });
    expect(pulls()).toEqual([]);
    expect(reply()).toContain(answer);
    expect(reply()).toContain(advice);
    expect(reply()).toContain('[open a pull request](https://github.com/acme/shop/compare/main...harness9/');
  });

  test('since a person made one from the very branch: theirs is linked, and stays as they wrote it', async () => {
    stage = await openStage();
    const link = await publishOn(wishing({ mode: 'link' }));
    const from = { author: 'mona', head: link.branchName ?? '', title: 'By hand', body: 'My words', files: {} };
    const theirs = await stage.hub.openPull(from);
    const outcome = await publishOn(stage.plan);
    expect(outcome.pullRequest).toMatchObject({ number: theirs.number, operation: 'updated' });
    expect(pulls()).toMatchObject([{ title: 'By hand', body: 'My words', author: 'mona' }]);
    expect(reply()).toContain(`#${theirs.number}`);
  });
});

describe('what is set on a pull request', () => {
  test('a label that nobody has made yet is made', async () => {
    stage = await openStage();
    await publishOn(wishing({ labels: ['brand new'] }));
    expect(pulls()).toMatchObject([{ labels: ['brand new'] }]);
  });

  test.each([
    ['its author', 'github-actions[bot]', 'author|collaborator'],
    ['a team without access', 'acme/robots', 'node|collaborator'],
    ['nobody', 'no-such-person', 'collaborator'],
  ])('a reviewer who is %s is one note, and the other reviews', async (_who, name, why) => {
    stage = await openStage();
    stage.hub.addUser('rita', { permission: 'write' });
    const outcome = await publishOn(wishing({ reviewers: [name, 'rita'] }));
    expect(pulls()).toMatchObject([{ requestedReviewers: ['rita'], state: 'open' }]);
    expect(outcome.conclusion).toBe('success');
    expect(outcome.warnings.filter((warning) => warning.startsWith('Not set as reviewers'))).toEqual([
      expect.stringMatching(new RegExp(`\`${name.replace(/[[\]]/g, '\\$&')}\` \\(.*(?:${why})`)),
    ]);
  });
});
