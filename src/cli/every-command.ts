// What every command line of the terminal has: the flags that all take, and values that are written alike.
import { type FlagForm, usageError } from './flags.ts';

export const outputFormats = ['text', 'json', 'stream-json'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const everyFlags: Readonly<Record<string, FlagForm>> = {
  'output-format': { takes: 'value' },
  cwd: { takes: 'value' },
  help: { takes: 'nothing', short: 'h' },
  version: { takes: 'nothing' },
};

/** The beginning of an id is enough, but not any: a slip must not delete what it happens to fit. */
const minIdCharacters = 4;

/** The id of a session, or how it begins. Throws CLI_USAGE naming `what`. */
export function parseId(what: string, given: string): string {
  const id = given.trim().toLowerCase();
  if (id.length >= minIdCharacters) return id;
  throw usageError(`${what} "${given}": expected the id of a session, or its first ${minIdCharacters} characters and more`);
}
