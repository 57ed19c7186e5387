// The bash tool: one shell command, its output and its end for the model. Running it is run-command's work, the words are describe-end's.
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Exit } from '../../schema/message.ts';
import { createOutputPipes } from '../output-pipes.ts';
import type { Tool } from '../tool.ts';
import { defineTool, failure } from '../tool.ts';
import { describeEnd, describeStart } from './describe-end.ts';
import { nonInteractiveEnvironment } from './non-interactive-environment.ts';
import type { OutputFolder } from './output-folder.ts';
import { endLine, renderOutput } from './render-output.ts';
import type { CommandEnd } from './run-command.ts';
import { runCommand } from './run-command.ts';

const defaultSeconds = 120;
const maxSeconds = 600;
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
  /** Takes the output that a result has no room for. */
  readonly outputs: OutputFolder;
}

/** bash in `workDir`. */
export function createBashTool({ workDir, env, lifetime, outputs }: BashOptions): Tool {
  const pipes = createOutputPipes({ env, lifetime });
  return defineTool({
    name: 'bash',
    description:
      'Runs a bash command. Nothing persists between calls: every call is a new shell that starts in the workspace with the same ' +
      'environment, so write `cd dir && command`. Nobody can answer prompts; stdin is empty. stdout and stderr are shown apart ' +
      '(append 2>&1 to see them in order); of long output the middle is left out, and a file named that has it. At timeout_secs it is ' +
      'killed with all that it started but daemons; background processes (&) outlive only a call that ends by itself, until the run ends.',
    place: 'host',
    effect: 'execute',
    timeoutMs: defaultSeconds * 1000,
    maxTimeoutMs: maxSeconds * 1000,
    schema: z.object({
      command: z.string().regex(/\S/, 'a command'),
      timeout_secs: z
        .number()
        .positive('a number of seconds above 0')
        .optional()
        .describe(`Default ${defaultSeconds}, at most ${maxSeconds}.`),
    }),
    run: async ({ command, timeout_secs }, { signal }) => {
      if (command.includes('\0')) return failure('bash: the command holds a NUL character. Nothing was run.');
      if (Buffer.byteLength(command) > maxCommandBytes) {
        return failure('bash: the command is over 128 KB. Nothing was run. Write a script with write_file and run that.');
      }
      const bashPath = bashPaths.find((candidate) => existsSync(candidate));
      if (bashPath === undefined) return failure(`bash is not installed (looked for ${bashPaths.join(', ')}).`);
      const seconds = Math.min(timeout_secs ?? defaultSeconds, maxSeconds);
      const place = { bashPath, workDir, env: { ...env, ...nonInteractiveEnvironment }, lifetime, pipes };
      try {
        const result = await runCommand({ ...place, command, timeoutMs: seconds * 1000, signal });
        const output = endLine(await renderOutput(result, outputs));
        const exit = exitOf(result.end);
        return { output: output + describeEnd(result, { seconds, maxSeconds }), isError: exit.code !== 0, exit };
      } catch (error) {
        return failure(describeStart(error, workDir));
      }
    },
  });
}

function exitOf(end: CommandEnd): Exit {
  return {
    code: end.kind === 'exit' ? end.code : null,
    signal: end.kind === 'signal' ? end.signal : null,
    timedOut: end.kind === 'timeout',
  };
}
