// The model of a run: which provider, with which key and endpoint, behind the retry decorator.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LLMProvider } from '../engine/ports.ts';
import { createAnthropicProvider } from '../provider/anthropic/anthropic-provider.ts';
import { createOpenAIProvider } from '../provider/openai/openai-provider.ts';
import { withRetry } from '../provider/retry.ts';
import { createScriptedProvider } from '../provider/scripted/scripted-provider.ts';
import { type ProviderChoice, selectProvider } from '../provider/select.ts';
import { Harness9Error } from '../schema/error.ts';
import type { AgentSettings } from '../schema/settings.ts';
import type { Log, World } from '../schema/world.ts';
import { randomFraction } from './world.ts';

/** 4096, the specification's default, cuts `write_file` in the middle (DESIGN.md, Where we leave the specification). */
const anthropicMaxTokens = 16_384;

export type ModelSettings = Pick<
  AgentSettings,
  'provider' | 'model' | 'apiKey' | 'openaiKey' | 'anthropicKey' | 'baseUrl' | 'allowInsecureEndpoint' | 'maxOutputTokens'
>;

/** Provider, model and key that a run will use. `key` is null for the scripted model only. */
export interface ModelChoice extends ProviderChoice {
  readonly key: string | null;
}

/**
 * Decides provider, model and key, before anything is posted. Throws PROVIDER_UNKNOWN or PROVIDER_KEY_MISSING, naming the input.
 * `api_key` goes to the provider that is chosen; the two variables go to their own vendor only.
 */
export function chooseModel(settings: ModelSettings): ModelChoice {
  const choice = selectProvider({
    provider: settings.provider,
    model: settings.model,
    hasOpenAIKey: settings.openaiKey !== null || (settings.apiKey !== null && settings.anthropicKey === null),
    hasAnthropicKey: settings.anthropicKey !== null,
  });
  if (choice.provider === 'scripted') return { ...choice, key: null };
  const variable = choice.provider === 'openai' ? settings.openaiKey : settings.anthropicKey;
  const key = settings.apiKey ?? variable;
  if (key !== null) return { ...choice, key };
  throw new Harness9Error({
    code: 'PROVIDER_KEY_MISSING',
    message: `input \`api_key\`: nothing given, and ${choice.provider === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY'} is not set; expected the key of ${choice.provider}`,
    hint: 'Add the key as a repository secret and pass it: `api_key: ${{ secrets.… }}`.',
  });
}

/** The chosen model behind the retry decorator. `scriptDir` is where a scripted model's relative path starts. */
export async function composeModel(
  choice: ModelChoice,
  settings: ModelSettings,
  parts: { readonly world: World; readonly log: Log; readonly scriptDir: string },
): Promise<LLMProvider> {
  return withRetry(await providerOf(choice, settings, parts), {
    clock: parts.world.clock,
    random: () => randomFraction(parts.world.randomHex),
    log: parts.log,
  });
}

async function providerOf(
  choice: ModelChoice,
  settings: ModelSettings,
  { world, scriptDir }: { readonly world: World; readonly scriptDir: string },
): Promise<LLMProvider> {
  if (choice.provider === 'scripted') return createScriptedProvider(await loadScript(choice.model, scriptDir), choice.model);
  const options = {
    apiKey: choice.key ?? undefined,
    baseUrl: settings.baseUrl ?? undefined,
    maxOutputTokens: settings.maxOutputTokens ?? undefined,
    allowInsecureEndpoint: settings.allowInsecureEndpoint,
    fetch: world.fetch,
    // Endpoints come from the settings only: a variable must not redirect the key (I1).
    env: {},
  };
  if (choice.provider === 'openai') return createOpenAIProvider(choice.model, options);
  return createAnthropicProvider(choice.model, settings.maxOutputTokens ?? anthropicMaxTokens, options);
}

async function loadScript(file: string, scriptDir: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path.resolve(scriptDir, file), 'utf8'));
  } catch (cause) {
    throw new Harness9Error({
      code: 'SCRIPT_UNREADABLE',
      message: `input \`model\`: "${file}" could not be read as a JSON file of turns, which \`provider: scripted\` needs`,
      hint: 'Give the path of the script, relative to the repository.',
      cause,
    });
  }
}
