// Owns the look-up of the open pull request that we made for an issue or a discussion, so that a later request goes on with it; decides nothing.
import type { GateFacts, OwnPull } from '../../schema/gate.ts';
import type { GitHubEvent } from '../../schema/github-event.ts';
import { isRefusal, type RepositoryApi } from '../api.ts';
import { markerOfOwnPull, toOwnPull } from '../own-pull.ts';

export interface OwnPullQuestion {
  readonly event: GitHubEvent;
  readonly thread: { readonly kind: string; readonly number: number };
  readonly self: GateFacts['self'];
}

/** 300 open pull requests, the newest first; one of ours that is older is not gone on with. */
const maxPages = 3;

/** The newest open one that is ours for this thread, or null. A job that may not read pull requests has made none. */
export async function loadOwnPull(
  { event, thread: { kind, number }, self }: OwnPullQuestion,
  place: RepositoryApi,
  signal: AbortSignal,
): Promise<OwnPull | null> {
  const thread = `${kind}-${number}`;
  const owner = { self, repositoryId: event.repository.id };
  const parameters = { ...place.repository, state: 'open', sort: 'created', direction: 'desc' } as const;
  let seen = 0;
  try {
    for await (const page of place.api.pages('GET /repos/{owner}/{repo}/pulls', parameters, signal)) {
      for (const pull of page) {
        const origin = markerOfOwnPull(pull, owner)?.origin;
        if (origin?.thread === thread) return await toOwnPull({ pull, trust: origin.trust, self }, place, signal);
      }
      seen += 1;
      if (seen === maxPages) return null;
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return null;
}
