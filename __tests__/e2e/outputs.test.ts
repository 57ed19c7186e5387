// End to end on dist: the outputs of action.yml as a later step of the job finds them, for every way that a run may end.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { late } from './late.ts';
import { laterStep } from './later-step.ts';
import { mention, mentionOn } from './mention.ts';
import { mendingTurn, startScene } from './scene.ts';

const timeout = 180_000;
const number = expect.stringMatching(/^\d+$/);
const positive = expect.stringMatching(/^[1-9]\d*$/);

async function declaredOutputs(): Promise<readonly string[]> {
  const { outputs } = parse(await readFile(path.join(import.meta.dirname, '../../action.yml'), 'utf8'));
  return Object.keys(outputs).sort();
}

describe('outputs', () => {
  test(
    'of a run that did everything are those of action.yml, with what was left on GitHub and in the files',
    async () => {
      await using later = await laterStep();
      await using scene = await startScene([{ text: 'First.' }, mendingTurn, { text: 'Mended.' }]);
      const { issue } = await mention(scene);
      const { result } = await mentionOn(scene, issue, { options: later.options });
      const { outputs } = result;

      const state = scene.github.snapshot();
      const [pull] = state.pulls;
      const reply = state.comments.findLast(({ author }) => author === 'github-actions[bot]');
      const { serverUrl, owner, repo } = scene.github;
      const page = `${serverUrl}/${owner}/${repo}`;
      expect(outputs).toEqual({
        conclusion: 'success',
        triggered: 'true',
        stop_reason: 'completed',
        error: '',
        final_message: 'Mended.',
        structured_output: '',
        session_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        session_file: expect.stringMatching(/\/session\.json$/),
        execution_file: expect.stringMatching(/\/transcript-[0-9a-f]{8}\.jsonl$/),
        session_resumed: 'true',
        session_artifact_id: String(state.artifacts.at(-1)?.id),
        branch_name: pull?.head,
        commit_sha: pull?.headSha,
        pull_request_number: String(pull?.number),
        pull_request_url: `${page}/pull/${pull?.number}`,
        pull_request_operation: 'created',
        comment_id: String(reply?.id),
        comment_url: `${page}/issues/${issue}#issuecomment-${reply?.id}`,
        patch_file: expect.stringMatching(/\.patch$/),
        files_changed: '1',
        turns: '2',
        input_tokens: positive,
        output_tokens: positive,
        cache_read_tokens: number,
        cost_usd: '',
        duration_ms: positive,
        sandbox: 'process',
        trust: 'trusted',
      });
      // Why nothing was started is the one thing that a run has not.
      expect([...Object.keys(outputs), 'skip_reason'].sort()).toEqual(await declaredOutputs());

      expect((await later.read(outputs.patch_file)).toString()).toBe(
        [
          'diff --git a/src/total.js b/src/total.js',
          '--- a/src/total.js',
          '+++ b/src/total.js',
          '@@ -1,3 +1,3 @@',
          ' export function total(prices) {',
          '-  return prices.reduce((sum, price) => sum - price, 0);',
          '+  return prices.reduce((sum, price) => sum + price, 0);',
          ' }',
          '',
        ].join('\n'),
      );
      const session = JSON.parse((await later.read(outputs.session_file)).toString());
      expect(session).toMatchObject({ version: 1, id: outputs.session_id, threadKey: `issue-${issue}`, trust: 'trusted' });
      expect(JSON.stringify(session.records)).toContain('Mended.');
    },
    timeout,
  );

  test(
    'of a skip say why',
    async () => {
      await using scene = await startScene([]);
      const { result } = await mention(scene, { said: 'no handle here' });
      expect(result.outputs).toEqual({
        conclusion: 'skipped',
        triggered: 'false',
        skip_reason: expect.stringMatching(/^no_mention: ./),
        error: '',
      });
    },
    timeout,
  );

  test(
    'of bad input say which',
    async () => {
      await using scene = await startScene([]);
      const { result } = await mention(scene, { inputs: { max_turns: 'many' } });
      expect(result.outputs).toEqual({
        conclusion: 'error',
        triggered: 'false',
        error: 'input `max_turns`: "many", expected a whole number of at least 0',
      });
    },
    timeout,
  );

  test(
    'of a cancelled run say so',
    async () => {
      const cancel = new AbortController();
      await using scene = await startScene([late(() => cancel.abort())]);
      const { result } = await mention(scene, { options: { cancel: cancel.signal } });
      expect(result.outputs).toMatchObject({
        conclusion: 'cancelled',
        triggered: 'true',
        error: expect.stringContaining('cancelled'),
      });
    },
    timeout,
  );

  test(
    'and replies hold no half of what looks like a key, wherever they cut',
    async () => {
      const token = `ghp_${'aB3'.repeat(12)}`;
      // The list of commands cuts at 120 characters, its folded line at 60, an answer at 48,000.
      const commands = [20, 50, 100].map((before) => `: ${'x'.repeat(before)} ${token}`);
      await using scene = await startScene([
        { calls: commands.map((command) => ({ name: 'bash', arguments: { command } })) },
        { text: `${'word '.repeat(9_590)}${token} ${'more '.repeat(500)}` },
      ]);
      const { issue, result } = await mention(scene);
      const [reply = ''] = scene.replies(issue);
      expect(reply).toContain('3 commands run');
      expect(`${reply}${result.summary}${JSON.stringify(result.outputs)}${result.stderr}`).not.toContain('ghp_');
    },
    timeout,
  );
});
