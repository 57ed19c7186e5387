// Command hooks that do not work: whatever they do, asking them ends soon, says what happened, and leaves nothing behind.
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Hook } from '../../../src/engine/ports.ts';
import { parseAnswer, preToolUseAnswer } from '../../../src/policy/hooks/protocol.ts';
import { textPart } from '../../../src/schema/message.ts';
import type { StartProcess } from '../../../src/schema/running-process.ts';
import { createRandom } from '../../tools/random.ts';
import {
  clockThatWaits,
  context,
  createWorkspace,
  isAlive,
  livingOf,
  notStarted,
  pidsIn,
  until,
  type Workspace,
} from './processes.ts';

const call = { id: 'call_1', name: 'bash', arguments: '{"command":"git push"}' };
const before = { turn: 1, call, tool: undefined };

async function failureOf(workspace: Workspace, command: string, fields: object = {}, parts: object = {}): Promise<string> {
  return await rejectionOf(
    workspace.hook({ PreToolUse: [{ name: 'check', command, ...fields }] }, parts).preToolUse?.(before, context()),
  );
}

async function rejectionOf(asking: Promise<unknown> | undefined): Promise<string> {
  try {
    return `answered ${JSON.stringify(await asking)}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'threw no error';
  }
}

describe('[spec 9 hooks] a command that gives no answer fails, and says why', () => {
  test.each<[string, string, string]>([
    ['another exit code', 'echo "{}"; exit 1', 'it ended with exit code 1'],
    [
      'what stderr said last',
      'echo first >&2; printf "\\033[31mno such\\tfile\\033[0m\\n\\n" >&2; exit 127',
      'it ended with exit code 127; the last line of stderr: no such file',
    ],
    [
      'a long last line of stderr, cut',
      'head -c 5000 /dev/zero | tr "\\0" x >&2; exit 3',
      `it ended with exit code 3; the last line of stderr: ${'x'.repeat(299)}…`,
    ],
    [
      'a program that is not there',
      './not-there',
      'it ended with exit code 127; the last line of stderr: /bin/bash: line 1: ./not-there: No such file or directory',
    ],
    ['a signal of its own', 'kill -SEGV $$', 'it was ended by SIGSEGV'],
    ['a kill from elsewhere', 'echo dying >&2; kill -9 $$', 'it was ended by SIGKILL; the last line of stderr: dying'],
  ])('%s', async (_what, command, expected) => {
    using workspace = createWorkspace();
    expect(await failureOf(workspace, command)).toBe(expected);
  });

  test.each<[string, string, string]>([
    ['a greeting', 'Hello!', 'its stdout is not one object of JSON: "Hello!"'],
    ['half an object', '{"decision": "al', 'its stdout is not one object of JSON: "{\\"decision\\": \\"al"'],
    [
      'two objects',
      '{"decision":"allow"}\n{"decision":"deny"}',
      'its stdout is not one object of JSON: "{\\"decision\\":\\"allow\\"} {\\"decision\\":\\"deny\\"}"',
    ],
    [
      'an object after a greeting',
      'ok\n{"decision":"allow"}',
      'its stdout is not one object of JSON: "ok {\\"decision\\":\\"allow\\"}"',
    ],
    ['a list', '[{"decision":"allow"}]', 'its stdout is not one object of JSON: "[{\\"decision\\":\\"allow\\"}]"'],
    ['a bare word', '"allow"', 'its stdout is not one object of JSON: "\\"allow\\""'],
    ['null', 'null', 'its stdout is not one object of JSON: "null"'],
    [
      'an unknown field',
      '{"decision":"allow","resaon":"x"}',
      'its answer cannot be used: resaon: an unknown name, expected one of decision, reason, tool_input; did you mean reason?',
    ],
    [
      'a field of all objects',
      '{"__proto__":{"decision":"allow"}}',
      'its answer cannot be used: __proto__: an unknown name, expected one of decision, reason, tool_input',
    ],
    [
      'a field of another event',
      '{"tool_output":"x"}',
      'its answer cannot be used: tool_output: an unknown name, expected one of decision, reason, tool_input; did you mean tool_input?',
    ],
    ['an unknown decision', '{"decision":"ALLOW"}', 'its answer cannot be used: decision: "ALLOW", expected allow, deny or ask'],
    [
      'wrong types, all of them',
      '{"decision":true,"reason":["x"],"tool_input":"ls"}',
      'its answer cannot be used: decision: true, expected allow, deny or ask; reason: a list, expected a text; tool_input: "ls", expected an object',
    ],
    ['a list of arguments', '{"tool_input":["ls"]}', 'its answer cannot be used: tool_input: a list, expected an object'],
    ['nothing where a text is due', '{"reason":null}', 'its answer cannot be used: reason: nothing, expected a text'],
  ])('%s on stdout', async (_what, stdout, expected) => {
    using workspace = createWorkspace();
    expect(await failureOf(workspace, 'printf %s "$OUT"', { env: { OUT: stdout } })).toBe(expected);
  });

  test.each<[string, string, string]>([
    ['binary', 'printf "{\\"reason\\":\\"\\377\\376\\"}"', 'its stdout is no UTF-8 text'],
    ['a NUL', 'printf "{}\\0"', 'its stdout is not one object of JSON: "{}"'],
    [
      'nested without end',
      'head -c 500000 /dev/zero | tr "\\0" "["',
      `its stdout is not one object of JSON: "${'['.repeat(79)}…"`,
    ],
    [
      'nested too deep',
      `printf '{"tool_input":'; head -c 100 /dev/zero | tr "\\0" "["; head -c 100 /dev/zero | tr "\\0" "]"; echo '}'`,
      `its stdout is not one object of JSON: "{\\"tool_input\\":${'['.repeat(65)}…"`,
    ],
    [
      '5 MB',
      `printf '{"reason":"'; head -c 5000000 /dev/zero | tr "\\0" x; echo '"}'`,
      'it wrote more than 1048576 bytes to stdout and was killed',
    ],
    [
      '5 MB, and an error',
      `printf '{"reason":"'; head -c 5000000 /dev/zero | tr "\\0" x; echo '"}'; exit 2`,
      'it wrote more than 1048576 bytes to stdout and was killed',
    ],
    ['a stream without end', 'yes', 'it wrote more than 1048576 bytes to stdout and was killed'],
  ])('%s on stdout', async (_what, command, expected) => {
    using workspace = createWorkspace();
    expect(await failureOf(workspace, command)).toBe(expected);
  });

  test('an answer of just under 1 MB is one', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({
      PreToolUse: [{ command: `printf '{"reason":"'; head -c 1048000 /dev/zero | tr "\\0" x; echo '"}'` }],
    });
    expect((await hook.preToolUse?.(before, context()))?.reason).toHaveLength(1_048_000);
  });

  test.each<[string, object, (hook: Hook) => Promise<unknown> | undefined]>([
    [
      'PostToolUse',
      { command: 'echo "{\\"decision\\":\\"deny\\"}"' },
      (hook) =>
        hook.postToolUse?.(
          { turn: 1, call, result: { toolCallId: 'call_1', output: [textPart('x')], isError: false } },
          context(),
        ),
    ],
    [
      'TurnComplete',
      { command: 'echo "{\\"message\\":\\"x\\"}"' },
      (hook) => hook.turnComplete?.({ turn: 1, calls: [] }, context()),
    ],
    [
      'Stop',
      { command: 'echo "{\\"message\\":\\" \\"}"' },
      (hook) => hook.stop?.({ turn: 1, finalMessage: '', sentBack: 0 }, context()),
    ],
  ])('%s, too', async (event, fields, ask) => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ [event]: [{ name: 'check', ...fields }] });
    expect(await rejectionOf(ask(hook))).toMatch(/^its answer cannot be used: (decision|message): /);
  });

  test('a process that cannot be started, or is lost with the tool host', async () => {
    using workspace = createWorkspace();
    expect(await failureOf(workspace, 'true', { env: { LONG: 'x'.repeat(3_000_000) } })).toBe(
      'it could not be run: Error: spawn E2BIG',
    );
    const lost = { startProcess: () => notStarted('the tool host ended (signal SIGKILL)') };
    const hook = workspace.hook({ PreToolUse: [{ name: 'check', command: 'true' }] }, lost);
    expect(await rejectionOf(hook.preToolUse?.(before, context()))).toBe(
      'it could not be run: the tool host ended (signal SIGKILL)',
    );
  });

  test('a line that bash cannot read denies, since bash ends with code 2 itself', async () => {
    using workspace = createWorkspace();
    expect(await failureOf(workspace, 'if true; then')).toMatch(/^answered \{"decision":"deny","reason":"[^"]*syntax error/);
  });

  test('no part of an answer is ever taken for one, and nothing but an answer', () => {
    const answer = '{"decision":"allow","reason":"ü🙂","tool_input":{"a":[1,{"b":"\\u0000"}]}}';
    const random = createRandom(7);
    const kindOf = (bytes: Buffer) => parseAnswer(bytes, preToolUseAnswer).kind;
    expect(kindOf(Buffer.from(answer))).toBe('read');
    const bytes = Buffer.from(answer);
    for (let length = 1; length < bytes.length; length += 1) {
      expect([length, kindOf(bytes.subarray(0, length))]).toEqual([length, 'garbage']);
      expect([length, kindOf(bytes.subarray(length))]).toEqual([length, 'garbage']);
    }
    for (let round = 0; round < 3000; round += 1) {
      const changed = Buffer.from(bytes);
      changed[random.below(changed.length)] = random.below(256);
      const read = parseAnswer(changed, preToolUseAnswer);
      const decision = read.kind === 'read' ? read.answer?.decision : 'allow';
      expect(['allow', undefined]).toContain(decision);
    }
  });
});

describe('[spec 9 hooks] a command that does not end', () => {
  test('is killed at its time-out with everything that it started', async () => {
    using workspace = createWorkspace();
    const command =
      'echo working >&2; echo $$ >pids; (sleep 600 & echo $! >>pids; (sleep 601 & echo $! >>pids; wait) & wait) & wait';
    const failure = await failureOf(workspace, command, {}, { clock: clockThatWaits(workspace, 60_000, 3) });
    expect(failure).toBe('it did not end within 60 s and was killed; the last line of stderr: working');
    const pids = pidsIn(workspace);
    expect(pids).toHaveLength(3);
    expect(await livingOf(pids)).toEqual([]);
  });

  test('is over when its time-out is told', async () => {
    using workspace = createWorkspace();
    const startProcess: StartProcess = (request, signal) => {
      const running = workspace.startProcess(request, signal);
      void running.end.then(({ kind }) => workspace.log.push(`over by ${kind}`));
      return running;
    };
    const hook = workspace.hook(
      { PreToolUse: [{ command: 'echo $$ >pids; exec sleep 600', timeout_secs: 0.3 }] },
      { startProcess, clock: clockThatWaits(workspace, 300, 1) },
    );
    await expect(hook.preToolUse?.(before, context())).rejects.toThrow('did not end within 0.3 s');
    expect(workspace.log).toEqual(['over by signal']);
  });

  test('is killed though it listens to no signal that can be heard', async () => {
    using workspace = createWorkspace();
    const command = 'trap "" TERM INT HUP; echo $$ >pids; while :; do sleep 1; done';
    expect(await failureOf(workspace, command, {}, { clock: clockThatWaits(workspace, 60_000, 1) })).toBe(
      'it did not end within 60 s and was killed',
    );
    expect(await livingOf(pidsIn(workspace))).toEqual([]);
  });

  test('is killed when the run is cancelled, and the cancel is what is told', async () => {
    using workspace = createWorkspace();
    const cancel = new AbortController();
    const hook = workspace.hook({
      PreToolUse: [{ command: 'echo $$ >pids; sleep 600 & echo $! >>pids; echo ready >ready; wait' }],
    });
    const asking = rejectionOf(hook.preToolUse?.(before, context(cancel.signal)));
    await until(() => workspace.read('ready'));
    cancel.abort(new Error('stopped by hand'));
    expect(await asking).toBe('stopped by hand');
    expect(await livingOf(pidsIn(workspace))).toEqual([]);
  });

  test('is not even started when the run was cancelled before', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ PreToolUse: [{ command: 'true' }] });
    expect(await rejectionOf(hook.preToolUse?.(before, context(AbortSignal.abort(new Error('stopped')))))).toBe('stopped');
    expect(workspace.ended).toEqual([]);
  });

  test('only because a child in the background holds its output open has answered, and the child is killed', async () => {
    using workspace = createWorkspace();
    const command = `sleep 600 & echo $! >pids; echo '{"decision":"ask"}'`;
    const hook = workspace.hook({ PreToolUse: [{ command, timeout_secs: 600 }] });
    expect(await hook.preToolUse?.(before, context())).toEqual({ decision: 'ask' });
    expect(await livingOf(pidsIn(workspace))).toEqual([]);
  });

  test('because of a child that nobody can find is left alone after a moment, and its answer holds', async () => {
    using workspace = createWorkspace();
    const command = `setsid sleep 600 & echo $! >pids; echo '{"decision":"ask"}'`;
    const hook = workspace.hook({ PreToolUse: [{ command, timeout_secs: 600 }] });
    expect(await hook.preToolUse?.(before, context())).toEqual({ decision: 'ask' });
    for (const pid of pidsIn(workspace)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
});

describe('[spec 9 hooks] what a command wrote before its end', () => {
  test('counts though it arrives after the end', async () => {
    using workspace = createWorkspace();
    const late: StartProcess = (request, signal) => {
      const running = workspace.startProcess(request, signal);
      const stdout = new PassThrough();
      const chunks: Buffer[] = [];
      running.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      running.stdout.once('close', async () => {
        await running.end;
        for (const byte of Buffer.concat(chunks)) {
          await delay(5);
          stdout.write(Buffer.from([byte]));
        }
        stdout.end();
      });
      return { ...running, stdout };
    };
    const hook = workspace.hook({ PreToolUse: [{ command: `echo '{"decision":"ask"}'` }] }, { startProcess: late });
    expect(await hook.preToolUse?.(before, context())).toEqual({ decision: 'ask' });
  });
});

describe('[spec 9 hooks] a command that does not read', () => {
  const large = { ...before, call: { ...call, arguments: JSON.stringify({ content: 'x'.repeat(3_000_000) }) } };

  test.each([
    ['never reads', ''],
    ['closes its input', 'exec <&-; sleep 0.1;'],
    ['reads a little and closes', 'head -c 10 >/dev/null; exec <&-;'],
    ['reads all', 'cat >/dev/null;'],
  ])('%s has its answer, whatever was to be told it', async (_what, start) => {
    using workspace = createWorkspace();
    const hook = workspace.hook({ PreToolUse: [{ command: `${start} echo '{"decision":"ask"}'` }] });
    expect(await hook.preToolUse?.(large, context())).toEqual({ decision: 'ask' });
  });

  test('and sleeps is killed at its time-out', async () => {
    using workspace = createWorkspace();
    const hook = workspace.hook(
      { PreToolUse: [{ name: 'check', command: 'echo $$ >pids; exec sleep 600' }] },
      { clock: clockThatWaits(workspace, 60_000, 1) },
    );
    expect(await rejectionOf(hook.preToolUse?.(large, context()))).toBe('it did not end within 60 s and was killed');
    expect(await livingOf(pidsIn(workspace))).toEqual([]);
  });
});
