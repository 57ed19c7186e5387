// The inputs that decide what of a run's work goes where, and what is said.
import { expect } from '@jest/globals';
import { laterStep } from '../later-step.ts';
import { mention, mentionOn } from '../mention.ts';
import { mendingTurn, type Scene, startScene } from '../scene.ts';
import type { InputCase } from './input-case.ts';

const answer = { text: 'Here is what I did.' };
const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });

function branchesOf(scene: Scene): readonly string[] {
  return Object.keys(scene.github.snapshot().refs)
    .filter((ref) => ref.startsWith('refs/heads/'))
    .map((ref) => ref.slice('refs/heads/'.length))
    .sort();
}

/** Nothing of it is published, and nothing of it is lost: the answer is in the reply, the changes are in the patch file. */
async function expectRefused(
  calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[],
  inputs: Readonly<Record<string, string>>,
  lines: readonly string[],
): Promise<void> {
  await using later = await laterStep();
  await using scene = await startScene([{ calls }, answer]);
  const { issue, result } = await mention(scene, { inputs, options: later.options });
  expect(result.outputs).toMatchObject({ conclusion: 'refused', commit_sha: '', pull_request_operation: 'none' });
  expect(branchesOf(scene)).toEqual(['main']);
  const [input = ''] = Object.keys(inputs);
  expect(scene.replies(issue)).toEqual([expect.stringContaining(`${input} (now ${inputs[input]})`)]);
  expect(scene.replies(issue)[0]).toContain('Here is what I did.');
  const patch = (await later.read(result.outputs.patch_file)).toString();
  for (const line of lines) expect(patch).toContain(line);
}

