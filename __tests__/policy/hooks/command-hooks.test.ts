// Command hooks that work: what they are told, what their answers do, for each event, with real processes.
import { describe, expect, test } from '@jest/globals';
import { textPart } from '../../../src/schema/message.ts';
import { context, createWorkspace } from './processes.ts';

const call = { id: 'call_1', name: 'bash', arguments: '{"command":"git push"}' };
const tool = { name: 'bash', description: 'Runs.', inputSchema: {}, place: 'host', effect: 'execute' } as const;
const before = { turn: 3, call, tool };
const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
const result = { toolCallId: 'call_1', output: [textPart('first '), image, textPart('second')], isError: false };
const after = { turn: 3, call, result };

const bottomless = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

/** A hook that writes these and ends so. The texts go through its environment, so that no quoting stands between. */
function saying(stdout: string, { stderr = '', code = 0 } = {}) {
  const command = `cat >/dev/null; printf %s "$OUT"; printf %s "$ERR" >&2; exit ${code}`;
  return [{ command, env: { OUT: stdout, ERR: stderr } }];
}

describe('[spec 9 hooks] a command before a call', () => {
  test.each<[string, string, object | undefined]>([
    ['has no opinion when it writes nothing', '', undefined],
    ['has no opinion when it writes white space', ' \n\n', undefined],
    ['has no opinion when its answer is empty', '{}', {}],
    ['allows', '{"decision": "allow"}', { decision: 'allow' }],
    [
      'denies, and its reason is for the model',
      '{"decision": "deny", "reason": "Not on a Friday."}',
      { decision: 'deny', reason: 'Not on a Friday.' },
    ],
    ['has a person asked', '{"decision": "ask", "reason": "It pushes."}', { decision: 'ask', reason: 'It pushes.' }],
    [
      'rewrites the arguments without a decision',
      '{"tool_input": {"command": "git push --dry-run"}}',
      { arguments: { command: 'git push --dry-run' } },
    ],
    [
      'rewrites and allows',
      '\ufeff{"decision":"allow","tool_input":{"a":[{"b":null}],"ü":"🙂"}}\n',
      { decision: 'allow', arguments: { a: [{ b: null }], ü: '🙂' } },
    ],
  ])('%s', async (_what, stdout, expected) => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ PreToolUse: saying(stdout) });
    expect(await hook.preToolUse?.(before, context())).toEqual(expected);
  });

  test.each([
    [
      'with what it wrote to stderr as the reason',
      'Not on a Friday.\nAsk again on Monday.\n',
      'Not on a Friday.\nAsk again on Monday.',
    ],
    ['with terminal codes taken out of the reason', '\u001b[31mNo\u001b[0m\rNo!\u0007\r\n', 'No!'],
    ['and says so when it gave no reason', '', 'no reason was given (exit code 2, nothing on stderr)'],
  ])('denies by exit code 2, %s, whatever is on its stdout', async (_what, stderr, reason) => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ PreToolUse: saying('{"decision":"allow"}', { stderr, code: 2 }) });
    expect(await hook.preToolUse?.(before, context())).toEqual({ decision: 'deny', reason });
  });

  test('gives a reason of at most 16 KB: its beginning, its end, and how much is left out', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({
      PreToolUse: [{ command: 'echo start >&2; head -c 3000000 /dev/zero | tr "\\0" x >&2; printf "\\nend\\n" >&2; exit 2' }],
    });
    const { reason = '' } = (await hook.preToolUse?.(before, context())) ?? {};
    expect(reason.replaceAll(/x+/g, (run) => `${run.length} x`)).toBe('start\n[… 2989339 bytes left out …]\n10662 x\nend');
  });

  test('is told one line of JSON, and then its input ends', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({
      PreToolUse: [{ name: 'the check', command: 'read -r line; printf %s "$line" >told; cat >rest' }],
    });
    await hook.preToolUse?.(before, context());
    expect([JSON.parse(workspace.read('told')), workspace.read('rest')]).toEqual([
      {
        version: 1,
        event: 'PreToolUse',
        hook: 'the check',
        turn: 3,
        workspace: workspace.dir,
        tool_name: 'bash',
        tool_input: { command: 'git push' },
        tool_call_id: 'call_1',
      },
      '',
    ]);
  });

  test.each([
    ['nothing', ''],
    ['words', 'git push'],
    ['a list', '["git push"]'],
    ['half an object', '{"command": "git'],
    ['null', 'null'],
    ['odd characters', '\u2028"\n\0🙂'],
    ['an object without a bottom', bottomless],
  ])('is told arguments that are no plain object as the text that they are: %s', async (_what, text) => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ PreToolUse: [{ command: 'cat >told' }] });
    await hook.preToolUse?.({ ...before, call: { ...call, arguments: text } }, context());
    const told = JSON.parse(workspace.read('told'));
    expect([told.tool_input_text, 'tool_input' in told]).toEqual([text, false]);
  });

  test('starts in the workspace, with its own variables, and calls what is there', async () => {
    using workspace = createWorkspace();
    workspace.write('check.sh', 'pwd >seen; echo "$LEVEL" >>seen; echo "$1" >>seen');
    const hook = workspace.hook({ PreToolUse: [{ command: 'bash ./check.sh --fast', env: { LEVEL: 'ä $x' } }] });
    await hook.preToolUse?.(before, context());
    expect(workspace.read('seen')).toBe(`${workspace.dir}\nä $x\n--fast\n`);
  });

  test('is asked only about the calls that its matcher speaks of', async () => {
    using workspace = createWorkspace();
    const asked: unknown[] = [];
    const matches = async (...question: readonly unknown[]) => {
      asked.push(question);
      return asked.length > 1;
    };
    const hook = workspace.hook({ PreToolUse: [{ matcher: 'bash(git push:*)', command: 'echo >>ran' }] }, { matches });
    const asking = context();
    await hook.preToolUse?.(before, asking);
    const startedFirst = workspace.ended.length;
    await hook.preToolUse?.({ ...before, tool: undefined }, asking);
    expect([startedFirst, workspace.ended.length]).toEqual([0, 1]);
    expect(asked).toEqual([
      ['bash(git push:*)', call, tool, asking],
      ['bash(git push:*)', call, undefined, asking],
    ]);
  });

  test('fails when its matcher cannot be judged, so that the call is denied', async () => {
    using workspace = createWorkspace();
    const matches = () => Promise.reject(new Error('no such pattern'));
    const hook = workspace.hook({ PreToolUse: [{ matcher: '(', command: 'true' }] }, { matches });
    await expect(hook.preToolUse?.(before, context())).rejects.toThrow('no such pattern');
    expect(workspace.ended).toEqual([]);
  });

  test('has what it says on stderr in the log when it does well, on one line and cut', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ PreToolUse: saying('', { stderr: `\u001b[1mchecked\u001b[0m\n${'x'.repeat(2000)}` }) });
    expect(await hook.preToolUse?.(before, context())).toBeUndefined();
    expect(workspace.log).toEqual([`[hook] PreToolUse[0]: checked ${'x'.repeat(491)}…`]);
  });

  test('leaves the engine more time than it takes itself, so that its own words say what happened', () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ PreToolUse: [{ command: 'true', timeout_secs: 10 }] });
    expect(hook.timeoutMs).toBeGreaterThanOrEqual(11_000);
  });
});

