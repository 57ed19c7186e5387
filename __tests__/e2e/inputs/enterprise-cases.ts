// The inputs for those who run their own app or their own server.
import { expect } from '@jest/globals';
import { mention, mentionOn } from '../mention.ts';
import { mendingTurn, startScene } from '../scene.ts';
import type { InputCase } from './input-case.ts';

const answer = { text: 'Here is what I did.' };

export const enterpriseCases: readonly InputCase[] = [
  {
    input: 'app_id',
    shows: 'has everything written in the app’s name, whose token nobody sees and which is revoked at the end',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer]);
      const { github } = scene;
      const { appId, privateKey } = github.registerApp({ slug: 'fixer' });
      const inputs = { app_id: String(appId), app_private_key: privateKey.replaceAll('\n', '\\n') };
      const { issue, result } = await mention(scene, { inputs });
      expect(result.outputs).toMatchObject({ conclusion: 'success', pull_request_number: '2' });
      const { comments, pulls } = github.snapshot();
      const replies = comments.filter((comment) => comment.issue === issue && comment.author !== 'wendy');
      expect(replies.map(({ author }) => author)).toEqual(['fixer[bot]']);
      expect(pulls.map(({ author }) => author)).toEqual(['fixer[bot]']);
      // Its pull request starts CI: nothing is to be said about that.
      expect(JSON.stringify(pulls)).not.toContain('Checks do not start');
      const made = github.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/access_tokens'));
      const ended = github.requests.filter(({ method, path }) => method === 'DELETE' && path === '/installation/token');
      expect([made.length, ended.map(({ status }) => status)]).toEqual([1, [204]]);
      const token = /ghs_\w+/.exec(JSON.stringify(made[0]?.responseBody))?.[0] ?? 'no token';
      expect(result.commands).toContainEqual(expect.objectContaining({ name: 'add-mask', data: token }));
      expect(result.log + result.summary + JSON.stringify(github.snapshot())).not.toContain(token);
      expect(scene.contractProblems()).toEqual([]);
    },
  },
  {
    input: 'app_private_key',
    shows: 'that does not fit fails the job with what to do, and nothing is said on the thread',
    check: async () => {
      await using scene = await startScene([answer]);
      const { appId } = scene.github.registerApp({ slug: 'fixer' });
      const other = scene.github.registerApp({ slug: 'other' });
      const inputs = { app_id: String(appId), app_private_key: other.privateKey };
      const { issue, result } = await mention(scene, { inputs });
      expect([result.exitCode, result.outputs.conclusion, scene.replies(issue)]).toEqual([1, 'error', []]);
      expect(result.outputs.error).toContain(`GitHub made no token for the app of app_id "${appId}"`);
    },
  },
  {
    input: 'session_store',
    shows: 'keeps the conversation on a branch, from which the next run goes on',
    check: async () => {
      await using scene = await startScene([answer, answer]);
      const inputs = { session_store: 'branch' };
      const { issue, result } = await mention(scene, { inputs });
      const next = await mentionOn(scene, issue, { said: '@harness9 continue', inputs });
      expect([result.outputs.session_resumed, next.result.outputs.session_resumed]).toEqual(['false', 'true']);
      const files = await scene.github.git('ls-tree', '--name-only', 'harness9/sessions');
      expect(files.trim()).toMatch(new RegExp(`^harness9-session-issue-${issue}@\\d+\\.json$`));
      expect(await scene.github.git('rev-list', '--count', 'harness9/sessions')).toMatch(/^1\s*$/);
      expect(scene.exchanges().others.filter((line) => line.includes('Artifact'))).toEqual([]);
      expect(scene.contractProblems()).toEqual([]);
    },
  },
];