export const publishCases: readonly InputCase[] = [
  {
    input: 'report_issue',
    shows: 'keeps one issue with the newest report of a schedule, and tells its followers of news only',
    check: async () => {
      await using scene = await startScene([{ text: 'Two flaky tests.' }, { text: 'Two flaky tests.' }, { text: 'None.' }]);
      const inputs = { prompt: 'Look for flaky tests.', report_issue: 'Flaky tests' };
      const night = () => scene.run({ event: 'schedule', refs: { schedule: '17 4 * * 1' }, actor: 'wendy', inputs });
      const first = await night();
      await night();
      expect(scene.github.snapshot().comments).toEqual([]);
      await night();
      const { issues, comments } = scene.github.snapshot();
      expect(issues).toMatchObject([{ title: 'Flaky tests', body: expect.stringMatching(/kind=report .*-->\nNone\.\n/) }]);
      expect(comments.map(({ body }) => body)).toEqual([expect.stringMatching(/-->\nThe report above says something new\.$/)]);
      expect(first.outputs.comment_url).toMatch(/\/issues\/1$/);
      expect(scene.contractProblems()).toEqual([]);
    },
  },
  {
    input: 'base_branch',
    shows: 'is what the work begins from and where the pull request goes',
    check: async () => {
      await using scene = await startScene([
        { calls: [{ name: 'read_file', arguments: { path: 'WHERE.md' } }] },
        mendingTurn,
        answer,
      ]);
      await scene.github.pushCommit({ branch: 'develop', files: { 'WHERE.md': 'on develop\n' }, message: 'where' });
      const { result } = await mention(scene, { inputs: { base_branch: 'develop' } });
      expect(scene.sent(1).all).toContain('on develop');
      expect(scene.github.snapshot().pulls).toMatchObject([{ base: 'develop' }]);
      expect(await scene.github.git('show', `${result.outputs.branch_name}:WHERE.md`)).toBe('on develop');
    },
  },
  {
    input: 'branch_name',
    shows: 'is the template of the branch',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer]);
      const { result } = await mention(scene, { inputs: { branch_name: 'robot/{{slug}}/{{kind}}.{{number}}' } });
      expect(result.outputs.branch_name).toMatch(/^robot\/total-is-wrong\/issue\.1-[0-9a-f]{8}$/);
      expect(branchesOf(scene)).toEqual(['main', result.outputs.branch_name]);
    },
  },
  {
    input: 'create_pr',
    shows: '`draft` is ready where drafts are not offered, `ready` always',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer, mendingTurn, answer]);
      scene.github.configure({ draftsAllowed: false });
      await mention(scene);
      scene.github.configure({ draftsAllowed: true });
      await mention(scene, { inputs: { create_pr: 'ready' } });
      expect(scene.github.snapshot().pulls.map(({ draft }) => draft)).toEqual([false, false]);
    },
  },
  {
    input: 'create_pr',
    shows: '`link` pushes the branch and leaves the pull request to a person, with the link; `none` does not even link',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer, mendingTurn, answer]);
      const link = await mention(scene, { inputs: { create_pr: 'link' } });
      const none = await mention(scene, { inputs: { create_pr: 'none' } });
      const names = [link.result.outputs.branch_name, none.result.outputs.branch_name];
      expect(branchesOf(scene)).toEqual(['main', ...names].sort());
      expect(scene.github.snapshot().pulls).toEqual([]);
      expect(scene.replies(link.issue)[0]).toContain(`/compare/main...${names[0]}`);
      expect(scene.replies(none.issue)[0]).toContain(`branch \`${names[1]}\``);
      expect(scene.replies(none.issue)[0]).not.toContain('/compare/');
    },
  },
  {
    input: 'push_to_pr',
    shows: '`false` stacks a pull request on the head instead of pushing to it',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer]);
      const { github } = scene;
      const pull = await github.openPull({ author: 'wendy', head: 'feature', title: 'A note', files: { 'NOTE.md': 'hello\n' } });
      const headBefore = github.snapshot().refs['refs/heads/feature'];
      scene.passMinute();
      await mentionOn(scene, pull.number, { inputs: { push_to_pr: 'false' } });
      expect(github.snapshot().refs['refs/heads/feature']).toBe(headBefore);
      expect(github.snapshot().pulls).toMatchObject([{ base: 'main' }, { base: 'feature', draft: true }]);
    },
  },
  {
    input: 'protected_paths',
    shows: 'are shown in the reply and not published, beside what is',
    check: async () => {
      const calls = [...mendingTurn.calls, write('NOTES.md', 'hello\n')];
      await using scene = await startScene([{ calls }, answer]);
      const { issue, result } = await mention(scene, { inputs: { protected_paths: 'src/**' } });
      const changed = await scene.github.git('diff', '--name-only', 'main', result.outputs.branch_name ?? '');
      expect(changed).toBe('NOTES.md');
      const [reply] = scene.replies(issue);
      expect(reply).toMatch(/not published.*`src\/total\.js`/i);
      expect(reply).toContain('sum + price');
    },
  },
  {
    input: 'max_patch_files',
    shows: 'that is exceeded publishes nothing; the answer is in the reply, the changes in the patch file',
    check: () =>
      expectRefused([write('a.txt', 'one\n'), write('b.txt', 'two\n')], { max_patch_files: '1' }, [
        '+++ b/a.txt',
        '+one',
        '+++ b/b.txt',
        '+two',
      ]),
  },
  {
    input: 'max_patch_kb',
    shows: 'that is exceeded publishes nothing; the answer is in the reply, the changes in the patch file',
    check: () =>
      expectRefused([write('a.txt', 'abcdefg\n'.repeat(100)), write('b.txt', 'hijklmn\n'.repeat(100))], { max_patch_kb: '1' }, [
        '+abcdefg',
        '+hijklmn',
      ]),
  },
  {
    input: 'max_deletions',
    shows: 'that is exceeded publishes nothing; the answer is in the reply, the changes in the patch file',
    check: () =>
      expectRefused([{ name: 'bash', arguments: { command: 'rm src/total.js' } }], { max_deletions: '0' }, [
        'deleted file mode 100644',
        '--- a/src/total.js',
      ]),
  },
  {
    input: 'comment',
    shows: '`none` tells the thread nothing and publishes all the same',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer]);
      const { issue, result } = await mention(scene, { inputs: { comment: 'none' } });
      expect(result.outputs).toMatchObject({
        conclusion: 'success',
        comment_id: '',
        final_message: 'Here is what I did.',
        pull_request_operation: 'created',
      });
      expect(scene.replies(issue)).toEqual([]);
      expect(scene.writes().filter((name) => name.includes('issues/{issue_number}/comments'))).toEqual([]);
      expect(result.summary).toContain('Here is what I did.');
    },
  },
  {
    input: 'fail_on',
    shows: 'fails the job for a conclusion that it lists, and for no other',
    check: async () => {
      await using scene = await startScene([answer, { status: 401, error: 'no such key' }]);
      const listed = await mention(scene, { inputs: { fail_on: 'no_changes, timeout' } });
      expect([listed.result.outputs.conclusion, listed.result.exitCode]).toEqual(['no_changes', 1]);
      const other = await mention(scene, { inputs: { fail_on: 'no_changes, timeout' } });
      expect([other.result.outputs.conclusion, other.result.exitCode]).toEqual(['error', 0]);
    },
  },
  {
    input: 'github_token',
    shows: 'is who speaks',
    check: async () => {
      await using scene = await startScene([answer]);
      scene.github.addUser('helper[bot]', { permission: 'write' });
      const { issue } = await mention(scene, { inputs: { github_token: scene.github.issueToken('helper[bot]') } });
      const spoken = scene.github.snapshot().comments.filter((comment) => comment.issue === issue);
      expect(spoken.map(({ author }) => author)).toEqual(['wendy', 'helper[bot]']);
      expect(scene.github.requests.filter(({ kind }) => kind === 'rest').map(({ actor }) => actor)).not.toContain(
        'github-actions[bot]',
      );
    },
  },
];
