// G1 of the reported failures, where a conversation is kept: one test a case, the final state asserted.
import { expect, jest, test } from '@jest/globals';
import { conversationOn, type RunWish, type Scene } from '../e2e/scene.ts';
import { startCase } from './in-process.ts';
import { onlyReply } from './seen.ts';

// A machine that does more than this must not fail a case.
jest.setTimeout(60_000);

const kept = { inputs: { session: 'auto' } };
const createArtifact = /ArtifactService\/CreateArtifact$/;

function artifactsOf({ github }: Scene): readonly string[] {
  return github.snapshot().artifacts.map(({ name }) => name);
}

test.each([
  ['once', 1, ['harness9-session-issue-1-2'], 'true'],
  // Two uploads that were cut in one run: the answer is whole; the next run looks one name beyond the last, not two.
  ['twice', 2, ['harness9-session-issue-1-3'], 'false'],
  ['for ever', 99, [], 'false'],
] as const)('G1-17: a name that is taken %s costs no run its answer', async (_name, times, expected, resumed) => {
  await using scene = await startCase([{ text: 'The sign is wrong.' }, { text: 'As I said.' }]);
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  const body = { code: 'already_exists', msg: 'an artifact with this name already exists on the workflow run' };
  scene.github.fail({ path: createArtifact, status: 409, body, times });
  const ask = conversationOn(scene, number);
  const first = await ask('wendy', '@harness9 why is it wrong?', { ...kept, options: { runAttempt: 2 } });
  expect([first.exitCode, first.outputs.conclusion, artifactsOf(scene)]).toEqual([0, 'no_changes', expected]);
  expect(onlyReply(scene, number)).toContain('The sign is wrong.');
  const told =
    onlyReply(scene, number).split('The session could not be saved, so the next run will not remember this one').length - 1;
  expect(told).toBe(expected.length === 0 ? 1 : 0);
  // Looked up by the same rule.
  const second = await ask('wendy', '@harness9 say that again', kept);
  expect([second.outputs.conclusion, second.outputs.session_resumed]).toEqual(['no_changes', resumed]);
});

test('G1-18: whatever the branch is called, its artifact’s name is one that is taken, and found again', async () => {
  await using scene = await startCase([{ text: 'First.' }, { text: 'Second.' }, { text: 'Other.' }]);
  const dispatch = (ref: string): Promise<{ readonly outputs: Readonly<Record<string, string>> }> => {
    const wish: RunWish = {
      event: 'workflow_dispatch',
      refs: { sender: 'wendy', ref: 'refs/heads/main' },
      actor: 'wendy',
      inputs: { session: 'auto', prompt: 'Look around.' },
      options: { ref },
    };
    return scene.run(wish);
  };
  const odd = 'refs/heads/feature/a:b*c?"<|>\\';
  expect((await dispatch(odd)).outputs).toMatchObject({ conclusion: 'no_changes', session_resumed: 'false' });
  expect((await dispatch(odd)).outputs).toMatchObject({ conclusion: 'no_changes', session_resumed: 'true' });
  expect((await dispatch('refs/heads/feature/a')).outputs.session_resumed).toBe('false');
  const names = artifactsOf(scene);
  expect(names).toHaveLength(3);
  for (const name of names) expect(name).toMatch(/^harness9-session-[\w.-]+$/);
  expect(new Set(names).size).toBe(2);
});

test('G1-20: where the server has no artifact service the run is whole, with one warning and no stack trace', async () => {
  await using scene = await startCase([{ text: 'The sign is wrong.' }]);
  const { github } = scene;
  const { number } = github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  const { apiUrl, graphqlUrl, resultsUrl, owner, repo, repositoryId } = github;
  const enterprise = { apiUrl, graphqlUrl, resultsUrl, owner, repo, repositoryId, serverUrl: 'https://ghe.example.com' };
  const secrets = { token: github.issueToken('github-actions[bot]'), runtimeToken: 'unused' };
  const result = await conversationOn(scene, number)('wendy', '@harness9 why is it wrong?', {
    ...kept,
    options: { github: { ...enterprise, ...secrets } },
  });
  expect([result.exitCode, result.outputs.conclusion, artifactsOf(scene)]).toEqual([0, 'no_changes', []]);
  const reply = onlyReply(scene, number);
  expect(reply).toContain('The sign is wrong.');
  expect(reply).toContain('https://ghe.example.com/octo-org/shop/actions/runs/');
  expect(reply.match(/no artifact service/g)).toHaveLength(1);
  expect(reply + result.log + result.summary).not.toMatch(/\n\s+at .*:\d+:\d+|GHESNotSupportedError/);
});
