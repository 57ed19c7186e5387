// The hooks of a run: commands of trusted configuration, and `verify_command` as the last of those that may send the agent back.
import type { Hook } from '../engine/ports.ts';
import { verifyFailed } from '../github/publish/decide-conclusion.ts';
import { createCommandHooks } from '../policy/hooks/command-hooks.ts';
import { type HookDefinition, parseHooks, scriptPaths } from '../policy/hooks/parse-hooks.ts';
import { createVerifyHook, type VerifyOutcome } from '../policy/hooks/verify-hook.ts';
import type { ToolCall } from '../schema/message.ts';
import type { RunResult } from '../schema/run.ts';
import type { StartProcess } from '../schema/running-process.ts';
import type { EdgeParts } from './edge-parts.ts';
import type { Permissions } from './permissions.ts';
import { redactHook } from './redacted-hook.ts';
import { refuseProcesses } from './refused-process.ts';
import { type ConfigSource, loadConfigText, parseConfig } from './trusted-config.ts';

export interface Hooks {
  readonly hooks: readonly Hook[];
  /** `result` with what the verification came to. */
  verified(result: RunResult): RunResult;
}

/** Throws HOOKS_INVALID, CONFIG_UNREADABLE or CONFIG_MALFORMED: guards that cannot be read are not done without. */
export async function composeHooks(parts: EdgeParts, permissions: Pick<Permissions, 'matcherOf'>): Promise<Hooks> {
  const { settings, source } = parts;
  const text = await loadConfigText('hooks', settings.hooks, source);
  const definitions = text === null ? [] : parseHooks(parseConfig('hooks', text, source), source.nameOf('hooks'));
  const scripts = await loadScripts(definitions, source);
  const { workDir, world, outgoing } = parts;
  const commands = definitions.flatMap((definition) => {
    const matcher =
      definition.matcher === undefined
        ? undefined
        : permissions.matcherOf(definition.matcher, `${source.nameOf('hooks')}: ${definition.name}`);
    const startProcess = starterOf(definition, parts);
    const matches = async (_pattern: string, call: ToolCall) => (await matcher?.(call)) ?? true;
    return createCommandHooks([definition], { scripts, matches, startProcess, workDir, clock: world.clock, log: outgoing.log });
  });
  const verify = composeVerify(parts);
  const redacted = [...commands, ...verify.hooks].map((hook) => redactHook(hook, outgoing.redactor.secrets));
  return { hooks: redacted, verified: verify.verified };
}

async function loadScripts(definitions: readonly HookDefinition[], source: ConfigSource): Promise<ReadonlyMap<string, string>> {
  const texts = scriptPaths(definitions).map(async (path) => [path, await source.read(path)] as const);
  return new Map((await Promise.all(texts)).flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])));
}

/** A script is trusted text; what a command calls lies in the workspace, and runs where bash may. */
function starterOf({ run }: HookDefinition, { tools }: EdgeParts): StartProcess {
  if (tools.startProcess === undefined) return refuseProcesses('no process may run at this sandbox level');
  if (run.kind === 'command' && !tools.mayExecute)
    return refuseProcesses('this run may run no commands; a `script` would be run');
  return tools.startProcess;
}

function composeVerify({ settings, tools, verification, world, outgoing }: EdgeParts): Hooks {
  const { verifyCommand: command, verifyAttempts: attempts } = settings;
  const nothing = (result: RunResult): RunResult => result;
  if (command === null) return { hooks: [], verified: nothing };
  if (tools.startProcess === undefined || !tools.mayExecute) {
    const note = `\`${command}\` (verify_command) was not run: this run may run no commands.`;
    return { hooks: [], verified: (result) => withNote(result, note) };
  }
  const { hook, outcome } = createVerifyHook({
    command,
    attempts,
    startProcess: tools.startProcess,
    clock: world.clock,
    log: outgoing.log,
    beforeVerify: verification?.begin,
    afterVerify: verification?.end,
  });
  // A question that was answered leaves nothing to verify, whatever state the repository is in.
  const stop: typeof hook.stop = async (event, context) =>
    verification === undefined || (await verification.isDue(context.signal)) ? await hook.stop(event, context) : undefined;
  return { hooks: [{ ...hook, stop }], verified: (result) => withOutcome(result, outcome(), command) };
}

/** A run that was stopped says so itself; the verification is of work that is done. */
function withOutcome(result: RunResult, outcome: VerifyOutcome, command: string): RunResult {
  switch (outcome.kind) {
    case 'passed':
      return withNote(result, `\`${command}\` (verify_command) passed.`);
    case 'not_run':
      return result;
    case 'failed': {
      const times = outcome.attempts === 1 ? '' : `, run ${outcome.attempts} times`;
      const message = `\`${command}\` (verify_command${times}) ${outcome.end}.`;
      if (result.stopReason !== 'completed' || result.error !== undefined) return withNote(result, message);
      return { ...result, error: { code: verifyFailed, message } };
    }
  }
}

function withNote(result: RunResult, note: string): RunResult {
  return { ...result, notes: [...(result.notes ?? []), note] };
}
