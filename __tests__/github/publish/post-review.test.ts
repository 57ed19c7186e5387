import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createOctokitApi } from '../../../src/github/octokit-api.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Bundle, Review, ReviewComment } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import { bundleOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

const me = 'github-actions[bot]';
const remark: ReviewComment = {
  path: 'src/cart.ts',
  side: 'RIGHT',
  startLine: null,
  line: 1,
  body: 'Rounds down, so a cent is lost; ping @mona and @octocat.',
  suggestion: 'export const total = `1`;',
  code: 'export const total = 1;',
};

let stage: Stage;
let plan: RunPlan;
let pull: number;

beforeEach(async () => {
  stage = await openStage();
  const opened = await stage.hub.openPull({
    author: 'mona',
    head: 'rounding',
    title: 'Round',
    files: { 'src/cart.ts': 'export const total = 1;\nexport const tax = 2;\n' },
  });
  pull = opened.number;
  plan = await planOf(pull, 'rounding', 'issue_comment-1');
});
afterEach(() => stage.close());

async function planOf(number: number, branch: string, trigger: string): Promise<RunPlan> {
  const sha = await stage.hub.git('rev-parse', `refs/heads/${branch}`);
  return {
    ...stage.plan,
    mode: 'review',
    delivery: 'reply',
    tools: 'read_only',
    trigger: { ...stage.plan.trigger, id: trigger, target: null },
    thread: { kind: 'pull_request', number, title: 'Round' },
    channel: { kind: 'thread', number },
    head: { branch, sha, repository: 'acme/shop', isFork: false, movedAfterTrigger: false },
    checkoutSha: sha,
    pullRequest: { ...stage.plan.pullRequest, closes: null },
  };
}

function bundle(of: RunPlan, review: Partial<Review> = {}): Bundle {
  return bundleOf(of, {
    changes: [],
    commands: [],
    reply: 'One cent is lost.',
    review: { verdict: 'comment', comments: [remark], ...review },
  });
}

function run(of: RunPlan, made: Bundle, commentId: number | null = null) {
  const startedAt = stage.ports.clock.now().toISOString();
  return publish(of, made, { version: 1, commentId, startedAt, warnings: [] }, { ports: stage.ports, signal: never });
}

const reviews = () => stage.hub.snapshot().reviews.filter(({ author }) => author === me);
const comments = () => stage.hub.snapshot().reviewComments.filter(({ author }) => author === me);

