// Builtins of bash that do more than their words say: they take names of variables (a subscript in one runs commands), or change the shell.
import { anything, type CommandFacts, type Describe } from './command-facts.ts';
import type { ShellWord } from './step.ts';
import { describeTest } from './test-builtin.ts';
import { isName } from './variables.ts';

const subscript = 'a name of a variable can run commands through a subscript';
const changesShell = 'it changes how the shell reads commands';

/** Nothing that they are given matters. */
const harmless: CommandFacts = { needsRule: false };

export const builtins: Readonly<Record<string, Describe>> = {
  ...Object.fromEntries(['true', 'false', ':', 'exit', 'break', 'continue', 'return'].map((name) => [name, () => harmless])),
  ...Object.fromEntries(
    ['bind', 'complete', 'compgen', 'compopt', 'enable', 'fc'].map((name) => [name, () => anything(changesShell)]),
  ),
  ...Object.fromEntries(['cd', 'pushd', 'popd'].map((name) => [name, () => ({ changesFolder: true })])),
  ...Object.fromEntries(['declare', 'typeset', 'local', 'readonly', 'export'].map((name) => [name, describeDeclaration])),
  alias: (words) => (words.length === 1 ? {} : anything('an alias can stand for any command', 0)),
  hash: (words) =>
    words.every(({ value }, at) => at === 0 || value === '-r') ? {} : anything('hash says which program a name means', 0),
  jobs: (words) =>
    words.every(({ value }) => value !== undefined && !/^-\w*x/.test(value)) ? {} : anything('jobs -x runs a command'),
  set: describeSet,
  shopt: describeShopt,
  read: (words) => describeNames(words, { flags: 'rs', values: 'dinNptu', names: 'a', byDefault: ['REPLY'] }),
  mapfile: (words) => describeNames(words, { flags: 't', values: 'dnOsu', names: '', byDefault: ['MAPFILE'] }),
  readarray: (words) => describeNames(words, { flags: 't', values: 'dnOsu', names: '', byDefault: ['MAPFILE'] }),
  unset: (words) => describeNames(words, { flags: 'vfn', values: '', names: '', byDefault: [] }),
  getopts: (words) => (isName(words[2]?.value) ? { sets: [words[2].value, 'OPTARG'] } : anything(subscript)),
  let: describeLet,
  printf: describePrintf,
  wait: describeWait,
  test: (words) => describeTest(words.slice(1)),
  '[': (words) => describeTest(words.at(-1)?.value === ']' ? words.slice(1, -1) : words.slice(1)),
};

interface NameOptions {
  readonly flags: string;
  readonly values: string;
  /** Options whose value is a name. */
  readonly names: string;
  /** What it sets when it is given no name. */
  readonly byDefault: readonly string[];
}

/** `read -r -p text NAME NAME` and its like. */
function describeNames(words: readonly ShellWord[], options: NameOptions): CommandFacts {
  const given: (string | undefined)[] = [];
  let index = 1;
  for (; index < words.length; index += 1) {
    const value = words[index]?.value;
    if (value === undefined) return anything(subscript);
    if (!/^-./.test(value)) break;
    const taken = takeNameOption(value, words[index + 1], options);
    if (taken === undefined) return anything(`the option ${value} may run commands`);
    if (taken.isName) given.push(taken.value);
    if (taken.isNext) index += 1;
  }
  given.push(...words.slice(index).map(({ value }) => value));
  const sets = given.filter(isName);
  if (sets.length < given.length) return anything(subscript);
  return { sets: sets.length === 0 ? options.byDefault : sets, lists: sets };
}

/** What an option takes; undefined when it is not known, or its value may be several words. */
function takeNameOption(
  option: string,
  next: ShellWord | undefined,
  { flags, values, names }: NameOptions,
): { readonly isName: boolean; readonly isNext: boolean; readonly value: string | undefined } | undefined {
  const letters = option.slice(1);
  const index = [...letters].findIndex((letter) => !flags.includes(letter));
  if (index === -1) return { isName: false, isNext: false, value: undefined };
  const letter = letters[index] ?? ' ';
  const isName = names.includes(letter);
  if (!isName && !values.includes(letter)) return undefined;
  const attached = letters.slice(index + 1);
  if (attached !== '') return { isName, isNext: false, value: attached };
  return next?.isMany === false ? { isName, isNext: true, value: next.value } : undefined;
}

/** `export NAME=value` and its like; `-i`, `-n` and lists make more of a value than a text. */
function describeDeclaration(words: readonly ShellWord[]): CommandFacts {
  const sets: string[] = [];
  const declares: string[] = [];
  let isList = false;
  for (const { value, text, prefix, isMany } of words.slice(1)) {
    if (value !== undefined && /^[-+][xrgpaA]+$/.test(value)) {
      isList ||= /[aA]/.test(value);
      continue;
    }
    const name = isName(value) ? value : /^([A-Za-z_]\w*)\+?=/.exec(prefix)?.[1];
    // In quotes a text with parentheses would still become a list.
    const isPlain = value === undefined ? /^\w+\+?=/.test(text) : !value.includes('=(');
    if (name === undefined || isMany || !isPlain) return anything(subscript);
    sets.push(name);
    if (value === undefined) declares.push(name);
  }
  return { sets, declares, lists: isList ? sets : [] };
}

/** Options by which errors are found and commands are shown; others change how lines are read. */
function describeSet(words: readonly ShellWord[]): CommandFacts {
  for (let index = 1; index < words.length; index += 1) {
    const value = words[index]?.value;
    if (value === undefined) return anything(changesShell);
    if (value === '--' || !/^[-+]/.test(value)) return {};
    if (!/^[-+][euxvfCTE]*o?$/.test(value)) return anything(changesShell);
    if (!value.endsWith('o')) continue;
    index += 1;
    const name = words[index]?.value ?? '';
    if (!/^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber|errtrace|functrace)$/.test(name))
      return anything(changesShell);
  }
  return {};
}

function describeShopt(words: readonly ShellWord[]): CommandFacts {
  const known = /^(?:-[suqp]|nullglob|failglob|dotglob|globstar|nocaseglob|nocasematch|inherit_errexit)$/;
  return words.every(({ value }, at) => at === 0 || (value !== undefined && known.test(value))) ? {} : anything(changesShell);
}

function describeLet(words: readonly ShellWord[]): CommandFacts {
  const sums = words.slice(1).map(({ value }) => value);
  return sums.includes(undefined) ? anything(subscript) : { sums: sums.filter((sum) => sum !== undefined) };
}

/** `printf -v NAME` sets a variable; a format that is not known may be that. */
function describePrintf(words: readonly ShellWord[]): CommandFacts {
  const [, first, second] = words;
  if (first === undefined) return {};
  if (first.value === undefined) return /^[^-]/.test(first.prefix) ? {} : anything(subscript);
  if (!first.value.startsWith('-v')) return {};
  const name = first.value === '-v' ? second?.value : first.value.slice(2);
  return isName(name) ? { sets: [name] } : anything(subscript);
}

/** `wait -p NAME`; what is not known may be that. */
function describeWait(words: readonly ShellWord[]): CommandFacts {
  const sums: string[] = [];
  for (const { value, text } of words.slice(1)) {
    if (value !== undefined && /^(?:%?\w+|-[nf]+)$/.test(value)) continue;
    if (value !== undefined) return anything(subscript);
    sums.push(text.replace(/^"([^"]*)"$/, '$1'));
  }
  return { sums };
}
