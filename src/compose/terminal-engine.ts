// The engine of a run in the terminal, with its tools started. What a prompt is, and where the result goes, is the terminal's.
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Engine } from '../engine/engine.ts';
import type { Approve, Session } from '../engine/ports.ts';
import { Harness9Error, messageOf } from '../schema/error.ts';
import type { PlanMode } from '../schema/plan-mode.ts';
import type { EngineEvent, RunResult } from '../schema/run.ts';
import type { EdgeSettings } from '../schema/settings.ts';
import { createDiskSkillFiles } from '../skills/disk-files.ts';
import { composeAgent } from './agent.ts';
import { composeEdges, type Edges } from './edges.ts';
import { type Guidance, loadGuidance, namesIn } from './guidance.ts';
import { composeMainTools } from './main-tools.ts';
import { loadOutputSchema } from './output-schema.ts';
import { composePrices, requirePrices } from './prices.ts';
import type { TerminalEnvironment } from './terminal-environment.ts';
import { composeNamedModel, composeTerminalModel, type ModelWish } from './terminal-model.ts';
import { composeTools, type ToolsOptions } from './tools.ts';
import { type RunHead, startTranscript } from './transcript.ts';
import { flagSource } from './trusted-config.ts';

export type { Engine };

export interface TerminalEngineOptions extends ModelWish {
  readonly workDir: string;
  readonly session: Session | undefined;
  readonly maxTurns: number;
  readonly maxTokensTotal: number | null;
  /** US dollars. */
  readonly maxCostUsd: number | null;
  readonly mode: PlanMode;
  readonly edges: EdgeSettings;
  /** Who is asked where a rule asks; undefined: nobody. */
  readonly approve: Approve | undefined;
  /** The JSON Schema of the final message, or its file; null: none. */
  readonly outputSchema: string | null;
  /** The file that the run is written to; null: none. */
  readonly transcript: string | null;
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
  signal: AbortSignal,
): Promise<TerminalEngine> {
  const { workDir, session, maxTurns, maxTokensTotal, maxCostUsd, mode } = options;
  const { world } = environment;
  const prices = await composePrices(maxCostUsd, world.clock);
  const own = await composeTerminalModel(options, { ...environment, prices }, workDir);
  if (maxCostUsd !== null)
    requirePrices([own.origin, ...own.fallbackOrigins], prices, { cost: '--max-cost-usd', tokens: '--max-tokens-total' });
  // In the terminal the repository is the user's own, and so is what it says; a folder of it follows the whole's rules.
  const root = findRepository(workDir);
  const guidance = await loadGuidance(createDiskSkillFiles(root), ['AGENTS.md'], environment.log);
  const outputSchema = await loadOutputSchema(options.outputSchema, flagSource(workDir), environment);
  const { tools, edges, close } = await startAround({ ...options, guidance }, environment, signal);
  try {
    const transcript = startTranscript(options.transcript, environment);
    const engine = composeAgent({
      agents: guidance.agents,
      tools,
      mainTools: composeMainTools(guidance),
      edges,
      model: own,
      modelNamed: (name) => composeNamedModel(name, options, { ...environment, prices }, workDir),
      surroundings: 'terminal',
      prompt: { workDir, guidance, append: root === workDir ? null : pathsNote(root), world },
      session,
      planMode: mode,
      approve: options.approve,
      outputSchema,
      limits: { maxTurns, timeoutMs: 0, maxTokensTotal, maxCostUsd },
      prices,
      onEvent: transcript.onEvent,
      outgoing: environment,
    });
    return {
      engine: aroundEngine(engine, edges, (prompt) => transcript.begin({ model: own.model, prompt })),
      close: async () => {
        await close();
        await transcript.close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What stands around the engine is told with the result of each run; `begin` hears of its beginning. */
function aroundEngine(engine: Engine, { verified, notices }: Edges, begin: (prompt: RunHead['prompt']) => void): Engine {
  const complete = (result: RunResult): RunResult => {
    const told = verified(result);
    return notices.length === 0 ? told : { ...told, notes: [...notices, ...(told.notes ?? [])] };
  };
  return {
    ...engine,
    run: async (prompt, signal) => {
      begin(prompt);
      return complete(await engine.run(prompt, signal));
    },
    runStream: (prompt, signal) => {
      begin(prompt);
      return mapEvents(engine.runStream(prompt, signal), complete);
    },
  };
}

async function* mapEvents(
  events: AsyncIterable<EngineEvent>,
  complete: (result: RunResult) => RunResult,
): AsyncGenerator<EngineEvent> {
  for await (const event of events) {
    yield event.type === 'done' || event.type === 'error' ? { ...event, data: complete(event.data) } : event;
  }
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

async function startAround(
  options: TerminalEngineOptions & { readonly guidance: Guidance },
  environment: TerminalEnvironment,
  signal: AbortSignal,
) {
  const { workDir } = options;
  const { world, log } = environment;
  const started = await startTools(options, environment);
  if (started.tools.level.notice !== null) log(started.tools.level.notice);
  try {
    const edges = await composeEdges(
      {
        settings: options.edges,
        source: flagSource(workDir),
        plan: { tools: 'all', trust: 'trusted' },
        tools: started.tools,
        workDir,
        named: namesIn(options.guidance),
        resource: {},
        outgoing: environment,
        world,
      },
      signal,
    );
    const close = async (): Promise<void> => {
      await edges.close();
      await started.close();
    };
    return { tools: started.tools, edges, close };
  } catch (error) {
    await started.close();
    throw error;
  }
}

async function startTools(options: TerminalEngineOptions, { world, log, redactor }: TerminalEnvironment) {
  const stateDir = await makeStateDir(world.randomHex(6));
  const removeStateDir = () => rm(stateDir, { recursive: true, force: true });
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
  }).catch(async (error: unknown) => {
    await removeStateDir();
    throw error;
  });
  const close = async (): Promise<void> => {
    await tools.close();
    await removeStateDir();
  };
  return { tools, close };
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
