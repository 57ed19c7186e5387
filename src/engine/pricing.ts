// Calls as amounts: tokens, and the dollars that they take by the prices that somebody else knows. Counts and decides nothing.
import type { PriceOf } from '../schema/cost.ts';
import { noUsage, type Origin, type Usage } from '../schema/message.ts';
import { isRecord } from '../schema/record.ts';
import type { Amount, Spending } from '../schema/run-scope.ts';

/** The size of a call that is to be made. `cached`: of the request, what the provider is expected to read from its cache. */
export interface CallSize {
  readonly request: number;
  readonly response: number;
  readonly cached: number;
}

/** What a provider reported, with 0 for every number that is none: it is summed, compared and stored. Undefined when there is no report. */
export function soundUsage(usage: Usage | undefined): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const { costUsd } = usage;
  const isSoundCost = costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0;
  return {
    inputTokens: sound(usage.inputTokens),
    outputTokens: sound(usage.outputTokens),
    cacheReadTokens: sound(usage.cacheReadTokens),
    cacheWriteTokens: sound(usage.cacheWriteTokens),
    reasoningTokens: sound(usage.reasoningTokens),
    ...(isSoundCost ? { costUsd } : {}),
  };
}

/** A number of tokens as it is given, 0 for what is none. */
export function sound(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}

/**
 * A call that was made. `counted`: what is paid for; `reported`: what the provider said of it, which is believed where it names a price of its
 * own. Without `priceOf` nothing has a price, and nothing is missed.
 */
export function spendingOf(
  { counted, reported }: { readonly counted: Usage; readonly reported: Usage | undefined },
  origin: Origin | undefined,
  priceOf: PriceOf | undefined,
): Spending {
  const usd = counted.costUsd ?? priceOf?.(counted, origin);
  return {
    tokens: counted.inputTokens + counted.outputTokens,
    usd: usd ?? 0,
    usage: reported ?? noUsage,
    ...(usd === undefined && priceOf !== undefined ? { unpricedModel: origin?.model ?? unnamed } : {}),
  };
}

/** The run's own model, where no answer says whose it is. */
const unnamed = '(unnamed)';

/** A call that is to be made, as dear as it can be: what is not read from the cache may be written to it, which costs more with some vendors. */
export function amountOf(size: CallSize, origin: Origin | undefined, priceOf: PriceOf | undefined): Amount {
  const { request, response } = size;
  const plain: Usage = {
    ...noUsage,
    inputTokens: request,
    outputTokens: response,
    cacheReadTokens: Math.min(size.cached, request),
  };
  const written: Usage = { ...plain, cacheWriteTokens: request - plain.cacheReadTokens };
  const usd = priceOf === undefined ? 0 : Math.max(priceOf(plain, origin) ?? 0, priceOf(written, origin) ?? 0);
  return { tokens: request + response, usd };
}