describe('a review', () => {
  test('is one review: the answer above, each finding on its line, and no comment beside it', async () => {
    const outcome = await run(plan, bundle(plan));
    expect(reviews()).toMatchObject([{ state: 'COMMENTED' }]);
    expect(reviews()[0]?.body).toContain('One cent is lost.');
    expect(comments()).toMatchObject([{ path: 'src/cart.ts', line: 1 }]);
    const [, ...lines] = comments()[0]?.body.split('\n') ?? [];
    expect(lines.join('\n')).toBe(
      'Rounds down, so a cent is lost; ping @mona and `@octocat`.\n\n```suggestion\nexport const total = `1`;\n```',
    );
    expect(stage.replies()).toEqual([]);
    expect(outcome).toMatchObject({ conclusion: 'success', comment: { url: expect.stringContaining('#pullrequestreview-') } });
  });

  test('published twice is there once (R4)', async () => {
    await run(plan, bundle(plan));
    await run(plan, bundle(plan));
    expect([reviews().length, comments().length]).toEqual([1, 1]);
  });

  test('a finding without a place on GitHub takes none of the others along: it is in the text', async () => {
    const lost = { ...remark, line: 99, body: 'Nowhere.', suggestion: null };
    // A later process that posts the same loses nothing of it (R4).
    for (const _ of ['main', 'post']) {
      await run(plan, bundle(plan, { comments: [remark, lost] }));
      expect([reviews().length, comments().length]).toEqual([1, 1]);
      expect(reviews()[0]?.body).toContain(
        '#### Findings that have no place on a line\n\n**`src/cart.ts`, line 99**\n\nNowhere.',
      );
      expect(reviews()[0]?.body).not.toContain('Rounds down');
    }
  });

  test('gives no verdict unless the workflow lets it, and none on an own pull request', async () => {
    await run(plan, bundle(plan, { verdict: 'approve' }));
    expect(reviews()).toMatchObject([{ state: 'COMMENTED' }]);
    const free = { ...(await planOf(pull, 'rounding', 'issue_comment-2')), mayApprove: true };
    await run(free, bundle(free, { verdict: 'approve', comments: [] }));
    expect(reviews()).toMatchObject([{}, { state: 'APPROVED' }]);
    const own = await stage.hub.openPull({
      author: me,
      head: 'own',
      title: 'Own',
      files: { 'src/cart.ts': 'export const total = 1;\n' },
    });
    const ownPlan = { ...(await planOf(own.number, 'own', 'issue_comment-3')), mayApprove: true };
    await run(ownPlan, bundle(ownPlan, { verdict: 'request_changes' }));
    expect(reviews()[2]).toMatchObject({ state: 'COMMENTED' });
    expect(reviews()[2]?.body).toContain('GitHub takes no verdict on this pull request');
  });

  test('has nothing to click that was not checked, or that is covered on its way out', async () => {
    const worded = {
      ...remark,
      body: 'Better:\n\n```suggestion\nlet x;\n```\n\n- or\n\n  ~~~ Suggestion\n  let y;\n  ~~~',
      suggestion: null,
    };
    const covered = { ...remark, line: 2, body: 'Not so.', suggestion: 'const key = "hunter2-hunter2";' };
    await run(plan, bundle(plan, { comments: [worded, covered] }));
    const bodies = comments().map(({ body }) => body);
    expect(bodies).toEqual([
      expect.stringContaining('let x;'),
      expect.stringContaining('Instead:\n\n```\nconst key = "***";\n```'),
    ]);
    expect(bodies.join('\n')).not.toMatch(/suggestion/i);
  });

  test('as the input says: without suggestions to click, or without comments on lines', async () => {
    const plain = { ...plan, inlineComments: 'comments' as const };
    await run(plain, bundle(plain));
    expect(comments()[0]?.body).toContain('Instead:\n\n```\nexport const total = `1`;\n```');
    const none = { ...(await planOf(pull, 'rounding', 'issue_comment-4')), inlineComments: 'none' as const };
    const other = { ...remark, body: 'Another one.' };
    await run(none, bundle(none, { comments: [other] }));
    expect(comments()).toHaveLength(1);
    expect(reviews()[1]?.body).toContain('**`src/cart.ts`, line 1**\n\nAnother one.');
  });

  test('on a later push: what stands there is not repeated, and the body says which commit was read', async () => {
    await run(plan, bundle(plan));
    const later = await planOf(pull, 'rounding', 'issue_comment-5');
    await stage.hub.pushCommit({
      branch: 'rounding',
      author: 'mona',
      message: 'more',
      files: { 'src/cart.ts': 'export const total = 1;\nexport const tax = 3;\n' },
    });
    const moved = { ...remark, line: 1, body: 'Rounds down — so a cent is lost. Ping @mona and @octocat' };
    await run(later, bundle(later, { comments: [moved] }));
    expect(comments()).toHaveLength(1);
    expect(reviews()[1]?.body).toContain('1 finding of an earlier review still stands and is not repeated.');
    expect(reviews()[1]?.body).toContain(
      `I read the commit \`${later.head?.sha.slice(0, 7)}\`; what was pushed after it is not in this review.`,
    );
  });

  test('an earlier finding whose lines have changed and that is not found again is closed as far as the token may', async () => {
    await run(plan, bundle(plan));
    await stage.hub.pushCommit({
      branch: 'rounding',
      author: 'mona',
      message: 'mended',
      files: { 'src/cart.ts': 'export const total = 1.01;\n' },
    });
    const later = await planOf(pull, 'rounding', 'issue_comment-7');
    await run(later, bundle(later, { comments: [] }));
    expect(reviews()[1]?.body).toContain(
      '1 earlier finding whose lines have changed and that I did not find again: collapsed as outdated; this token may not resolve them.',
    );
  });

  test('a token that may resolve threads resolves them', async () => {
    const { hub } = stage;
    const token = hub.issueToken('harness9-app[bot]');
    const { clock, egress, log } = stage.ports;
    const outside = { fetch: globalThis.fetch, random: () => 0, clock, egress, log };
    const api = createOctokitApi({ token, apiUrl: hub.apiUrl, graphqlUrl: hub.graphqlUrl, ...outside });
    stage = { ...stage, ports: { ...stage.ports, api } };
    const at = { owner: 'acme', repo: 'shop', pull_number: pull };
    await run(plan, bundle(plan));
    const { data } = await api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', at, never);
    const self = { login: 'harness9-app[bot]', id: Number(data[0]?.user?.id) };
    const files = { 'src/cart.ts': 'export const total = 1.01;\n' };
    await hub.pushCommit({ branch: 'rounding', author: 'mona', message: 'mended', files });
    const later = { ...(await planOf(pull, 'rounding', 'issue_comment-8')), self };
    await run(later, bundle(later, { comments: [] }));
    const texts = hub.snapshot().reviews.map(({ body }) => body);
    expect(texts[1]).toContain('1 earlier finding whose lines have changed and that I did not find again: resolved.');
    // Once, and never again.
    const last = { ...later, trigger: { ...later.trigger, id: 'issue_comment-9' } };
    await run(last, bundle(last, { comments: [] }));
    expect(hub.snapshot().reviews[2]?.body).not.toContain('earlier finding');
  });

  test('where the token may not review, everything is in one comment', async () => {
    await stage.close();
    stage = await openStage({ permissions: { contents: 'read', issues: 'write', pull_requests: 'read' } });
    const opened = await stage.hub.openPull({
      author: 'mona',
      head: 'rounding',
      title: 'Round',
      files: { 'src/cart.ts': 'export const total = 1;\n' },
    });
    const readOnly = await planOf(opened.number, 'rounding', 'issue_comment-6');
    for (const _ of ['main', 'post']) {
      await run(readOnly, bundle(readOnly));
      expect(reviews()).toEqual([]);
      expect(stage.replies()).toEqual([expect.stringContaining('Rounds down, so a cent is lost')]);
    }
  });
});
