// One shot in the terminal: a prompt in, the final message on stdout, the log on stderr, the ending as exit code (INTERFACE.md, Terminal).
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chooseModel, type ModelSettings } from '../compose/choose-model.ts';
import { composeEngine } from '../compose/engine.ts';
import { composeModel } from '../compose/model.ts';
import { composeOutgoing } from '../compose/outgoing.ts';
import { composePromptBuilder } from '../compose/prompt.ts';
import { composeTools } from '../compose/tools.ts';
import type { RunResult } from '../schema/run.ts';
import type { World } from '../schema/world.ts';
import type { PrintOptions } from './arguments.ts';

/** What the entry knows about where it is. */
export interface Installation {
  readonly version: string;
  readonly toolHostEntry: string;
  readonly cwd: string;
}

/** Runs the prompt and returns the exit code: 0 completed, 1 error, 3 a limit, 130 interrupted. */
export async function print(
  options: PrintOptions & { readonly prompt: string },
  world: World,
  installation: Installation,
  signal: AbortSignal,
): Promise<number> {
  const workDir = path.resolve(installation.cwd, options.cwd ?? '.');
  const settings = modelSettings(options, world.env);
  const choice = chooseModel(settings);
  const { redactor, log } = composeOutgoing(world, choice.key === null ? [] : [choice.key]);
  const stateDir = path.join(tmpdir(), `harness9-${world.randomHex(6)}`);
  const tools = await composeTools({
    workDir,
    stateDir,
    sandbox: options.sandbox,
    passEnv: [],
    allowed: { tools: 'all', bash: 'allowed' },
    toolHostEntry: installation.toolHostEntry,
    redaction: redactor,
    world,
    log,
  });
  if (tools.level.notice !== null) log(tools.level.notice);
  try {
    const endpoint = choice.provider === 'anthropic' ? world.env.ANTHROPIC_BASE_URL : world.env.OPENAI_BASE_URL;
    const provider = await composeModel(choice, { ...settings, baseUrl: endpoint || null }, { world, log, scriptDir: workDir });
    const engine = composeEngine({
      provider,
      registry: tools.registry,
      workDir,
      promptBuilder: await composePromptBuilder({
        workDir,
        surroundings: 'terminal',
        append: null,
        instructionsFiles: ['AGENTS.md'],
        readInstructions: (file) => readIfThere(path.join(workDir, file)),
      }),
      session: undefined,
      limits: { maxTurns: options.maxTurns, timeoutMs: 0, maxTokensTotal: null },
      world,
      log,
    });
    return report(await engine.run(options.prompt, signal), world);
  } finally {
    await tools.close();
  }
}

/** In the terminal the working directory is the user's own. */
async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return null;
  }
}

function report(result: RunResult, world: World): number {
  if (result.finalMessage !== '') world.stdout(`${result.finalMessage}\n`);
  if (result.error !== undefined) world.stderr(`${[result.error.message, result.error.hint].filter(Boolean).join('\n')}\n`);
  return exitCodes[result.stopReason];
}

const exitCodes: Readonly<Record<RunResult['stopReason'], number>> = {
  completed: 0,
  error: 1,
  max_turns: 3,
  timeout: 3,
  budget: 3,
  repetition: 3,
  cancelled: 130,
};

function modelSettings(options: PrintOptions, env: World['env']): ModelSettings {
  return {
    provider: options.provider,
    model: options.model,
    apiKey: null,
    openaiKey: env.OPENAI_API_KEY || null,
    anthropicKey: env.ANTHROPIC_API_KEY || null,
    baseUrl: null,
    // In the terminal the user names the endpoint in his own environment.
    allowInsecureEndpoint: false,
    maxOutputTokens: null,
  };
}
