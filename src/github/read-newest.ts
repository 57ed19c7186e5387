// Owns the reading of the newest part of a list that GitHub gives from its oldest item on, in few calls and little memory. Asks nobody itself.

/** One page as GitHub answers it: 100 items, and where the last page is. */
export interface ListPage<T> {
  readonly data: readonly T[];
  readonly headers: { readonly link?: string | undefined };
}

/** The newest items, oldest first, and how many older ones were not read. */
export interface Newest<T> {
  readonly items: readonly T[];
  readonly unread: number;
}

/** Items of a page; more is not to be had. */
export const pageSize = 100;

/** The last `maxPages` pages. The first page says where they are, and is among them where the list is short. */
export async function readNewest<T>(ask: (page: number) => Promise<ListPage<T>>, maxPages: number): Promise<Newest<T>> {
  const first = await ask(1);
  const last = Number(/[?&]page=(\d+)[^<>]*>;\s*rel="last"/.exec(first.headers.link ?? '')?.[1] ?? 1);
  const from = Math.max(1, last - maxPages + 1);
  const numbers = Array.from({ length: last - from + 1 }, (_none, index) => from + index);
  const pages = await Promise.all(numbers.map((number) => (number === 1 ? first : ask(number))));
  return { items: pages.flatMap(({ data }) => data), unread: (from - 1) * pageSize };
}
