// G1 of the reported failures, pull requests and branches: one test a case, the real phases on the simulated GitHub, the final state asserted.
import { execFileSync } from 'node:child_process';
import { expect, jest, test } from '@jest/globals';
import { conversationOn, mendingTurn, type Scene } from '../e2e/scene.ts';
import { startCase } from './in-process.ts';
import { branchesOf, onlyReply, restAs } from './seen.ts';

// A machine that does more than this must not fail a case.
jest.setTimeout(60_000);

const note = { 'NOTE.md': 'hello\n' };
const greet = {
  calls: [{ name: 'edit_file', arguments: { path: 'NOTE.md', old_string: 'hello', new_string: 'greetings' } }],
};

function fileOn({ github }: Scene, branch: string, file: string): Promise<string> {
  return github.git('show', `refs/heads/${branch}:${file}`);
}

/** What can be taken at a click. */
function suggestedOn({ github }: Scene): readonly string[] {
  return github.snapshot().reviewComments.map(({ body }) => body.slice(body.indexOf('\n') + 1));
}

test('G1-07: a fork’s code is read through the pull ref, and the change is a suggestion, which the reply says', async () => {
  await using scene = await startCase([
    { calls: [{ name: 'read_file', arguments: { path: 'NOTE.md' } }] },
    greet,
    { text: 'I propose greetings.' },
  ]);
  // The head's branch has the name of nothing here; the origin knows `refs/pull/N/head` alone.
  const pull = await scene.github.openPull({ author: 'oscar', head: 'feat/x', fork: 'oscar/shop', title: 'A note', files: note });
  const headBefore = await scene.github.git('rev-parse', `refs/pull/${pull.number}/head`);
  const { outputs, exitCode } = await conversationOn(scene, pull.number)('wendy', '@harness9 greet properly');
  expect([exitCode, outputs.conclusion, outputs.branch_name]).toEqual([0, 'success', '']);
  expect(scene.sent(1).all).toContain('hello');
  const reply = onlyReply(scene, pull.number);
  expect(reply).toContain('I propose greetings.');
  expect(reply).toContain('[suggestions on the diff](');
  expect(suggestedOn(scene)).toEqual(['```suggestion\ngreetings\n```']);
  expect(reply).toMatch(/fork|not pushed/);
  expect(branchesOf(scene)).toEqual(['main']);
  expect(await scene.github.git('rev-parse', `refs/pull/${pull.number}/head`)).toBe(headBefore);
});

test('G1-09: a fork that was deleted is answered like one that nobody may write to', async () => {
  await using scene = await startCase([greet, { text: 'I propose greetings.' }]);
  const { github } = scene;
  const pull = await github.openPull({ author: 'oscar', head: 'patch-1', fork: 'oscar/shop', title: 'A note', files: note });
  // Since 2026 GitHub's description knows the null; the rest is what it answers.
  const body = JSON.parse(JSON.stringify(await restAs(scene, 'wendy', ['GET', `pulls/${pull.number}`])), (key, value) =>
    key === 'head' ? { ...value, repo: null } : value,
  );
  github.fail({ method: 'GET', path: new RegExp(`/pulls/${pull.number}$`), status: 200, body, times: 99 });
  const { outputs, exitCode } = await conversationOn(scene, pull.number)('wendy', '@harness9 greet properly');
  expect([exitCode, outputs.conclusion, outputs.trust, outputs.error]).toEqual([0, 'success', 'untrusted', '']);
  expect(onlyReply(scene, pull.number)).toContain('[suggestions on the diff](');
  expect(suggestedOn(scene)).toEqual(['```suggestion\ngreetings\n```']);
  expect([branchesOf(scene), github.snapshot().pulls.length]).toEqual([['main'], 1]);
});

test('G1-11: whatever the title of an issue, its branch is one that git and GitHub take', async () => {
  // The other titles of the report go through the same function in branch-name.test.ts.
  const titles = [`Fix: can't parse "a..b" — 50% of ~cases? [WIP] *`, '🎉🎉', `日本語のタイトル ${'and more. '.repeat(24)}`];
  await using scene = await startCase(titles.flatMap(() => [mendingTurn, { text: 'Mended.' }]));
  for (const title of titles) {
    const { number } = scene.github.openIssue({ author: 'wendy', title });
    const { outputs } = await conversationOn(scene, number)('wendy', '@harness9 fix it');
    expect([title, outputs.pull_request_operation]).toEqual([title, 'created']);
    const branch = outputs.branch_name ?? '';
    expect(execFileSync('git', ['check-ref-format', '--branch', branch]).toString().trim()).toBe(branch);
    expect(branch).toMatch(new RegExp(`^harness9/issue-${number}-[\\x21-\\x7e]+$`));
    expect(branch.length).toBeLessThanOrEqual(100);
    expect(await fileOn(scene, branch, 'src/total.js')).toContain('sum + price');
  }
  expect(new Set(branchesOf(scene)).size).toBe(titles.length + 1);
});

