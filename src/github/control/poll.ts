// The port by which a run at work hears of what is said on its thread: one for each place that it listens to.
import type { Channel } from '../../schema/gate.ts';
import type { Account } from '../api.ts';

/** A comment as far as it may be a word to a running run. */
export interface HeardComment {
  /** As the gate would call the trigger that it is. */
  readonly triggerId: string;
  readonly user: (Account & { readonly type: string }) | null;
  readonly body: string;
  readonly isEdited: boolean;
  /** Where it is answered. */
  readonly channel: Channel;
}

export interface Poll {
  /** What was said since the request, as far as GitHub does not say that nothing is new. Rejects with a GitHubApiError. */
  ask(signal: AbortSignal): Promise<readonly HeardComment[]>;
  /** How long to wait before the next time. */
  pauseMs(): number;
}

/** When the request was asked, in ms since 1970; what has no time was asked before everything. */
export function askedAt({ at }: { readonly at: string }): number {
  const time = Date.parse(at);
  return Number.isNaN(time) ? 0 : time;
}
