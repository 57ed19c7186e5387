// The model of a run: the chosen provider with its key and endpoint, behind the decorators that every model has.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LLMProvider } from '../engine/ports.ts';
import { type RetryOptions, withRetry } from '../engine/retry.ts';
import { createAnthropicProvider } from '../provider/anthropic/anthropic-provider.ts';
import { withFallback } from '../provider/fallback.ts';
import { createOpenAIProvider } from '../provider/openai/openai-provider.ts';
import { createScriptedProvider } from '../provider/scripted/scripted-provider.ts';
import { Harness9Error, hasCode, messageOf } from '../schema/error.ts';
import type { Origin } from '../schema/message.ts';
import { oneLine } from '../schema/one-line.ts';
import type { World } from '../schema/world.ts';
import { type ModelChoice, type ModelSettings, originOf } from './choose-model.ts';
import type { Outgoing } from './outgoing.ts';
import { type Prices, withPrices } from './prices.ts';
import { redactModel } from './redacted-model.ts';
import { randomFraction } from './world.ts';

/** 4096, the specification's default, cuts `write_file` in the middle (DESIGN.md, Where we leave the specification). */
const anthropicMaxTokens = 16_384;

/** Of what the parser says, which may quote the text. */
const maxCauseChars = 200;

/** A model ready to be asked. `vendor`: whose it is. */
export interface Model {
  readonly provider: LLMProvider;
  readonly model: string;
  readonly vendor: ModelChoice['provider'];
  readonly origin: Origin;
  /** Of the models that may take over. */
  readonly fallbackOrigins: readonly Origin[];
  /** Of the one that the next call goes to. */
  readonly servingOrigin: () => Origin;
}

/** `scriptDir` is where a scripted model's relative path starts. */
export interface ModelParts extends Outgoing {
  readonly world: World;
  readonly scriptDir: string;
  readonly prices: Pick<Prices, 'load'>;
}

/** A choice, and how it is asked. */
export interface ChosenModel {
  readonly choice: ModelChoice;
  readonly settings: ModelSettings;
}

/** Where another model waits, it is not worth long to insist on this one: a server that asks for more time than this is passed over at once. */
const beforeFallback = { maxAttempts: 3, maxWaitMs: 20_000 } as const;

/** The chosen model behind the decorators for retries and for secrets; `others` take over when it cannot serve. */
export async function composeModel(own: ChosenModel, parts: ModelParts, others: readonly ChosenModel[] = []): Promise<Model> {
  const { log, redactor } = parts;
  const models = await Promise.all(
    [own, ...others].map(async (chosen, index) => {
      const origin = originOf(chosen.choice, chosen.settings);
      const patience = index < others.length ? beforeFallback : {};
      const priced = withPrices(await providerOf(chosen, parts), parts.prices);
      const provider = withRetry(priced, { ...retryOf(parts), ...patience, origin });
      return { origin, provider };
    }),
  );
  const { choice, settings } = own;
  const chain = withFallback(models, log);
  return {
    provider: redactModel(chain, redactor),
    model: choice.model,
    vendor: choice.provider,
    origin: originOf(choice, settings),
    fallbackOrigins: others.map((other) => originOf(other.choice, other.settings)),
    servingOrigin: chain.servingOrigin,
  };
}

function retryOf({ world, log }: ModelParts): RetryOptions {
  return { clock: world.clock, random: () => randomFraction(world.randomHex), log };
}

async function providerOf(
  { choice, settings }: ChosenModel,
  { world, scriptDir }: Pick<ModelParts, 'world' | 'scriptDir'>,
): Promise<LLMProvider> {
  if (choice.provider === 'scripted') return createScriptedProvider(await loadScript(choice.model, scriptDir), choice.model);
  const options = {
    apiKey: choice.key ?? undefined,
    baseUrl: settings.baseUrl ?? undefined,
    maxOutputTokens: settings.maxOutputTokens ?? undefined,
    reasoningEffort: settings.reasoningEffort ?? undefined,
    allowInsecureEndpoint: settings.allowInsecureEndpoint,
    fetch: world.fetch,
    now: world.clock.now,
    // Endpoints come from the settings only: a variable must not redirect the key (I1).
    env: {},
  };
  if (choice.provider === 'openai') return createOpenAIProvider(choice.model, options);
  return createAnthropicProvider(choice.model, settings.maxOutputTokens ?? anthropicMaxTokens, options);
}

async function loadScript(file: string, scriptDir: string): Promise<unknown> {
  const text = await readScript(file, scriptDir);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Harness9Error({
      code: 'SCRIPT_MALFORMED',
      message: `the script "${file}" is no JSON: ${oneLine(messageOf(cause), maxCauseChars)}`,
      hint: 'A script is {"turns": [{"text": "…"}, …]}.',
      cause,
    });
  }
}

async function readScript(file: string, scriptDir: string): Promise<string> {
  try {
    return await readFile(path.resolve(scriptDir, file), 'utf8');
  } catch (cause) {
    const why = hasCode(cause, 'ENOENT') ? 'there is no such file' : messageOf(cause);
    throw new Harness9Error({
      code: 'SCRIPT_UNREADABLE',
      message: `input \`model\`: "${file}" is read as the script of \`provider: scripted\`: ${why}`,
      hint: 'Give the path of a JSON file with the turns, relative to the repository.',
      cause,
    });
  }
}
