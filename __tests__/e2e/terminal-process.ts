// The terminal as a process of its own, from the sources (the built entry is terminal.test.ts's): a home and a folder that nobody else has, and every way to call and to stop it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { startModel } from '../../src/simulator/model/scripted-model.ts';
import type { ScriptStep } from '../../src/simulator/model/scripted-turn.ts';
import { entryOf } from '../entries.ts';

export const terminalTimeout = 180_000;
export const modelKey = 'key-0123456789';

export interface TerminalCall {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped in; null leaves the pipe open and silent. */
  readonly input?: string | null;
  readonly cwd?: string;
  readonly entry?: string;
  /** What a shell does with the call, which is "$@": `"$@" | head -n 1`. */
  readonly shell?: string;
  readonly onStart?: (child: ChildProcess) => unknown;
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** null when a signal ended it. */
  readonly code: number | null;
}

export interface TerminalScene extends AsyncDisposable {
  readonly home: string;
  /** The folder that it works in; `note.txt` is there. */
  readonly cwd: string;
  readonly run: (call: TerminalCall) => Promise<Ended>;
}

export async function startTerminal(): Promise<TerminalScene> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'harness9-terminal-')));
  const [home, cwd] = [path.join(root, 'home'), path.join(root, 'work')];
  await Promise.all([mkdir(home), mkdir(cwd)]);
  await writeFile(path.join(cwd, 'note.txt'), 'hello\n');
  return {
    home,
    cwd,
    run: async ({ args, env = {}, input = '', onStart, ...call }) => {
      const command = [process.execPath, call.entry ?? entryOf('cli'), ...args];
      const [program = '', ...rest] = call.shell === undefined ? command : ['bash', '-c', call.shell, 'bash', ...command];
      const child = spawn(program, rest, {
        cwd: call.cwd ?? cwd,
        env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: root, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      onStart?.(child);
      if (input !== null) child.stdin.end(input);
      const [stdout, stderr, code] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        new Promise<number | null>((resolve) => child.once('exit', resolve)),
      ]);
      return { stdout, stderr, code };
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** A model on loopback, and the environment that leads to it; `args` name provider and model. */
export async function startLoopbackModel(script: readonly ScriptStep[], provider: 'openai' | 'anthropic' = 'openai') {
  const model = await startModel(script);
  return {
    requests: model.requests,
    remaining: () => model.remaining(),
    args: ['-p', '--provider', provider, '--model', 'm'],
    env: {
      OPENAI_API_KEY: modelKey,
      OPENAI_BASE_URL: model.openaiUrl,
      ANTHROPIC_API_KEY: modelKey,
      ANTHROPIC_BASE_URL: model.url,
    },
    [Symbol.asyncDispose]: () => model.close(),
  };
}

/** The messages of a request without the system prompt, as one text. */
export function conversationOf(request: { readonly body: Readonly<Record<string, unknown>> } | undefined): string {
  const { messages } = request?.body ?? {};
  if (!Array.isArray(messages)) return '';
  return JSON.stringify(messages.filter((message: { readonly role?: unknown }) => message.role !== 'system'));
}

/** One JSON value a line. */
export function parseLines(stdout: string) {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
