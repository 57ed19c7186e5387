// What every place to speak is opened with, and what REST's comments have in common. Pure.
import { type Account, type Egress, isGone, type RepositoryApi } from '../../api.ts';
import type { ChannelComment } from './port.ts';

export interface Place extends RepositoryApi {
  readonly egress: Egress;
}

/** What REST's answers about something that was said have in common. */
export interface RestComment {
  readonly id: number | bigint;
  readonly node_id: string;
  readonly html_url: string;
  readonly body?: string | null | undefined;
  readonly user?: Account | null;
}

export function toComment({ id, node_id, html_url, body, user }: RestComment): ChannelComment {
  const authorId = user == null ? null : Number(user.id);
  return { id: Number(id), number: Number(id), nodeId: node_id, url: html_url, body: body ?? '', authorId };
}

/** What octokit is told, so that a refusal by a limit comes back at once. */
export function onceOnly(isOnce: boolean | undefined): { request?: { retries: number } } {
  return isOnce === true ? { request: { retries: 0 } } : {};
}

type Headers = Readonly<Record<string, string | number | undefined>>;

/** By GitHub's headers; undefined where it does not say. */
export function quotaLeftOf(headers: Headers): number | undefined {
  const [left, limit] = [Number(headers['x-ratelimit-remaining']), Number(headers['x-ratelimit-limit'])];
  return limit > 0 && left >= 0 ? left / limit : undefined;
}

/** null where what was to be written on is gone. */
export async function orGone<T>(writing: Promise<T>): Promise<T | null> {
  try {
    return await writing;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Everything that a list has. */
export async function allOf<T>(pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}
