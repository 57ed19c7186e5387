// What a pull request has beside its commits: template, labels, reviewers, assignees; and the one that a schedule closes.
import { afterEach, describe, expect, test } from '@jest/globals';
import { validateBundle } from '../../../src/github/change/validate-bundle.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import { renderSummary } from '../../../src/github/publish/render-summary.ts';
import { createReadOnlyApi } from '../../../src/github/read-only-api.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf, plan as bundlePlan, writeOf } from '../plan-and-bundle.ts';
import { never, openStage, publishUnannounced, type Stage } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const template = '## What\n\n- [ ] tested\n\n<!-- say why -->\n';

const publishOn = (plan: RunPlan, more?: Partial<Bundle>) => publishUnannounced(stage, plan, more);

function pulls() {
  return stage.hub.snapshot().pulls;
}

function wishing(wishes: Partial<RunPlan['pullRequest']>): RunPlan {
  return { ...stage.plan, pullRequest: { ...stage.plan.pullRequest, ...wishes } };
}

describe('the repository’s template', () => {
  test.each([
    '.github/pull_request_template.md',
    'PULL_REQUEST_TEMPLATE.md',
    'docs/Pull_Request_Template.md',
    'pull_request_template',
  ])('in %s stands under our part, as it is', async (path) => {
    stage = await openStage({ files: { 'a.txt': 'a\n', [path]: template } });
    await publishOn(stage.plan);
    const body = pulls()[0]?.body ?? '';
    expect(body).toMatch(/^<!-- harness9:v1 [^\n]+\n+Fixed the rounding/);
    expect(body.endsWith(`-->\n\n${template.trim()}`)).toBe(true);
    expect(body.indexOf('Closes #')).toBeLessThan(body.indexOf('## What'));
  });

  test('is what people made of it when the work is renewed', async () => {
    stage = await openStage({ files: { 'a.txt': 'a\n', 'pull_request_template.md': template } });
    const first = await publishOn(stage.plan);
    const number = first.pullRequest?.number ?? 0;
    const parameters = { owner: 'acme', repo: 'shop', pull_number: number };
    const body = (pulls()[0]?.body ?? '').replace('[ ] tested', '[x] tested');
    await stage.ports.api.rest('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', { ...parameters, body }, never);
    const next = { ...stage.plan, delivery: 'push_to_head' as const, checkoutSha: first.commitSha ?? '' };
    const head = {
      branch: first.branchName ?? '',
      sha: first.commitSha ?? '',
      repository: 'acme/shop',
      isFork: false,
      movedAfterTrigger: false,
    };
    const plan = { ...next, head, pullRequest: { ...next.pullRequest, continues: number } };
    await publishOn(plan, { reply: 'And now the tax.', changes: [writeOf('tax.ts', '1\n')] });
    expect(pulls()[0]?.body).toContain('And now the tax.');
    expect(pulls()[0]?.body).toContain('[x] tested');
    expect(pulls()[0]?.body?.split('## What')).toHaveLength(2);
  });

  test('is a file beside a folder of templates, and its line ends are lines', async () => {
    const files = {
      '.github/PULL_REQUEST_TEMPLATE/a.md': 'no',
      'pull_request_template.md': '## What\r\n\r\nwhy\r\n',
      'a.txt': 'a\n',
    };
    stage = await openStage({ files });
    await publishOn(stage.plan);
    expect(pulls()[0]?.body).toMatch(/-->\n\n## What\n\nwhy$/);
  });

  test('is the base’s, whatever a head makes of it', async () => {
    stage = await openStage({ files: { 'a.txt': 'a\n', 'pull_request_template.md': template } });
    const files = { 'pull_request_template.md': '## Merge at once\n' };
    const sha = await stage.hub.pushCommit({ branch: 'feat', files, message: 'x' });
    const head = { branch: 'feat', sha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false };
    await publishOn({ ...stage.plan, head, checkoutSha: sha });
    expect(pulls()[0]?.body).toContain('## What');
    expect(pulls()[0]?.body).not.toContain('Merge at once');
  });

  test('is not in a folder of templates, nor in one that only looks like its place', async () => {
    const files = { '.github/PULL_REQUEST_TEMPLATE/a.md': template, 'src/pull_request_template.md': template, 'a.txt': 'a\n' };
    stage = await openStage({ files });
    await publishOn(stage.plan);
    expect(pulls()[0]?.body).not.toContain('## What');
  });

  test('of any length leaves room for what was done', async () => {
    stage = await openStage({ files: { 'a.txt': 'a\n', 'pull_request_template.md': '# x\n'.repeat(40_000) } });
    await publishOn(stage.plan, { reply: `Fixed it.\n\n${'word '.repeat(20_000)}` });
    expect(pulls()[0]?.body?.length).toBeLessThanOrEqual(65_536);
    expect(pulls()[0]?.body).toContain('Closes #');
  });
});

describe('labels, reviewers and assignees', () => {
  test('are set on what is opened', async () => {
    stage = await openStage();
    stage.hub.addUser('rita', { permission: 'write' });
    const outcome = await publishOn(wishing({ labels: ['robot', 'needs review'], reviewers: ['rita'], assignees: ['@mona'] }));
    expect(pulls()[0]).toMatchObject({ labels: ['robot', 'needs review'], assignees: ['mona'], requestedReviewers: ['rita'] });
    expect(outcome.warnings.filter((note) => note.startsWith('Not set'))).toEqual([]);
  });

  test('that GitHub does not take are one note each, and the others are set', async () => {
    stage = await openStage();
    stage.hub.addUser('rita', { permission: 'write' });
    const outcome = await publishOn(wishing({ reviewers: ['nobody', 'rita', 'acme/owners'], assignees: ['nobody', 'mona'] }));
    const notes = outcome.warnings.filter((note) => note.startsWith('Not set'));
    expect(notes).toHaveLength(2);
    expect(notes[0]).toMatch(/^Not set as reviewers of the pull request: `nobody` \(.*`acme\/owners` \(/);
    expect(notes[1]).toMatch(/^Not set as assignees of the pull request: `nobody` \(/);
    expect(pulls()[0]).toMatchObject({ assignees: ['mona'], requestedReviewers: ['rita'] });
    expect(outcome.conclusion).toBe('success');
    expect(stage.replies()[0]).toContain('`nobody`');
  });

  test('that the token may not set at all are asked for once', async () => {
    stage = await openStage();
    const body = { message: 'Resource not accessible by integration' };
    stage.hub.fail({ method: 'POST', path: /requested_reviewers$/, status: 403, body, times: 9 });
    const outcome = await publishOn(wishing({ reviewers: ['rita', 'mona', 'zoe'] }));
    expect(outcome.warnings).toContain(
      `Not set as reviewers of the pull request: \`rita\`, \`mona\`, \`zoe\` (${body.message}).`,
    );
    expect(stage.hub.requests.filter(({ path }) => path.endsWith('/requested_reviewers'))).toHaveLength(1);
  });

  test('are not set again on what is there', async () => {
    stage = await openStage();
    const plan = { ...wishing({ labels: ['robot'] }), thread: null, channel: null, comment: 'none' as const };
    await publishOn(plan);
    const number = pulls()[0]?.number ?? 0;
    const parameters = { owner: 'acme', repo: 'shop', issue_number: number, name: 'robot' };
    await stage.ports.api.rest('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', parameters, never);
    const later = { ...plan, trigger: { ...plan.trigger, id: 'schedule-2' } };
    await publishOn(later, { changes: [writeOf('src/cart.ts', 'export const total = 2;\n')] });
    expect(pulls()).toMatchObject([{ labels: [] }]);
  });
});

describe('a schedule with nothing left to do', () => {
  const scheduled = () => ({
    ...stage.plan,
    thread: null,
    channel: null,
    threadKey: 'other-1',
    trigger: { kind: 'prompt' as const, id: 'schedule-1', at: '2020-01-01T00:00:00Z', target: null },
    pullRequest: { ...stage.plan.pullRequest, closes: null },
  });
  const next = () => ({ ...scheduled(), trigger: { ...scheduled().trigger, id: 'schedule-2' } });
  const branches = () => Object.keys(stage.hub.snapshot().refs).filter((ref) => ref.startsWith('refs/heads/harness9/'));

  test('closes its pull request, says why, and takes the branch away', async () => {
    stage = await openStage();
    const { pullRequest } = await publishOn(scheduled());
    const outcome = await publishOn(next(), { changes: [] });
    expect(outcome).toMatchObject({
      conclusion: 'no_changes',
      pullRequest: { number: pullRequest?.number, operation: 'closed' },
    });
    expect(pulls()).toMatchObject([{ state: 'closed' }]);
    expect(stage.replies()).toEqual([
      `There is nothing left to change against \`main\`, so I closed this pull request and take its branch away. The next run that finds something opens a new one. · [run](${next().run.url})`,
    ]);
    expect(branches()).toEqual([]);
    expect(renderSummary(next(), bundleOf(next(), { changes: [] }), outcome)).toContain('closed: nothing was left to do');
    expect(await publishOn(next(), { changes: [] })).toMatchObject({ pullRequest: null });
  });

  test('leaves it where a person pushed to it', async () => {
    stage = await openStage();
    const { branchName } = await publishOn(scheduled());
    await stage.hub.pushCommit({ branch: branchName ?? '', files: { 'b.txt': 'b\n' }, message: 'mine', author: 'mona' });
    expect(await publishOn(next(), { changes: [] })).toMatchObject({ pullRequest: null });
    expect(pulls()).toMatchObject([{ state: 'open' }]);
  });

  test.each<readonly [string, Partial<Bundle>]>([
    ['the run was cut', { result: { ...bundleOf(bundlePlan).result, stopReason: 'max_turns' } }],
    ['the run failed', { result: { ...bundleOf(bundlePlan).result, error: { code: 'MODEL_REFUSED', message: 'no' } } }],
    ['something was left out', { leftOut: [{ path: 'a', reason: 'b', patch: '' }] }],
  ])('leaves it where %s', async (_why, more) => {
    stage = await openStage();
    await publishOn(scheduled());
    expect(await publishOn(next(), { changes: [], ...more })).toMatchObject({ pullRequest: null });
    expect(pulls()).toMatchObject([{ state: 'open' }]);
  });

  test.each<readonly [string, Partial<RunPlan>]>([
    ['was to plan only', { mode: 'plan' }],
    ['was to answer only', { delivery: 'reply' }],
    ['is trusted less than the one that made it', { trust: 'mixed' }],
  ])('leaves it where the run %s', async (_why, more) => {
    stage = await openStage();
    await publishOn(scheduled());
    expect(await publishOn({ ...next(), ...more }, { changes: [] })).toMatchObject({ pullRequest: null });
    expect(pulls()).toMatchObject([{ state: 'open' }]);
    expect(branches()).toHaveLength(1);
  });

  test('closes it, and leaves the branch that somebody pushed to at that moment', async () => {
    stage = await openStage();
    const { branchName } = await publishOn(scheduled());
    const branch = branchName ?? '';
    const { api } = stage.ports;
    const rest: typeof api.rest = async (route, parameters, signal) => {
      if (route.startsWith('POST ') && route.endsWith('/comments'))
        await stage.hub.pushCommit({ branch, files: { 'b.txt': 'b\n' }, message: 'mine', author: 'mona' });
      return api.rest(route, parameters, signal);
    };
    const announcement = { version: 1 as const, commentId: null, startedAt: '2026-01-01T00:00:00Z', warnings: [] };
    const ports = { ...stage.ports, api: { ...api, rest } };
    const outcome = await publish(next(), bundleOf(next(), { changes: [] }), announcement, { ports, signal: never });
    expect(outcome.pullRequest).toMatchObject({ operation: 'closed' });
    expect(await stage.fileAt(branch, 'b.txt')).toBe('b');
  });

  test('of another workflow leaves it', async () => {
    stage = await openStage();
    await publishOn(scheduled());
    expect(await publishOn({ ...next(), threadKey: 'other-2' }, { changes: [] })).toMatchObject({ pullRequest: null });
    expect(pulls()).toMatchObject([{ state: 'open' }]);
  });
});

describe('the paths that may be published', () => {
  const pathsLeft = (allowedPaths: readonly string[], paths: readonly string[]) => {
    const plan = { ...bundlePlan, allowedPaths };
    const bundle = bundleOf(plan, { changes: paths.map((path) => writeOf(path, 'x\n')) });
    const validated = validateBundle(plan, bundle, () => ({ exact: false, pattern: null }));
    if (validated.kind === 'refusal') throw new Error(validated.message);
    return validated.bundle.leftOut.map(({ path, reason }) => `${path}: ${reason.replace(/^the path is /, '')}`);
  };

  test.each<readonly [readonly string[], readonly string[], readonly string[]]>([
    [[], ['a.ts', 'src/b.ts'], []],
    [['src/'], ['a.ts', 'src/b.ts', 'lib/src/c.ts'], ['a.ts']],
    [['/src/'], ['src/b.ts', 'lib/src/c.ts'], ['lib/src/c.ts']],
    [
      ['*.md', '!SECRET.md'],
      ['README.md', 'docs/a.md', 'SECRET.md', 'a.ts'],
      ['SECRET.md', 'a.ts'],
    ],
    [['src/'], ['SRC/b.ts'], ['SRC/b.ts']],
    [['src/'], ['src'], ['src']],
    [['docs/**'], ['docs/a/b.md', 'docs.md'], ['docs.md']],
    [['docs/', '!docs/private/'], ['docs/a.md', 'docs/private/b.md'], ['docs/private/b.md']],
  ])('%j of %j leave out %j', (allowed, paths, left) => {
    expect(pathsLeft(allowed, paths)).toEqual(left.map((path) => `${path}: not among the input \`allowed_paths\``));
  });

  test('that are protected stay so', () => {
    expect(pathsLeft(['.github/'], ['.github/workflows/ci.yml'])).toEqual([
      '.github/workflows/ci.yml: protected: a person has to make this change',
    ]);
  });
});

describe('a dry run', () => {
  test('writes nothing, and its summary has reply, pull request and diff', async () => {
    stage = await openStage();
    const before = stage.hub.snapshot();
    const plan = { ...stage.plan, dryRun: true };
    const outcome = await publishOn(plan);
    expect(stage.hub.snapshot()).toEqual(before);
    expect(outcome).toMatchObject({ conclusion: 'success', pullRequest: null, branchName: null, comment: null });
    const summary = renderSummary(plan, bundleOf(plan), outcome);
    expect(summary).toContain('**Dry run: nothing was written to GitHub.**');
    expect(summary).toContain('The pull request would have been: Fix rounding in total()');
    expect(summary).toContain('Closes #');
    expect(summary.split('1 command run')).toHaveLength(3);
    expect(summary).toContain('+export const total = 1;');
  });

  test.each<readonly [string, Partial<RunPlan>, unknown]>([
    [
      'a pull request’s own branch',
      {
        delivery: 'push_to_head',
        head: { branch: 'feat', sha: '1'.repeat(40), repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
      },
      { branch: 'feat', pullRequest: null },
    ],
    ['the reply', { delivery: 'reply' }, null],
    [
      'a branch without a pull request',
      { pullRequest: { ...bundlePlan.pullRequest, mode: 'link' } },
      { branch: bundlePlan.branchName, pullRequest: null },
    ],
  ])('for %s says no more than what would have been', async (_what, more, push) => {
    stage = await openStage();
    const outcome = await publishOn({ ...stage.plan, dryRun: true, ...more });
    expect(outcome.preview?.push).toEqual(push);
    expect(outcome.preview?.reply.includes('+export const total = 1;')).toBe(push === null);
  });

  test('cannot write, whoever tries', async () => {
    stage = await openStage();
    const api = createReadOnlyApi(stage.ports.api);
    const issue = { owner: 'acme', repo: 'shop', issue_number: stage.plan.thread?.number ?? 0 };
    await expect(api.rest('GET /repos/{owner}/{repo}/issues/{issue_number}', issue, never)).resolves.toBeDefined();
    const before = stage.hub.snapshot();
    const text = { ...issue, body: 'x' };
    const pull = { owner: 'acme', repo: 'shop', pull_number: 1 };
    const label = { ...issue, name: 'harness9' };
    const writes = [
      () => api.rest('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', text, never),
      () => api.rest('PATCH /repos/{owner}/{repo}/issues/{issue_number}', { ...issue, state: 'closed' }, never),
      () => api.rest('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', pull, never),
      () => api.rest('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', label, never),
      ...['mutation X { a }', ' mutation query { a }', '# query\nmutation X { a }', '{ viewer { login } }'].map(
        (query) => () => api.graphql(query, {}, never),
      ),
    ];
    const asked = stage.hub.requests.length;
    for (const write of writes) await expect(write()).rejects.toThrow('`dry_run`');
    expect(stage.hub.requests).toHaveLength(asked);
    expect(stage.hub.snapshot()).toEqual(before);
  });
});

describe('the diff in the reply', () => {
  test.each([
    ['auto', false],
    ['always', true],
    ['never', false],
  ] as const)('of pushed work, by include_diff %s: %s', async (includeDiff, isShown) => {
    stage = await openStage();
    await publishOn({ ...stage.plan, includeDiff });
    expect((stage.replies()[0] ?? '').includes('+export const total = 1;')).toBe(isShown);
  });

  test.each([
    ['auto', true],
    ['never', false],
  ] as const)('of work that is nowhere else, by include_diff %s: %s', async (includeDiff, isShown) => {
    stage = await openStage();
    await publishOn({ ...stage.plan, delivery: 'reply', includeDiff });
    expect((stage.replies()[0] ?? '').includes('+export const total = 1;')).toBe(isShown);
  });
});
