// Owns the reading of GraphQL's paged lists, which GitHub calls connections. Asks nobody itself.
import { z } from 'zod';

/** A page of a connection of these nodes. */
export function connectionOf<T extends z.ZodType>(node: T) {
  const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });
  return z.object({ nodes: z.array(node), pageInfo });
}

/** What `connectionOf` reads. */
interface Connection<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null | undefined };
}

/** The nodes of the first `maxPages` pages. `ask` is given where the page begins; null: at the beginning. */
export async function readConnection<T>(
  ask: (after: string | null) => Promise<Connection<T>>,
  maxPages: number,
): Promise<readonly T[]> {
  const found: T[] = [];
  let after: string | null = null;
  for (let page = 1; page <= maxPages; page += 1) {
    const { nodes, pageInfo }: Connection<T> = await ask(after);
    found.push(...nodes);
    after = pageInfo.endCursor ?? null;
    if (!pageInfo.hasNextPage || after === null) break;
  }
  return found;
}