test('G1-12: a head branch with an unusual but legal name is pushed to; one that looks like an option is not', async () => {
  const legal = ['#8982-bugfix', 'deps/@scope+pkg/été@1700000000'];
  await using scene = await startCase([...legal, 'hostile'].flatMap(() => [greet, { text: 'Greeted.' }]));
  const pullFrom = (head: string) => scene.github.openPull({ author: 'wendy', head, title: 'A note', files: note });
  for (const head of legal) {
    const pull = await pullFrom(head);
    const { outputs } = await conversationOn(scene, pull.number)('wendy', '@harness9 greet properly');
    expect([outputs.conclusion, outputs.branch_name]).toEqual(['success', head]);
    expect(await fileOn(scene, head, 'NOTE.md')).toBe('greetings');
    expect(onlyReply(scene, pull.number)).toContain('Greeted.');
  }
  const pull = await pullFrom('--upload-pack=x');
  const { outputs } = await conversationOn(scene, pull.number)('wendy', '@harness9 greet properly');
  expect([outputs.conclusion, outputs.branch_name]).toEqual(['success', '']);
  expect(await fileOn(scene, '--upload-pack=x', 'NOTE.md')).toBe('hello');
  expect(suggestedOn(scene)).toEqual(['```suggestion\ngreetings\n```']);
  expect(branchesOf(scene)).toEqual([...legal, 'main', '--upload-pack=x'].sort());
});

test('G1-13: where the base branch is gone the work goes on, and what there is to publish is published', async () => {
  await using scene = await startCase([{ text: 'It says hello.' }, greet, { text: 'Greeted.' }]);
  const { github } = scene;
  await github.pushCommit({ branch: 'stack/part-1', files: { 'PART.md': 'one\n' }, message: 'part 1' });
  const pull = await github.openPull({ author: 'wendy', head: 'part-2', base: 'stack/part-1', title: 'A note', files: note });
  await restAs(scene, 'octo-org', ['DELETE', 'git/refs/heads/stack/part-1']);
  const ask = conversationOn(scene, pull.number);
  expect((await ask('wendy', '@harness9 what does it say?')).outputs).toMatchObject({ conclusion: 'no_changes', error: '' });
  expect(onlyReply(scene, pull.number)).toContain('It says hello.');
  const { outputs } = await ask('wendy', '@harness9 greet properly');
  expect(outputs).toMatchObject({ conclusion: 'success', branch_name: 'part-2', error: '' });
  expect(await fileOn(scene, 'part-2', 'NOTE.md')).toBe('greetings');
  expect(branchesOf(scene)).toEqual(['main', 'part-2']);
});

test.each(['merged', 'closed'] as const)(
  'G1-14: on a %s pull request questions are answered, and changes go to a new one from the default branch',
  async (state) => {
    await using scene = await startCase([{ text: 'It says hello.' }, mendingTurn, { text: 'Mended.' }]);
    const { github } = scene;
    const pull = await github.openPull({ author: 'wendy', head: 'old-work', title: 'A note', files: note });
    if (state === 'merged') {
      await github.mergePull(pull.number, 'wendy');
      await restAs(scene, 'octo-org', ['DELETE', 'git/refs/heads/old-work']);
    } else github.closeThread(pull.number, 'wendy');
    const branches = branchesOf(scene);
    const headBefore = github.snapshot().refs['refs/heads/old-work'];
    const ask = conversationOn(scene, pull.number);
    expect((await ask('wendy', '@harness9 what does the note say?')).outputs.conclusion).toBe('no_changes');

    const { outputs } = await ask('wendy', '@harness9 fix the total');
    expect(outputs).toMatchObject({ conclusion: 'success', pull_request_operation: 'created' });
    const made = github.snapshot().pulls.find(({ head }) => head === outputs.branch_name);
    expect(made).toMatchObject({ base: 'main', state: 'open', number: Number(outputs.pull_request_number) });
    expect(await github.git('rev-parse', `${outputs.branch_name}^`)).toBe(github.snapshot().refs['refs/heads/main']);
    expect(branchesOf(scene)).toEqual([...branches, outputs.branch_name].sort());
    expect(github.snapshot().refs['refs/heads/old-work']).toBe(headBefore);
    expect(scene.replies(pull.number)).toHaveLength(2);
    expect(scene.replies(pull.number)[1]).toContain(`#${outputs.pull_request_number}`);
    for (const reply of scene.replies(pull.number))
      expect(reply).toContain('This pull request is not open any more: I worked on `main`');
  },
);
