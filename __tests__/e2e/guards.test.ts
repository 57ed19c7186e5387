// End to end on dist: permission rules, hooks and verify_command, from the workflow or the base branch and never from a pull request's head.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { laterStep } from './later-step.ts';
import { mention, mentionOn } from './mention.ts';
import { mendingTurn, modelKey, shopFiles, startScene } from './scene.ts';

const timeout = 180_000;
const runs = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] });
const edit = (file: string) => ({ calls: [{ name: 'write_file', arguments: { path: file, content: 'mine\n' } }] });

describe('permission rules', () => {
  test(
    '[spec 9 permission control] the model is told the rule; a second command behind a separator is not let through',
    async () => {
      await using scene = await startScene([
        runs('echo hi && git push origin main'),
        runs('node --test; touch pwned'),
        runs('node --test'),
        { text: 'Looked.' },
      ]);
      const { result } = await mention(scene, {
        inputs: { allowed_tools: 'read_file, bash(node --test:*), bash(echo:*)', permission_rules: 'deny bash(git push:*)' },
      });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes', files_changed: '0' });
      expect(scene.sent(0).tools).not.toContain('edit_file');
      expect(scene.sent(1).all).toContain('denied by the rule bash(git push:*) (input `permission_rules`, line 1)');
      expect(scene.sent(2).all).toContain('touch pwned');
      expect(scene.sent(3).all).toContain('tests 1');
    },
    timeout,
  );

  test(
    'an ask denies here, since nobody answers, and its rule is named; the reply says what was denied',
    async () => {
      await using scene = await startScene([
        { calls: [...runs('npm publish').calls, ...runs('git push origin main').calls] },
        { text: 'Not published.' },
      ]);
      const rules = 'ask bash(npm publish:*)\ndeny bash(git push:*)';
      const { issue, result } = await mention(scene, { inputs: { permission_rules: rules } });
      const reply = scene.replies(issue).at(-1);
      expect(reply).toContain('2 calls were denied: bash `npm publish` since the permission rule');
      expect(reply).toContain('bash `git push origin main` by the rule `bash(git push:*)` (input `permission_rules`, line 2)');
      expect(result.stderr).toMatch(/tool=bash id=\S+ state=denied why=by the rule `bash\(git push:\*\)`/);
      expect(scene.sent(1).all).toContain('bash(npm publish:*) (input `permission_rules`, line 1)');
      expect(scene.sent(1).all).toContain('nobody can answer');
    },
    timeout,
  );

  test(
    '[I3] a path is of the base branch: the rules of a pull request’s head are not read',
    async () => {
      await using scene = await startScene([edit('src/new.js'), { text: 'Not allowed.' }], {
        files: { ...shopFiles, '.harness9/rules.txt': 'deny write_file(src/**)\n' },
      });
      const files = { '.harness9/rules.txt': 'allow write_file\n' };
      const pull = await scene.github.openPull({ author: 'wendy', title: 'Loose rules', head: 'loose', files });
      scene.passMinute();
      const { result } = await mentionOn(scene, pull.number, { inputs: { permission_rules: './.harness9/rules.txt' } });
      expect(JSON.stringify(scene.sent(1).messages.at(-1))).toContain('denied by the rule write_file(src/**)');
      expect(result.outputs).toMatchObject({ files_changed: '0' });
    },
    timeout,
  );

  test(
    'rules that are not there end the run before the model is asked',
    async () => {
      await using scene = await startScene([]);
      const { issue, result } = await mention(scene, { inputs: { permission_rules: './rules.txt' } });
      expect(result.outputs).toMatchObject({ conclusion: 'error' });
      expect(scene.replies(issue)[0]).toContain('input `permission_rules`: "./rules.txt"');
      expect(scene.model.requests).toEqual([]);
    },
    timeout,
  );
});

describe('hooks', () => {
  const hooks = [
    'PreToolUse:',
    '  - matcher: bash(git:*)',
    '    script: ./.harness9/no-git.sh',
    'PostToolUse:',
    '  - matcher: bash',
    '    command: echo "checked by the hook" >&2; exit 2',
    'Stop:',
    '  - command: test -f src/note.md || { echo "Write src/note.md first." >&2; exit 2; }',
  ].join('\n');

  test(
    '[spec 9 hooks] a script of the base branch denies, a command adds to a result, the end is sent back',
    async () => {
      await using scene = await startScene(
        [runs('git status'), runs('node --version'), { text: 'Done.' }, edit('src/note.md'), { text: 'Really done.' }],
        { files: { ...shopFiles, '.harness9/no-git.sh': 'echo "No git here." >&2\nexit 2\n' } },
      );
      const { issue, result } = await mention(scene, { inputs: { hooks } });
      expect(scene.sent(1).all).toContain('No git here.');
      expect(scene.sent(2).all).toContain('checked by the hook');
      expect(scene.sent(3).all).toContain('Write src/note.md first.');
      expect(result.outputs).toMatchObject({ conclusion: 'success', files_changed: '1' });
      expect(scene.replies(issue).at(-1)).toContain('Really done.');
    },
    timeout,
  );

  test(
    'the agent cannot change a script under the hook’s feet',
    async () => {
      await using scene = await startScene([edit('.harness9/no-git.sh'), runs('git status'), { text: 'No way.' }], {
        files: { ...shopFiles, '.harness9/no-git.sh': 'echo "No git here." >&2\nexit 2\n' },
      });
      await mention(scene, { inputs: { hooks: hooks.split('\n').slice(0, 3).join('\n') } });
      expect(scene.sent(2).all).toContain('No git here.');
    },
    timeout,
  );

  test(
    'hooks that cannot be read end the run, naming the input, the place and what is expected',
    async () => {
      await using scene = await startScene([]);
      const { issue } = await mention(scene, { inputs: { hooks: 'PreToolUze:\n  - command: "true"' } });
      expect(scene.replies(issue)[0]).toMatch(/input `hooks`[\s\S]*PreToolUse/);
      expect(scene.model.requests).toEqual([]);
    },
    timeout,
  );
});

