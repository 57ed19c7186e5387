// End to end on dist: the terminal entry as a script would call it.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startModel } from '../../src/simulator/model/scripted-model.ts';
import type { ScriptStep } from '../../src/simulator/model/scripted-turn.ts';

const entry = path.join(import.meta.dirname, '../../dist/cli/index.js');
const timeout = 30_000;
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

interface Call {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
}

async function harness9({ args, env = {}, input, onStart }: Call) {
  const cwd = await mkdtemp(path.join(tmpdir(), 'harness9-terminal-'));
  folders.push(cwd);
  await writeFile(path.join(cwd, 'note.txt'), 'hello\n');
  const child = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, TMPDIR: cwd, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onStart?.((signal) => child.kill(signal));
  child.stdin.end(input);
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { cwd, stdout, stderr, code };
}

async function withModel<T>(
  script: readonly ScriptStep[],
  use: (env: Record<string, string>, model: Awaited<ReturnType<typeof startModel>>) => Promise<T>,
): Promise<T> {
  const model = await startModel(script);
  try {
    return await use(
      {
        OPENAI_API_KEY: 'key-0123456789',
        OPENAI_BASE_URL: model.openaiUrl,
        ANTHROPIC_API_KEY: 'key-0123456789',
        ANTHROPIC_BASE_URL: model.url,
      },
      model,
    );
  } finally {
    await model.close();
  }
}

describe('the terminal entry', () => {
  test.each(['openai', 'anthropic'])(
    'with %s works in the folder and prints the final message alone on stdout',
    (provider) =>
      withModel(
        [
          { text: 'Looking.', calls: [{ name: 'bash', arguments: { command: 'cat note.txt' } }] },
          { calls: [{ name: 'write_file', arguments: { path: 'answer.txt', content: 'hello back\n' } }] },
          { text: 'Answered in answer.txt.' },
        ],
        async (env, model) => {
          const run = await harness9({
            args: ['-p', 'answer the note', '--provider', provider, '--model', 'm', '--max-turns', '0'],
            env,
          });
          expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: 'Answered in answer.txt.\n' });
          expect(await readFile(path.join(run.cwd, 'answer.txt'), 'utf8')).toBe('hello back\n');
          expect(run.stderr).toMatch(/^\[engine\] turn=1 tools=1 llm_ms=\d+ tools_ms=\d+ history=\d+$/m);
          expect(run.stderr).toMatch(/^\[assistant\] Looking\.$/m);
          expect(JSON.stringify(model.requests[1]?.body)).toContain('hello');
          expect(model.remaining()).toBe(0);
        },
      ),
    timeout,
  );

  test(
    'reads the prompt from piped input',
    () =>
      withModel([{ text: 'Read.' }], async (env, model) => {
        const run = await harness9({ args: ['--provider', 'openai', '--model', 'm'], env, input: 'the piped prompt' });
        expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: 'Read.\n' });
        expect(JSON.stringify(model.requests[0]?.body)).toContain('the piped prompt');
      }),
    timeout,
  );

  test(
    'ends with 3 when a limit ended it, after the wrap-up',
    () =>
      withModel([{ calls: [{ name: 'bash', arguments: { command: 'true' } }] }, { text: 'Half done.' }], async (env) => {
        const run = await harness9({ args: ['-p', 'x', '--provider', 'openai', '--model', 'm', '--max-turns', '2'], env });
        expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 3, stdout: 'Half done.\n' });
      }),
    timeout,
  );

  test(
    'ends with 130 when it is interrupted',
    () => {
      let interrupt: () => void = () => undefined;
      const step: ScriptStep = () => {
        interrupt();
        return { text: 'too late', delayMs: 20_000 };
      };
      return withModel([step], async (env) => {
        const onStart: Call['onStart'] = (kill) => {
          interrupt = () => kill('SIGINT');
        };
        const run = await harness9({ args: ['-p', 'x', '--provider', 'openai', '--model', 'm'], env, onStart });
        expect(run.code).toBe(130);
      });
    },
    timeout,
  );

  test(
    'ends with 1 and one clear message when the key is missing or refused',
    async () => {
      const missing = await harness9({ args: ['-p', 'x', '--provider', 'openai'] });
      expect(missing).toMatchObject({ code: 1, stdout: '' });
      expect(missing.stderr).toContain('OPENAI_API_KEY');
      await withModel([{ status: 401, error: 'wrong key key-0123456789' }], async (env) => {
        const refused = await harness9({ args: ['-p', 'x', '--provider', 'openai', '--model', 'm'], env });
        expect(refused.code).toBe(1);
        expect(refused.stderr).not.toContain('key-0123456789');
      });
    },
    timeout,
  );

  test(
    'ends with 2 for a command line that is wrong, and starts nothing',
    async () => {
      const run = await harness9({ args: ['-p', 'x', '--max-turns', 'many'] });
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--max-turns "many"') });
    },
    timeout,
  );

  test(
    'plays a script in process, without a key',
    async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'harness9-script-'));
      folders.push(folder);
      const script = path.join(folder, 'script.json');
      await writeFile(
        script,
        JSON.stringify({ turns: [{ calls: [{ name: 'read_file', arguments: { path: 'note.txt' } }] }, { text: 'Played.' }] }),
      );
      const run = await harness9({ args: ['-p', 'x', '--provider', 'scripted', '--model', script] });
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: 'Played.\n' });
    },
    timeout,
  );

  test.each([
    ['--sandbox', 'readonly', /^((?!"name":"bash").)*$/],
    ['--sandbox', 'process', /"name":"bash"/],
  ])(
    '%s %s decides which tools there are',
    (flag, value, tools) =>
      withModel([{ text: 'Seen.' }], async (env, model) => {
        const run = await harness9({ args: ['-p', 'x', '--provider', 'openai', '--model', 'm', flag, value], env });
        expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: 'Seen.\n' });
        expect(JSON.stringify(model.requests[0]?.body.tools)).toMatch(tools);
      }),
    timeout,
  );

  test(
    '--cwd works in another folder, which must be there',
    () =>
      withModel([{ calls: [{ name: 'read_file', arguments: { path: 'there.txt' } }] }, { text: 'Read.' }], async (env, model) => {
        const folder = await mkdtemp(path.join(tmpdir(), 'harness9-there-'));
        folders.push(folder);
        await writeFile(path.join(folder, 'there.txt'), 'found\n');
        const args = ['-p', 'x', '--provider', 'openai', '--model', 'm', '--cwd'];
        expect(await harness9({ args: [...args, folder], env })).toMatchObject({ code: 0, stdout: 'Read.\n' });
        expect(JSON.stringify(model.requests[1]?.body)).toContain('found');
        expect(await harness9({ args: [...args, path.join(folder, 'not')], env })).toMatchObject({ code: 2, stdout: '' });
      }),
    timeout,
  );
});
