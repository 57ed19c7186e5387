// The inputs that decide who may start a run, by what, and which text the agent sees.
import { expect } from '@jest/globals';
import { mention, mentionOn } from '../mention.ts';
import { type Scene, startScene } from '../scene.ts';
import type { InputCase } from './input-case.ts';

const answer = { text: 'Answered.' };

function expectDenied(scene: Scene, outputs: Readonly<Record<string, string>>, reason: string): void {
  expect(outputs).toMatchObject({ triggered: 'false', skip_reason: expect.stringContaining(reason) });
  expect(scene.writes()).toEqual([]);
  expect(scene.model.requests).toEqual([]);
}

export const gateCases: readonly InputCase[] = [
  {
    input: 'mode',
    shows: 'that is not `auto` is refused by name, and nothing is posted',
    check: async () => {
      await using scene = await startScene([]);
      const { result } = await mention(scene, { inputs: { mode: 'everything' } });
      expect(result.exitCode).toBe(1);
      expect(result.outputs.error).toBe('input `mode`: "everything", expected one of auto');
      expect(scene.exchanges().writes).toEqual([]);
    },
  },
  {
    input: 'prompt',
    shows: 'as text comes before what the comment adds',
    check: async () => {
      await using scene = await startScene([answer]);
      await mention(scene, { said: '@harness9 in French', inputs: { prompt: 'Review the shop.' } });
      expect(scene.sent(0).all).toMatch(/Review the shop\.\\n\\nin French/);
    },
  },
  {
    input: 'prompt',
    shows: 'as ./file is read from the base commit, not from a pull request’s head that is checked out',
    check: async () => {
      await using scene = await startScene([answer]);
      const { github } = scene;
      await github.pushCommit({ branch: 'main', files: { 'task.md': 'The task of the base.\n' }, message: 'task' });
      const files = { 'task.md': 'The task of the head.\n' };
      const pull = await github.openPull({ author: 'wendy', head: 'feature', title: 'A task', files });
      scene.passMinute();
      const { result } = await mentionOn(scene, pull.number, { inputs: { prompt: './task.md' } });
      expect(result.outputs.conclusion).toBe('no_changes');
      const instruction = scene.sent(0).all;
      expect(instruction).toContain('The task of the base.');
      // The head's is in the diff that the agent is shown, and nowhere as the task.
      expect(instruction.split('The task of the head.')).toHaveLength(2);
      expect(instruction).toContain('+The task of the head.');
    },
  },
  {
    input: 'prompt',
    shows: 'as ./../file is refused, and nothing is posted',
    check: async () => {
      await using scene = await startScene([]);
      const { result } = await mention(scene, { inputs: { prompt: './../x' } });
      expect(result.exitCode).toBe(1);
      expect(result.outputs.error).toContain('it leads out of the repository');
      expect(scene.writes()).toEqual([]);
    },
  },
  {
    input: 'trigger_phrase',
    shows: 'is the handle that starts a run and that replies name',
    check: async () => {
      await using scene = await startScene([{ text: 'Not yet.' }]);
      const inputs = { trigger_phrase: '@bot', max_turns: '1' };
      const ours = await mention(scene, { inputs });
      expectDenied(scene, ours.result.outputs, 'no_mention');
      const theirs = await mention(scene, { said: '@bot fix it', inputs });
      expect(theirs.result.outputs.conclusion).toBe('max_turns');
      expect(scene.replies(theirs.issue)).toEqual([expect.stringContaining('`@bot continue`')]);
      expect(scene.replies(theirs.issue)[0]).not.toContain('@harness9');
    },
  },
  {
    input: 'label_trigger',
    shows: 'is the label that starts a run and is taken off',
    check: async () => {
      await using scene = await startScene([answer]);
      const { github } = scene;
      const issue = github.openIssue({ author: 'wendy', title: 'Total is wrong' });
      const label = async (name: string) => {
        github.addLabel({ issue: issue.number, name, by: 'wendy' });
        const refs = { issue: issue.number, action: 'labeled', label: name, sender: 'wendy' };
        return scene.run({ event: 'issues', refs, actor: 'wendy', inputs: { label_trigger: 'robot' } });
      };
      expectDenied(scene, (await label('harness9')).outputs, 'no_task');
      expect((await label('robot')).outputs.conclusion).toBe('no_changes');
      expect(github.snapshot().issues[0]?.labels).toEqual(['harness9']);
      expect(scene.replies(issue.number)).toEqual([expect.stringContaining('Answered.')]);
    },
  },
  {
    input: 'label_trigger',
    shows: 'starts a run on a pull request, too, on its head',
    check: async () => {
      await using scene = await startScene([answer]);
      const { github } = scene;
      const pull = await github.openPull({ author: 'wendy', head: 'feature', title: 'A note', files: { 'NOTE.md': 'hello\n' } });
      scene.passMinute();
      github.addLabel({ issue: pull.number, name: 'robot', by: 'wendy' });
      const refs = { pull: pull.number, label: 'robot', sender: 'wendy' };
      const result = await scene.run({ event: 'pull_request', refs, actor: 'wendy', inputs: { label_trigger: 'robot' } });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes', trust: 'trusted' });
      expect(github.snapshot().pulls[0]?.labels).toEqual([]);
      expect(scene.replies(pull.number)).toEqual([expect.stringContaining('Answered.')]);
    },
  },
  {
    input: 'assignee_trigger',
    shows: 'is the login whose assignment starts a run',
    check: async () => {
      await using scene = await startScene([answer]);
      const { github } = scene;
      github.addUser('robot', { permission: 'write' });
      const issue = github.openIssue({ author: 'wendy', title: 'Total is wrong' });
      const assign = async (login: string) => {
        github.assign({ issue: issue.number, login, by: 'wendy' });
        const refs = { issue: issue.number, action: 'assigned', assignee: login, sender: 'wendy' };
        return scene.run({ event: 'issues', refs, actor: 'wendy', inputs: { assignee_trigger: 'robot' } });
      };
      expectDenied(scene, (await assign('wendy')).outputs, 'no_task');
      expect((await assign('robot')).outputs.conclusion).toBe('no_changes');
      expect(scene.replies(issue.number)).toEqual([expect.stringContaining('Answered.')]);
    },
  },
  {
    input: 'required_permission',
    shows: '`admin` keeps out who may write only',
    check: async () => {
      await using scene = await startScene([answer]);
      const inputs = { required_permission: 'admin' };
      const { issue, result } = await mention(scene, { inputs });
      expectDenied(scene, result.outputs, 'wendy has the permission write, admin is needed');
      const owner = await mentionOn(scene, issue, { actor: scene.github.owner, inputs });
      expect(owner.result.outputs.conclusion).toBe('no_changes');
    },
  },
  {
    input: 'allowed_bots',
    shows: 'lets exactly that bot ask',
    check: async () => {
      await using scene = await startScene([answer]);
      const inputs = { allowed_bots: 'renovate[bot]' };
      const issue = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong' });
      const other = await mentionOn(scene, issue.number, { actor: 'evil[bot]', inputs });
      expectDenied(scene, other.result.outputs, 'evil[bot] is a Bot and not listed in allowed_bots');
      const listed = await mentionOn(scene, issue.number, { actor: 'renovate[bot]', inputs });
      // What a bot writes stays an outsider's text.
      expect(listed.result.outputs).toMatchObject({ conclusion: 'no_changes', trust: 'mixed' });
    },
  },
  {
    input: 'allowed_users',
    shows: 'keeps out a writer who is not listed',
    check: async () => {
      await using scene = await startScene([answer]);
      scene.github.addUser('walter', { permission: 'write' });
      const inputs = { allowed_users: 'walter' };
      const { issue, result } = await mention(scene, { inputs });
      expectDenied(scene, result.outputs, 'wendy is not listed in allowed_users');
      const listed = await mentionOn(scene, issue, { actor: 'walter', inputs });
      expect(listed.result.outputs).toMatchObject({ conclusion: 'no_changes', trust: 'trusted' });
    },
  },
  {
    input: 'allowed_non_write_users',
    shows: 'lets an outsider ask, untrusted: read-only tools, the diff of nobody, a reply',
    check: async () => {
      await using scene = await startScene([answer]);
      const issue = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong' });
      const inputs = { allowed_non_write_users: 'oscar' };
      const { result } = await mentionOn(scene, issue.number, { actor: 'oscar', inputs });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes', trust: 'untrusted' });
      expect(scene.sent(0).tools).not.toMatch(/"name":"(bash|write_file|edit_file)"/);
      expect(scene.sent(0).tools).toContain('"name":"read_file"');
      expect(scene.replies(issue.number)).toEqual([expect.stringContaining('Answered.')]);
      const other = await mentionOn(scene, issue.number, { actor: 'rita', inputs });
      expect(other.result.outputs.skip_reason).toContain('no_permission');
    },
  },
  {
    input: 'context',
    shows: '`writers` leaves outsiders’ text out, so that the run is trusted; `all` shows it, mixed',
    check: async () => {
      await using scene = await startScene([answer, answer]);
      const issue = scene.github.openIssue({ author: 'wendy', title: 'Total is wrong' });
      scene.github.comment({ author: 'oscar', issue: issue.number, body: 'I saw it on a Tuesday.' });
      const writers = await mentionOn(scene, issue.number, { inputs: { context: 'writers' } });
      expect(writers.result.outputs.trust).toBe('trusted');
      expect(scene.sent(0).all).not.toContain('on a Tuesday');
      const all = await mentionOn(scene, issue.number, { inputs: { context: 'all', session: 'off' } });
      expect(all.result.outputs.trust).toBe('mixed');
      expect(scene.sent(1).all).toContain('on a Tuesday');
    },
  },
  {
    input: 'max_runs_per_thread',
    shows: 'is told once when it is reached',
    check: async () => {
      await using scene = await startScene([answer]);
      const inputs = { max_runs_per_thread: '1' };
      const { issue } = await mention(scene, { inputs });
      const second = await mentionOn(scene, issue, { inputs });
      expect(second.result.outputs).toMatchObject({ conclusion: 'denied', triggered: 'false' });
      expect(scene.replies(issue)).toEqual([
        expect.stringContaining('Answered.'),
        expect.stringContaining('max_runs_per_thread is 1'),
      ]);
    },
  },
  {
    input: 'max_fix_attempts',
    shows: 'bounds the attempts at the checks of one pull request: one word when they are spent, and 0 is none at all',
    check: async () => {
      await using scene = await startScene([]);
      const { github } = scene;
      const pull = await github.openPull({ author: 'wendy', head: 'feature', title: 'A note', files: { 'NOTE.md': 'hello\n' } });
      const headSha = await github.git('rev-parse', 'feature');
      const place = { workflowPath: '.github/workflows/ci.yml', event: 'pull_request', headBranch: 'feature', headSha };
      const failed = github.startRun({ ...place, actor: 'wendy' });
      github.finishRun(failed.id, 'failure');
      const earlier = `<!-- harness9:v1 trigger=fix-${pull.number}-0123456789ab kind=reply -->\nMended.`;
      github.comment({ author: 'github-actions[bot]', issue: pull.number, body: earlier });
      scene.passMinute();
      const wish = { event: 'workflow_run', refs: { run: failed.id }, actor: 'wendy' };
      const off = await scene.run({ ...wish, inputs: { max_fix_attempts: '0' } });
      expectDenied(scene, off.outputs, 'fix_limit');
      const spent = await scene.run({ ...wish, inputs: { max_fix_attempts: '1' } });
      expect(spent.outputs).toMatchObject({ conclusion: 'denied', skip_reason: expect.stringContaining('fix_limit') });
      expect(scene.replies(pull.number)).toEqual(['Mended.', expect.stringContaining('there was 1 attempt to mend the checks')]);
      expect(scene.model.requests).toEqual([]);
    },
  },
  {
    input: 'reaction',
    shows: 'is put on the trigger, and `none` puts none',
    check: async () => {
      await using scene = await startScene([answer, answer]);
      const rocket = await mention(scene, { inputs: { reaction: 'rocket' } });
      const none = await mention(scene, { inputs: { reaction: 'none' } });
      const reactionsOn = (id: number) =>
        scene.github
          .snapshot()
          .comments.find((comment) => comment.id === id)
          ?.reactions.map(({ content }) => content);
      expect(reactionsOn(rocket.comment)).toEqual(['rocket', '+1']);
      expect(reactionsOn(none.comment)).toEqual([]);
    },
  },
];
