// G1 of the reported failures, what is said and what GitHub refuses of it: one test a case, the final state asserted.
import { expect, jest, test } from '@jest/globals';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { conversationOn, mendingTurn, type RunWish, type Scene, shopFiles } from '../e2e/scene.ts';
import { hastyClock, startCase } from './in-process.ts';
import { branchesOf, onlyReply } from './seen.ts';

// A machine that does more than this must not fail a case.
jest.setTimeout(60_000);

const notPermitted = { message: 'Resource not accessible by integration' };

function askOnIssue(scene: Scene, body = '@harness9 fix it', wish: Partial<RunWish> = {}) {
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  return { number, run: conversationOn(scene, number)('wendy', body, wish) };
}

test('G1-10: an answer and a diff beyond GitHub’s limit are cut where they may be, closed, and the rest is pointed to', async () => {
  const lines = Array.from({ length: 900 }, (_, index) => `line ${index} ${'🎉'.repeat(30)}`).join('\n');
  await using scene = await startCase([
    { text: 'é🎉'.repeat(24_000) },
    { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'small\n' } }] },
    { calls: [{ name: 'write_file', arguments: { path: 'big.txt', content: `${lines}\n` } }] },
    { text: `${'w '.repeat(20_000)}\n\n\`\`\`\nan open fence` },
  ]);
  const first = askOnIssue(scene, '@harness9 tell me everything');
  expect((await first.run).outputs.conclusion).toBe('no_changes');
  const second = askOnIssue(scene, '@harness9 write it down', {
    inputs: { create_pr: 'none' },
    permissions: { contents: 'read', issues: 'write' },
  });
  const { outputs } = await second.run;
  expect(outputs.conclusion).toBe('success');

  const bodies = scene.github
    .snapshot()
    .comments.filter(({ author }) => author === 'github-actions[bot]')
    .map(({ body }) => body);
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    expect(body.length).toBeLessThan(65_536);
    expect(body.isWellFormed()).toBe(true);
    expect(body.match(/<details>/g)?.length).toBe(body.match(/<\/details>/g)?.length);
    expect(body).toMatch(/\*\*Done in [^\n]*$/);
  }
  expect(onlyReply(scene, first.number)).toContain('The answer is cut here; the whole is in the [job summary]');
  const reply = onlyReply(scene, second.number);
  // The answer comes first and whole; of the diff it is said how much is missing.
  expect(reply.indexOf('w w w')).toBeLessThan(reply.indexOf('```diff'));
  expect(reply).toContain('+small\n```');
  expect(reply).toMatch(/_\d+ lines of this diff are not shown/);
});

test('G1-29: a refused reaction is a warning, and the work goes on', async () => {
  await using scene = await startCase([mendingTurn, { text: 'Mended.' }]);
  scene.github.fail({ method: 'POST', path: /reactions$/, status: 403, body: notPermitted, times: 99 });
  const { number, run } = askOnIssue(scene);
  const result = await run;
  expect([result.exitCode, result.outputs.conclusion, result.outputs.error]).toEqual([0, 'success', '']);
  expect(onlyReply(scene, number)).toContain('Mended.');
  expect(scene.github.snapshot().pulls).toHaveLength(1);
  expect(scene.github.snapshot().comments.flatMap(({ reactions }) => reactions)).toEqual([]);
  expect(result.commands.filter(({ name, data }) => name === 'warning' && data.includes('reaction'))).not.toEqual([]);
});

test('G1-30: a reply that GitHub refuses is in the job’s summary with the patch, and the failure names the permission', async () => {
  await using scene = await startCase([
    mendingTurn,
    () => {
      // The permission goes while the agent works: what was announced stands, and nothing more may be written.
      for (const method of ['POST', 'PATCH']) {
        scene.github.fail({ method, path: /issues\/(\d+\/comments|comments\/\d+)$/, status: 403, body: notPermitted, times: 99 });
      }
      return { text: 'Mended, and here is why.' };
    },
  ]);
  const result = await askOnIssue(scene).run;
  expect([result.exitCode, result.outputs.conclusion]).toEqual([1, 'error']);
  expect(result.commands.find(({ name }) => name === 'error')?.data).toContain('`issues: write`');
  expect(result.summary).toContain('Mended, and here is why.');
  expect(result.summary).toContain('sum + price');
  expect(result.outputs.final_message).toBe('Mended, and here is why.');
});

test.each([
  ['as long as GitHub says', { 'retry-after': '3' }, 3_000],
  ['a minute where GitHub does not say', {}, 60_000],
] as const)('G1-31: a secondary rate limit is waited for, %s, and the reply is posted once', async (_name, headers, waitMs) => {
  const play: { github?: Scene['github'] } = {};
  // What is waited for while GitHub's last word was no; the engine's own deadlines are real.
  const { clock, waits } = hastyClock(() => play.github?.requests.at(-1)?.status === 403);
  await using scene = await startCase([mendingTurn, { text: 'Mended.' }], {}, clock);
  play.github = scene.github;
  const body = { message: 'You have exceeded a secondary rate limit and have been temporarily blocked from content creation.' };
  scene.github.fail({ method: 'POST', path: /issues\/\d+\/comments$/, status: 403, body, headers });
  const { number, run } = askOnIssue(scene);
  const { outputs } = await run;
  expect(outputs).toMatchObject({ conclusion: 'success', error: '' });
  expect(onlyReply(scene, number)).toContain('Mended.');
  expect(waits.filter((wait) => wait >= waitMs && wait < waitMs + 30_000)).toHaveLength(1);
  const made = scene.github.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/comments'));
  // After more than a minute the reply is a comment of its own, and the progress goes.
  expect(made.map(({ status }) => status)).toEqual([403, 201, ...(waitMs < 60_000 ? [] : [201])]);
});

