import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Bundle, Change } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf, writeOf } from '../plan-and-bundle.ts';
import { dyingAt } from './dying.ts';
import { never, openStage, type Stage } from './stage.ts';

const me = 'github-actions[bot]';
const head = 'export const total = 1;\nexport const tax = 2;\n\nexport const sum = 3;\n';
const mended = 'export const total = 1.01;\nexport const tax = 2;\n';

let stage: Stage;
let plan: RunPlan;
let pull: number;

/** A fork's pull request, on which a run may only propose. */
async function open(options: Parameters<typeof openStage>[0] = {}) {
  stage = await openStage(options);
  stage.hub.addUser('octocat', { permission: 'read' });
  const files = { 'src/cart.ts': head, 'docs/a b.md': 'Helo\n' };
  const opened = await stage.hub.openPull({ author: 'octocat', head: 'rounding', fork: 'octocat/shop', title: 'Round', files });
  pull = opened.number;
  const sha = await stage.hub.git('rev-parse', `refs/pull/${pull}/head`);
  plan = {
    ...stage.plan,
    delivery: 'reply',
    trust: 'untrusted',
    bash: 'denied',
    thread: { kind: 'pull_request', number: pull, title: 'Round' },
    channel: { kind: 'thread', number: pull },
    head: { branch: 'rounding', sha, repository: 'octocat/shop', isFork: true, movedAfterTrigger: false },
    checkoutSha: sha,
    pullRequest: { ...stage.plan.pullRequest, closes: null },
  };
}

beforeEach(() => open());
afterEach(() => stage.close());

const edit = (path: string, data: string, more: Parameters<typeof writeOf>[2] = {}) =>
  writeOf(path, data, { isNew: false, patch: `diff --git a/${path} b/${path}\n(the patch)\n`, ...more });
const mending = [edit('src/cart.ts', mended), edit('docs/a b.md', 'Hello\n')];

function run(changes: readonly Change[], of: RunPlan = plan, more: Partial<Bundle> = {}) {
  const startedAt = stage.ports.clock.now().toISOString();
  const announcement = { version: 1, commentId: null, startedAt, warnings: [] } as const;
  return publish(of, bundleOf(of, { changes, ...more }), announcement, { ports: stage.ports, signal: never });
}

const reviews = () => stage.hub.snapshot().reviews.filter(({ author }) => author === me);
/** As GitHub's API lists them. */
async function comments() {
  const at = { owner: 'acme', repo: 'shop', pull_number: pull };
  const { data } = await stage.ports.api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', at, never);
  return data.map(({ path, start_line, line, side, body, original_commit_id }) => {
    expect(original_commit_id).toBe(plan.checkoutSha);
    return [path, start_line, line, side, body.split('\n').slice(1)];
  });
}

