// The terminal's command line: arguments in, a request out, with one clear message for what is wrong. Names: INTERFACE.md, Terminal.
import { closest, distance } from 'fastest-levenshtein';
import { oneLine } from '../schema/one-line.ts';
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
  readonly allowInsecureEndpoint: boolean;
  readonly cwd: string | null;
}

export interface SessionsOptions {
  readonly command: SessionsCommand;
  readonly format: 'text' | 'json';
  readonly cwd: string | null;
}

export type SessionsCommand =
  | { readonly name: 'list'; readonly all: boolean; readonly tag: string | null }
  | { readonly name: 'search'; readonly words: string; readonly all: boolean }
  | { readonly name: 'tag'; readonly id: string; readonly tags: readonly string[] }
  | { readonly name: 'show' | 'pop' | 'clear' | 'delete'; readonly id: string };

const formats = ['text', 'json', 'stream-json'] as const;
const providers = ['auto', 'openai', 'anthropic', 'scripted'] as const;
const levels = ['auto', 'process', 'readonly', 'none'] as const;
const subcommands = ['sessions'] as const;
/** Are to come (INTERFACE.md); whoever types one of them does not mean a prompt. */
const laterSubcommands: readonly string[] = ['try', 'init', 'doctor', 'replay'];
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
  'allow-insecure-endpoint': { takes: 'nothing' },
};

const sessionsFlags: Readonly<Record<string, FlagForm>> = { ...everywhere, all: { takes: 'nothing' }, tag: { takes: 'value' } };

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
    allowInsecureEndpoint: flags.has('allow-insecure-endpoint'),
    cwd: flags.get('cwd') ?? null,
  };
}

/** Ids are hexadecimal, and people mistype them; a prompt of one such word has to stand elsewhere than after `--resume`. */
const idLike = /^(?=.*\d)[0-9a-z]{4,}$/i;

/** `--resume <id>` and `--resume <prompt>` look the same: it is an id when it looks like one, or when there is another word for the prompt. */
function takeResumedId(words: readonly Word[]): { readonly id: string | null; readonly prompts: readonly string[] } {
  const candidate = words.find(({ after, isLiteral }) => after === 'resume' && !isLiteral);
  const isId = candidate !== undefined && (idLike.test(candidate.text) || words.length > 1);
  const prompts = words.filter((word) => !isId || word !== candidate);
  return { id: isId ? candidate.text : null, prompts: prompts.map(({ text }) => text) };
}

function parseSessionWish(flags: CommandLine['flags'], id: string | null): SessionWish {
  const given = ['resume', 'continue', 'no-session'].filter((name) => flags.has(name));
  if (given.length > 1) throw usageError(`--${given.join(' and --')}: expected one of them`);
  switch (given[0]) {
    case 'resume': {
      const named = flags.get('resume') ?? id;
      return { kind: 'resume', id: named === null ? null : parseId('--resume', named) };
    }
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

/** The beginning of an id is enough, but not any: a slip must not delete what it happens to fit. */
const minIdCharacters = 4;

function parseId(what: string, given: string): string {
  const id = given.trim().toLowerCase();
  if (id.length >= minIdCharacters) return id;
  throw usageError(`${what} "${given}": expected the id of a session, or its first ${minIdCharacters} characters and more`);
}

function parseSessions(flags: CommandLine['flags'], words: readonly Word[]): SessionsOptions {
  const [name = 'list', ...operands] = words.map(({ text }) => text);
  const all = flags.has('all');
  const given = flags.get('tag') ?? null;
  const tag = given === null ? null : parseTag('--tag', given);
  const command = parseSessionsCommand(name, operands, { all, tag });
  if (all && command.name !== 'list' && command.name !== 'search') {
    throw usageError(`--all: sessions ${command.name} is about one conversation`);
  }
  if (tag !== null && command.name !== 'list') throw usageError(`--tag "${tag}": only sessions list takes it`);
  return {
    command,
    format: oneOf('--output-format', flags.get('output-format') ?? 'text', ['text', 'json']),
    cwd: flags.get('cwd') ?? null,
  };
}

function parseSessionsCommand(
  given: string,
  operands: readonly string[],
  { all, tag }: { readonly all: boolean; readonly tag: string | null },
): SessionsCommand {
  const name = sessionsCommands.find((command) => command === given);
  if (name === undefined) {
    throw usageError(`unknown subcommand "${given}" of sessions; the nearest is "${closest(given, sessionsCommands)}"`);
  }
  const [first, ...more] = operands;
  if (name === 'list' && first !== undefined) throw usageError(`sessions list "${first}": expected nothing after it`);
  if (name === 'list') return { name, all, tag };
  if (first === undefined || operands.join('').trim() === '') {
    throw usageError(`sessions ${name}: expected ${name === 'search' ? 'words' : 'the id of a session'} after it`);
  }
  if (name === 'search') return { name, words: operands.join(' '), all };
  const id = parseId(`sessions ${name}`, first);
  if (name === 'tag') return { name, id, tags: more.map((tag) => parseTag('sessions tag', tag)) };
  if (more.length > 0) throw usageError(`sessions ${name} ${id} "${more[0]}": expected one id`);
  return { name, id };
}

/** On one line. A blank one would take all tags off, or fit none. */
function parseTag(what: string, given: string): string {
  const tag = oneLine(given, Number.POSITIVE_INFINITY);
  if (tag === '') throw usageError(`${what} "${given}": expected a tag`);
  return tag;
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

function wholeNumber(flag: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw usageError(`${flag} "${value}": expected a whole number, 0 for no limit`);
  return Number(value);
}
