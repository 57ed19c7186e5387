// Owns the form of the hooks' configuration: unknown in, definitions out. Reads no file and runs nothing.
import path from 'node:path';
import { z } from 'zod';
import { Harness9Error } from '../../schema/error.ts';
import { oneLine } from '../../schema/one-line.ts';
import { isRecord } from '../../schema/record.ts';
import { describeProblems } from './problems.ts';
import { isShellText, shellTextExpected } from './shell.ts';

const hookEvents = ['PreToolUse', 'PostToolUse', 'TurnComplete', 'Stop'] as const;

/**
 * What a hook runs with `bash -c`. A `command` is a line of the configuration: the files that it calls are the workspace's, and the agent
 * can change them. A `script` is the text of a file as it stands on the base commit: it goes from our process to bash without touching
 * the workspace, so that the agent cannot change it. `path`: relative to the repository, with slashes.
 */
type HookRun = { readonly kind: 'command'; readonly text: string } | { readonly kind: 'script'; readonly path: string };

export interface HookDefinition {
  readonly event: (typeof hookEvents)[number];
  readonly name: string;
  readonly run: HookRun;
  readonly timeoutMs: number;
  /** Added to the tool host's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A permission pattern: the calls that the hook is asked about. Absent: all. Of PreToolUse and PostToolUse. */
  readonly matcher: string | undefined;
  /** How often it may send the agent back in one run. Of Stop. */
  readonly maxSendBacks: number;
}

const defaultTimeoutSecs = 60;
const maxTimeoutSecs = 600;
const defaultSendBacks = 3;
/** More is a loop, not a check. */
const mostSendBacks = 20;
const maxNameChars = 80;

/** A text that holds the condition; anything else is told what is `expected`. */
function text(expected: string, isRight: (value: string) => boolean) {
  return z.string({ error: expected }).refine(isRight, { error: expected });
}

function number(expected: string, isRight: (value: number) => boolean) {
  return z.number({ error: expected }).refine(isRight, { error: expected });
}

const environmentSchema = z.record(
  // By a variable of ours the tool host knows its processes; a hook must not hide from it.
  text('the name of a variable that does not begin with HARNESS9_', (name) => /^(?!HARNESS9_)[A-Za-z_]\w*$/.test(name)),
  text('a text without NUL (numbers and booleans in quotes)', (value) => !value.includes('\0')),
  { error: 'a mapping of names to texts' },
);

const hookSchema = z.strictObject(
  {
    command: text(shellTextExpected, isShellText).optional(),
    script: text('the path of a file within the repository, like ./.harness9/hooks/check.sh', isRepositoryPath).optional(),
    name: text(`a name of one line and at most ${maxNameChars} characters`, isName).optional(),
    timeout_secs: number(
      `a number of seconds above 0 and at most ${maxTimeoutSecs}`,
      (value) => value > 0 && value <= maxTimeoutSecs,
    ).optional(),
    env: environmentSchema.optional(),
  },
  { error: 'a hook: a mapping with command or script' },
);
const callHookSchema = hookSchema.extend({
  matcher: text('a permission pattern, like bash(git push:*)', (value) => value.trim() !== '').optional(),
});
const stopHookSchema = hookSchema.extend({
  max_send_backs: number(
    `a whole number from 0 to ${mostSendBacks}`,
    (value) => Number.isInteger(value) && value >= 0 && value <= mostSendBacks,
  ).optional(),
});

const oneRun = {
  error: 'exactly one of command and script',
  // Also where another field is wrong: all problems are told together.
  when: ({ value }: { readonly value: unknown }) => isRecord(value),
};
const listExpected = { error: 'a list of hooks' };
const namesOfHook = {
  PreToolUse: Object.keys(callHookSchema.shape),
  PostToolUse: Object.keys(callHookSchema.shape),
  TurnComplete: Object.keys(hookSchema.shape),
  Stop: Object.keys(stopHookSchema.shape),
};
const hooksSchema = z.strictObject(
  {
    PreToolUse: z.array(callHookSchema.refine(hasOneRun, oneRun), listExpected).default([]),
    PostToolUse: z.array(callHookSchema.refine(hasOneRun, oneRun), listExpected).default([]),
    TurnComplete: z.array(hookSchema.refine(hasOneRun, oneRun), listExpected).default([]),
    Stop: z.array(stopHookSchema.refine(hasOneRun, oneRun), listExpected).default([]),
  },
  { error: `a mapping of events (${hookEvents.join(', ')}) to lists of hooks` },
);

/**
 * The hooks that `value` names, as YAML or JSON parsing gave it; in the order of the events, and of each event's list. `source` is where it
 * comes from (input `hooks`). Throws HOOKS_INVALID with all problems together.
 */
export function parseHooks(value: unknown, source: string): readonly HookDefinition[] {
  const parsed = hooksSchema.safeParse(value);
  if (!parsed.success) {
    const problems = describeProblems(parsed.error.issues, value, namesAt);
    throw new Harness9Error({
      code: 'HOOKS_INVALID',
      message: problems.map((problem) => `${source}: ${problem}`).join('\n'),
      hint: 'Correct the hooks; HOOKS.md in the repository of harness9 has their form, with an example for each event.',
    });
  }
  return hookEvents.flatMap((event) => parsed.data[event].map((fields, index) => define(event, index, fields)));
}

/** The files that scripts are in, each once. */
export function scriptPaths(definitions: readonly HookDefinition[]): readonly string[] {
  return [...new Set(definitions.flatMap(({ run }) => (run.kind === 'script' ? [run.path] : [])))];
}

type HookFields = z.infer<typeof callHookSchema> & z.infer<typeof stopHookSchema>;

function define(event: HookDefinition['event'], index: number, fields: HookFields): HookDefinition {
  const { command = '', script, name = `${event}[${index}]`, timeout_secs: seconds = defaultTimeoutSecs, env = {} } = fields;
  return {
    event,
    name,
    run: script === undefined ? { kind: 'command', text: command } : { kind: 'script', path: path.posix.normalize(script) },
    timeoutMs: Math.ceil(seconds * 1000),
    env,
    matcher: fields.matcher,
    maxSendBacks: fields.max_send_backs ?? defaultSendBacks,
  };
}

function namesAt([event]: readonly PropertyKey[]): readonly string[] {
  const known = hookEvents.find((each) => each === event);
  return known === undefined ? hookEvents : namesOfHook[known];
}

function hasOneRun({ command, script }: { readonly command?: unknown; readonly script?: unknown }): boolean {
  return (command === undefined) !== (script === undefined);
}

function isName(value: string): boolean {
  return value !== '' && value === oneLine(value, maxNameChars);
}

/** Within the repository by its letters; what is there is for the one who reads the base commit to say. */
function isRepositoryPath(value: string): boolean {
  const steps = value.split('/');
  const hasSteps = steps.at(0) !== '' && steps.at(-1) !== '' && path.posix.normalize(value) !== '.';
  return hasSteps && !steps.includes('..') && !/[\0\\]/.test(value);
}
