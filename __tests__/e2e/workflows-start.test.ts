// What starts the workflows to copy, and what costs no run: each thing that may happen, as GitHub sends it, against every one of them.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startCase } from '../cases/in-process.ts';
import type { Scene } from './scene.ts';
import { groupOf, type Happening, happening, jobOf, loadWorkflow, startedBy, workflowNames } from './workflow-files.ts';

type Happens = (scene: Scene) => Promise<Happening> | Happening;

function commented(author: string, body: string, action = 'created'): Happens {
  return ({ github }) => {
    // The issue's own body asks for us, which is no reason to answer every comment on it.
    const { number } = github.openIssue({ author: 'wendy', title: 'Total is wrong', body: '@harness9 please look' });
    const { id } = github.comment({ author, issue: number, body });
    return happening('issue_comment', github.payload('issue_comment', { issue: number, comment: id, action }));
  };
}

function opened(author: string, body?: string, action = 'opened'): Happens {
  return ({ github }) => {
    const { number } = github.openIssue({ author, title: 'Total is wrong', ...(body === undefined ? {} : { body }) });
    return happening('issues', github.payload('issues', { issue: number, action, sender: author }));
  };
}

function labeled(label: string, body = 'It is broken.', by = 'wendy'): Happens {
  return ({ github }) => {
    const { number } = github.openIssue({ author: 'wendy', title: 'Total is wrong', body });
    github.addLabel({ issue: number, name: label, by });
    return happening('issues', github.payload('issues', { issue: number, action: 'labeled', label, sender: by }));
  };
}

interface PullWish {
  readonly fork?: string;
  readonly draft?: boolean;
  readonly author?: string;
}

function openPull({ github }: Scene, { author = 'wendy', ...wish }: PullWish) {
  return github.openPull({ author, head: 'feature', title: 'A note', files: { 'NOTE.md': 'hello\n' }, ...wish });
}

function pulled(action: string, wish: PullWish = {}, label?: string): Happens {
  return async (scene) => {
    const { number } = await openPull(scene, wish);
    if (label !== undefined) scene.github.addLabel({ issue: number, name: label, by: 'wendy' });
    const refs = { pull: number, action, ...(label === undefined ? {} : { label }), sender: wish.author ?? 'wendy' };
    return happening('pull_request', scene.github.payload('pull_request', refs));
  };
}

function reviewed(body: string | undefined, wish: PullWish = {}, action = 'submitted'): Happens {
  return async (scene) => {
    const { number } = await openPull(scene, wish);
    const draft = { author: 'wendy', pull: number, state: 'COMMENTED' as const, ...(body === undefined ? {} : { body }) };
    const { id } = scene.github.review(draft);
    return happening('pull_request_review', scene.github.payload('pull_request_review', { review: id, action }));
  };
}

function reviewCommented(body: string, wish: PullWish = {}): Happens {
  return async (scene) => {
    const { number } = await openPull(scene, wish);
    const { id } = await scene.github.reviewComment({ author: 'wendy', pull: number, body, path: 'NOTE.md', line: 1 });
    return happening('pull_request_review_comment', scene.github.payload('pull_request_review_comment', { comment: id }));
  };
}

interface RunWishes {
  readonly conclusion?: string;
  readonly event?: string;
  readonly workflow?: string;
  readonly fork?: string;
}

function ran({ conclusion = 'failure', event = 'pull_request', workflow = 'CI', fork }: RunWishes = {}): Happens {
  return ({ github }) => {
    const headSha = github.snapshot().refs['refs/heads/main'] ?? '';
    const draft = { workflowPath: '.github/workflows/ci.yml', event, headBranch: 'feature', headSha, actor: 'wendy' };
    const { id } = github.startRun(draft);
    github.finishRun(id, conclusion);
    const payload = github.payload('workflow_run', { run: id });
    const run = { ...Object(payload.workflow_run), ...(fork === undefined ? {} : { head_repository: { full_name: fork } }) };
    return happening('workflow_run', {
      ...payload,
      workflow_run: run,
      workflow: { ...Object(payload.workflow), name: workflow },
    });
  };
}

function discussed(author: string, body: string, action = 'created'): Happens {
  return ({ github }) => {
    const { number } = github.openDiscussion({ author: 'wendy', title: 'How?', body: '@harness9 look', category: 'Q&A' });
    const { id } = github.commentDiscussion({ author, discussion: number, body });
    return happening('discussion_comment', github.payload('discussion_comment', { comment: id, action }));
  };
}

