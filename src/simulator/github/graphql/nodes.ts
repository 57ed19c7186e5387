/** What a node's identifier stands for; the same identifiers as REST's `node_id`. */
import type { Need } from '../auth.ts';
import type { Hub } from '../hub.ts';
import type { Comment, Discussion, DiscussionComment, Review, ReviewComment, Thread } from '../state.ts';
import { GraphqlError } from './operation.ts';

/** What an identifier names, with the permissions one of which changes it. */
export type Node =
  | { readonly kind: 'Issue' | 'PullRequest'; readonly value: Thread; readonly needs: readonly Need[] }
  | { readonly kind: 'IssueComment'; readonly value: Comment; readonly needs: readonly Need[] }
  | { readonly kind: 'PullRequestReviewComment'; readonly value: ReviewComment; readonly needs: readonly Need[] }
  /** By the first comment of the thread. */
  | { readonly kind: 'PullRequestReviewThread'; readonly value: ReviewComment; readonly needs: readonly Need[] }
  | { readonly kind: 'PullRequestReview'; readonly value: Review; readonly needs: readonly Need[] }
  | { readonly kind: 'Discussion'; readonly value: Discussion; readonly needs: readonly Need[] }
  | { readonly kind: 'DiscussionComment'; readonly value: DiscussionComment; readonly needs: readonly Need[] };

const ISSUES = ['issues:write'] as const;
const PULLS = ['pull_requests:write'] as const;
const DISCUSSIONS = ['discussions:write'] as const;

/** The node of an identifier; `path` is the field that asks. */
export function findNode(hub: Hub, id: string, path: string): Node {
  const { 1: kind = '', 2: number = '' } = /^(\w+):(\d+)$/.exec(Buffer.from(id, 'base64url').toString()) ?? [];
  const node = lookUp(hub, kind, Number(number));
  if (node !== undefined) return node;
  throw new GraphqlError(`Could not resolve to a node with the global id of '${id}'.`, { type: 'NOT_FOUND', path: [path] });
}

/** The first comment of a review thread. */
export function findReviewThread(hub: Hub, id: string, path: string): ReviewComment {
  const node = findNode(hub, id, path);
  if (node.kind !== 'PullRequestReviewThread') throw wrongKind('PullRequestReviewThread', id, path);
  return node.value;
}

export function findDiscussion(hub: Hub, id: string, path: string): Discussion {
  const node = findNode(hub, id, path);
  if (node.kind !== 'Discussion') throw wrongKind('Discussion', id, path);
  return node.value;
}

export function findDiscussionComment(hub: Hub, id: string, path: string): DiscussionComment {
  const node = findNode(hub, id, path);
  if (node.kind !== 'DiscussionComment') throw wrongKind('DiscussionComment', id, path);
  return node.value;
}

function wrongKind(kind: Node['kind'], id: string, path: string): GraphqlError {
  return new GraphqlError(`Could not resolve to ${kind} node with the global id of '${id}'.`, {
    type: 'NOT_FOUND',
    path: [path],
  });
}

function lookUp(hub: Hub, kind: string, id: number): Node | undefined {
  const { state } = hub;
  switch (kind) {
    case 'Issue':
    case 'PullRequest': {
      const isPull = kind === 'PullRequest';
      const value = [...state.threads.values()].find((thread) =>
        isPull ? thread.pull?.id === id : thread.pull === null && thread.id === id,
      );
      return value === undefined ? undefined : { kind, value, needs: threadNeeds(value) };
    }
    case 'IssueComment': {
      const value = state.comments.get(id);
      return value === undefined ? undefined : { kind, value, needs: threadNeeds(state.threads.get(value.issue)) };
    }
    case 'PullRequestReviewThread':
    case 'PullRequestReviewComment': {
      const value = state.reviewComments.get(id);
      return value === undefined ? undefined : { kind, value, needs: PULLS };
    }
    case 'PullRequestReview': {
      const value = state.reviews.get(id);
      return value === undefined ? undefined : { kind, value, needs: PULLS };
    }
    case 'Discussion': {
      const value = [...state.discussions.values()].find((discussion) => discussion.id === id);
      return value === undefined ? undefined : { kind, value, needs: DISCUSSIONS };
    }
    case 'DiscussionComment': {
      const value = state.discussionComments.get(id);
      return value === undefined ? undefined : { kind, value, needs: DISCUSSIONS };
    }
    default:
      return undefined;
  }
}

// As in REST: what stands on a pull request is open to either permission.
function threadNeeds(thread: Thread | undefined): readonly Need[] {
  return thread?.pull == null ? ISSUES : [...ISSUES, ...PULLS];
}