describe('changes that may not be pushed', () => {
  test('are suggestions on the diff where they are small; the one reply names them and has no diff', async () => {
    const outcome = await run(mending);
    expect(reviews()).toMatchObject([{ state: 'COMMENTED' }]);
    expect(await comments()).toEqual([
      ['src/cart.ts', null, 1, 'RIGHT', ['```suggestion', 'export const total = 1.01;', '```']],
      ['src/cart.ts', 3, 4, 'RIGHT', ['```suggestion', '```']],
      ['docs/a b.md', null, 1, 'RIGHT', ['```suggestion', 'Hello', '```']],
    ]);
    expect(outcome).toMatchObject({ conclusion: 'success', branchName: null, pullRequest: null });
    expect(stage.replies()).toEqual([
      expect.stringMatching(/\[suggestions on the diff\]\(http\S+#pullrequestreview-\d+\), to commit one by one or together\./),
    ]);
    expect(stage.replies()[0]).not.toContain('the patch');
  });

  test('published again by a later process are there once, and so is the reply (R4)', async () => {
    await run(mending);
    await run(mending);
    expect([reviews().length, (await comments()).length, stage.replies().length]).toEqual([1, 3, 1]);
    expect(stage.replies()[0]).toContain('suggestions on the diff');
  });

  test('of a job that is run again are its own where they are others than before', async () => {
    const named = () => stage.replies().map((reply) => /pullrequestreview-(\d+)/.exec(reply)?.[1]);
    await run(mending);
    const [first] = named();
    await run([edit('docs/a b.md', 'Hullo\n')]);
    expect((await comments()).at(-1)).toEqual(['docs/a b.md', null, 1, 'RIGHT', ['```suggestion', 'Hullo', '```']]);
    expect(named()).toEqual([expect.stringMatching(/^\d+$/)]);
    expect(named()).not.toEqual([first]);
  });

  test('a stranger’s review with our marker is not ours', async () => {
    const body = `<!-- harness9:v1 trigger=${plan.trigger.id} kind=proposal -->\nmine`;
    stage.hub.review({ author: 'octocat', pull, body, state: 'COMMENTED' });
    await run(mending);
    expect(reviews()).toHaveLength(1);
  });

  test.each<[string, () => readonly Change[]]>([
    ['a new file', () => [...mending, writeOf('new.txt', 'new\n')]],
    ['a file taken away', () => [...mending, { kind: 'delete', path: 'README.md', patch: '(the patch)' }]],
    ['another mode', () => [edit('src/cart.ts', mended, { mode: '100755' })]],
    ['a link', () => [edit('src/cart.ts', 'README.md', { mode: '120000' })]],
    ['bytes', () => [edit('src/cart.ts', '', { content: { encoding: 'base64', data: 'AP8=' } })]],
    ['what is covered on its way out', () => [edit('src/cart.ts', `${mended}hunter2-hunter2\n`)]],
    ['other ends of lines', () => [edit('src/cart.ts', mended.replaceAll('\n', '\r\n'))]],
    ['a file that the pull request leaves alone', () => [...mending, edit('README.md', '# A shop\n')]],
  ])('with %s among them are the diff in the reply', async (_, changes) => {
    const outcome = await run(changes());
    expect([reviews(), await comments()]).toEqual([[], []]);
    expect(stage.replies()).toEqual([expect.stringContaining('(the patch)')]);
    expect(outcome.conclusion).toBe('success');
  });

  test('are the diff where the workflow wants no suggestions, and where the work is not at its end', async () => {
    await run(mending, { ...plan, inlineComments: 'comments' });
    const other = { ...plan, trigger: { ...plan.trigger, id: 'issue_comment-2' } };
    await run(mending, other, { result: { ...bundleOf(other).result, stopReason: 'max_turns' } });
    expect(reviews()).toEqual([]);
    expect(stage.replies()).toHaveLength(2);
    for (const reply of stage.replies()) expect(reply).toContain('(the patch)');
  });

  test('are the diff where GitHub refuses a review', async () => {
    await stage.close();
    await open({ permissions: { contents: 'write', issues: 'write', pull_requests: 'read' } });
    await run(mending);
    expect(reviews()).toEqual([]);
    expect(stage.replies()).toEqual([expect.stringContaining('(the patch)')]);
  });

  test('are the diff where the head has moved on since', async () => {
    const later = { path: 'src/cart.ts', text: head.replace('total = 1', 'total = 7') };
    const moved = await stage.hub.openPull({ author: 'mona', head: 'moving', title: 'Moves', files: { 'src/cart.ts': head } });
    const sha = await stage.hub.git('rev-parse', 'refs/heads/moving');
    await stage.hub.pushCommit({ branch: 'moving', author: 'mona', message: 'x', files: { [later.path]: later.text } });
    const of: RunPlan = {
      ...plan,
      trust: 'mixed',
      thread: { kind: 'pull_request', number: moved.number, title: 'Moves' },
      channel: { kind: 'thread', number: moved.number },
      head: { branch: 'moving', sha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
      checkoutSha: sha,
    };
    await run([edit('src/cart.ts', mended)], of);
    expect(reviews()).toEqual([]);
    expect(stage.replies()).toEqual([expect.stringContaining('(the patch)')]);
  });

  test('killed after any call and published again: one review at most, one reply, and the changes in one of them (R1, R4)', async () => {
    let kills = 0;
    for (let last = 1; last < 40; last += 1) {
      await stage.close();
      await open();
      const startedAt = stage.ports.clock.now().toISOString();
      const announcement = { version: 1, commentId: null, startedAt, warnings: [] } as const;
      const bundle = bundleOf(plan, { changes: mending });
      const dying = dyingAt(stage.ports, last);
      const isDone = await publish(plan, bundle, announcement, dying).then(
        () => !dying.signal.aborted,
        () => false,
      );
      if (!isDone) await publish(plan, bundle, announcement, { ports: stage.ports, signal: never });
      expect({ last, reviews: reviews().length, replies: stage.replies() }).toEqual({
        last,
        reviews: 1,
        replies: [expect.stringContaining('suggestions on the diff')],
      });
      if (isDone) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(5);
  }, 180_000);
});
