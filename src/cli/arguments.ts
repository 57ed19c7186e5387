// The terminal's command line: flags in, options out, with one clear message for what is wrong. Names: INTERFACE.md, Terminal.
import { parseArgs } from 'node:util';
import { Harness9Error } from '../schema/error.ts';

const usage = `harness9 -p [options] <prompt>    run one task in the current folder and print the answer

  -p, --print            one shot: print the answer and end; the task is read from piped input when it is left out
  --provider <name>      openai, anthropic or scripted (default: from the model's name or the key that is there)
  --model <name>         the model; takes provider/model; for scripted the path of a JSON file with the turns
  --max-turns <n>        model calls, 0 = no limit (default 50)
  --sandbox <level>      auto, process, readonly or none (default auto)
  --cwd <folder>         work there instead of here
  --help, --version

Keys and endpoints come from the environment: OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL.
Exit codes: 0 completed, 1 error, 2 usage, 3 a limit ended it, 130 interrupted.
`;

/** What the command line asks for. */
export type CliRequest =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly options: PrintOptions };

export interface PrintOptions {
  /** null: read it from piped input. */
  readonly prompt: string | null;
  readonly provider: 'auto' | 'openai' | 'anthropic' | 'scripted';
  readonly model: string | null;
  readonly maxTurns: number;
  readonly sandbox: 'auto' | 'process' | 'readonly' | 'none';
  readonly cwd: string | null;
}

const providers = ['auto', 'openai', 'anthropic', 'scripted'] as const;
const levels = ['auto', 'process', 'readonly', 'none'] as const;

/** Parses the arguments after the program's name. Throws CLI_USAGE naming the flag, the value and what is expected. */
export function parseArguments(args: readonly string[], version: string): CliRequest {
  const { values, positionals } = parse(args);
  if (values.help === true) return { kind: 'text', text: usage };
  if (values.version === true) return { kind: 'text', text: `${version}\n` };
  if (positionals.length > 1) throw usageError(`"${positionals[1]}": expected one prompt; put it in quotes`);
  return {
    kind: 'print',
    options: {
      prompt: positionals[0] ?? null,
      provider: oneOf('--provider', values.provider ?? 'auto', providers),
      model: values.model ?? null,
      maxTurns: wholeNumber('--max-turns', values['max-turns'] ?? '50'),
      sandbox: oneOf('--sandbox', values.sandbox ?? 'auto', levels),
      cwd: values.cwd ?? null,
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        print: { type: 'boolean', short: 'p' },
        provider: { type: 'string' },
        model: { type: 'string' },
        'max-turns': { type: 'string' },
        sandbox: { type: 'string' },
        cwd: { type: 'string' },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    });
  } catch (cause) {
    throw usageError(cause instanceof Error ? cause.message : String(cause));
  }
}

function oneOf<T extends string>(flag: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw usageError(`${flag} "${value}": expected one of ${choices.join(', ')}`);
  return found;
}

function wholeNumber(flag: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw usageError(`${flag} "${value}": expected a whole number, 0 for no limit`);
  return Number(value);
}

function usageError(message: string): Harness9Error {
  return new Harness9Error({ code: 'CLI_USAGE', message, hint: 'See harness9 --help.' });
}
