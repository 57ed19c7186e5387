// G1 of the reported failures, who and what starts a run: one test a case, the real phases on the simulated GitHub, the final state asserted.
import { expect, jest, test } from '@jest/globals';
import { conversationOn, type Scene } from '../e2e/scene.ts';
import { startCase } from './in-process.ts';
import { branchesOf, onlyReply } from './seen.ts';

// A machine that does more than this must not fail a case.
jest.setTimeout(60_000);

/** Nothing was started, nothing was asked of GitHub, nothing stands anywhere, and the log says why. */
async function expectNoRun(scene: Scene, issue: number, body: string): Promise<void> {
  const before = scene.github.requests.filter(({ kind }) => kind === 'rest').length;
  const result = await conversationOn(scene, issue)('wendy', body);
  expect([body, result.exitCode, result.outputs.triggered, result.outputs.conclusion]).toEqual([body, 0, 'false', 'skipped']);
  expect(result.log).toMatch(/^\[gate\] skipped: no_mention: .{10}/m);
  expect(scene.github.requests.filter(({ kind }) => kind === 'rest')).toHaveLength(before);
  expect([scene.replies(issue), branchesOf(scene), scene.model.requests]).toEqual([[], ['main'], []]);
}

/** What the first request says is asked for. */
function orderOf(scene: Scene): string {
  return JSON.stringify(scene.sent(0).messages.at(-1)?.content);
}

test('G1-01: a longer handle and quoted text start nothing; beside a quoted mention a real one counts once, without the quote', async () => {
  await using scene = await startCase([{ text: 'Looked at it.' }]);
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  const bodies = [
    'see @harness9devs for news',
    '@harness9-bot is another one',
    '> @harness9 fix this\n\nI agree with the above.',
    '> > @harness9 fix this\n> agreed\n\nMe too.',
    '<!-- @harness9 fix this -->\nA hidden one.',
    'On Monday wendy wrote:\n> @harness9 fix this',
  ];
  for (const body of bodies) await expectNoRun(scene, number, body);

  const result = await conversationOn(scene, number)('wendy', '> @harness9 delete everything\n\nNo. @harness9 explain the total');
  expect(result.outputs).toMatchObject({ triggered: 'true', conclusion: 'no_changes' });
  expect(onlyReply(scene, number)).toContain('Looked at it.');
  expect(orderOf(scene)).toContain('explain the total');
  expect(orderOf(scene)).not.toContain('delete everything');
  expect(scene.model.requests).toHaveLength(1);
});

test('G1-02: a mention in code starts nothing; the same text outside does, with its own code as it was written', async () => {
  await using scene = await startCase([{ text: 'Looked at it.' }]);
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'How do I call it?' });
  const bodies = [
    '```\n@harness9 do x\n```',
    'use `@harness9` to call it',
    '~~~\n@harness9 do x\n~~~',
    'Like so:\n```sh\n@harness9 do x\nand it goes on',
    'Like so:\n\n    @harness9 do x\n',
    '- in a list\n  ```\n  @harness9 do x\n  ```',
    'use ``a ` @harness9 b`` to call it',
  ];
  for (const body of bodies) await expectNoRun(scene, number, body);

  const code = '```js\nconst x = "`@harness9`";\n```';
  await conversationOn(scene, number)('wendy', `@harness9 what does this do?\n\n${code}`);
  expect(onlyReply(scene, number)).toContain('Looked at it.');
  expect(orderOf(scene)).toContain(JSON.stringify(code).slice(1, -1).replaceAll('\\', '\\'));
});

test('G1-03: punctuation and case do not hide a mention; addresses and paths are none, and the log says so', async () => {
  const bodies = [
    '(@harness9) check this',
    '"@harness9 check this"',
    'cc:@harness9',
    '@HARNESS9 check',
    '@harness9: check',
    '@harness9, check',
    '请@harness9 检查',
  ];
  await using scene = await startCase(bodies.map((_body, index) => ({ text: `Answer ${index}.` })));
  const quiet = scene.github.openIssue({ author: 'wendy', title: 'Quiet' }).number;
  for (const body of ['mail me at user@harness9.example', 'path/@harness9/pkg', 'npm i @harness9/pkg']) {
    await expectNoRun(scene, quiet, body);
  }
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'Loud' });
  for (const [index, body] of bodies.entries()) {
    const { outputs } = await conversationOn(scene, number)('wendy', body);
    expect([body, outputs.conclusion]).toEqual([body, 'no_changes']);
    expect(scene.replies(number)).toHaveLength(index + 1);
    expect(scene.replies(number).at(-1)).toContain(`Answer ${index}.`);
  }
});

