/** Pages of lists with GitHub's `Link` header. */
import type { Hub } from '../hub.ts';
import type { Call } from './call.ts';
import type { Reply } from './reply.ts';

const PER_PAGE_DEFAULT = 30;
const PER_PAGE_MAX = 100;

export interface Page {
  readonly number: number;
  readonly size: number;
}

/** Whether a change is not older than the query's `since`; GitHub includes that second. */
export function isSince(query: URLSearchParams, updatedAt: string): boolean {
  const since = query.get('since');
  return since === null || Date.parse(updatedAt) >= Math.floor(Date.parse(since) / 1000) * 1000;
}

/** The page that a request asks for. */
export function readPage(query: URLSearchParams): Page {
  const positive = (name: string, fallback: number): number => {
    const value = Number(query.get(name) ?? fallback);
    return Number.isInteger(value) && value > 0 ? value : fallback;
  };
  return { number: positive('page', 1), size: Math.min(positive('per_page', PER_PAGE_DEFAULT), PER_PAGE_MAX) };
}

/** The items of the page that the request asks for. */
export function pageOf<T>(call: Call, items: readonly T[]): readonly T[] {
  const page = readPage(call.query);
  return items.slice((page.number - 1) * page.size, page.number * page.size);
}

/** The `Link` header for a list of `total` items; none when all fit on one page. */
export function linkHeader(hub: Hub, call: Call, total: number): Readonly<Record<string, string>> {
  const page = readPage(call.query);
  const last = Math.ceil(total / page.size);
  const targets: readonly (readonly [string, number, boolean])[] = [
    ['prev', page.number - 1, page.number > 1],
    ['next', page.number + 1, page.number < last],
    ['last', last, page.number < last],
    ['first', 1, page.number > 1],
  ];
  const links = targets
    .filter(([, , isThere]) => isThere)
    .map(([relation, number]) => {
      const query = new URLSearchParams(call.query);
      query.set('page', String(number));
      return `<${hub.urls.api}${call.path}?${query}>; rel="${relation}"`;
    });
  return links.length === 0 ? {} : { link: links.join(', ') };
}

/** One page of a list, rendered item by item. */
export function paged<T>(hub: Hub, call: Call, items: readonly T[], render: (item: T) => unknown): Reply {
  return { status: 200, body: pageOf(call, items).map(render), headers: linkHeader(hub, call, items.length) };
}

/** One page of a list that GitHub wraps into an object with its length. */
export function pagedUnder<T>(
  hub: Hub,
  call: Call,
  name: string,
  list: { items: readonly T[]; render: (item: T) => unknown },
): Reply {
  const body = { total_count: list.items.length, [name]: pageOf(call, list.items).map(list.render) };
  return { status: 200, body, headers: linkHeader(hub, call, list.items.length) };
}
