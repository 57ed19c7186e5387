// Reads a command line against a table of flags: which were given, with what, and the words between them. Knows no flag by name.
import { parseArgs } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { Harness9Error } from '../schema/error.ts';
import { oneLine } from '../schema/one-line.ts';

/** How a flag is written. `optional` takes a value as `--flag=value`; a word after it is left to the caller. */
export interface FlagForm {
  readonly takes: 'nothing' | 'value' | 'optional';
  /** What giving it several times means: all the values, one a line; a mistake; without a word the last one counts. */
  readonly again?: 'adds' | 'refused';
  readonly short?: string;
}

/** A word that is no flag. `after`: the flag without a value right before it. `isLiteral`: it stands after `--`. */
export interface Word {
  readonly text: string;
  readonly after: string | null;
  readonly isLiteral: boolean;
}

export interface CommandLine {
  /** The value of the last of each name, of a list all of them; null where it has none. */
  readonly flags: ReadonlyMap<string, string | null>;
  readonly words: readonly Word[];
}

const maxSeenChars = 60;

/** Throws CLI_USAGE naming the flag: unknown (with the nearest name), without its value (none and '' are the same), or with one that it does not take. */
export function readCommandLine(args: readonly string[], forms: Readonly<Record<string, FlagForm>>): CommandLine {
  const flags = new Map<string, string | null>();
  const words: Word[] = [];
  let isLiteral = false;
  let after: string | null = null;
  for (const token of tokensOf(args, forms)) {
    if (token.kind === 'option') flags.set(token.name, readValue(token, forms, flags.get(token.name)));
    if (token.kind === 'positional') words.push({ text: token.value, after, isLiteral });
    if (token.kind === 'option-terminator') isLiteral = true;
    after = token.kind === 'option' && token.value === undefined ? token.name : null;
  }
  return { flags, words };
}

/** What is wrong with the command line, and where the right words stand. */
export function usageError(message: string, hint = 'See harness9 --help.'): Harness9Error {
  return new Harness9Error({ code: 'CLI_USAGE', message, hint });
}

/** `value` as one of `choices`. Throws CLI_USAGE naming `what`, the value and the choices. */
export function oneOf<T extends string>(what: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw usageError(`${what} "${value}": expected one of ${choices.join(', ')}`);
  return found;
}

/** A whole number; `zero` says what 0 means. Throws CLI_USAGE naming the flag and the value. */
export function wholeNumber(flag: string, value: string, zero: string): number {
  if (!/^\d{1,9}$/.test(value)) throw usageError(`${flag} "${value}": expected a whole number, ${zero}`);
  return Number(value);
}

/** US dollars, with cents and less where wished. Throws CLI_USAGE naming the flag and the value. */
export function dollars(flag: string, value: string): number {
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(value))
    throw usageError(`${flag} "${value}": expected US dollars such as 0.50, 0 for no limit`);
  return Number(value);
}

/** Not strict: what is wrong with a line is said in our words, which name the nearest flag. */
function tokensOf(args: readonly string[], forms: Readonly<Record<string, FlagForm>>) {
  const options = Object.entries(forms).map(([name, { takes, short }]) => [
    name,
    { type: takes === 'value' ? 'string' : 'boolean', ...(short === undefined ? {} : { short }) } as const,
  ]);
  return parseArgs({ args: [...args], options: Object.fromEntries(options), allowPositionals: true, strict: false, tokens: true })
    .tokens;
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** `before`: what the same flag was given earlier on the line. */
function readValue(
  { name, rawName, value, inlineValue }: FlagToken,
  forms: Readonly<Record<string, FlagForm>>,
  before: string | null | undefined,
): string | null {
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (form === undefined) throw unknownFlag(rawName, Object.keys(forms));
  if (form.takes === 'nothing' && value !== undefined) throw usageError(`${rawName} "${value}": this flag takes no value`);
  // `--model --plan`: the value was forgotten. One that begins with a dash is written `--model=-x`; a list's dash has a blank after it.
  const isForgotten = value === undefined || (inlineValue !== true && /^-\S/.test(value));
  if (form.takes === 'value' && isForgotten) throw usageError(`${rawName}: expected a value after it`);
  // A script's variable that is not set must not mean the default.
  if (value?.trim() === '') throw usageError(`${rawName} "${value}": expected a value`);
  if (form.again === 'refused' && before !== undefined) {
    const [first, second] = [before, value].map((given) => oneLine(given ?? '', maxSeenChars));
    throw usageError(`${rawName} "${second}": it is given already, as "${first}"; expected it once`, 'Put all of it into one.');
  }
  return form.again === 'adds' && before !== undefined ? `${before}\n${value}` : (value ?? null);
}

function unknownFlag(rawName: string, names: readonly string[]): Harness9Error {
  const nearest = closest(
    rawName,
    names.map((name) => `--${name}`),
  );
  return usageError(
    `unknown flag "${rawName}"; the nearest is ${nearest}`,
    'See harness9 --help. A prompt that begins with a dash stands after --: harness9 -p -- "- …".',
  );
}
