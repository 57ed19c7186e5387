// Programs that run another command given in their own words. Those that do nothing else need no rule of their own.
import { anything, type CommandFacts, type Describe, possiblyInner } from './command-facts.ts';
import { type OptionTable, skipOptions } from './options.ts';
import { anyWords, type ShellAssignment, type ShellWord } from './step.ts';

/** They change nothing about what the other command does. */
const transparent: Readonly<Record<string, OptionTable>> = {
  builtin: {},
  // With -a a program that is many in one is another of them.
  exec: { flags: 'cl' },
  nohup: {},
  nice: { values: 'n', longValues: ['adjustment'] },
  ionice: { flags: 't', values: 'cn', longValues: ['class', 'classdata'] },
  timeout: {
    flags: 'v',
    values: 'ks',
    long: ['foreground', 'preserve-status', 'verbose'],
    longValues: ['kill-after', 'signal'],
    operands: 1,
  },
  time: { flags: 'pv', long: ['portability', 'verbose'] },
  stdbuf: { values: 'ioe', longValues: ['input', 'output', 'error'] },
  setsid: { flags: 'cfw', long: ['ctty', 'fork', 'wait'] },
};

/** They change who runs it, or where: the command and they themselves need a rule. */
const opaque: Readonly<Record<string, OptionTable>> = {
  sudo: { flags: 'nEHkbA', values: 'ugp', long: ['non-interactive', 'preserve-env', 'set-home'], longValues: ['user', 'group'] },
  doas: { flags: 'n', values: 'u' },
  npx: { flags: 'yq', values: 'p', long: ['yes', 'no', 'no-install', 'quiet', 'silent'], longValues: ['package'] },
  pnpx: {},
  bunx: {},
  uvx: {},
  'xvfb-run': { flags: 'a', long: ['auto-servernum'] },
  fakeroot: {},
  busybox: {},
  toybox: {},
  gosu: { operands: 1 },
};

/** Programs with subcommands that run another command. */
const runners: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx'],
  bun: ['x'],
  uv: ['run'],
  poetry: ['run'],
  pipenv: ['run'],
  pipx: ['run'],
  bundle: ['exec'],
  conda: ['run'],
};
const runnerOptions: OptionTable = { flags: 'yq', values: 'p', long: ['yes', 'silent', 'quiet'], longValues: ['package'] };

/** They run another command, and their options are too many to know. */
const unknownOptions =
  'flock strace ltrace unshare chroot setpriv nsenter taskset chrt numactl systemd-run start-stop-daemon dbus-run-session unbuffer rlwrap ' +
  'proot firejail bwrap su-exec tini dumb-init pkexec entr chpst softlimit envdir setuidgid faketime cpulimit prlimit choom setarch linux32 ' +
  'linux64 valgrind perf hyperfine watch nix-shell runuser su script dotenv cross-env cross-env-shell env-cmd doppler op direnv ssh-agent mise rustup';

/** What they run comes from where no rule can look. */
const unknowable = ['parallel', 'expect', 'at', 'batch'];

export const wrappers: Readonly<Record<string, Describe>> = {
  ...mapValues(transparent, (table) => (words) => ({ ...describeWith(words, table), needsRule: false })),
  ...mapValues(opaque, (table) => (words) => describeWith(words, table)),
  ...mapValues(runners, (subcommands) => (words) => describeRunner(words, subcommands)),
  ...Object.fromEntries(
    unknownOptions.split(' ').map((name) => [name, (words: readonly ShellWord[]) => possiblyInner(words, 1)]),
  ),
  ...Object.fromEntries(unknowable.map((name) => [name, () => anything(`${name} runs commands that the rules cannot see`)])),
  command: describeCommandBuiltin,
  env: describeEnv,
  xargs: describeXargs,
};

function mapValues<T>(record: Readonly<Record<string, T>>, describe: (value: T) => Describe): Readonly<Record<string, Describe>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, describe(value)]));
}

