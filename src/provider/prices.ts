// What model calls cost, by the table of a package: which of its providers bills a call, and what that one takes. Guesses nothing.
import type { Origin, Usage } from '../schema/message.ts';

/** The day of the prices that the pinned package brings; to be changed together with it. */
export const pricesDate = '2026-09-23';

type Table = typeof import('@pydantic/genai-prices');

/** One who bills, as the table names it, and what the model is called there. */
interface Biller {
  readonly providerId: string;
  readonly model: string;
}

/** Before `load` has resolved nothing is known. */
export interface Prices {
  /** Reads the table, once; it is large. */
  readonly load: () => Promise<void>;
  /** US dollars; undefined: no price is known. */
  readonly priceOf: (usage: Usage, origin: Origin) => number | undefined;
  /** Tokens that fit the model; undefined: not known. */
  readonly contextWindowOf: (origin: Origin) => number | undefined;
}

/** `now`: prices change with the day, and some with the hour. */
export function createPrices(now: () => Date): Prices {
  let table: Table | undefined;
  let loading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    table = await import('@pydantic/genai-prices');
  };
  const calculate = (usage: Usage | undefined, origin: Origin) => {
    const biller = table && billerOf(origin, table);
    if (biller === undefined) return undefined;
    const { providerId, model } = biller;
    return table?.calcPrice(tokensOf(usage), model, { providerId, timestamp: now() }) ?? undefined;
  };
  return {
    load: () => {
      loading ??= read();
      return loading;
    },
    priceOf: (usage, origin) => (isScript(origin) ? 0 : calculate(usage, origin)?.total_price),
    contextWindowOf: (origin) => calculate(undefined, origin)?.model.context_window,
  };
}

/** One plays turns from a file, and asks nobody. */
function isScript({ provider }: Origin): boolean {
  return provider === 'scripted';
}

/** The table wants parts that are no larger than the whole; reasoning is a part of the output with every vendor. */
function tokensOf(usage: Usage | undefined): Readonly<Record<string, number>> {
  if (usage === undefined) return {};
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    input_tokens: Math.max(inputTokens, cacheReadTokens + cacheWriteTokens),
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  };
}

/**
 * The endpoint decides, where the table knows it. A gateway that it does not know bills what its model's name says (`anthropic/claude-…`, or a
 * model that only its maker runs). Open weights are not billed by who made them: anybody may run them (decision 0021).
 */
function billerOf({ provider, endpoint, model }: Origin, table: Table): Biller | undefined {
  const known = endpoint === '' ? undefined : table.findProvider({ providerApiUrl: endpoint });
  if (known !== undefined) return { providerId: known.id, model };
  const [prefix = '', ...rest] = model.split('/');
  const named = gatewayNames.get(prefix.toLowerCase());
  if (named !== undefined && rest.length > 0) return { providerId: named, model: rest.join('/') };
  if (endpoint === '') return { providerId: provider, model };
  const maker = closedModels.find(([name]) => name.test(model))?.[1];
  return maker === undefined ? undefined : { providerId: maker, model };
}

/** What stands before a model's name at a gateway, as LiteLLM has it, and whom it means. */
const gatewayNames: ReadonlyMap<string, string> = new Map([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['azure', 'azure'],
  ['bedrock', 'aws'],
  ['cerebras', 'cerebras'],
  ['cohere', 'cohere'],
  ['deepseek', 'deepseek'],
  ['fireworks_ai', 'fireworks'],
  ['gemini', 'google'],
  ['groq', 'groq'],
  ['mistral', 'mistral'],
  ['moonshot', 'moonshotai'],
  ['openrouter', 'openrouter'],
  ['perplexity', 'perplexity'],
  ['together_ai', 'together'],
  ['vertex_ai', 'google'],
  ['xai', 'x-ai'],
]);

/** Models whose weights nobody has but their maker: whatever answers to such a name passes the call on, and the bill. */
const closedModels: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-(?!oss)|chatgpt-|o[1-9](?:-|$))/i, 'openai'],
  [/^claude-/i, 'anthropic'],
  [/^gemini-/i, 'google'],
];
