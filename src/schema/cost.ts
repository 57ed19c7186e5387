// What model calls cost, and who knows it. Prices themselves are data of a table, not of this file.
import { z } from 'zod';
import type { Origin, Usage } from './message.ts';

/** In US dollars. `usd`: the calls that have a price; `unpricedModels`: what else was used, by name. */
export const costSchema = z.object({ usd: z.number(), unpricedModels: z.array(z.string()).readonly() });
export type Cost = Readonly<z.infer<typeof costSchema>>;

/** What `usage` costs in US dollars at the model that `origin` names (undefined: the run's own); undefined: no price is known. */
export type PriceOf = (usage: Usage, origin: Origin | undefined) => number | undefined;
