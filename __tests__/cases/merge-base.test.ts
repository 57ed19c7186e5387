// Conflicts with the base, resolved when asked: the whole Action on a pull request that GitHub cannot merge, and what is left in the end.
import { expect, jest, test } from '@jest/globals';
import { conversationOn } from '../e2e/scene.ts';
import { startCase } from './in-process.ts';
import { onlyReply, restAs } from './seen.ts';

// A machine that does more than this must not fail a case.
jest.setTimeout(60_000);

test('a pull request that conflicts with its base can be merged after it was asked for, by one commit with both as parents', async () => {
  const resolve = { calls: [{ name: 'write_file', arguments: { path: 'NOTE.md', content: 'hello from both\n' } }] };
  await using scene = await startCase([resolve, { text: 'Both greetings are kept.' }]);
  const { github } = scene;
  await github.pushCommit({ branch: 'main', files: { 'NOTE.md': 'hello\n' }, message: 'a note' });
  const pull = await github.openPull({
    author: 'wendy',
    head: 'greet',
    title: 'Greet',
    files: { 'NOTE.md': 'hello from here\n' },
  });
  const base = await github.pushCommit({
    branch: 'main',
    files: { 'NOTE.md': 'hello from there\n', '.github/workflows/other.yml': 'on: push\n' },
    message: 'meanwhile',
  });
  const head = await github.git('rev-parse', 'refs/heads/greet');
  const isMergeable = async () =>
    JSON.parse(JSON.stringify(await restAs(scene, 'wendy', ['GET', `pulls/${pull.number}`]))).mergeable;
  expect(await isMergeable()).toBe(false);
  const { outputs, exitCode } = await conversationOn(scene, pull.number)('wendy', '@harness9 resolve the conflicts with main');
  expect([exitCode, outputs.conclusion, outputs.branch_name]).toEqual([0, 'success', 'greet']);
  const { all } = scene.sent(0);
  expect(all).toContain('The base branch main is merged into these files already');
  expect(all).toMatch(/- NOTE\.md: Merge conflict in NOTE\.md \[marks\]/);
  expect(await github.git('log', '-1', '--format=%P', 'refs/heads/greet')).toBe(`${head} ${base}`);
  expect(await github.git('show', 'refs/heads/greet:NOTE.md')).toBe('hello from both');
  // What the base alone changed has come along as it is, protected or not.
  expect(await github.git('diff', '--name-only', base, 'refs/heads/greet')).toBe('NOTE.md');
  expect(await isMergeable()).toBe(true);
  expect(onlyReply(scene, pull.number)).toContain(
    `Merged \`main\` (${base.slice(0, 7)}) into this branch; resolved: \`NOTE.md\`.`,
  );
});