test('G1-32: a pull request by the workflow’s own token says that checks do not start, and how to start them', async () => {
  await using scene = await startCase([mendingTurn, { text: 'Mended.' }]);
  const { run } = askOnIssue(scene);
  await run;
  const [pull] = scene.github.snapshot().pulls;
  expect(pull?.author).toBe('github-actions[bot]');
  expect(pull?.body).toMatch(
    /Checks do not start by themselves .*Close and reopen the pull request to start them, or let harness9 work as a GitHub App/,
  );
});

test('G1-38: nothing of a diff, a file’s name or a command’s output gets out of its block', async () => {
  // A line that a diff leaves as it is begins with a space, and such a fence ends a block as well as any.
  const readme = '# Shop\n\n```js\nrun()\n```\n\n````\nfour\n````\n</details>\n<b>bold</b>\n@octocat\n';
  const edit = { path: 'README.md', old_string: 'four', new_string: 'five' };
  await using scene = await startCase(
    [
      { calls: [{ name: 'edit_file', arguments: edit }] },
      { calls: [{ name: 'write_file', arguments: { path: 'a`b</details>.md', content: '```\n' } }] },
      { calls: [{ name: 'bash', arguments: { command: "printf '</details>\\n```\\n# Loud\\n'" } }] },
      { text: 'Wrote it.' },
    ],
    { files: { ...shopFiles, 'README.md': readme } },
  );
  const { number, run } = askOnIssue(scene, '@harness9 write it', { permissions: { contents: 'read', issues: 'write' } });
  expect((await run).outputs.conclusion).toBe('success');
  const reply = onlyReply(scene, number);
  const { children } = fromMarkdown(reply, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const code = children.flatMap((node) => (node.type === 'code' ? [node.value] : []));
  // The diff, and the line that applies it.
  expect(code).toEqual([expect.stringContaining('+five'), expect.stringMatching(/\| git .*apply$/)]);
  for (const line of [' ````', '-four', '+five', ' ````', ' </details>']) expect(code[0]?.split('\n')).toContain(line);
  expect(code[0]).toContain('+```');
  expect(children.filter(({ type }) => type === 'heading')).toEqual([]);
  const html = children.flatMap((node) => (node.type === 'html' ? [node.value] : []));
  expect(html.join('\n')).not.toMatch(/<b>|octocat/);
  expect(html.filter((value) => value.startsWith('<details>')).length).toBe(
    html.filter((value) => value === '</details>').length,
  );
});

test.each([['words'], ['nothing']] as const)(
  'G1-41: an issue, a pull request and a line of its diff each get one reply when the model ends with %s',
  async (end) => {
    const last = end === 'words' ? 'It sums prices.' : '';
    // Whoever says nothing is asked again before it is believed.
    await using scene = await startCase(Array.from({ length: 20 }, () => ({ text: last })));
    const { github } = scene;
    const issue = github.openIssue({ author: 'wendy', title: 'A question' }).number;
    const pull = await github.openPull({ author: 'wendy', head: 'feature', title: 'A note', files: { 'NOTE.md': 'hello\n' } });
    await conversationOn(scene, issue)('wendy', '@harness9 what does it do?');
    await conversationOn(scene, pull.number)('wendy', '@harness9 what does it do?');
    const draft = { author: 'wendy', pull: pull.number, body: '@harness9 why this line?', path: 'NOTE.md', line: 1 };
    const comment = await github.reviewComment(draft);
    const result = await scene.run({
      event: 'pull_request_review_comment',
      refs: { pull: pull.number, comment: comment.id },
      actor: 'wendy',
    });
    expect(result.outputs.triggered).toBe('true');
    const { comments, reviewComments } = github.snapshot();
    const ours = [...comments, ...reviewComments].filter(({ author }) => author === 'github-actions[bot]');
    expect(ours).toHaveLength(3);
    for (const { body } of ours) {
      expect(body.replace(/<!--.*?-->/g, '').trim()).not.toBe('');
      expect(body).not.toContain('is working on it');
      expect(body).toContain(end === 'words' ? last : 'without an answer');
    }
    expect(branchesOf(scene)).toEqual(['feature', 'main']);
  },
);

test('G1-42: a question leaves no branch, no pull request, no comparison and no diff', async () => {
  await using scene = await startCase([{ text: 'It sums prices.' }]);
  scene.github.fail({ path: /\/compare\//, status: 404, times: 99 });
  const { number, run } = askOnIssue(scene, '@harness9 what does total() do?');
  expect((await run).outputs).toMatchObject({
    conclusion: 'no_changes',
    branch_name: '',
    pull_request_operation: 'none',
    error: '',
  });
  expect([branchesOf(scene), scene.github.snapshot().pulls]).toEqual([['main'], []]);
  expect(scene.github.requests.filter(({ path }) => /\/compare\/|\/git\/(blobs|trees|commits)$/.test(path))).toEqual([]);
  expect(onlyReply(scene, number)).not.toMatch(/```|diff/);
});
