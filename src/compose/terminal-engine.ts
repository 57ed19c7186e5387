// The engine of a run in the terminal, with its tools started. What a prompt is, and where the result goes, is the terminal's.
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Engine } from '../engine/engine.ts';
import type { Session } from '../engine/ports.ts';
import { Harness9Error, messageOf } from '../schema/error.ts';
import type { PlanMode } from '../schema/plan-mode.ts';
import { createDiskSkillFiles } from '../skills/disk-files.ts';
import { composeEngine } from './engine.ts';
import { loadGuidance } from './guidance.ts';
import { composeMainTools, type MainTools } from './main-tools.ts';
import { composePromptBuilder } from './prompt.ts';
import type { TerminalEnvironment } from './terminal-environment.ts';
import { composeTerminalModel, type ModelWish } from './terminal-model.ts';
import { composeTools, type ToolsOptions } from './tools.ts';

export type { Engine };

export interface TerminalEngineOptions extends ModelWish {
  readonly workDir: string;
  readonly session: Session | undefined;
  readonly maxTurns: number;
  readonly mode: PlanMode;
  readonly sandbox: ToolsOptions['sandbox'];
  /** dist/tool-host/index.js; the entry knows where it is. */
  readonly toolHostEntry: string;
}

export interface TerminalEngine {
  readonly engine: Engine;
  /** Ends the tools and what they left running. */
  close(): Promise<void>;
}

/** An engine over the chosen model and the tools of the folder. Throws what its parts throw; then nothing is left running. */
export async function composeTerminalEngine(
  options: TerminalEngineOptions,
  environment: TerminalEnvironment,
): Promise<TerminalEngine> {
  const { workDir, session, maxTurns, mode } = options;
  const { world, log, redactor } = environment;
  const { provider, model } = await composeTerminalModel(options, environment, workDir);
  // In the terminal the repository is the user's own, and so is what it says; a folder of it follows the whole's rules.
  const root = findRepository(workDir);
  const guidance = await loadGuidance(createDiskSkillFiles(root), ['AGENTS.md'], log);
  const mainTools = composeMainTools(guidance);
  const { registry, close } = await startTools(options, mainTools, environment);
  const tools = registry.getAvailableTools().map(({ name }) => name);
  const engine = composeEngine({
    provider,
    model,
    registry,
    workDir,
    promptBuilder: composePromptBuilder(
      { workDir, surroundings: 'terminal', tools, guidance, append: root === workDir ? null : pathsNote(root), world },
      redactor.secrets,
    ),
    session,
    todoStore: mainTools.todoStore,
    planMode: mode,
    limits: { maxTurns, timeoutMs: 0, maxTokensTotal: null },
    world,
    log,
  });
  return { engine, close };
}

/** The folder around `workDir` that holds a repository, or `workDir` itself. */
function findRepository(workDir: string): string {
  for (let folder = workDir; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.git'))) return folder;
    if (folder === path.dirname(folder)) return workDir;
  }
}

function pathsNote(root: string): string {
  return `The repository's root is ${root}: paths of instructions and skills are relative to it.`;
}

async function startTools(options: TerminalEngineOptions, mainTools: MainTools, { world, log, redactor }: TerminalEnvironment) {
  const stateDir = await makeStateDir(world.randomHex(6));
  const removeStateDir = () => rm(stateDir, { recursive: true, force: true });
  const tools = await composeTools({
    workDir: options.workDir,
    stateDir,
    sandbox: options.sandbox,
    passEnv: [],
    allowed: { tools: 'all', bash: 'allowed' },
    mainTools: mainTools.tools,
    toolHostEntry: options.toolHostEntry,
    marker: world.randomHex(16),
    // In the terminal there is no runner whose files commands could change.
    guarded: [],
    redaction: redactor,
    world,
    log,
  }).catch(async (error: unknown) => {
    await removeStateDir();
    throw error;
  });
  if (tools.level.notice !== null) log(tools.level.notice);
  return {
    registry: tools.registry,
    close: async () => {
      await tools.close();
      await removeStateDir();
    },
  };
}

/** Private, outside of the working directory. Throws TEMP_FOLDER. */
async function makeStateDir(suffix: string): Promise<string> {
  const stateDir = path.resolve(tmpdir(), `harness9-${suffix}`);
  try {
    await mkdir(stateDir, { mode: 0o700 });
    return stateDir;
  } catch (cause) {
    throw new Harness9Error({
      code: 'TEMP_FOLDER',
      message: `no folder can be made for temporary files: ${messageOf(cause)}`,
      hint: 'Set TMPDIR to a folder that is there and can be written.',
      cause,
    });
  }
}
