// The bash tool: one shell command, its output and its end in words for the model. Running it is run-command's work.
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { z } from 'zod';
import type { Exit } from '../../schema/message.ts';
import type { Tool, ToolOutcome } from '../tool.ts';
import { defineTool, failure } from '../tool.ts';
import { nonInteractiveEnvironment } from './non-interactive-environment.ts';
import type { CommandResult } from './run-command.ts';
import { runCommand } from './run-command.ts';

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
/** Of both streams together. */
const maxOutputBytes = 16_000;
/** Linux takes no single argument of 128 KiB or more. */
const maxCommandBytes = 128 * 1024 - 1;
/** Never by name: a PATH inside the workspace must not decide what bash is (D7). */
const bashPaths = ['/usr/bin/bash', '/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash'];

interface BashOptions {
  readonly workDir: string;
  /** The whole environment of every command, before the non-interactive settings. */
  readonly env: Readonly<Record<string, string>>;
  /** When it aborts, everything that commands left running dies. */
  readonly lifetime: AbortSignal;
}

/** bash in `workDir`. */
export function createBashTool({ workDir, env, lifetime }: BashOptions): Tool {
  return defineTool({
    name: 'bash',
    description:
      'Runs a bash command in the workspace. Nothing persists between calls: every call is a new shell that starts in the workspace with ' +
      'the same environment, so write `cd dir && command`. Nobody can answer prompts; stdin is empty. stdout and stderr are shown apart ' +
      '(append 2>&1 to see them in order), long output without its middle. Ends after timeout_secs with everything it started; only ' +
      'processes sent to the background with & outlive a call that ends by itself.',
    place: 'host',
    effect: 'execute',
    timeoutMs: defaultTimeoutMs,
    maxTimeoutMs,
    schema: z.object({
      command: z.string().regex(/\S/, 'a command').describe('Passed to bash -c.'),
      timeout_secs: z.number().positive('a number of seconds above 0').optional().describe('Default 120, at most 600.'),
    }),
    run: async ({ command, timeout_secs: seconds }, { signal }) => {
      if (command.includes('\0')) return failure('bash: the command holds a NUL character. Nothing was run.');
      if (Buffer.byteLength(command) > maxCommandBytes) {
        return failure('bash: the command is over 128 KB. Nothing was run. Write a script with write_file and run that.');
      }
      const bashPath = bashPaths.find((candidate) => existsSync(candidate));
      if (bashPath === undefined) return failure(`bash is not installed (looked for ${bashPaths.join(', ')}).`);
      if (!existsSync(workDir)) return failure(`The workspace ${workDir} does not exist any more; nothing can be run there.`);
      const timeoutMs = Math.min((seconds ?? defaultTimeoutMs / 1000) * 1000, maxTimeoutMs);
      const result = await runCommand({
        bashPath,
        command,
        workDir,
        env: { ...env, ...nonInteractiveEnvironment },
        timeoutMs,
        signal,
        lifetime,
      });
      return renderResult(result, timeoutMs);
    },
  });
}

function renderResult(result: CommandResult, timeoutMs: number): ToolOutcome {
  const output = renderOutput(result);
  const background = result.leavesBackground ? '\n[a background process of this command is still running]' : '';
  const text = `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}[${describeEnd(result, timeoutMs, output === '')}]${background}`;
  const exit = exitOf(result.end);
  return { output: text, isError: exit.code !== 0, exit };
}

function exitOf(end: CommandResult['end']): Exit {
  return {
    code: end.kind === 'exit' ? end.code : null,
    signal: end.kind === 'signal' ? end.signal : null,
    timedOut: end.kind === 'timeout',
  };
}

function renderOutput({ stdout, stderr }: CommandResult): string {
  if (stderr.totalBytes === 0) return stdout.render(maxOutputBytes);
  if (stdout.totalBytes === 0) return `[stderr]\n${stderr.render(maxOutputBytes)}`;
  const half = maxOutputBytes / 2;
  // Each has a half; what one leaves over goes to the other.
  const first = stdout.render(Math.max(half, maxOutputBytes - stderr.totalBytes));
  const second = stderr.render(Math.max(half, maxOutputBytes - stdout.totalBytes));
  return `${first}${first.endsWith('\n') ? '' : '\n'}[stderr]\n${second}`;
}

function describeEnd({ end }: CommandResult, timeoutMs: number, isSilent: boolean): string {
  const silence = isSilent ? ', no output' : '';
  switch (end.kind) {
    case 'exit':
      return `exit code ${end.code}${silence}`;
    case 'signal':
      return `killed by ${end.signal}, exit code ${128 + constants.signals[end.signal]}${silence}`;
    case 'timeout':
      return `timed out after ${timeoutMs / 1000} s and was killed${silence}; this says nothing about the code: narrow the command or raise timeout_secs (at most ${maxTimeoutMs / 1000})`;
    case 'abort':
      return `cancelled and killed${silence}`;
  }
}