function simply(name: 'schedule' | 'workflow_dispatch' | 'push'): Happens {
  return ({ github }) => happening(name, github.payload(name, {}));
}

const mentioned = ['caller/harness9', 'comment/harness9'];
const mention = '@harness9 fix it';

const table: readonly (readonly [string, Happens, readonly string[]])[] = [
  ['a comment with a mention', commented('wendy', mention), mentioned],
  ['a comment with a mention in capitals', commented('wendy', 'please, @HARNESS9'), mentioned],
  ['a comment that asks for a plan', commented('wendy', '@harness9 plan the mending'), [...mentioned, 'plan/plan']],
  ['a comment that approves one', commented('wendy', '@harness9 approve'), [...mentioned, 'plan/carry-out']],
  ['a comment without a mention', commented('wendy', 'fix it, somebody'), []],
  ['a comment with a mention that is edited', commented('wendy', mention, 'edited'), []],
  ['a comment with a mention that is deleted', commented('wendy', mention, 'deleted'), []],
  ['our own comment, which says how to go on', commented('github-actions[bot]', 'reply `@harness9 continue`'), []],
  ['our app’s comment, which says how to go on', commented('our-app[bot]', 'reply `@harness9 approve` or `@harness9 plan`'), []],
  ['another bot’s comment with a mention', commented('renovate[bot]', mention), []],
  ['an issue that is opened with a mention', opened('wendy', mention), ['comment/harness9', 'triage/triage']],
  ['an issue that is opened by a stranger', opened('oscar', 'It is broken.'), ['triage/triage']],
  ['an issue that is opened without a body', opened('wendy'), ['triage/triage']],
  ['an issue that is opened by a bot', opened('renovate[bot]', mention), []],
  ['an issue with a mention that is edited', opened('wendy', mention, 'edited'), []],
  ['an issue with a mention that is closed', opened('wendy', mention, 'closed'), []],
  ['an issue with a mention that is opened again', opened('wendy', mention, 'reopened'), []],
  ['our label', labeled('harness9'), ['comment/harness9']],
  ['the label with a task of its own', labeled('add-tests'), ['label/add-tests']],
  ['another label on an issue with a mention', labeled('bug', mention), []],
  ['our label, put on by a bot', labeled('harness9', mention, 'renovate[bot]'), []],
  ['a pull request that is opened', pulled('opened'), ['review/review']],
  ['a pull request that is pushed to', pulled('synchronize'), ['review/review']],
  ['a pull request that is made ready', pulled('ready_for_review'), ['review/review']],
  ['a draft that is opened', pulled('opened', { draft: true }), []],
  ['a draft that is pushed to', pulled('synchronize', { draft: true }), []],
  ['a fork’s pull request that is opened', pulled('opened', { fork: 'oscar/shop' }), []],
  ['a bot’s pull request that is opened', pulled('opened', { author: 'renovate[bot]' }), []],
  ['a pull request that is closed', pulled('closed'), []],
  ['a pull request that is edited', pulled('edited'), []],
  ['the label with a task of its own on a pull request', pulled('labeled', {}, 'add-tests'), ['label/add-tests']],
  ['the label with a task of its own on a fork’s', pulled('labeled', { fork: 'oscar/shop' }, 'add-tests'), []],
  ['another label on a pull request', pulled('labeled', {}, 'bug'), []],
  ['a review with a mention', reviewed(mention), ['comment/harness9']],
  ['a review without one', reviewed('Fine.'), []],
  ['a review without a word', reviewed(undefined), []],
  ['a review with a mention on a fork’s', reviewed(mention, { fork: 'oscar/shop' }), []],
  ['a review with a mention that is edited', reviewed(mention, {}, 'edited'), []],
  ['a review comment with a mention', reviewCommented(mention), ['comment/harness9']],
  ['a review comment without one', reviewCommented('why?'), []],
  ['a review comment with a mention on a fork’s', reviewCommented(mention, { fork: 'oscar/shop' }), []],
  ['a check that failed on a pull request', ran(), ['fix/fix']],
  ['a check that passed', ran({ conclusion: 'success' }), []],
  ['a check that was cancelled', ran({ conclusion: 'cancelled' }), []],
  ['a check that failed after a push', ran({ event: 'push' }), []],
  ['a check that failed on a fork’s', ran({ fork: 'oscar/shop' }), []],
  ['another workflow that failed', ran({ workflow: 'Deploy' }), []],
  ['a discussion’s comment with a mention', discussed('wendy', mention), ['discussion/answer']],
  ['a discussion’s comment without one', discussed('wendy', 'Hello.'), []],
  ['a bot’s comment on a discussion', discussed('renovate[bot]', mention), []],
  ['a discussion’s comment that is edited', discussed('wendy', mention, 'edited'), []],
  ['the time of a schedule', simply('schedule'), ['maintenance/maintenance', 'report/report']],
  ['a start by hand', simply('workflow_dispatch'), ['maintenance/maintenance', 'report/report']],
  ['a push', simply('push'), []],
];

