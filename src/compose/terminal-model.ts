// The model of a run in the terminal: keys and endpoints are what the user's own environment says.
import { Harness9Error, hasCode, messageOf } from '../schema/error.ts';
import type { World } from '../schema/world.ts';
import { chooseFallbacks, chooseModel, chooseNamedModel, type ModelChoice, type ModelSettings } from './choose-model.ts';
import { composeModel, type Model } from './model.ts';
import type { Prices } from './prices.ts';
import type { TerminalEnvironment } from './terminal-environment.ts';

export interface ModelWish {
  readonly provider: ModelSettings['provider'];
  readonly model: string | null;
  readonly allowInsecureEndpoint: boolean;
  readonly reasoningEffort: ModelSettings['reasoningEffort'];
  readonly fallbackModels: ModelSettings['fallbackModels'];
}

/** What a model is made with, besides its settings. */
export interface ModelEnvironment extends TerminalEnvironment {
  readonly prices: Prices;
}

/** The model. Throws what `chooseModel` and `composeModel` throw, in the words of a terminal. */
export async function composeTerminalModel(wish: ModelWish, environment: ModelEnvironment, workDir: string): Promise<Model> {
  try {
    const { env } = environment.world;
    const settings = modelSettings(wish, env);
    const choice = chooseModel(settings);
    const others = chooseFallbacks(choice, settings).map((other) => ({
      choice: other,
      settings: settingsFor(other, settings, env),
    }));
    return await composeModel({ choice, settings }, { ...environment, scriptDir: workDir }, others);
  } catch (error) {
    throw inTerminalWords(error, wish);
  }
}

/** The model that a sub-agent's definition names, beside the one of `wish`; undefined: it is not within reach. */
export async function composeNamedModel(
  name: string,
  wish: ModelWish,
  environment: ModelEnvironment,
  workDir: string,
): Promise<Model | undefined> {
  const { env } = environment.world;
  const settings = modelSettings(wish, env);
  const choice = chooseNamedModel(name, chooseModel(settings), settings);
  if (choice === undefined) return undefined;
  return await composeModel({ choice, settings: settingsFor(choice, settings, env) }, { ...environment, scriptDir: workDir });
}

function modelSettings(wish: ModelWish, env: World['env']): ModelSettings {
  const settings: ModelSettings = {
    provider: wish.provider,
    model: wish.model,
    apiKey: null,
    openaiKey: env.OPENAI_API_KEY || null,
    anthropicKey: env.ANTHROPIC_API_KEY || null,
    baseUrl: null,
    allowInsecureEndpoint: wish.allowInsecureEndpoint,
    maxOutputTokens: null,
    reasoningEffort: wish.reasoningEffort,
    fallbackModels: wish.fallbackModels,
  };
  return { ...settings, baseUrl: endpointOf(chooseModel(settings), env) };
}

/** Another vendor's model is asked at that vendor's own endpoint. */
function settingsFor(choice: ModelChoice, settings: ModelSettings, env: World['env']): ModelSettings {
  return { ...settings, baseUrl: endpointOf(choice, env) };
}

function endpointOf({ provider }: ModelChoice, env: World['env']): string | null {
  return (provider === 'anthropic' ? env.ANTHROPIC_BASE_URL : env.OPENAI_BASE_URL) || null;
}

function variableOf(name: 'API_KEY' | 'BASE_URL', provider: ModelWish['provider']): string {
  const vendors = provider === 'openai' || provider === 'anthropic' ? [provider] : ['openai', 'anthropic'];
  return vendors.map((vendor) => `${vendor.toUpperCase()}_${name}`).join(' or ');
}

/** What the Action says of its inputs: there are none here, but variables and flags. */
function inTerminalWords(error: unknown, { provider, model }: ModelWish): unknown {
  if (!(error instanceof Harness9Error)) return error;
  const say = (message: string, hint: string | undefined) => new Harness9Error({ code: error.code, message, hint, cause: error });
  switch (error.code) {
    case 'PROVIDER_KEY_MISSING': {
      const hint = 'Set it in the environment, or in a .env of this folder that git does not track.';
      return say(`there is no key: ${variableOf('API_KEY', provider)} is not set`, hint);
    }
    case 'PROVIDER_BASE_URL': {
      const example = 'https://api.openai.com/v1';
      return say(
        error.message,
        `Let ${variableOf('BASE_URL', provider)} be a full URL without a key in it, for example ${example}.`,
      );
    }
    case 'PROVIDER_INSECURE_ENDPOINT':
      return say(error.message, 'Use https, or give --allow-insecure-endpoint if that network is yours.');
    case 'PROVIDER_FALLBACK':
      return say(
        error.message.replace('input `fallback_models`', '--fallback-models'),
        'Set OPENAI_API_KEY or ANTHROPIC_API_KEY for that vendor, or take the model out.',
      );
    case 'SCRIPT_UNREADABLE': {
      const why = hasCode(error.cause, 'ENOENT') ? 'there is no such file' : messageOf(error.cause);
      const message =
        model === null
          ? '--provider scripted needs --model with the path of a JSON file of turns'
          : `--model "${model}" is read as the script of --provider scripted: ${why}`;
      return say(message, 'Give the path of a JSON file with the turns; a relative one starts in the folder that is worked in.');
    }
    default:
      return error;
  }
}
