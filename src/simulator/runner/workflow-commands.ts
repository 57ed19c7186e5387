/** Finds the commands in a step's output as the runner does, and keeps the log with secrets masked. */

export interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

export interface OutputReader {
  /** Takes one line of stdout or stderr: the runner reads commands on both. */
  readLine(line: string): void;
  addMask(value: string): void;
  readonly commands: readonly WorkflowCommand[];
  /** What a person sees, masked; commands that the runner swallows are not in it. */
  log(): string;
}

// Only registered commands are taken; anything else is printed as it is.
const REGISTERED: readonly string[] = [
  'add-mask',
  'add-matcher',
  'add-path',
  'debug',
  'echo',
  'endgroup',
  'error',
  'group',
  'notice',
  'remove-matcher',
  'save-state',
  'set-env',
  'set-output',
  'stop-commands',
  'warning',
];
// These leave a line in the log, in the runner's own form.
const SHOWN: readonly string[] = ['debug', 'error', 'group', 'endgroup', 'notice', 'warning'];

/** A reader with these secrets masked from the start. */
export function createOutputReader(secrets: readonly string[]): OutputReader {
  const commands: WorkflowCommand[] = [];
  const lines: string[] = [];
  const masks = new Set<string>();
  let stopToken: string | null = null;
  const addMask = (value: string): void => {
    // Each line of a longer secret is one as well.
    for (const part of [value, ...value.split(/\r?\n/)]) if (part.trim() !== '') masks.add(part);
  };
  for (const secret of secrets) addMask(secret);

  const take = (command: WorkflowCommand): void => {
    commands.push(command);
    if (command.name === 'add-mask') addMask(command.data);
    if (command.name === 'stop-commands') stopToken = command.data;
    if (SHOWN.includes(command.name)) lines.push(`##[${command.name}]${command.data}`);
  };
  return {
    commands,
    addMask,
    readLine(line) {
      const command = parseCommand(line, stopToken === null ? REGISTERED : [stopToken]);
      if (command === null) lines.push(line);
      else if (stopToken === null) take(command);
      else stopToken = null;
    },
    log: () => mask(lines.join('\n'), masks),
  };
}

/** A command in either spelling: `::name key=value::data` after blanks, or `##[name key=value]data` anywhere in the line. */
export function parseCommand(line: string, names: readonly string[] = REGISTERED): WorkflowCommand | null {
  return parseColons(line.trimStart(), names) ?? parseHashes(line, names);
}

function parseColons(line: string, names: readonly string[]): WorkflowCommand | null {
  const end = line.startsWith('::') ? line.indexOf('::', 2) : -1;
  if (end < 0) return null;
  return commandOf(
    line.slice(2, end),
    { separator: ',', data: decode(line.slice(end + 2), DATA_ESCAPES), escapes: PROPERTY_ESCAPES },
    names,
  );
}

function parseHashes(line: string, names: readonly string[]): WorkflowCommand | null {
  const start = line.indexOf('##[');
  const end = start < 0 ? -1 : line.indexOf(']', start);
  if (end < 0) return null;
  return commandOf(
    line.slice(start + 3, end),
    { separator: ';', data: decode(line.slice(end + 1), HASH_ESCAPES), escapes: HASH_ESCAPES },
    names,
  );
}

type Escapes = readonly (readonly [string, string])[];
const DATA_ESCAPES: Escapes = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%25', '%'],
];
const PROPERTY_ESCAPES: Escapes = [
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%3A', ':'],
  ['%2C', ','],
  ['%25', '%'],
];
const HASH_ESCAPES: Escapes = [
  ['%3B', ';'],
  ['%0D', '\r'],
  ['%0A', '\n'],
  ['%5D', ']'],
  ['%25', '%'],
];

function commandOf(
  head: string,
  { separator, data, escapes }: { readonly separator: string; readonly data: string; readonly escapes: Escapes },
  names: readonly string[],
): WorkflowCommand | null {
  const space = head.indexOf(' ');
  const name = space < 0 ? head : head.slice(0, space);
  if (!names.includes(name)) return null;
  const pairs =
    space < 0
      ? []
      : head
          .slice(space + 1)
          .trim()
          .split(separator);
  const properties = pairs.flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals < 1 ? [] : [[pair.slice(0, equals).trim(), decode(pair.slice(equals + 1), escapes)] as const];
  });
  return { name, properties: Object.fromEntries(properties), data };
}

function decode(text: string, escapes: Escapes): string {
  return escapes.reduce((result, [escaped, plain]) => result.replaceAll(escaped, plain), text);
}

function mask(text: string, masks: ReadonlySet<string>): string {
  // Longer secrets first, so that none is left half visible.
  return [...masks].sort((a, b) => b.length - a.length).reduce((result, secret) => result.replaceAll(secret, '***'), text);
}