function describeWith(words: readonly ShellWord[], table: OptionTable, from = 1): CommandFacts {
  const index = skipOptions(words, table, from);
  if (index === undefined) return possiblyInner(words, from);
  return { inner: index < words.length ? [readAssigned(words, index)] : [] };
}

/** `A=1 B=2 command`, as `env` and `sudo` take it. */
function readAssigned(words: readonly ShellWord[], from: number) {
  const assignments: ShellAssignment[] = [];
  for (const { prefix, value, text, isMany } of words.slice(from)) {
    // env takes for one whatever has a `=`.
    const name = /^([^=]+)=/.exec(prefix)?.[1];
    if (name === undefined || isMany) break;
    assignments.push({ name, value: value?.slice(name.length + 1), text });
  }
  const index = from + assignments.length;
  return { index, words: words.slice(index), assignments };
}

function describeRunner(words: readonly ShellWord[], subcommands: readonly string[]): CommandFacts {
  const index = words.findIndex(({ value }, at) => at > 0 && !value?.startsWith('-'));
  const subcommand = words[index];
  if (subcommand === undefined) return {};
  if (subcommand.value === undefined) return possiblyInner(words, index);
  if (!subcommands.includes(subcommand.value)) return {};
  return index === 1 ? describeWith(words, runnerOptions, 2) : possiblyInner(words, index + 1);
}

/** `command -v` only looks. */
function describeCommandBuiltin(words: readonly ShellWord[]): CommandFacts {
  if (words[1]?.value !== undefined && /^-[vV]$/.test(words[1].value)) return {};
  return { ...describeWith(words, {}), needsRule: false };
}

function describeEnv(words: readonly ShellWord[]): CommandFacts {
  const table: OptionTable = { flags: 'i', values: 'u', long: ['ignore-environment'], longValues: ['unset'] };
  const index = skipOptions(words, table);
  if (index === undefined) {
    // `-S` has escapes of its own, and `-C` goes to another folder.
    const isOdd = words.some(({ value }) => value === undefined || /[\\$'"#]/.test(value));
    const facts = isOdd ? anything('env takes words apart in its own way') : possiblyInner(words, 1);
    return { ...facts, changesFolder: true };
  }
  const command = readAssigned(words, index);
  // Alone it prints what is in the environment.
  return command.words.length === 0 ? {} : { needsRule: false, inner: [command] };
}

function describeXargs(words: readonly ShellWord[]): CommandFacts {
  const table: OptionTable = {
    flags: '0rtpx',
    values: 'nPLsdEI',
    long: ['null', 'no-run-if-empty', 'verbose', 'exit'],
    longValues: ['max-args', 'max-procs', 'max-chars', 'delimiter'],
    longAttached: ['max-lines', 'replace', 'eof'],
  };
  const index = skipOptions(words, table);
  if (index === undefined) return possiblyInner([...words, anyWords], 1);
  const mark = findReplacement(words.slice(1, index));
  const rest = words.slice(index);
  if (rest.length === 0) return { needsRule: false };
  const inner = mark === undefined ? [...rest, anyWords] : rest.map((word) => withHole(word, mark));
  return { needsRule: false, inner: [{ index, words: inner }] };
}

function findReplacement(options: readonly ShellWord[]): string | undefined {
  const at = options.findLastIndex(({ value }) => value !== undefined && /^(?:-[0rtpx]*I|--replace)/.test(value));
  const option = options[at]?.value;
  if (option === undefined) return undefined;
  return /^(?:-[0rtpx]*I|--replace=)(.+)$/.exec(option)?.[1] ?? options[at + 1]?.value ?? '';
}

/** A word in which `mark` is replaced by something that is not known. */
export function withHole(word: ShellWord, mark: string): ShellWord {
  const { value, text } = word;
  if (value === undefined || mark === '') return { ...anyWords, text };
  const at = value.indexOf(mark);
  return at === -1 ? word : { text, value: undefined, prefix: value.slice(0, at), isMany: false, isSplit: false };
}
