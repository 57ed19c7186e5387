// The workflows to copy that are about pull requests, discussions and reports, each run end to end on dist as it is written.
import { describe, expect, test } from '@jest/globals';
import type { PayloadRefs } from '../../src/simulator/github/payloads.ts';
import { mendingTurn, type Scene, startScene } from './scene.ts';
import { happening, startedBy, wishOf } from './workflow-files.ts';

const timeout = 180_000;
const bot = 'github-actions[bot]';

/** Runs the job that the event starts, which must be this one. `more`: what of the payload the scene does not know. */
async function playJob(
  scene: Scene,
  [file, id]: readonly [string, string],
  [event, refs, more = {}]: readonly [string, PayloadRefs, Readonly<Record<string, unknown>>?],
) {
  const happened = happening(event, { ...scene.github.payload(event, refs), ...more });
  expect(startedBy(happened)).toContain(`${file}/${id}`);
  const actor = refs.sender ?? 'wendy';
  return scene.run({ event, payload: happened.payload, actor, ...wishOf([file, id], scene) });
}

/** One that comes to its end. */
async function runJob(...job: Parameters<typeof playJob>) {
  const result = await playJob(...job);
  expect([result.exitCode, result.outputs.error]).toEqual([0, '']);
  // That CI does not start on what the job's own token pushes is said on purpose.
  expect(result.log.replace(/^##\[warning\]Checks do not start.*$/m, '')).not.toMatch(/##\[(warning|error)\]/);
  return result;
}

async function openPull(scene: Scene, files: Readonly<Record<string, string>> = { 'NOTE.md': 'hello\n' }) {
  const pull = await scene.github.openPull({ author: 'wendy', head: 'feature', title: 'A note', files });
  scene.passMinute();
  return pull.number;
}

function ours({ github }: Scene) {
  const { comments, reviewComments } = github.snapshot();
  return [...comments, ...reviewComments].filter(({ author }) => author === bot);
}

describe('the workflow for a label, on a pull request', () => {
  test(
    'does its task on the head branch and takes the label off',
    async () => {
      await using scene = await startScene([mendingTurn, { text: 'Added.' }]);
      const pull = await openPull(scene);
      scene.github.addLabel({ issue: pull, name: 'add-tests', by: 'wendy' });
      const refs = { pull, action: 'labeled', label: 'add-tests', sender: 'wendy' };
      const { outputs } = await runJob(scene, ['label', 'add-tests'], ['pull_request', refs]);
      expect(outputs).toMatchObject({ conclusion: 'success', branch_name: 'feature' });
      expect(await scene.github.git('show', 'feature:src/total.js')).toContain('sum + price');
      expect(scene.github.snapshot().pulls[0]?.labels).toEqual([]);
      expect(scene.replies(pull)).toEqual([expect.stringContaining('Added.')]);
    },
    timeout,
  );
});

describe('the workflow for comments, on a review', () => {
  test(
    'answers a mention in its words',
    async () => {
      await using scene = await startScene([{ text: 'Because nobody greeted before.' }]);
      const pull = await openPull(scene);
      const review = scene.github.review({ author: 'wendy', pull, body: '@harness9 why this note?', state: 'COMMENTED' });
      await runJob(scene, ['comment', 'harness9'], ['pull_request_review', { review: review.id }]);
      expect(scene.replies(pull)).toEqual([expect.stringContaining('Because nobody greeted before.')]);
    },
    timeout,
  );
});

describe('the workflow for reviews', () => {
  const finding = { path: 'NOTE.md', line: 1, body: 'A greeting has a capital letter.', suggestion: 'Hello' };

  test(
    'posts one review with comments on lines, changes nothing and says nothing twice',
    async () => {
      const turns = [{ calls: [{ name: 'add_review_comment', arguments: finding }] }, { text: 'One thing to mend.' }];
      await using scene = await startScene([...turns, ...turns]);
      const pull = await openPull(scene);
      const { outputs } = await runJob(
        scene,
        ['review', 'review'],
        ['pull_request', { pull, action: 'opened', sender: 'wendy' }],
      );
      expect(outputs).toMatchObject({ conclusion: 'success', files_changed: '0', triggered: 'true' });
      const first = scene.github.snapshot();
      expect(first.reviews).toMatchObject([
        { pull, author: bot, state: 'COMMENTED', body: expect.stringContaining('One thing to mend.') },
      ]);
      expect(first.reviewComments).toMatchObject([
        { author: bot, path: 'NOTE.md', line: 1, body: expect.stringContaining('A greeting has a capital letter.') },
      ]);
      expect(first.reviewComments[0]?.body).toContain('```suggestion\nHello\n```');
      expect(first.comments).toEqual([]);

      const head = await scene.github.pushCommit({
        branch: 'feature',
        files: { 'MORE.md': 'more\n' },
        message: 'More',
        author: 'wendy',
      });
      scene.passMinute();
      await runJob(scene, ['review', 'review'], ['pull_request', { pull, action: 'synchronize', sender: 'wendy' }]);
      const second = scene.github.snapshot();
      expect(second.reviewComments).toHaveLength(1);
      expect(second.refs['refs/heads/feature']).toBe(head);
    },
    timeout,
  );
});

describe('the workflow for failed checks', () => {
  const log =
    '##[group]Run node --test\nnode --test\n##[endgroup]\nnot ok 1 - adds prices\n##[error]Process completed with exit code 1.\n';

  /** `before`: how the same check had ended on the very commit. */
  async function failedRun(scene: Scene, before?: 'success') {
    const { github } = scene;
    const main = github.snapshot().refs['refs/heads/main'] ?? '';
    const base = github.startRun({
      workflowPath: '.github/workflows/ci.yml',
      event: 'push',
      headBranch: 'main',
      headSha: main,
      actor: 'wendy',
    });
    github.finishRun(base.id, 'success');
    const pull = await openPull(scene, { 'NOTE.md': 'hello\n' });
    const headSha = github.snapshot().refs['refs/heads/feature'] ?? '';
    const draft = {
      workflowPath: '.github/workflows/ci.yml',
      event: 'pull_request',
      headBranch: 'feature',
      headSha,
      actor: 'wendy',
    };
    if (before !== undefined) github.finishRun(github.startRun(draft).id, before);
    const run = github.startRun(draft);
    github.finishRun(run.id, 'failure', { log, steps: [{ name: 'Run node --test', conclusion: 'failure' }] });
    return { pull, run: run.id, headSha };
  }

  test(
    'reads the log, and pushes what makes the failing command pass',
    async () => {
      const testing = { calls: [{ name: 'bash', arguments: { command: 'node --test' } }] };
      await using scene = await startScene([testing, mendingTurn, testing, { text: 'The sum subtracted.' }]);
      const { pull, run, headSha } = await failedRun(scene);
      const { outputs } = await runJob(
        scene,
        ['fix', 'fix'],
        ['workflow_run', { run, sender: 'wendy' }, { workflow: { name: 'CI' } }],
      );
      expect(outputs).toMatchObject({ conclusion: 'success', branch_name: 'feature' });
      expect(scene.sent(0).all).toContain('not ok 1 - adds prices');
      expect(await scene.github.git('rev-parse', 'feature^')).toBe(headSha);
      expect(await scene.github.git('show', 'feature:src/total.js')).toContain('sum + price');
      expect(scene.replies(pull)).toEqual([expect.stringContaining('The sum subtracted.')]);
    },
    timeout,
  );

  test(
    'pushes nothing that was not shown to pass',
    async () => {
      await using scene = await startScene([mendingTurn, { text: 'It should pass now.' }, { text: 'It should pass now.' }]);
      const { pull, run, headSha } = await failedRun(scene);
      const { outputs } = await playJob(
        scene,
        ['fix', 'fix'],
        ['workflow_run', { run, sender: 'wendy' }, { workflow: { name: 'CI' } }],
      );
      expect(outputs).toMatchObject({
        conclusion: 'verify_failed',
        branch_name: '',
        error: expect.stringContaining('node --test'),
      });
      expect(scene.github.snapshot().refs['refs/heads/feature']).toBe(headSha);
      expect(scene.replies(pull)).toEqual([expect.stringContaining('sum + price')]);
    },
    timeout,
  );

  test(
    'has a check that passed on the same commit run again, without a model and without a key',
    async () => {
      await using scene = await startScene([]);
      const { pull, run } = await failedRun(scene, 'success');
      const happened = happening('workflow_run', {
        ...scene.github.payload('workflow_run', { run, sender: 'wendy' }),
        workflow: { name: 'CI' },
      });
      const { inputs, ...wish } = wishOf(['fix', 'fix'], scene);
      const { api_key: _, ...keyless } = inputs ?? {};
      const result = await scene.run({
        event: 'workflow_run',
        payload: happened.payload,
        actor: 'wendy',
        ...wish,
        inputs: keyless,
      });
      expect(result.outputs).toMatchObject({ conclusion: 'success', branch_name: '', turns: '0' });
      expect(scene.github.snapshot().runs).toContainEqual(expect.objectContaining({ id: run, conclusion: null }));
      expect(scene.replies(pull)).toEqual([expect.stringContaining('The failed jobs run again')]);
    },
    timeout,
  );
});

describe('the workflow for discussions', () => {
  test(
    'answers where it was asked, without the right to write to the repository',
    async () => {
      await using scene = await startScene([{ text: 'It sums prices.' }]);
      const { github } = scene;
      const { number } = github.openDiscussion({ author: 'wendy', title: 'How?' });
      const { id } = github.commentDiscussion({ author: 'wendy', discussion: number, body: '@harness9 what does total() do?' });
      await runJob(scene, ['discussion', 'answer'], ['discussion_comment', { comment: id }]);
      const answers = github.snapshot().discussionComments.filter(({ author }) => author === bot);
      expect(answers).toMatchObject([{ discussion: number, replyTo: id, body: expect.stringContaining('It sums prices.') }]);
      expect(ours(scene)).toEqual([]);
    },
    timeout,
  );
});

describe('the workflow for reports', () => {
  test(
    'keeps one issue with the newest report',
    async () => {
      await using scene = await startScene([{ text: 'README.md:1 is wrong.' }, { text: 'README.md:2 is wrong.' }]);
      const run = () => runJob(scene, ['report', 'report'], ['schedule', { schedule: '43 5 * * 1' }]);
      await run();
      await run();
      const { issues } = scene.github.snapshot();
      expect(issues).toMatchObject([
        { title: 'Weekly report', author: bot, state: 'open', body: expect.stringContaining('README.md:2 is wrong.') },
      ]);
      expect(issues[0]?.body).not.toContain('README.md:1 is wrong.');
      // Followers hear of what changed, once.
      expect(scene.replies(issues[0]?.number ?? 0)).toHaveLength(1);
      expect(Object.keys(scene.github.snapshot().refs)).toEqual(['refs/heads/main']);
    },
    timeout,
  );
});