test.each(table)('%s starts what is for it, and nothing else costs a run', async (_name, happens, expected) => {
  await using scene = await startCase([]);
  expect(startedBy(await happens(scene))).toEqual(expected);
});

test('runs of one thread stand in one queue, whichever workflow they are of; of two threads in two', async () => {
  await using scene = await startCase([]);
  const { github } = scene;
  const issue = github.openIssue({ author: 'wendy', title: 'One' }).number;
  const comment = github.comment({ author: 'wendy', issue, body: mention });
  const onIssue = happening('issue_comment', github.payload('issue_comment', { issue, comment: comment.id }));
  const onReview = await reviewCommented(mention)(scene);
  const groups = [
    groupOf(jobOf('comment', 'harness9'), onIssue),
    groupOf(jobOf('plan', 'plan'), onIssue),
    groupOf(jobOf('plan', 'carry-out'), onIssue),
    groupOf(
      jobOf('label', 'add-tests'),
      happening('issues', github.payload('issues', { issue, action: 'labeled', label: 'add-tests' })),
    ),
    groupOf(jobOf('reusable', 'harness9'), onIssue),
    groupOf(jobOf('comment', 'harness9'), onReview),
  ];
  expect(groups).toEqual([...Array(5).fill('harness9-1'), 'harness9-2']);
});

describe.each(workflowNames.map((name) => [name] as const))('%s.yml', (name) => {
  const { source, jobs } = loadWorkflow(name);

  test('begins with what it is for, and its jobs have what they need and no more', () => {
    expect(source).toMatch(/^# \S.*[.]\n(# .*\n)*name: /);
    for (const [id, job] of Object.entries(jobs)) {
      expect([id, Object.keys(job.permissions)]).not.toEqual([id, []]);
      if (job.uses !== undefined) continue;
      const { steps, concurrency } = job;
      expect(concurrency).toMatchObject({ 'cancel-in-progress': false });
      expect(steps[0]).toMatchObject({ uses: 'actions/checkout@v6', with: { 'persist-credentials': 'false' } });
      expect(steps[1]?.uses).toMatch(/^harness9\/harness9@v\d+$/);
      // Time to publish is kept back, and the job must not end first.
      const ours = Number(steps[1]?.with.timeout_minutes ?? 30);
      expect(job['timeout-minutes']).toBeGreaterThanOrEqual(ours + 10);
      // What others wrote reaches a shell by the environment alone.
      for (const { run = '' } of steps) expect(run).not.toContain('${{');
    }
  });

  test('drops no request that waits, where each asks for something else', () => {
    for (const job of Object.values(jobs)) {
      const group = job.concurrency?.group ?? '';
      const isOfThread = /^harness9-(discussion-|fix-)?\$/.test(group);
      expect(job.concurrency?.queue).toBe(isOfThread ? 'max' : undefined);
    }
  });
});

test('README shows the workflows as they are to be copied, and names all the others', async () => {
  const readme = await readFile(path.join(import.meta.dirname, '../../README.md'), 'utf8');
  const shown = [...readme.matchAll(/^<!-- workflow: (\w+) -->\n```yaml\n([\s\S]*?)^```/gm)];
  expect(shown.length).toBeGreaterThan(2);
  for (const [, name = '', block] of shown) expect([name, block]).toEqual([name, loadWorkflow(name).source]);
  const linked = [...readme.matchAll(/\.github\/examples\/workflows\/(\w+)\.yml/g)].map(([, name]) => name);
  expect([...new Set([...shown.map(([, name]) => name), ...linked])].sort()).toEqual(workflowNames);
});
