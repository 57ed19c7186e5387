// Which provider, model and key a run uses: decided from the settings before anything is posted. Loads no provider.
import { type ProviderChoice, selectProvider } from '../provider/select.ts';
import { Harness9Error } from '../schema/error.ts';
import type { Origin } from '../schema/message.ts';
import type { AgentSettings } from '../schema/settings.ts';

/** Keys of Anthropic begin so; with `provider: auto` such a key must not be sent to somebody else. */
const anthropicKeyPrefix = 'sk-ant-';

export type ModelSettings = Pick<
  AgentSettings,
  | 'provider'
  | 'model'
  | 'apiKey'
  | 'openaiKey'
  | 'anthropicKey'
  | 'baseUrl'
  | 'allowInsecureEndpoint'
  | 'maxOutputTokens'
  | 'reasoningEffort'
  | 'fallbackModels'
>;

/** Provider, model and key that a run will use. `key` is null for the scripted model only. */
export interface ModelChoice extends ProviderChoice {
  readonly key: string | null;
}

/**
 * Decides provider, model and key, before anything is posted. `api_key` decides for `provider: auto` when it is given, and is the key of
 * the chosen provider; the two variables are their own vendor's only. Throws PROVIDER_UNKNOWN, PROVIDER_KEY_MISSING or
 * PROVIDER_KEY_FOREIGN, naming the input.
 */
export function chooseModel(settings: ModelSettings): ModelChoice {
  const { apiKey, openaiKey, anthropicKey } = settings;
  const isAnthropicKey = apiKey?.startsWith(anthropicKeyPrefix) ?? false;
  const choice = selectProvider({
    provider: settings.provider,
    model: settings.model,
    hasOpenAIKey: apiKey === null ? openaiKey !== null : !isAnthropicKey,
    hasAnthropicKey: apiKey === null ? anthropicKey !== null : isAnthropicKey,
  });
  if (choice.provider === 'scripted') return { ...choice, key: null };
  // A gateway behind `base_url` may take any key; the vendor itself must not see another vendor's.
  if (choice.provider === 'openai' && isAnthropicKey && settings.baseUrl === null) throw foreignKey();
  const key = apiKey ?? (choice.provider === 'openai' ? openaiKey : anthropicKey);
  if (key !== null) return { ...choice, key };
  throw missingKey(choice.provider);
}

/**
 * The choice for the model that a sub-agent's definition names; undefined: it is not within reach. A name moves no key: behind a `base_url`, and
 * at the run's own vendor, it is a name only; another vendor is reached with that vendor's own variable, at its own endpoint, or not at all.
 */
export function chooseNamedModel(
  name: string,
  own: ModelChoice,
  settings: Pick<ModelSettings, 'openaiKey' | 'anthropicKey' | 'baseUrl'>,
): ModelChoice | undefined {
  const isBound = settings.baseUrl !== null || own.provider === 'scripted';
  const wished = selectProvider({
    provider: isBound ? own.provider : 'auto',
    model: name,
    hasOpenAIKey: own.provider === 'openai',
    hasAnthropicKey: own.provider === 'anthropic',
  });
  if (wished.provider === own.provider) return { ...wished, key: own.key };
  if (wished.provider === 'scripted') return undefined;
  const key = wished.provider === 'openai' ? settings.openaiKey : settings.anthropicKey;
  return key === null ? undefined : { ...wished, key };
}

/**
 * The choices for the models that take over, in order, each once. Throws PROVIDER_FALLBACK for one that is out of reach: it would be missed
 * only when it is needed.
 */
export function chooseFallbacks(
  own: ModelChoice,
  settings: Pick<ModelSettings, 'openaiKey' | 'anthropicKey' | 'baseUrl' | 'fallbackModels'>,
): readonly ModelChoice[] {
  const choices = settings.fallbackModels.map((name) => chooseNamedModel(name, own, settings) ?? outOfReach(name));
  const isSame = (a: ModelChoice, b: ModelChoice): boolean => a.provider === b.provider && a.model === b.model;
  return choices.filter((choice, index) => [own, ...choices].findIndex((one) => isSame(one, choice)) === index + 1);
}

function outOfReach(name: string): never {
  throw new Harness9Error({
    code: 'PROVIDER_FALLBACK',
    message: `input \`fallback_models\`: "${name}" is of a vendor whose key is not given; expected models that can be asked`,
    hint: "Set OPENAI_API_KEY or ANTHROPIC_API_KEY in the step's env for that vendor, or take the model out.",
  });
}

/** Where a choice is asked, as far as prices go by it; '' = the vendor's own endpoint. */
export function originOf({ provider, model }: ModelChoice, { baseUrl }: Pick<ModelSettings, 'baseUrl'>): Origin {
  return { provider, endpoint: baseUrl ?? '', model };
}

function missingKey(provider: 'openai' | 'anthropic'): Harness9Error {
  const variable = provider === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY';
  return new Harness9Error({
    code: 'PROVIDER_KEY_MISSING',
    message: `input \`api_key\`: nothing given, and ${variable} is not set; expected the key of ${provider}`,
    hint: 'Add the key as a repository secret and pass it: `api_key: ${{ secrets.… }}`.',
  });
}

function foreignKey(): Harness9Error {
  return new Harness9Error({
    code: 'PROVIDER_KEY_FOREIGN',
    message:
      'input `api_key`: the key of Anthropic was given (it begins with sk-ant-), and the provider is openai; expected a key of OpenAI',
    hint: 'Set `provider: anthropic`, or give the key of OpenAI.',
  });
}
