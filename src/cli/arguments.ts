// The terminal's command line: arguments in, a request out, with one clear message for what is wrong. Names: INTERFACE.md, Terminal.
import { closest, distance } from 'fastest-levenshtein';
import { type PlanMode, planModeSchema } from '../schema/plan-mode.ts';
import { type CommandLine, type FlagForm, oneOf, readCommandLine, usageError, type Word } from './flags.ts';
import { usage } from './usage.ts';

/** What the command line asks for. */
export type CliRequest =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly options: PrintOptions }
  | { readonly kind: 'sessions'; readonly options: SessionsOptions };

export type OutputFormat = (typeof formats)[number];

/** Which conversation a run goes on with. `resume` without an id: the newest of the workspace. */
export type SessionWish =
  | { readonly kind: 'new' | 'continue' | 'none' }
  | { readonly kind: 'resume'; readonly id: string | null };

export interface PrintOptions {
  /** null: it has to be piped in. */
  readonly prompt: string | null;
  readonly format: OutputFormat;
  readonly session: SessionWish;
  readonly mode: PlanMode;
  readonly provider: (typeof providers)[number];
  readonly model: string | null;
  readonly maxTurns: number;
  readonly sandbox: (typeof levels)[number];
  readonly cwd: string | null;
}

export interface SessionsOptions {
  readonly command: SessionsCommand;
  readonly format: 'text' | 'json';
  readonly cwd: string | null;
}

export type SessionsCommand =
  | { readonly name: 'list'; readonly all: boolean }
  | { readonly name: 'search'; readonly words: string; readonly all: boolean }
  | { readonly name: 'tag'; readonly id: string; readonly tags: readonly string[] }
  | { readonly name: 'show' | 'pop' | 'clear' | 'delete'; readonly id: string };

const formats = ['text', 'json', 'stream-json'] as const;
const providers = ['auto', 'openai', 'anthropic', 'scripted'] as const;
const levels = ['auto', 'process', 'readonly', 'none'] as const;
const subcommands = ['sessions'] as const;
const sessionsCommands = ['list', 'show', 'search', 'tag', 'pop', 'clear', 'delete'] as const;

const everywhere: Readonly<Record<string, FlagForm>> = {
  'output-format': { takes: 'value' },
  cwd: { takes: 'value' },
  help: { takes: 'nothing', short: 'h' },
  version: { takes: 'nothing' },
};

const printFlags: Readonly<Record<string, FlagForm>> = {
  ...everywhere,
  print: { takes: 'nothing', short: 'p' },
  resume: { takes: 'optional' },
  continue: { takes: 'nothing' },
  'no-session': { takes: 'nothing' },
  plan: { takes: 'nothing' },
  mode: { takes: 'value' },
  provider: { takes: 'value' },
  model: { takes: 'value' },
  'max-turns': { takes: 'value' },
  sandbox: { takes: 'value' },
};

const sessionsFlags: Readonly<Record<string, FlagForm>> = { ...everywhere, all: { takes: 'nothing' } };

/** Parses the arguments after the program's name. Throws CLI_USAGE naming the flag, the value and what is expected. */
export function parseArguments(args: readonly string[], version: string): CliRequest {
  // Where the first word stands decides which flags there are, and the flags where the first word stands.
  const any = readCommandLine(args, { ...printFlags, ...sessionsFlags });
  if (any.flags.has('help')) return { kind: 'text', text: usage };
  if (any.flags.has('version')) return { kind: 'text', text: `${version}\n` };
  const [first, ...rest] = any.words;
  const isCommand = first !== undefined && !first.isLiteral && !any.flags.has('print');
  if (isCommand && first.text === 'sessions') {
    return { kind: 'sessions', options: parseSessions(readCommandLine(args, sessionsFlags).flags, rest) };
  }
  if (isCommand) refuseSlip(first.text);
  return { kind: 'print', options: parsePrint(readCommandLine(args, printFlags)) };
}

/** How the output is wished, read from a command line that may be wrong in every other way. */
export function outputFormatOf(args: readonly string[]): OutputFormat {
  const value = args.flatMap((arg, index) => {
    if (arg.startsWith('--output-format=')) return [arg.slice('--output-format='.length)];
    return arg === '--output-format' ? [args[index + 1]] : [];
  });
  return formats.find((format) => format === value.at(-1)) ?? 'text';
}

