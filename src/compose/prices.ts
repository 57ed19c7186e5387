// Prices in a run: when their table is read, and that a budget in dollars is held by them.
import type { LLMProvider } from '../engine/ports.ts';
import { createPrices, type Prices, pricesDate } from '../provider/prices.ts';
import { Harness9Error } from '../schema/error.ts';
import { noUsage, type Origin } from '../schema/message.ts';
import { type StreamChunk, withErrorChunk } from '../schema/stream.ts';
import type { Clock } from '../schema/world.ts';

export type { Prices };

/** Prices for a run. The table takes longer to read than all the rest of a start: without a budget that needs it, it comes later. */
export async function composePrices(maxCostUsd: number | null, clock: Pick<Clock, 'now'>): Promise<Prices> {
  const prices = createPrices(clock.now);
  if (maxCostUsd !== null) await prices.load();
  return prices;
}

/**
 * `provider`, with the table of `prices` read before anything of its first answer, or its first failure, is handed on: whoever counts that has its
 * price. It stands within the retries, as attempts that fail are counted there.
 */
export function withPrices(provider: LLMProvider, prices: Pick<Prices, 'load'>): LLMProvider {
  return {
    generate: async (request, context) => {
      try {
        return await provider.generate(request, context);
      } finally {
        await prices.load();
      }
    },
    generateStream: (request, context) => afterLoading(provider.generateStream(request, context), prices),
  };
}

async function* afterLoading(chunks: AsyncIterable<StreamChunk>, prices: Pick<Prices, 'load'>): AsyncGenerator<StreamChunk> {
  for await (const chunk of withErrorChunk(chunks)) {
    await prices.load();
    yield chunk;
  }
}

/** Whether calls of the model have a price. Nobody knows before the table is there. */
export function hasPrice(origin: Origin, prices: Prices): boolean {
  return prices.priceOf(noUsage, origin) !== undefined;
}

/**
 * Throws PRICE_UNKNOWN for the first model without a price where a budget in dollars was given: nothing could hold it. `names`: what the budget, and
 * the one in tokens, are called there.
 */
export function requirePrices(
  origins: readonly Origin[],
  prices: Prices,
  names: { readonly cost: string; readonly tokens: string },
): void {
  const unpriced = origins.find((origin) => !hasPrice(origin, prices));
  if (unpriced === undefined) return;
  throw new Harness9Error({
    code: 'PRICE_UNKNOWN',
    message: `${names.cost}: no price is known for the model "${unpriced.model}"${placeOf(unpriced)} (prices of ${pricesDate}), so nothing could hold it`,
    hint: `Use ${names.tokens}, which holds for every model, or a model that has a price.`,
  });
}

/** The host alone: an address may hold a key. */
function placeOf({ endpoint }: Origin): string {
  const host = URL.parse(endpoint)?.host;
  return host === undefined ? '' : ` at ${host}`;
}
