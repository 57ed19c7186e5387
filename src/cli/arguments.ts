// The terminal's command line: arguments in, a request out, with one clear message for what is wrong. Names: INTERFACE.md, Terminal.
import { closest, distance } from 'fastest-levenshtein';
import { type OutputFormat, outputFormats } from './every-command.ts';
import { readCommandLine, usageError } from './flags.ts';
import { type PrintOptions, parsePrint, printFlags } from './print-arguments.ts';
import { parseSessions, type SessionsOptions, sessionsFlags } from './sessions-arguments.ts';
import { usage } from './usage.ts';

/** What the command line asks for. */
export type CliRequest =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly options: PrintOptions }
  | { readonly kind: 'sessions'; readonly options: SessionsOptions };

const subcommands = ['sessions'] as const;
/** Are to come (INTERFACE.md); whoever types one of them does not mean a prompt. */
const laterSubcommands: readonly string[] = ['try', 'init', 'doctor', 'replay'];

/** Parses the arguments after the program's name. Throws CLI_USAGE naming the flag, the value and what is expected. */
export function parseArguments(args: readonly string[], version: string): CliRequest {
  // Where the first word stands decides which flags there are, and the flags where the first word stands.
  const any = readCommandLine(args, { ...printFlags, ...sessionsFlags });
  const [first, ...rest] = any.words;
  const command = first === undefined || first.isLiteral || any.flags.has('print') ? null : first.text;
  const asks = (name: string): boolean => any.flags.has(name) || (command === name && rest.length === 0);
  if (asks('help')) return { kind: 'text', text: usage };
  if (asks('version')) return { kind: 'text', text: `${version}\n` };
  if (command === 'sessions') {
    return { kind: 'sessions', options: parseSessions(readCommandLine(args, sessionsFlags).flags, rest) };
  }
  if (command !== null) refuseCommand(command);
  return { kind: 'print', options: parsePrint(readCommandLine(args, printFlags)) };
}

/** How the output is wished, read from a command line that may be wrong in every other way. */
export function outputFormatOf(args: readonly string[]): OutputFormat {
  const end = args.indexOf('--');
  const flags = end < 0 ? args : args.slice(0, end);
  const value = flags.flatMap((arg, index) => {
    if (arg.startsWith('--output-format=')) return [arg.slice('--output-format='.length)];
    return arg === '--output-format' ? [flags[index + 1]] : [];
  });
  return outputFormats.find((format) => format === value.at(-1)) ?? 'text';
}

/** One letter more, less or wrong, or two of them swapped. */
const slipDistance = 2;

/** A single word that is a subcommand to come, or nearly one that there is, is not a task worth a model's time. */
function refuseCommand(word: string): void {
  if (laterSubcommands.includes(word)) {
    throw usageError(`the subcommand "${word}" is not in this version (as a prompt: harness9 -p "${word}")`);
  }
  const nearest = closest(word, subcommands);
  if (distance(word, nearest) > slipDistance) return;
  throw usageError(`unknown subcommand "${word}"; the nearest is "${nearest}" (as a prompt: harness9 -p "${word}")`);
}