describe('[spec 9 hooks] a command after a call', () => {
  test('is told the text of the result', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ PostToolUse: [{ command: 'cat >told' }] });
    expect(await hook.postToolUse?.({ ...after, result: { ...result, isError: true } }, context())).toBeUndefined();
    expect(JSON.parse(workspace.read('told'))).toEqual({
      version: 1,
      event: 'PostToolUse',
      hook: 'PostToolUse[0]',
      turn: 3,
      workspace: workspace.dir,
      tool_name: 'bash',
      tool_input: { command: 'git push' },
      tool_call_id: 'call_1',
      tool_output: 'first second',
      is_error: true,
    });
  });

  test.each<[string, string, object | undefined]>([
    ['changes nothing when it writes nothing', '', undefined],
    ['changes nothing when its answer is empty', '{}', {}],
    [
      'takes the place of the whole output, images too',
      '{"tool_output": "fewer\\nwords"}',
      { output: [textPart('fewer\nwords')] },
    ],
    ['may empty the output', '{"tool_output": ""}', { output: [textPart('')] }],
    ['calls the result an error, or none', '{"is_error": false}', { isError: false }],
    ['does both', '{"is_error": true, "tool_output": "bad"}', { output: [textPart('bad')], isError: true }],
  ])('%s', async (_what, stdout, expected) => {
    using workspace = createWorkspace();
    const answer = await workspace.hook({ PostToolUse: saying(stdout) }).postToolUse?.(after, context());
    expect(answer).toEqual(expected);
    if (expected !== undefined) expect(Object.keys(answer ?? {}).sort()).toEqual(Object.keys(expected).sort());
  });

  test('adds what it says to the result by exit code 2, under its name', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ PostToolUse: saying('', { stderr: 'Line 3 is too long.', code: 2 }) });
    expect(await hook.postToolUse?.(after, context())).toEqual({
      output: [...result.output, textPart('\n[hook PostToolUse[0]]\nLine 3 is too long.')],
    });
  });

  test('is asked only about the calls that its matcher speaks of', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook(
      { PostToolUse: [{ matcher: 'bash', command: 'echo >>ran' }] },
      { matches: (matcher, { name }) => matcher === name },
    );
    await hook.postToolUse?.({ ...after, call: { ...call, name: 'read_file' } }, context());
    await hook.postToolUse?.(after, context());
    expect(workspace.ended).toHaveLength(1);
  });
});

