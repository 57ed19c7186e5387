// The inputs that decide what a pull request is called, what is on it, and what may be in it; and the run that writes nothing.
import { expect } from '@jest/globals';
import { mention } from '../mention.ts';
import { mendingTurn, startScene } from '../scene.ts';
import type { InputCase } from './input-case.ts';

const answer = { text: 'Fixed the sum in `total()`.' };

export const pullCases: readonly InputCase[] = [
  {
    input: 'pr_title',
    shows: 'is the template of the title, and without one it is what the agent says it did',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer, mendingTurn, answer]);
      await mention(scene);
      const { issue } = await mention(scene, { inputs: { pr_title: '[bot] {{title}} ({{kind}} {{number}})' } });
      expect(scene.github.snapshot().pulls.map(({ title }) => title)).toEqual([
        'Fixed the sum in `total()`',
        `[bot] Fixed the sum in \`total()\` (issue ${issue})`,
      ]);
    },
  },
  {
    input: 'pr_title',
    shows: 'with a placeholder that there is not is refused by name, before anything is posted',
    check: async () => {
      await using scene = await startScene([]);
      const { result } = await mention(scene, { inputs: { pr_title: '{{titel}}', commit_message: '{{sha}}' } });
      expect(result.exitCode).toBe(1);
      expect(result.outputs.error).toBe(
        'input `pr_title`: "{{titel}}", expected only {{title}}, {{kind}}, {{number}} in braces; input `commit_message`: "{{sha}}", expected only {{title}}, {{kind}}, {{number}} in braces',
      );
      expect(scene.writes()).toEqual([]);
    },
  },
  {
    input: 'commit_message',
    shows: 'is the template of the commit’s message, over our trailers',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer]);
      const { result } = await mention(scene, { inputs: { commit_message: 'fix: {{title}}' } });
      const message = await scene.github.git('log', '-1', '--format=%B', result.outputs.branch_name ?? '');
      expect(message).toMatch(/^fix: Fixed the sum in `total\(\)`\n\nRequested-by: \w+\nHarness9-run: /);
    },
  },
  ...(['pr_labels', 'pr_reviewers', 'pr_assignees'] as const).map(
    (input): InputCase => ({
      input,
      shows: 'are set on what is opened; whom GitHub does not take is a warning',
      check: async () => {
        await using scene = await startScene([mendingTurn, answer]);
        scene.github.addUser('rita', { permission: 'write' });
        const wishes = { pr_labels: 'robot, ci', pr_reviewers: 'rita, nobody', pr_assignees: 'rita, nobody' };
        const { result } = await mention(scene, { inputs: { [input]: wishes[input] } });
        const { labels, requestedReviewers, assignees } = scene.github.snapshot().pulls[0] ?? {};
        const set = { pr_labels: labels, pr_reviewers: requestedReviewers, pr_assignees: assignees };
        const expected = { pr_labels: ['robot', 'ci'], pr_reviewers: ['rita'], pr_assignees: ['rita'] };
        expect(set).toEqual({ pr_labels: [], pr_reviewers: [], pr_assignees: [], [input]: expected[input] });
        expect(result.stdout.includes('Not set as')).toBe(input !== 'pr_labels');
        expect(result.outputs.conclusion).toBe('success');
      },
    }),
  ),
  {
    input: 'allowed_paths',
    shows: 'are the only ones that are published; the rest is shown with its diff',
    check: async () => {
      const note = { name: 'write_file', arguments: { path: 'NOTES.md', content: 'a note\n' } };
      await using scene = await startScene([mendingTurn, { calls: [note] }, answer]);
      const { issue, result } = await mention(scene, { inputs: { allowed_paths: 'src/' } });
      const files = await scene.github.git('diff', '--name-only', 'main', result.outputs.branch_name ?? '');
      expect(files.trim()).toBe('src/total.js');
      expect(scene.replies(issue)[0]).toContain('**Not published:** `NOTES.md`');
      expect(scene.replies(issue)[0]).toContain('+a note');
    },
  },
  {
    input: 'include_diff',
    shows: '`always` has the diff in the reply, too',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer, mendingTurn, answer]);
      const auto = await mention(scene);
      const always = await mention(scene, { inputs: { include_diff: 'always' } });
      expect(scene.replies(auto.issue)[0]).not.toContain('sum + price');
      expect(scene.replies(always.issue)[0]).toContain('sum + price');
    },
  },
  {
    input: 'dry_run',
    shows: 'writes nothing, and the summary has the reply, the pull request and the diff',
    check: async () => {
      await using scene = await startScene([mendingTurn, answer]);
      const { result } = await mention(scene, { inputs: { dry_run: 'true' } });
      expect(scene.writes()).toEqual([]);
      expect(scene.exchanges().writes).toEqual([]);
      expect(result.outputs).toMatchObject({ conclusion: 'success', branch_name: '', pull_request_number: '', comment_id: '' });
      for (const part of ['Dry run: nothing was written', 'Fixed the sum in `total()`', 'sum + price', 'Closes #'])
        expect(result.summary).toContain(part);
    },
  },
];
