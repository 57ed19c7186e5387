// The tools of a run: which ones the plan and the sandbox level allow, where they run, and what their results may contain.
import { mkdir } from 'node:fs/promises';
import type { ToolRegistry } from '../engine/ports.ts';
import { childEnvironment } from '../sandbox/child-environment.ts';
import { guardFiles } from '../sandbox/guard-files.ts';
import { decideLevel, type LevelDecision, probeSandbox } from '../sandbox/level.ts';
import { createPrivatePlaces } from '../sandbox/private-places.ts';
import { startToolHost } from '../sandbox/tool-host-client.ts';
import type { RunPlan } from '../schema/gate.ts';
import { argumentsOf, type ToolCall, type ToolDefinition } from '../schema/message.ts';
import type { StartProcess } from '../schema/running-process.ts';
import type { SandboxLevel } from '../schema/settings.ts';
import type { Log, World } from '../schema/world.ts';
import { canonicalCall, findDefinition } from '../tools/canonical-call.ts';
import { hostToolDefinitions } from '../tools/host-tools.ts';
import type { Tool } from '../tools/tool.ts';
import { logStopped, renderProcesses } from './left-processes.ts';
import { withMainTools } from './main-tools.ts';
import { redactParts } from './redact-parts.ts';

export interface ToolsOptions {
  readonly workDir: string;
  /** For the private home and temporary folder of commands; outside the workspace. */
  readonly stateDir: string;
  readonly sandbox: 'auto' | SandboxLevel;
  readonly passEnv: readonly string[];
  readonly allowed: Pick<RunPlan, 'tools' | 'bash'>;
  /** dist/tool-host/index.js; the entries know where they are. */
  readonly toolHostEntry: string;
  /** By which what the tool host leaves running is known; see leftovers.ts. */
  readonly marker: string;
  /** Files and folders that commands must not change and, at the levels without a file system of their own, could. */
  readonly guarded: readonly string[];
  readonly redaction: {
    readonly mark: string;
    readonly secrets: (text: string) => string;
    readonly outward: (text: string) => string;
  };
  readonly world: Pick<World, 'env'>;
  readonly log: Log;
}

/** A command that was run, as our own log has it and as it leaves. */
export interface CommandRecord {
  readonly command: string;
  readonly exitCode: number | null;
}

export interface Tools {
  /** The sandbox's tools with `more` beside them, which run in our own process. */
  registryWith(more: readonly Tool[]): ToolRegistry;
  /** Starts processes in the sandbox, beside the tools; undefined where none may run. */
  readonly startProcess: StartProcess | undefined;
  /** Whether what lies in the workspace may be run, as bash would. */
  readonly mayExecute: boolean;
  readonly level: LevelDecision;
  readonly commands: readonly CommandRecord[];
  /** The commands since a tool last wrote a file. */
  commandsSinceEdit(): readonly CommandRecord[];
  /** Ends the sandbox, and puts guarded files back. */
  close(): Promise<SandboxEnd>;
}

/** What was found when the sandbox ended. With `survivors` or `tampered` nothing may be published. */
export interface SandboxEnd {
  /** Was still running, and is dead now: command lines with their ids, fit to be read. */
  readonly killed: readonly string[];
  /** Could not be killed. */
  readonly survivors: readonly string[];
  /** Guarded files that were changed. */
  readonly tampered: readonly string[];
}

/** Starts the tool host. Throws SANDBOX_UNAVAILABLE or PASS_ENV_REFUSED, naming the input. */
export async function composeTools(options: ToolsOptions): Promise<Tools> {
  const level = decideLevel(options.sandbox, await probeSandbox());
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
  const places = await createPrivatePlaces(options.stateDir);
  const guarded = await guardFiles(options.guarded);
  const host = startToolHost({
    level,
    nodePath: process.execPath,
    entry: options.toolHostEntry,
    workDir: options.workDir,
    env: childEnvironment(options.world.env, options.passEnv, homeOf(level, options, places)),
    definitions: allowedTools(hostToolDefinitions(), options.allowed, level.level),
    redactionMark: options.redaction.mark,
    marker: options.marker,
    log: options.log,
  });
  const commands: CommandRecord[] = [];
  let editedAt = 0;
  return {
    registryWith: (more) =>
      watched(withMainTools(host.registry, more), options.redaction.secrets, {
        onCommand: ({ command, exitCode }) => commands.push({ command: options.redaction.outward(command), exitCode }),
        onEdit: () => {
          editedAt = commands.length;
        },
      }),
    startProcess: level.level === 'readonly' ? undefined : host.startProcess,
    mayExecute: mayExecute(options.allowed, level.level),
    level,
    commands,
    commandsSinceEdit: () => commands.slice(editedAt),
    close: async () => {
      const { killed, survivors } = await host.close();
      await places.remove();
      const { outward } = options.redaction;
      const end = { killed: renderProcesses(killed, outward), survivors: renderProcesses(survivors, outward) };
      logStopped(end.killed, options.log);
      return { ...end, tampered: await guarded.restore() };
    },
  };
}

/** The plan's table (DESIGN.md, Trust): untrusted runs only read; bash of a mixed run needs a sandbox of `namespace` or better; `readonly` runs no commands. */
export function allowedTools(
  all: readonly ToolDefinition[],
  allowed: Pick<RunPlan, 'tools' | 'bash'>,
  level: SandboxLevel,
): readonly ToolDefinition[] {
  const { tools } = allowed;
  return all.filter(({ effect }) => effect === 'read' || (tools === 'all' && (effect === 'write' || mayExecute(allowed, level))));
}

function mayExecute({ tools, bash }: Pick<RunPlan, 'tools' | 'bash'>, level: SandboxLevel): boolean {
  const isBoxed = level === 'namespace' || level === 'bubblewrap';
  return tools === 'all' && level !== 'readonly' && (bash === 'allowed' || (bash === 'sandboxed' && isBoxed));
}

/** Without a sandbox, as the user wished, commands find the user's own home. */
function homeOf(level: LevelDecision, { world }: ToolsOptions, places: { readonly home: string; readonly tmpDir: string }) {
  return level.level === 'none' ? { home: world.env.HOME ?? places.home, tmpDir: places.tmpDir } : places;
}

interface Watcher {
  onCommand(command: CommandRecord): void;
  /** A tool that writes files was called. */
  onEdit(): void;
}

/** Secrets are taken out of results here, once, before they enter the history; commands are noted as they are, with their exit codes. */
function watched(registry: ToolRegistry, redact: (text: string) => string, { onCommand, onEdit }: Watcher): ToolRegistry {
  const canonical = (call: ToolCall): ToolCall => canonicalCall(call, registry.getAvailableTools());
  return {
    getAvailableTools: () => registry.getAvailableTools(),
    canonicalCall: canonical,
    execute: async (given, context) => {
      const call = canonical(given);
      const result = await registry.execute(call, context);
      if (result.exit !== undefined) onCommand({ command: commandOf(call), exitCode: result.exit.code });
      if (findDefinition(call.name, registry.getAvailableTools())?.effect === 'write') onEdit();
      return { ...result, output: redactParts(result.output, redact) };
    },
  };
}

/** What was asked to be run; a call that is no JSON is shown as it came. */
function commandOf(call: ToolCall): string {
  const { command } = argumentsOf(call) ?? {};
  return command === undefined ? call.arguments : String(command);
}