describe('verify_command', () => {
  const wrong = { name: 'edit_file', arguments: { path: 'src/total.js', old_string: 'sum - price', new_string: 'sum * price' } };
  const right = { name: 'edit_file', arguments: { path: 'src/total.js', old_string: 'sum * price', new_string: 'sum + price' } };
  const verify = 'mkdir -p coverage && date > coverage/report.txt && date >> AGENTS.md && node --test';

  test(
    'a failure goes back to the agent; what the command writes is not published',
    async () => {
      await using scene = await startScene([
        { calls: [wrong] },
        { text: 'Done.' },
        { calls: [right] },
        { text: 'Now it passes.' },
      ]);
      const { issue, result } = await mention(scene, { inputs: { verify_command: verify } });
      expect(scene.sent(2).all).toContain('exit code 1');
      expect(result.outputs).toMatchObject({ conclusion: 'success', files_changed: '1', turns: '4' });
      expect(await scene.github.git('diff', '--name-only', 'main', result.outputs.branch_name ?? '')).toBe('src/total.js');
      expect(scene.replies(issue).at(-1)).toContain('(verify_command) passed');
    },
    timeout,
  );

  test(
    'what still fails is kept as a draft, said, and concluded',
    async () => {
      await using scene = await startScene([{ calls: [wrong] }, { text: 'Done.' }, { text: 'I say it is done.' }]);
      const { issue, result } = await mention(scene, {
        inputs: { verify_command: 'node --test', verify_attempts: '1', create_pr: 'ready', fail_on: 'verify_failed' },
      });
      expect(result.outputs).toMatchObject({ conclusion: 'verify_failed', files_changed: '1' });
      expect(result.conclusion).toBe('failure');
      expect(scene.replies(issue).at(-1)).toMatch(
        /I say it is done\.[\s\S]*\*\*`node --test` \(verify_command, run 2 times\) ended with exit code 1; the last line that it printed: [\s\S]*What it printed[\s\S]*fail 1/,
      );
      const body = expect.stringMatching(/\*\*Not finished\*\*: `node --test`[\s\S]*What it printed[\s\S]*fail 1/);
      expect(scene.github.snapshot().pulls).toMatchObject([{ draft: true, body }]);
    },
    timeout,
  );

  test(
    'what is changed after it has passed is not verified',
    async () => {
      const append = 'setInterval(() => fs.appendFileSync("late.txt", "x"), 2)';
      await using scene = await startScene([runs(`node -e '${append}' & sleep 0.5`), { text: 'Done.' }]);
      const { issue, result } = await mention(scene, { inputs: { verify_command: 'true' } });
      expect(result.outputs).toMatchObject({ conclusion: 'verify_failed', files_changed: '1' });
      expect(scene.replies(issue).at(-1)).toContain('passed, but what was left running changed files after that');
    },
    timeout,
  );

  test(
    'a run that is cancelled while it goes on publishes what the agent wrote, and nothing that it wrote',
    async () => {
      const cancel = new AbortController();
      await using scene = await startScene([{ calls: [wrong] }, { text: 'Done.' }]);
      const { issue } = await mention(scene, {
        inputs: { verify_command: `${verify.split(' && ').slice(0, 3).join(' && ')}; sleep 600` },
        options: { cancel: cancel.signal },
        afterCheckout: async (workspace) => {
          const written = path.join(workspace, 'coverage', 'report.txt');
          const watch = setInterval(() => {
            if (!existsSync(written)) return;
            clearInterval(watch);
            cancel.abort();
          }, 50).unref();
        },
      });
      const branch = scene.github.snapshot().pulls[0]?.head ?? '';
      expect(await scene.github.git('diff', '--name-only', 'main', branch)).toBe('src/total.js');
      expect(scene.replies(issue).at(-1)).toMatch(/Cancelled[\s\S]*\(verify_command\) was cut short/);
    },
    timeout,
  );

  test(
    'work that is taken back after it has failed leaves nothing to verify',
    async () => {
      const back = { ...wrong, arguments: { ...wrong.arguments, old_string: 'sum * price', new_string: 'sum - price' } };
      await using scene = await startScene([{ calls: [wrong] }, { text: 'Done.' }, { calls: [back] }, { text: 'Taken back.' }]);
      const { result } = await mention(scene, { inputs: { verify_command: 'node --test' } });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes', error: '', turns: '4' });
    },
    timeout,
  );

  test(
    'an answer that changes nothing is not verified',
    async () => {
      await using scene = await startScene([{ text: 'It subtracts.' }]);
      const { result } = await mention(scene, { inputs: { verify_command: 'exit 1' } });
      expect(result.outputs).toMatchObject({ conclusion: 'no_changes', turns: '1' });
    },
    timeout,
  );
});

test(
  'the transcript has every event of the run, one a line, and no key',
  async () => {
    await using later = await laterStep();
    await using scene = await startScene([mendingTurn, { text: 'Mended.' }]);
    const { result } = await mention(scene, { options: later.options });
    const text = (await later.read(result.outputs.execution_file)).toString();
    const types = text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line).type);
    expect(types[0]).toBe('transcript');
    expect(types.slice(1)).toEqual(expect.arrayContaining(['tool_start', 'tool_result', 'token_update', 'done']));
    expect(text).not.toContain(modelKey);
  },
  timeout,
);
