// The hooks of a run: commands of trusted configuration, and `verify_command` as the last of those that may send the agent back (verify.ts).
import { createCommandHooks } from '../policy/hooks/command-hooks.ts';
import { type HookDefinition, parseHooks, scriptPaths } from '../policy/hooks/parse-hooks.ts';
import { notStarted } from '../schema/not-started.ts';
import type { StartProcess } from '../schema/running-process.ts';
import type { EdgeParts } from './edge-parts.ts';
import type { Permissions } from './permissions.ts';
import { redactHook } from './redacted-hook.ts';
import { type ConfigSource, loadConfigText, parseConfig } from './trusted-config.ts';
import { composeVerify, type VerifiedHooks } from './verify.ts';

/** Throws HOOKS_INVALID, CONFIG_UNREADABLE or CONFIG_MALFORMED: guards that cannot be read are not done without. */
export async function composeHooks(parts: EdgeParts, permissions: Pick<Permissions, 'matcherOf'>): Promise<VerifiedHooks> {
  const { settings, source } = parts;
  const text = await loadConfigText('hooks', settings.hooks, source);
  const place = source.nameOf('hooks');
  const definitions = text === null ? [] : parseHooks(parseConfig('hooks', text, source), place);
  const matchers = new Map(
    definitions.flatMap(({ name, matcher }) =>
      matcher === undefined ? [] : [[matcher, permissions.matcherOf(matcher, `${place}: ${name}`)] as const],
    ),
  );
  const commands = createCommandHooks(definitions, {
    scripts: await loadScripts(definitions, source),
    matches: async (matcher, call) => (await matchers.get(matcher)?.(call)) ?? true,
    starterOf: (run) => starterOf(run, parts),
    workDir: parts.workDir,
    clock: parts.world.clock,
    log: parts.outgoing.log,
  });
  const verify = composeVerify(parts);
  const hooks = [...commands, ...verify.hooks].map((hook) => redactHook(hook, parts.outgoing.redactor.secrets));
  return { hooks, verified: verify.verified };
}

async function loadScripts(definitions: readonly HookDefinition[], source: ConfigSource): Promise<ReadonlyMap<string, string>> {
  const texts = scriptPaths(definitions).map(async (path) => [path, await source.read(path)] as const);
  return new Map((await Promise.all(texts)).flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])));
}

/** A script is trusted text; what a command calls lies in the workspace, and runs where bash may. */
function starterOf({ kind }: HookDefinition['run'], { tools }: EdgeParts): StartProcess {
  if (tools.startProcess === undefined) return () => notStarted('at this sandbox level no process may run');
  if (kind === 'command' && !tools.mayExecute) {
    return () => notStarted('in a run without commands no hook’s `command` is run, only a `script`');
  }
  return tools.startProcess;
}
