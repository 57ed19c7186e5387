// Owns how we know a pull request of ours again, and whether a run may write on it; all by GitHub's own word, nothing by a comment's text.
import type { GateFacts, OwnPull, Trust } from '../schema/gate.ts';
import { GitHubApiError, type Item, type RepositoryApi } from './api.ts';
import { type Marker, parseMarker } from './marker.ts';

/** Whose pull requests, and in which repository. */
export interface Owner {
  readonly self: GateFacts['self'];
  readonly repositoryId: number;
}

/** What a list and a single answer have in common. */
export type ListedPull = Pick<Item<'GET /repos/{owner}/{repo}/pulls'>, 'number' | 'user' | 'body' | 'head' | 'base' | 'draft'>;

/** The marker of a listed pull request that our account opened from a branch of this repository, or null. */
export function markerOfOwnPull(pull: ListedPull, { self, repositoryId }: Owner): Marker | null {
  // GitHub's schema knows no null here, GitHub does: the fork was deleted (G1-09).
  const headRepository: { readonly id: number | bigint } | null = pull.head.repo;
  const isOurs = Number(pull.user?.id) === self.id && Number(headRepository?.id) === repositoryId;
  const marker = isOurs ? parseMarker(pull.body ?? '') : null;
  return marker?.kind === 'pull_request' ? marker : null;
}

/** What is to be known of it before anybody writes on it. */
export async function toOwnPull(
  { pull, trust, self }: { readonly pull: ListedPull; readonly trust: Trust; readonly self: Owner['self'] },
  place: RepositoryApi,
  signal: AbortSignal,
): Promise<OwnPull> {
  const head = { branch: pull.head.ref, sha: pull.head.sha };
  return {
    number: pull.number,
    ...head,
    base: { branch: pull.base.ref, sha: pull.base.sha },
    isDraft: pull.draft === true,
    trust,
    isOursAlone: await isPushedByUsAlone(head, self, place, signal),
  };
}

/**
 * Whether a run may put commits on a branch of ours. A trusted one as on any branch of this repository; a mixed one only where nothing
 * but mixed work is and nobody looked or wrote yet: an own draft of a mixed run (.github/decisions/0003-later-requests-update-the-open-pull-request.md).
 */
export function mayWriteOn(pull: Pick<OwnPull, 'isDraft' | 'trust' | 'isOursAlone'>, trust: Trust): boolean {
  if (trust === 'trusted') return true;
  return trust === 'mixed' && pull.trust === 'mixed' && pull.isDraft && pull.isOursAlone;
}

/**
 * By the repository's list of pushes, which is the server's own and not the committer's; what cannot be shown is not so. What was before the
 * branch was made is another branch's of the same name: merging a pull request usually takes the branch away, and the next one makes it anew.
 */
async function isPushedByUsAlone(
  { branch, sha }: Pick<OwnPull, 'branch' | 'sha'>,
  self: GateFacts['self'],
  { api, repository }: RepositoryApi,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const parameters = { ...repository, ref: `refs/heads/${branch}`, per_page: 100 };
    const { data: pushes } = await api.rest('GET /repos/{owner}/{repo}/activity', parameters, signal);
    const birth = pushes.findIndex((push) => push.activity_type === 'branch_creation');
    const isWhole = (birth >= 0 || pushes.length < 100) && pushes[0]?.after === sha;
    const own = birth < 0 ? pushes : pushes.slice(0, birth + 1);
    return isWhole && own.every((push) => Number(push.actor?.id) === self.id);
  } catch (error) {
    if (error instanceof GitHubApiError) return false;
    throw error;
  }
}
