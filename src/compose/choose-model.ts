// Which provider, model and key a run uses: decided from the settings before anything is posted. Loads no provider.
import { type ProviderChoice, selectProvider } from '../provider/select.ts';
import { Harness9Error } from '../schema/error.ts';
import type { AgentSettings } from '../schema/settings.ts';

/** Keys of Anthropic begin so; with `provider: auto` such a key must not be sent to somebody else. */
const anthropicKeyPrefix = 'sk-ant-';

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
  const isAnthropicKey = settings.apiKey?.startsWith(anthropicKeyPrefix) ?? false;
  const choice = selectProvider({
    provider: settings.provider,
    model: settings.model,
    hasOpenAIKey: settings.openaiKey !== null || (settings.apiKey !== null && !isAnthropicKey),
    hasAnthropicKey: settings.anthropicKey !== null || isAnthropicKey,
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
