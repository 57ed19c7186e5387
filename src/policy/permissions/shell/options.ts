// Where the options of a command that runs another one end. Knows the few that are harmless; anything else is for the caller to be careful with.
import type { ShellWord } from './step.ts';

export interface OptionTable {
  /** Letters without a value, and with one. */
  readonly flags?: string;
  readonly values?: string;
  /** Long names without the dashes, without a value and with one. */
  readonly long?: readonly string[];
  readonly longValues?: readonly string[];
  /** Long names whose value only ever follows a `=`; without one they are not known. */
  readonly longAttached?: readonly string[];
  /** Words between the options and the other command. */
  readonly operands?: number;
}

/** The index of the first word of the other command (`words.length`: there is none); undefined when an option is not in the table. */
export function skipOptions(words: readonly ShellWord[], table: OptionTable, from = 1): number | undefined {
  const end = findEnd(words, table, from);
  if (end === undefined) return undefined;
  const operands = words.slice(end, end + (table.operands ?? 0));
  return operands.some(({ value }) => value === undefined) ? undefined : end + operands.length;
}

/** Where the options end. What is not known may be one. */
function findEnd(words: readonly ShellWord[], table: OptionTable, from: number): number | undefined {
  let index = from;
  for (;;) {
    const word = words[index];
    if (word === undefined) return index;
    if (word.value === undefined) return undefined;
    if (word.value === '--') return index + 1;
    if (!word.value.startsWith('-')) return index;
    const taken = takeOption(word.value, table);
    if (taken === undefined || (taken === 2 && words[index + 1]?.isMany !== false)) return undefined;
    index += taken;
  }
}

/** How many words an option is; undefined when it is not known. */
function takeOption(value: string, table: OptionTable): 1 | 2 | undefined {
  // To some it is an option, to others a file.
  if (value === '-') return undefined;
  return value.startsWith('--') ? takeLong(value, table) : takeShort(value, table);
}

function takeLong(value: string, { long = [], longValues = [], longAttached = [] }: OptionTable): 1 | 2 | undefined {
  const [whole, name = '', equals] = /^--([\w-]+)(=)?/.exec(value) ?? [];
  if (equals !== undefined) return [...longValues, ...longAttached].includes(name) ? 1 : undefined;
  if (value !== whole) return undefined;
  if (long.includes(name)) return 1;
  return longValues.includes(name) ? 2 : undefined;
}

function takeShort(value: string, { flags = '', values = '' }: OptionTable): 1 | 2 | undefined {
  const letters = value.slice(1);
  const index = [...letters].findIndex((letter) => !flags.includes(letter));
  if (index === -1) return 1;
  if (!values.includes(letters[index] ?? ' ')) return undefined;
  return index === letters.length - 1 ? 2 : 1;
}
