// End to end on dist: conflicts with the base are resolved, and the pull request can be merged.
import { expect, test } from '@jest/globals';
import { conversationOn, startScene } from './scene.ts';

test('a shallow checkout of the base becomes the merge of a pull request that conflicts with it, pushed as one commit', async () => {
  const resolve = {
    calls: [
      {
        name: 'edit_file',
        arguments: {
          path: 'NOTE.md',
          old_string: '<<<<<<< HEAD\nhello from here\n=======\nhello from there\n>>>>>>> refs/heads/main\n',
          new_string: 'hello from both\n',
        },
      },
    ],
  };
  await using scene = await startScene([resolve, { text: 'Both greetings are kept.' }]);
  const { github } = scene;
  await github.pushCommit({ branch: 'main', files: { 'NOTE.md': 'hello\n' }, message: 'a note' });
  const files = { 'NOTE.md': 'hello from here\n', 'HERE.md': 'here\n' };
  const { number } = await github.openPull({ author: 'wendy', head: 'greet', title: 'Greet', files });
  const brought = { 'NOTE.md': 'hello from there\n', '.github/workflows/other.yml': 'on: push\n' };
  const base = await github.pushCommit({ branch: 'main', files: brought, message: 'meanwhile' });
  const head = await github.git('rev-parse', 'refs/heads/greet');
  const inputs = { verify_command: '! grep -q "<<<<<<<" NOTE.md && test -f HERE.md && test -f .github/workflows/other.yml' };
  const { outputs, exitCode } = await conversationOn(scene, number)('wendy', '@harness9 resolve the conflicts', { inputs });
  expect([exitCode, outputs.conclusion, outputs.branch_name]).toEqual([0, 'success', 'greet']);
  expect(await github.git('log', '-1', '--format=%P', 'refs/heads/greet')).toBe(`${head} ${base}`);
  expect(await github.git('show', 'refs/heads/greet:NOTE.md')).toBe('hello from both');
  expect(await github.git('diff', '--name-only', base, 'refs/heads/greet')).toBe('HERE.md\nNOTE.md');
  const said = `Merged \`main\` (${base.slice(0, 7)}) into this branch; resolved: \`NOTE.md\`.`;
  expect(scene.replies(number).at(-1)).toContain(said);
  expect(scene.replies(number).at(-1)).toContain('(verify_command) passed.');
  expect(scene.contractProblems()).toEqual([]);
}, 180_000);