test('G1-05: accounts that are gone are ghosts in the context; a request by one is nobody’s', async () => {
  await using scene = await startCase([{ text: 'Looked at it.' }]);
  const { github } = scene;
  const pull = await github.openPull({
    author: 'gone-author',
    head: 'feature',
    title: 'A note',
    files: { 'NOTE.md': 'hello\n' },
  });
  github.comment({ author: 'wendy', issue: pull.number, body: 'The first one.' });
  github.comment({ author: 'gone-friend', issue: pull.number, body: 'The second one, by nobody.' });
  github.review({ author: 'gone-friend', pull: pull.number, body: 'A review, by nobody.', state: 'COMMENTED' });
  for (const login of ['gone-author', 'gone-friend']) github.deleteUser(login);

  const result = await conversationOn(scene, pull.number)('wendy', '@harness9 sum this up');
  expect(result.outputs).toMatchObject({ conclusion: 'no_changes', trust: 'mixed', error: '' });
  expect(onlyReply(scene, pull.number)).toContain('Looked at it.');
  for (const text of ['ghost', 'The second one, by nobody.', 'A review, by nobody.']) expect(scene.sent(0).all).toContain(text);

  const comment = github.comment({ author: 'gone-asker', issue: pull.number, body: '@harness9 sum this up' });
  github.deleteUser('gone-asker');
  const payload = github.payload('issue_comment', { comment: comment.id });
  for (const [sender, reason] of [
    // GitHub names the account `ghost`, or nobody.
    [payload.sender, /^permission_unknown: .*ghost/],
    [null, /^requester_unknown: .*gone/],
  ] as const) {
    const refused = await scene.run({ event: 'issue_comment', payload: { ...payload, sender }, actor: 'gone-asker' });
    expect([refused.exitCode, refused.outputs.conclusion]).toEqual([0, 'denied']);
    expect(refused.outputs.skip_reason).toMatch(reason);
  }
  expect([scene.replies(pull.number).length, scene.model.requests.length]).toEqual([1, 1]);
});

test('G1-06: an app whose login is no user is judged by the list, before GitHub is asked; not listed it is refused in plain words', async () => {
  await using scene = await startCase([{ text: 'Looked at it.' }]);
  const { github } = scene;
  github.addUser('Copilot', { type: 'Bot' });
  const { number } = github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  const ask = (wish: { readonly allowed_bots?: string; readonly allowed_users?: string }) =>
    conversationOn(scene, number)('Copilot', '@harness9 look', { inputs: wish });

  const refused = await ask({});
  expect([refused.exitCode, refused.outputs.conclusion, refused.outputs.skip_reason]).toEqual([
    0,
    'denied',
    'bot: Copilot is a Bot and not listed in allowed_bots',
  ]);
  // A list of people is no list of bots.
  expect((await ask({ allowed_users: 'Copilot' })).outputs.conclusion).toBe('denied');
  expect([scene.replies(number), scene.model.requests]).toEqual([[], []]);
  expect(github.requests.filter(({ kind }) => kind === 'rest')).toEqual([]);

  expect((await ask({ allowed_bots: 'Copilot' })).outputs.conclusion).toBe('no_changes');
  expect(onlyReply(scene, number)).toContain('Looked at it.');

  // One that says it is a user, and of which GitHub knows none: no access, and no crash.
  const body = { message: 'Ghostwriter is not a user' };
  github.fail({ path: /collaborators\/ghostwriter\/permission/, status: 404, body, times: 9 });
  const unknown = await conversationOn(scene, number)('ghostwriter', '@harness9 look');
  expect([unknown.exitCode, unknown.outputs.conclusion, unknown.outputs.skip_reason]).toEqual([
    0,
    'denied',
    expect.stringContaining('GitHub knows no user ghostwriter here (404)'),
  ]);
  expect(scene.replies(number)).toHaveLength(1);
});