function parsePrint({ flags, words }: CommandLine): PrintOptions {
  const { id, prompts } = takeResumedId(words);
  if (prompts.length > 1) throw usageError(`"${prompts[1]}": expected one prompt; put it in quotes`);
  return {
    prompt: prompts[0] ?? null,
    format: oneOf('--output-format', flags.get('output-format') ?? 'text', formats),
    session: parseSessionWish(flags, id),
    mode: parseMode(flags),
    provider: oneOf('--provider', flags.get('provider') ?? 'auto', providers),
    model: flags.get('model') ?? null,
    maxTurns: wholeNumber('--max-turns', flags.get('max-turns') ?? '50'),
    sandbox: oneOf('--sandbox', flags.get('sandbox') ?? 'auto', levels),
    cwd: flags.get('cwd') ?? null,
  };
}

/** The beginning of an id is enough. Ids are hexadecimal; a prompt of one such word has to stand elsewhere than after `--resume`. */
const idForm = /^(?=.*\d)[0-9a-f]{4,}$/;

/** `--resume <id>` and `--resume <prompt>` look the same: it is an id when it looks like one, or when there is another word for the prompt. */
function takeResumedId(words: readonly Word[]): { readonly id: string | null; readonly prompts: readonly string[] } {
  const candidate = words.find(({ after, isLiteral }) => after === 'resume' && !isLiteral);
  const isId = candidate !== undefined && (idForm.test(candidate.text) || words.length > 1);
  const prompts = words.filter((word) => !isId || word !== candidate);
  return { id: isId ? candidate.text : null, prompts: prompts.map(({ text }) => text) };
}

function parseSessionWish(flags: CommandLine['flags'], id: string | null): SessionWish {
  const given = ['resume', 'continue', 'no-session'].filter((name) => flags.has(name));
  if (given.length > 1) throw usageError(`--${given.join(' and --')}: expected one of them`);
  switch (given[0]) {
    case 'resume':
      return { kind: 'resume', id: flags.get('resume') || id };
    case 'continue':
      return { kind: 'continue' };
    case 'no-session':
      return { kind: 'none' };
    default:
      return { kind: 'new' };
  }
}

function parseMode(flags: CommandLine['flags']): PlanMode {
  const mode = oneOf('--mode', flags.get('mode') ?? (flags.has('plan') ? 'plan' : 'default'), planModeSchema.options);
  if (flags.has('plan') && mode !== 'plan') throw usageError(`--plan and --mode "${mode}": expected one of them`);
  return mode;
}

function parseSessions(flags: CommandLine['flags'], words: readonly Word[]): SessionsOptions {
  const [name = 'list', ...operands] = words.map(({ text }) => text);
  const command = parseSessionsCommand(name, operands, flags.has('all'));
  if (flags.has('all') && command.name !== 'list' && command.name !== 'search') {
    throw usageError(`--all: sessions ${command.name} is about one conversation`);
  }
  return {
    command,
    format: oneOf('--output-format', flags.get('output-format') ?? 'text', ['text', 'json']),
    cwd: flags.get('cwd') ?? null,
  };
}

function parseSessionsCommand(given: string, operands: readonly string[], all: boolean): SessionsCommand {
  const name = sessionsCommands.find((command) => command === given);
  if (name === undefined) {
    throw usageError(`unknown subcommand "${given}" of sessions; the nearest is "${closest(given, sessionsCommands)}"`);
  }
  const [id, ...more] = operands;
  if (name === 'list' && id !== undefined) throw usageError(`sessions list "${id}": expected nothing after it`);
  if (name === 'list') return { name, all };
  if (id === undefined || id.trim() === '') {
    throw usageError(`sessions ${name}: expected ${name === 'search' ? 'words' : 'the id of a session'} after it`);
  }
  if (name === 'search') return { name, words: operands.join(' '), all };
  if (name === 'tag') return { name, id, tags: more };
  if (more.length > 0) throw usageError(`sessions ${name} ${id} "${more[0]}": expected one id`);
  return { name, id };
}

/** One letter more, less or wrong, or two of them swapped. */
const slipDistance = 2;

/** A single word that nearly is a subcommand is a slip of the pen, not a task worth a model's time. */
function refuseSlip(word: string): void {
  const nearest = closest(word, subcommands);
  if (distance(word, nearest) > slipDistance) return;
  throw usageError(`unknown subcommand "${word}"; the nearest is "${nearest}" (as a prompt: harness9 -p "${word}")`);
}

function wholeNumber(flag: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw usageError(`${flag} "${value}": expected a whole number, 0 for no limit`);
  return Number(value);
}
