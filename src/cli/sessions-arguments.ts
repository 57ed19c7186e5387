// The command line of `harness9 sessions`. Opens nothing.
import { closest } from 'fastest-levenshtein';
import { oneLine } from '../schema/one-line.ts';
import { everyFlags, parseId } from './every-command.ts';
import { type CommandLine, type FlagForm, oneOf, usageError, type Word } from './flags.ts';

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

const sessionsCommands = ['list', 'show', 'search', 'tag', 'pop', 'clear', 'delete'] as const;

export const sessionsFlags: Readonly<Record<string, FlagForm>> = {
  ...everyFlags,
  all: { takes: 'nothing' },
  tag: { takes: 'value' },
};

/** `words`: those after `sessions`. Throws CLI_USAGE naming the flag or word, and what is expected. */
export function parseSessions(flags: CommandLine['flags'], words: readonly Word[]): SessionsOptions {
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
