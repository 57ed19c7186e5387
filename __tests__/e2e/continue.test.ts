// End to end on dist: a later request on an issue goes on with the pull request that is open for it.
import { expect, test } from '@jest/globals';
import { conversationOn, mendingTurn, startScene } from './scene.ts';

test('continue works on the open pull request and finishes it', async () => {
  await using scene = await startScene([
    mendingTurn,
    { text: 'The total adds up; the list is left.' },
    { calls: [{ name: 'read_file', arguments: { path: 'src/total.js' } }] },
    { calls: [{ name: 'write_file', arguments: { path: 'CHANGES.md', content: '# Changes\n' } }] },
    { text: 'The list of changes is there as well.' },
  ]);
  const { github } = scene;
  const issue = github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  const ask = conversationOn(scene, issue.number);
  const first = await ask('wendy', '@harness9 fix it and begin a list of changes', { inputs: { max_turns: '2' } });
  expect(first.outputs).toMatchObject({ conclusion: 'max_turns', pull_request_number: '2', pull_request_operation: 'created' });
  expect(github.snapshot().pulls[0]?.body).toContain('**Not finished**');

  const second = await ask('wendy', '@harness9 continue');
  expect(second.outputs).toMatchObject({
    conclusion: 'success',
    pull_request_number: '2',
    pull_request_operation: 'updated',
    branch_name: first.outputs.branch_name,
    session_resumed: 'true',
  });
  const { pulls } = github.snapshot();
  expect(pulls).toHaveLength(1);
  expect(pulls[0]?.title).toBe('Total is wrong');
  expect(pulls[0]?.body).toContain('The list of changes is there as well.');
  expect(pulls[0]?.body).toContain(`Closes #${issue.number}`);
  expect(pulls[0]?.body).not.toContain('Not finished');
  expect(await github.git('diff', '--name-only', `main...${pulls[0]?.head}`)).toBe('CHANGES.md\nsrc/total.js');
  expect(scene.sent(2).all).toContain('The files are those of pull request #2');
  // The workspace holds what the conversation says.
  expect(scene.sent(3).all).toContain('sum + price');
  expect(scene.replies(issue.number).at(-1)).toContain('· #2 ·');
  expect(scene.contractProblems()).toEqual([]);
}, 180_000);
