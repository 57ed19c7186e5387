// The whole Action on an older Enterprise Server: another name, another path, and less than github.com has.
import { expect, jest, test } from '@jest/globals';
import { realPayload } from '../e2e/real-payload.ts';
import { mendingTurn, type RunWish, type Scene } from '../e2e/scene.ts';
import { type EnterpriseServer, startEnterpriseServer } from './enterprise-server.ts';
import { startCase } from './in-process.ts';
import { onlyReply } from './seen.ts';

jest.setTimeout(60_000);

function runOn(
  scene: Scene,
  server: EnterpriseServer,
  wish: Pick<RunWish, 'event' | 'inputs'> & { refs: NonNullable<RunWish['refs']> },
) {
  const { apiUrl, graphqlUrl, serverUrl } = server;
  const payload = server.named(realPayload(wish.event, scene.github.payload(wish.event, wish.refs)));
  return scene.run({ ...wish, payload, actor: 'wendy', apiUrl, graphqlUrl, serverUrl });
}

/** What the Action wrote, which must name no other GitHub than this one. */
function writtenBy({ github }: Scene): string {
  const { comments, pulls } = github.snapshot();
  return JSON.stringify([comments.filter(({ author }) => author === 'github-actions[bot]'), pulls.map(({ body }) => body)]);
}

test('a mention on a long thread becomes a pull request that is ready for review where there are no drafts', async () => {
  await using scene = await startCase([mendingTurn, { text: 'Mended.' }], { draftsAllowed: false });
  await using server = await startEnterpriseServer(scene.github);
  const { number } = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong' });
  for (let n = 1; n <= 101; n += 1) scene.github.comment({ author: 'wendy', issue: number, body: `remark ${n} of many` });
  scene.passMinute();
  const comment = scene.github.comment({ author: 'wendy', issue: number, body: '@harness9 fix it' });
  const result = await runOn(scene, server, { event: 'issue_comment', refs: { issue: number, comment: comment.id } });
  expect([result.exitCode, result.outputs.conclusion, result.outputs.trust]).toEqual([0, 'success', 'trusted']);
  expect(scene.sent(0).all).toContain('remark 101 of many');
  expect(scene.github.snapshot().pulls).toMatchObject([{ draft: false, state: 'open' }]);
  expect(onlyReply(scene, number)).toContain(`${server.serverUrl}/octo-org/shop/actions/runs/`);
  expect(result.outputs.pull_request_url).toMatch(new RegExp(`^${server.serverUrl}/octo-org/shop/pull/\\d+$`));
  expect(writtenBy(scene)).not.toMatch(/github\.localhost|github\.com|ghe-inside/);
  expect([...server.versions]).toEqual([]);
});

test('B6 a pull request there is only read where nobody can tell when its head was pushed, and the reply says how to ask', async () => {
  await using scene = await startCase([{ text: 'Looks fine.' }]);
  await using server = await startEnterpriseServer(scene.github);
  const files = { 'src/more.js': 'export const more = 1;\n' };
  const { number } = await scene.github.openPull({ author: 'wendy', head: 'feature', title: 'More', files });
  scene.passMinute();
  const comment = scene.github.comment({ author: 'wendy', issue: number, body: '@harness9 is it right?' });
  const result = await runOn(scene, server, { event: 'issue_comment', refs: { issue: number, comment: comment.id } });
  expect([result.exitCode, result.outputs.conclusion, result.outputs.trust]).toEqual([0, 'no_changes', 'untrusted']);
  expect(onlyReply(scene, number)).toContain('This server does not tell when it was pushed');
});

test('a review there is trusted, since its event names the head', async () => {
  await using scene = await startCase([mendingTurn, { text: 'Mended.' }]);
  await using server = await startEnterpriseServer(scene.github);
  const files = { 'src/more.js': 'export const more = 1;\n' };
  const { number } = await scene.github.openPull({ author: 'wendy', head: 'feature', title: 'More', files });
  scene.passMinute();
  const review = scene.github.review({ author: 'wendy', pull: number, body: '@harness9 fix the total', state: 'COMMENTED' });
  const result = await runOn(scene, server, { event: 'pull_request_review', refs: { review: review.id } });
  expect([result.exitCode, result.outputs.conclusion, result.outputs.trust]).toEqual([0, 'success', 'trusted']);
  expect(await scene.github.git('show', 'refs/heads/feature:src/total.js')).toContain('sum + price');
  expect(writtenBy(scene)).not.toMatch(/github\.localhost|github\.com|ghe-inside/);
});
