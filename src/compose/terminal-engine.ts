// The engine of a run in the terminal, with its tools started. What a prompt is, and where the result goes, is the terminal's.
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Engine } from '../engine/engine.ts';
import type { Session } from '../engine/ports.ts';
import type { PlanMode } from '../schema/plan-mode.ts';
import { composeEngine } from './engine.ts';
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
  const { provider } = await composeTerminalModel(options, environment, workDir);
  const promptBuilder = await composePromptBuilder(promptParts(workDir), redactor.secrets);
  const { registry, close } = await startTools(options, environment);
  const engine = composeEngine({
    provider,
    registry,
    workDir,
    promptBuilder,
    session,
    limits: { maxTurns, timeoutMs: 0, maxTokensTotal: null },
    world,
    log,
  });
  engine.setPlanMode(mode);
  return { engine, close };
}

async function startTools(options: TerminalEngineOptions, { world, log, redactor }: TerminalEnvironment) {
  const stateDir = path.join(tmpdir(), `harness9-${world.randomHex(6)}`);
  const tools = await composeTools({
    workDir: options.workDir,
    stateDir,
    sandbox: options.sandbox,
    passEnv: [],
    allowed: { tools: 'all', bash: 'allowed' },
    toolHostEntry: options.toolHostEntry,
    marker: world.randomHex(16),
    // In the terminal there is no runner whose files commands could change.
    guarded: [],
    redaction: redactor,
    world,
    log,
  });
  if (tools.level.notice !== null) log(tools.level.notice);
  return {
    registry: tools.registry,
    close: async () => {
      await tools.close();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/** The instructions are the working directory's own: in the terminal it is the user's. */
function promptParts(workDir: string) {
  return {
    workDir,
    surroundings: 'terminal',
    append: null,
    instructionsFiles: ['AGENTS.md'],
    readInstructions: (file: string) => readFile(path.join(workDir, file), 'utf8').catch(() => null),
  } as const;
}
