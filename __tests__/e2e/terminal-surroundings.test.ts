// End to end on the sources: where the terminal finds itself. A home, a folder, a disk, an endpoint that are not as they should be.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  modelKey,
  startLoopbackModel,
  startTerminal,
  type TerminalScene,
  terminalTimeout as timeout,
} from './terminal-process.ts';

/** The arguments of a run with a model that needs no network. */
async function scripted(terminal: TerminalScene): Promise<readonly string[]> {
  const script = path.join(terminal.home, 'script.json');
  await writeFile(script, JSON.stringify({ turns: [{ text: 'Answered.' }] }));
  return ['-p', '--provider', 'scripted', '--model', script];
}

describe('a home', () => {
  test.each<[string, (home: string) => string]>([
    ['that is empty', () => ''],
    ['that is relative', () => 'home'],
    ['that is not there', (home) => path.join(home, 'nobody')],
    ['that is a file', (home) => path.join(home, 'script.json')],
    // Making folders there fails as if they were made by somebody else in the meantime, again and again.
    ['of the kernel’s', () => '/proc'],
  ])(
    '%s keeps no conversation, says so, and nothing is left in the project',
    async (_name, make) => {
      await using terminal = await startTerminal();
      const args = await scripted(terminal);
      const env = { HOME: make(terminal.home) };
      const ended = await terminal.run({ args: [...args, 'x'], env });
      expect(ended).toMatchObject({ code: 0, stdout: 'Answered.\n', stderr: expect.stringContaining('warning=not_kept') });
      expect(await readdir(terminal.cwd)).toEqual(['note.txt']);
      const asked = await terminal.run({ args: ['sessions', '--output-format', 'json'], env });
      expect({ code: asked.code, ...JSON.parse(asked.stdout) }).toMatchObject({ code: 1, error: { code: 'SESSION_STORE_HOME' } });
      expect(asked.stderr).toMatch(/^harness9: Conversations cannot be kept: .*\nSet HOME /);
    },
    timeout,
  );
});

describe('a folder', () => {
  /** Starts in a folder that is removed before Node runs. */
  const runRemoved = async (terminal: TerminalScene, args: readonly string[]) => {
    const cwd = path.join(terminal.home, 'gone');
    await mkdir(cwd);
    return await terminal.run({ args, cwd, shell: 'rmdir "$PWD"; exec "$@"' });
  };

  test(
    'that was removed is a usage error; help, and work elsewhere, are still there',
    async () => {
      await using terminal = await startTerminal();
      const args = await scripted(terminal);
      const ended = await runRemoved(terminal, [...args, '--output-format', 'json', 'x']);
      expect({ code: ended.code, ...JSON.parse(ended.stdout) }).toMatchObject({ code: 2, error: { code: 'CLI_USAGE' } });
      expect(ended.stderr).not.toMatch(/\n {4}at /);
      expect((await runRemoved(terminal, ['--help'])).code).toBe(0);
      const elsewhere = await runRemoved(terminal, [...args, '--cwd', terminal.cwd, 'x']);
      expect({ code: elsewhere.code, stdout: elsewhere.stdout }).toEqual({ code: 0, stdout: 'Answered.\n' });
    },
    timeout,
  );

  test(
    'for temporary files that is not there is named, without a stack',
    async () => {
      await using terminal = await startTerminal();
      const ended = await terminal.run({ args: [...(await scripted(terminal)), 'x'], env: { TMPDIR: '/nowhere' } });
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(/^harness9: no folder can be made for temporary files: .*\nSet TMPDIR [^\n]*\n$/m);
    },
    timeout,
  );

  test(
    'for temporary files is empty again after a run that could not begin',
    async () => {
      await using terminal = await startTerminal();
      const temporary = path.join(terminal.home, 'tmp');
      await mkdir(temporary);
      const args = ['-p', 'x', '--provider', 'scripted', '--model', 'none.json'];
      expect(await terminal.run({ args, env: { TMPDIR: temporary } })).toMatchObject({ code: 2 });
      expect(await terminal.run({ args: [...(await scripted(terminal)), 'x'], env: { TMPDIR: temporary } })).toMatchObject({
        code: 0,
      });
      expect(await readdir(temporary)).toEqual([]);
    },
    timeout,
  );
});

test.each([
  ['text', ['-p', 'x']],
  ['json', ['-p', 'x', '--output-format', 'json']],
  ['stream-json', ['-p', 'x', '--output-format', 'stream-json']],
  ['help', ['--help']],
  ['sessions', ['sessions']],
])(
  'an output that is lost is an error: %s on a full disk',
  async (_name, args) => {
    await using terminal = await startTerminal();
    const [, ...model] = await scripted(terminal);
    const given = args[0] === '-p' ? [...args, ...model] : args;
    expect(await terminal.run({ args: given, shell: '"$@" > /dev/full' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^harness9: the output could not be written: ENOSPC/m),
    });
  },
  timeout,
);

test(
  'a model beyond this machine by plain http is refused with the flag that allows it, and then asked',
  async () => {
    await using terminal = await startTerminal();
    await using model = await startLoopbackModel([{ text: 'Answered.' }]);
    const env = { OPENAI_API_KEY: modelKey, OPENAI_BASE_URL: model.env.OPENAI_BASE_URL.replace('127.0.0.1', '0.0.0.0') };
    const refused = await terminal.run({ args: [...model.args, 'x'], env });
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--allow-insecure-endpoint') });
    expect(model.requests).toEqual([]);
    const allowed = await terminal.run({ args: [...model.args, '--allow-insecure-endpoint', 'x'], env });
    expect({ code: allowed.code, stdout: allowed.stdout }).toEqual({ code: 0, stdout: 'Answered.\n' });
  },
  timeout,
);

test.each<[string, readonly string[]]>([
  ['no file of turns', []],
  ['one that is not there', ['--model', 'none.json']],
  ['a folder', ['--model', '.']],
])(
  'a scripted model with %s is told in flags, not in inputs',
  async (_name, flags) => {
    await using terminal = await startTerminal();
    const ended = await terminal.run({ args: ['-p', 'x', '--provider', 'scripted', ...flags] });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--model') });
    expect(ended.stderr).not.toMatch(/input|repository/);
  },
  timeout,
);
