// What model calls cost, by the table of a package: which of its providers bills a call, and what that one takes. Guesses nothing.
import { BlockList, isIP } from 'node:net';
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
 * The endpoint decides, where the table knows it. A gateway that it does not know bills what its model's name says (`anthropic/claude-…`); one
 * beyond this network, as the vendor whose protocol it speaks. What runs in a network of one's own is not billed by who made the model
 * (decision 0021).
 */
function billerOf({ provider, endpoint, model }: Origin, table: Table): Biller | undefined {
  const known = endpoint === '' ? undefined : table.findProvider({ providerApiUrl: endpoint });
  if (known !== undefined) return { providerId: known.id, model };
  const [prefix = '', ...rest] = model.split('/');
  const named = gatewayNames.get(prefix.toLowerCase());
  if (named !== undefined && rest.length > 0) return { providerId: named, model: rest.join('/') };
  const isVendor = provider === 'openai' || provider === 'anthropic';
  return isVendor && (endpoint === '' || isPublic(endpoint)) ? { providerId: provider, model } : undefined;
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

/** Names that no public resolver answers: of one word, and those that are kept for networks of one's own (RFC 6761, 6762, 8375, 9476). */
const privateNames = /^[^.]+$|\.(?:localhost|local|lan|home|internal|intranet|corp|private|svc|test|alt|home\.arpa)\.?$/;

function isPublic(endpoint: string): boolean {
  const host = URL.parse(endpoint)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const family = isIP(host);
  return family === 0 ? host !== '' && !privateNames.test(host) : !privateAddresses().check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** Loopback, private, shared and link-local (RFC 6890). An address in the form of the other family is checked as what it is. */
function privateAddresses(): BlockList {
  const list = new BlockList();
  list.addSubnet('0.0.0.0', 8);
  list.addSubnet('10.0.0.0', 8);
  list.addSubnet('100.64.0.0', 10);
  list.addSubnet('127.0.0.0', 8);
  list.addSubnet('169.254.0.0', 16);
  list.addSubnet('172.16.0.0', 12);
  list.addSubnet('192.168.0.0', 16);
  list.addSubnet('::', 127, 'ipv6');
  list.addSubnet('fc00::', 7, 'ipv6');
  list.addSubnet('fe80::', 10, 'ipv6');
  return list;
}
