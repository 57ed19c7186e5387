// End to end on dist: words to a run that is at work, and words that need no model.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { conversationOn, mendingTurn, startScene } from './scene.ts';

test('`stop` ends the run that is at work, what is done is published and the next one goes on with it', async () => {
  await using scene = await startScene([
    mendingTurn,
    { calls: [{ name: 'bash', arguments: { command: 'sleep 300', timeout_secs: 400 } }] },
    { text: 'All is done now.' },
  ]);
  const { github } = scene;
  const issue = github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  const ask = conversationOn(scene, issue.number);
  const running = ask('wendy', '@harness9 fix it and wait');
  while (scene.model.requests.length < 2) await delay(50);
  const stop = github.comment({ author: 'wendy', issue: issue.number, body: '@harness9 stop' });
  const status = github.comment({ author: 'rita', issue: issue.number, body: '@harness9 status' });
  const first = await running;
  expect(first.outputs).toMatchObject({ conclusion: 'cancelled', pull_request_operation: 'created', files_changed: '1' });
  expect(first.outputs.session_artifact_id).not.toBe('');
  const [heard, reply, ...others] = scene.replies(issue.number);
  expect(others).toEqual([]);
  expect([heard, reply].sort()).toEqual([
    expect.stringMatching(
      /^\*\*Stopped by wendy\.\*\* What is done so far is in #2\. The conversation is kept\. To go on, reply `@harness9 continue`\./,
    ),
    'Stopping. What is done so far comes with the answer to the request that is worked on.',
  ]);
  // Their own runs come when this one is over.
  const queued = await scene.run({ event: 'issue_comment', refs: { issue: issue.number, comment: stop.id }, actor: 'wendy' });
  expect(queued.outputs).toMatchObject({ triggered: 'false', skip_reason: expect.stringContaining('answered') });
  const nobody = await scene.run({ event: 'issue_comment', refs: { issue: issue.number, comment: status.id }, actor: 'rita' });
  expect(nobody.outputs).toMatchObject({ triggered: 'false', conclusion: 'denied' });
  const second = await ask('wendy', '@harness9 continue');
  expect(second.outputs).toMatchObject({ session_resumed: 'true', conclusion: 'no_changes' });
  expect(Object.values(github.snapshot().minimized)).toEqual(['outdated']);
  expect(scene.contractProblems()).toEqual([]);
}, 180_000);

test('`undo` takes the newest commit back without a model and without a key', async () => {
  await using scene = await startScene([mendingTurn, { text: 'The total adds up.' }]);
  const { github } = scene;
  const issue = github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  const ask = conversationOn(scene, issue.number);
  await ask('wendy', '@harness9 fix it');
  const [pull] = github.snapshot().pulls;
  const undone = await ask('wendy', '@harness9 undo', { inputs: { api_key: '' } });
  expect(undone.outputs).toMatchObject({ conclusion: 'success', pull_request_number: '2', branch_name: pull?.head, turns: '0' });
  expect(await github.git('diff', '--stat', 'main', pull?.head ?? '')).toBe('');
  expect(scene.replies(issue.number).at(-1)).toMatch(
    /^Took back \w{7} \(`.+`\): `src\/total\.js` is as before it\.\n\n(?:> .*\n\n)?\*\*Done in \d+ s\*\* · \[run\]\(\S+\) · branch `\S+` · #2$/,
  );
  expect(github.snapshot().pulls[0]?.body).toBe(pull?.body);
  const again = await ask('wendy', '@harness9 undo', { inputs: { api_key: '' } });
  expect(again.outputs).toMatchObject({ conclusion: 'no_changes', commit_sha: '' });
  expect(scene.model.requests).toHaveLength(2);
  expect(scene.contractProblems()).toEqual([]);
}, 180_000);