describe('[spec 9 hooks] a command after a turn', () => {
  test('is told the calls of the turn, and changes nothing', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ TurnComplete: [{ command: 'cat >told' }] });
    expect(
      await hook.turnComplete?.({ turn: 2, calls: [call, { id: 'b', name: 'x', arguments: '' }] }, context()),
    ).toBeUndefined();
    expect(JSON.parse(workspace.read('told'))).toEqual({
      version: 1,
      event: 'TurnComplete',
      hook: 'TurnComplete[0]',
      turn: 2,
      workspace: workspace.dir,
      calls: [
        { tool_name: 'bash', tool_call_id: 'call_1' },
        { tool_name: 'x', tool_call_id: 'b' },
      ],
    });
  });

  test('is not content by exit code 2, which people get to know', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ TurnComplete: saying('', { stderr: 'The disk\nis full.', code: 2 }) });
    expect(await hook.turnComplete?.({ turn: 2, calls: [] }, context())).toEqual({ note: 'The disk is full.' });
  });
});

describe('[spec 9 hooks] a command at the end of a run', () => {
  const done = { turn: 9, finalMessage: 'Done: ü 🙂\n', sentBack: 0 };

  test('is told the final message and how often it has sent the agent back', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ Stop: [{ command: 'cat >told' }] });
    expect(await hook.stop?.({ ...done, sentBack: 1 }, context())).toBeUndefined();
    expect(JSON.parse(workspace.read('told'))).toEqual({
      version: 1,
      event: 'Stop',
      hook: 'Stop[0]',
      turn: 9,
      workspace: workspace.dir,
      final_message: 'Done: ü 🙂\n',
      sent_back: 1,
    });
  });

  test.each<[string, ReturnType<typeof saying>, object | undefined]>([
    ['lets the run end when it writes nothing', saying(''), undefined],
    ['lets the run end when its answer is empty', saying('{}'), undefined],
    ['sends the agent back with the message of its answer', saying('{"message":"Add a test."}'), { message: 'Add a test.' }],
    [
      'sends the agent back by exit code 2, with stderr',
      saying('', { stderr: 'Add\na test.\n', code: 2 }),
      { message: 'Add\na test.' },
    ],
    [
      'sends the agent back by exit code 2 without a word, too',
      saying('', { code: 2 }),
      { message: 'The hook "Stop[0]" does not let the run end: no reason was given (exit code 2, nothing on stderr)' },
    ],
  ])('%s', async (_what, hooks, expected) => {
    using workspace = createWorkspace();
    expect(await workspace.hook({ Stop: hooks }).stop?.(done, context())).toEqual(expected);
  });

  test.each([0, 2])(
    'with max_send_backs %i sends the agent back no more often, and people get to know why it would have',
    async (most) => {
      using workspace = createWorkspace();
      const [fields] = saying('{"message":"Add\\na test."}');
      const hook = workspace.hook({ Stop: [{ ...fields, max_send_backs: most }] });
      for (let sentBack = 0; sentBack < most; sentBack += 1) {
        expect(await hook.stop?.({ ...done, sentBack }, context())).toEqual({ message: 'Add\na test.' });
      }
      expect(await hook.stop?.({ ...done, sentBack: most }, context())).toEqual({
        note: `still not content, and it has sent the agent back as often as it may (max_send_backs: ${most}): Add a test.`,
      });
    },
  );
});

describe('[spec 9 hooks] a script', () => {
  test('is the text that was given, whatever the agent makes of the file meanwhile', async () => {
    using workspace = createWorkspace();
    workspace.write('finish.sh', 'exit 0');
    const text =
      '#!/usr/bin/env bash\nset -eu\nread -r told\nif [[ $told == *Done* ]]; then\n  echo "Not yet: \'ü\'" >&2\n  exit 2\nfi\n';
    const scripts = new Map([['finish.sh', text]]);
    const hook = workspace.hook({ Stop: [{ script: './finish.sh' }] }, { scripts });
    expect(await hook.stop?.({ turn: 1, finalMessage: 'Done', sentBack: 0 }, context())).toEqual({ message: "Not yet: 'ü'" });
    expect(await hook.stop?.({ turn: 1, finalMessage: 'Well', sentBack: 0 }, context())).toBeUndefined();
  });

  test.each(['.bashrc', '.profile', '.bash_profile', '.bash_login'])(
    'runs nothing that the agent wrote to ~/%s',
    async (name) => {
      using workspace = createWorkspace();
      workspace.write(name, 'echo "{}"; exit 0');
      const hook = workspace.hook(
        { PreToolUse: [{ script: 'a.sh' }] },
        { scripts: new Map([['a.sh', 'echo Never. >&2; exit 2']]) },
      );
      expect(await hook.preToolUse?.(before, context())).toEqual({ decision: 'deny', reason: 'Never.' });
    },
  );
});
