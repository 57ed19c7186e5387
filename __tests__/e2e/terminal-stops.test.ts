// End to end on the sources: the terminal is interrupted, left by its reader, killed. What was done is kept.
import type { ChildProcess } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import type { ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import { late } from './late.ts';
import {
  conversationOf,
  modelKey,
  parseLines,
  startLoopbackModel,
  startTerminal,
  type TerminalScene,
  terminalTimeout as timeout,
} from './terminal-process.ts';

const works: ScriptStep = { text: 'Working.', calls: [{ name: 'bash', arguments: { command: 'cat note.txt' } }] };

/** Runs into a step that does `act` to the process, then goes on with what was kept; returns both ends and what the model was sent. */
async function stopAndResume(terminal: TerminalScene, flags: readonly string[], act: (child: ChildProcess) => void) {
  let child: ChildProcess | undefined;
  await using model = await startLoopbackModel([
    works,
    late(() => {
      if (child !== undefined) act(child);
    }),
    { text: 'Gone on.' },
  ]);
  const stopped = await terminal.run({
    args: [...model.args, ...flags, 'the first prompt'],
    env: model.env,
    onStart: (started) => {
      child = started;
    },
  });
  const resumed = await terminal.run({ args: [...model.args, '--resume', 'go on'], env: model.env });
  return { stopped, resumed, request: conversationOf(model.requests[2]) };
}

describe('an interrupt', () => {
  test.each<[string, NodeJS.Signals]>([
    ['text', 'SIGINT'],
    ['json', 'SIGINT'],
    ['stream-json', 'SIGTERM'],
  ])(
    'with %s ends in 130, tells the result, and keeps what was done (%s)',
    async (format, signal) => {
      await using terminal = await startTerminal();
      const flags = ['--output-format', format];
      const { stopped, resumed, request } = await stopAndResume(terminal, flags, (child) => child.kill(signal));
      expect(stopped.code).toBe(130);
      expect(stopped.stderr).toMatch(/^session [0-9a-f]{16} · continue with: /m);
      if (format === 'text') expect(stopped.stdout).toBe('Working.\n');
      if (format === 'json') expect(JSON.parse(stopped.stdout)).toMatchObject({ stopReason: 'cancelled', turns: 2 });
      if (format === 'stream-json') {
        const ends = parseLines(stopped.stdout).filter(({ type }) => type === 'done' || type === 'error');
        expect(ends).toMatchObject([{ type: 'done', turn: 2, data: { stopReason: 'cancelled' } }]);
      }
      expect({ code: resumed.code, stdout: resumed.stdout }).toEqual({ code: 0, stdout: 'Gone on.\n' });
      for (const kept of ['the first prompt', 'Working.', 'hello', 'go on']) expect(request).toContain(kept);
    },
    timeout,
  );

  test(
    'before there is anything to stop is a result, too',
    async () => {
      await using terminal = await startTerminal();
      const onStart = (child: ChildProcess) => {
        // More than the pipe holds: when it is written, most of it was read.
        child.stdin?.write('x'.repeat(1024 * 1024), () => child.kill('SIGINT'));
      };
      const ended = await terminal.run({ args: ['-p', '--output-format', 'json'], input: null, onStart });
      expect({ code: ended.code, result: JSON.parse(ended.stdout) }).toMatchObject({
        code: 130,
        result: { stopReason: 'cancelled', turns: 0, finalMessage: '' },
      });
    },
    timeout,
  );

  test(
    'that comes a second time ends at once, whatever is still to be tidied up',
    async () => {
      await using terminal = await startTerminal();
      const stubborn = "trap '' TERM INT; sleep 30; sleep 30";
      await using model = await startLoopbackModel([{ calls: [{ name: 'bash', arguments: { command: stubborn } }] }]);
      const onStart = (child: ChildProcess) => {
        child.stderr?.on('data', (chunk: Buffer) => chunk.includes('tool=bash') && child.kill('SIGINT'));
        // The result is there, and the command is still alive.
        child.stdout?.on('data', () => child.kill('SIGINT'));
      };
      const ended = await terminal.run({ args: [...model.args, '--output-format', 'json', 'x'], env: model.env, onStart });
      expect({ code: ended.code, result: JSON.parse(ended.stdout) }).toMatchObject({
        code: 130,
        result: { stopReason: 'cancelled' },
      });
      expect(ended.stderr).not.toContain('continue with');
    },
    timeout,
  );
});

test.each(['text', 'json', 'stream-json'])(
  'a kill in turn 2 with %s leaves all of turn 1 and the question',
  async (format) => {
    await using terminal = await startTerminal();
    const flags = ['--output-format', format];
    const { stopped, resumed, request } = await stopAndResume(terminal, flags, (child) => child.kill('SIGKILL'));
    expect(stopped.code).toBe(null);
    if (format !== 'stream-json') expect(stopped.stdout).toBe('');
    else expect(parseLines(stopped.stdout).map(({ type }) => type)).not.toContain('done');
    expect({ code: resumed.code, stdout: resumed.stdout }).toEqual({ code: 0, stdout: 'Gone on.\n' });
    for (const kept of ['the first prompt', 'Working.', 'hello', 'go on']) expect(request).toContain(kept);
  },
  timeout,
);

test(
  'a window that is closed, of which both kernel and shell tell, is an interrupt that is waited for',
  async () => {
    await using terminal = await startTerminal();
    const { stopped, resumed, request } = await stopAndResume(terminal, ['--output-format', 'json'], (child) => {
      child.kill('SIGHUP');
      child.stdout?.once('data', () => child.kill('SIGHUP'));
    });
    expect(stopped.code).toBe(130);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ stopReason: 'cancelled', turns: 2 });
    expect(stopped.stderr).toMatch(/^session [0-9a-f]{16} · continue with: /m);
    expect(resumed.code).toBe(0);
    expect(request).toContain('Working.');
  },
  timeout,
);

test(
  'a reader that goes away ends the run quietly, and the conversation is kept',
  async () => {
    await using terminal = await startTerminal();
    const count = 200;
    const turns = Array.from({ length: count }, (): ScriptStep => ({ ...works, delayMs: 20 }));
    await using model = await startLoopbackModel(turns);
    const { stdout, stderr } = await terminal.run({
      args: [...model.args, '--max-turns', '0', '--output-format', 'stream-json', 'x'],
      env: model.env,
      shell: `"$@" | head -n 1; echo "\${PIPESTATUS[0]}"`,
    });
    const [first, code, ...rest] = stdout.trimEnd().split('\n');
    expect({ first: JSON.parse(first ?? ''), code, rest }).toMatchObject({
      first: { type: 'token_update' },
      code: '130',
      rest: [],
    });
    expect(model.remaining()).toBeGreaterThan(0);
    expect(stderr).not.toMatch(/EPIPE|harness9:|\n {4}at /);
    const { sessions } = JSON.parse((await terminal.run({ args: ['sessions', '--output-format', 'json'] })).stdout);
    expect(sessions).toEqual([expect.objectContaining({ title: 'x' })]);
    expect(stderr).toContain(`session ${sessions[0].id} `);
    expect(stderr).not.toContain(modelKey);
  },
  timeout,
);
