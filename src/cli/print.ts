// One shot in the terminal: a prompt in, the final message on stdout, the log on stderr, the ending as exit code (INTERFACE.md, Terminal).
import { readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chooseModel, type ModelChoice, type ModelSettings } from '../compose/choose-model.ts';
import { composeEngine } from '../compose/engine.ts';
import { composeModel } from '../compose/model.ts';
import { composeOutgoing } from '../compose/outgoing.ts';
import { composePromptBuilder } from '../compose/prompt.ts';
import { redactModel } from '../compose/redacted-model.ts';
import { composeTools, type Tools } from '../compose/tools.ts';
import { Harness9Error } from '../schema/error.ts';
import type { RunResult } from '../schema/run.ts';
import type { World } from '../schema/world.ts';
import type { PrintOptions } from './arguments.ts';
import { renderFinalMessage } from './final-message.ts';

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
  const workDir = await findWorkDir(options, installation);
  const settings = modelSettings(options, world.env);
  const choice = chooseTerminalModel(settings);
  const { redactor, log } = composeOutgoing(world, choice.key === null ? [] : [choice.key]);
  const stateDir = path.join(tmpdir(), `harness9-${world.randomHex(6)}`);
  const tools = await composeTools({
    workDir,
    stateDir,
    sandbox: options.sandbox,
    passEnv: [],
    allowed: { tools: 'all', bash: 'allowed' },
    toolHostEntry: installation.toolHostEntry,
    marker: world.randomHex(16),
    // In the terminal there is no runner whose files commands could change.
    guarded: [],
    redaction: redactor,
    world,
    log,
  });
  if (tools.level.notice !== null) log(tools.level.notice);
  try {
    const provider = redactModel(await composeModel(choice, settings, { world, log, scriptDir: workDir }), redactor);
    const engine = composeEngine({
      provider,
      registry: tools.registry,
      workDir,
      promptBuilder: await composePromptBuilder(promptParts(workDir), redactor.secrets),
      session: undefined,
      limits: { maxTurns: options.maxTurns, timeoutMs: 0, maxTokensTotal: null },
      world,
      log,
    });
    return report(await engine.run(redactor.secrets(options.prompt), signal), world);
  } finally {
    await endTools(tools, stateDir);
  }
}

async function endTools(tools: Tools, stateDir: string): Promise<void> {
  await tools.close();
  await rm(stateDir, { recursive: true, force: true });
}

/** `--cwd`, or where the terminal is. */
async function findWorkDir({ cwd }: PrintOptions, installation: Installation): Promise<string> {
  const workDir = path.resolve(installation.cwd, cwd ?? '.');
  const isFolder = await stat(workDir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return workDir;
  throw new Harness9Error({ code: 'CLI_USAGE', message: `--cwd "${cwd ?? workDir}": expected a folder that is there` });
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

/** The answer alone on stdout. An answer that is none (the model refused, or said nothing) is an error for a script. */
function report(result: RunResult, world: World): number {
  if (result.finalMessage !== '') world.stdout(`${renderFinalMessage(result.finalMessage, world.env)}\n`);
  if (result.error === undefined) return exitCodes[result.stopReason];
  world.stderr(`${[result.error.message, result.error.hint].filter((line) => line !== undefined).join('\n')}\n`);
  return result.stopReason === 'completed' ? 1 : exitCodes[result.stopReason];
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

/** In the terminal keys and endpoints are what the user's own environment says. */
function modelSettings(options: PrintOptions, env: World['env']): ModelSettings {
  const settings: ModelSettings = {
    provider: options.provider,
    model: options.model,
    apiKey: null,
    openaiKey: env.OPENAI_API_KEY || null,
    anthropicKey: env.ANTHROPIC_API_KEY || null,
    baseUrl: null,
    allowInsecureEndpoint: false,
    maxOutputTokens: null,
  };
  const { provider } = chooseTerminalModel(settings);
  const endpoint = provider === 'anthropic' ? env.ANTHROPIC_BASE_URL : env.OPENAI_BASE_URL;
  return { ...settings, baseUrl: endpoint || null };
}

/** The same choice, in the words of a terminal: there are no inputs here. */
function chooseTerminalModel(settings: ModelSettings): ModelChoice {
  try {
    return chooseModel(settings);
  } catch (cause) {
    if (!(cause instanceof Harness9Error) || cause.code !== 'PROVIDER_KEY_MISSING') throw cause;
    const wanted =
      settings.provider === 'auto' ? 'OPENAI_API_KEY or ANTHROPIC_API_KEY' : `${settings.provider.toUpperCase()}_API_KEY`;
    throw new Harness9Error({
      code: cause.code,
      message: `there is no key: ${wanted} is not set`,
      hint: 'Set it in the environment.',
      cause,
    });
  }
}
