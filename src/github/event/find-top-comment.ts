// Owns which comment a comment of a discussion is answered under: the one at the top of its branch. Pure.
import type { GitHubEvent } from '../../schema/github-event.ts';
import type { ThreadText } from '../thread-texts.ts';

/**
 * The node id of what a comment of a discussion answers, its own where it answers none; null for every other event, and where it is not among
 * `texts`. The webhook names the answered one by its number alone.
 */
export function findTopComment(event: GitHubEvent, texts: readonly ThreadText[]): string | null {
  if (event.kind !== 'discussion_comment') return null;
  const { nodeId, parentId } = event.comment;
  if (parentId === null) return nodeId;
  return texts.find(({ id, branch }) => branch !== null && id === parentId)?.branch ?? null;
}
