// Which provider and which model a run uses: a pure decision over the settings and over which keys there are.
import { Harness9Error } from '../schema/error.ts';

export type ProviderName = 'openai' | 'anthropic' | 'scripted';

/** The specification's names; used when nobody named a model. */
const defaultModels: Readonly<Record<ProviderName, string>> = {
  openai: 'gpt-4o',
  anthropic: 'claude-sonnet-4-20250514',
  scripted: 'script',
};

export interface ProviderWish {
  /** `auto`, or a provider's name; unchecked. */
  readonly provider: string;
  /** A model, `provider/model`, or null for the default. */
  readonly model: string | null;
  readonly hasOpenAIKey: boolean;
  readonly hasAnthropicKey: boolean;
}

export interface ProviderChoice {
  readonly provider: ProviderName;
  readonly model: string;
}

/**
 * A named provider is used, and its own prefix taken off the model; `auto` goes by the model's prefix, then by the vendor's way of naming
 * models, then by the key that there is (openai first). Throws a Harness9Error for an unknown provider and when nothing decides.
 */
export function selectProvider(wish: ProviderWish): ProviderChoice {
  const model = wish.model?.trim() || null;
  const provider = wish.provider === 'auto' ? decideProvider(wish, model) : parseProvider(wish.provider);
  const prefix = `${provider}/`;
  const name = model?.startsWith(prefix) ? model.slice(prefix.length) : model;
  return { provider, model: name || defaultModels[provider] };
}

function decideProvider(wish: ProviderWish, model: string | null): ProviderName {
  const prefixed = providerNames().find((name) => model?.startsWith(`${name}/`));
  const byKey = keyHolder(wish);
  const decided = prefixed ?? (model === null || model.includes('/') ? byKey : (namedAfter(model) ?? byKey));
  if (decided === undefined) {
    throw new Harness9Error({
      code: 'PROVIDER_KEY_MISSING',
      message: 'The input api_key is empty, and with provider "auto" there is no other key to decide by.',
      hint: "Set the input api_key, or OPENAI_API_KEY or ANTHROPIC_API_KEY in the step's env, from a repository secret.",
    });
  }
  return decided;
}

function keyHolder({ hasOpenAIKey, hasAnthropicKey }: ProviderWish): ProviderName | undefined {
  if (hasOpenAIKey) return 'openai';
  return hasAnthropicKey ? 'anthropic' : undefined;
}

/** How the two vendors name their models. */
function namedAfter(model: string): ProviderName | undefined {
  if (model.startsWith('claude')) return 'anthropic';
  return /^(gpt-|chatgpt-|o\d)/.test(model) ? 'openai' : undefined;
}

function parseProvider(value: string): ProviderName {
  const known = providerNames().find((name) => name === value);
  if (known === undefined) {
    throw new Harness9Error({
      code: 'PROVIDER_UNKNOWN',
      message: `The provider is "${value}".`,
      hint: 'Expected one of: auto, openai, anthropic, scripted. For a compatible server use openai and set base_url.',
    });
  }
  return known;
}

function providerNames(): readonly ProviderName[] {
  return ['openai', 'anthropic', 'scripted'];
}
