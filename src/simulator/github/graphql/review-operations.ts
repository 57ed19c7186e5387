/** GraphQL: the threads of comments on a pull request's diff. */
import type { Hub } from '../hub.ts';
import { nodeId } from '../render/render-account.ts';
import { isOutdated, type PullThread, renderReview, renderReviewComment } from '../render/render-pull.ts';
import type { ReviewComment } from '../state.ts';
import { commentsOf } from '../threads/comments.ts';
import { connection } from './connection.ts';
import { findReviewThread } from './nodes.ts';
import { demand, forbidden, type GraphqlCall, type GraphqlOperation, textOf } from './operation.ts';
import { renderActor, renderCommentNode, renderRepositoryNode, renderThreadNode } from './render-node.ts';
import { demandPull } from './thread-operations.ts';

export const reviewOperations: Readonly<Record<string, GraphqlOperation>> = {
  ReviewThreads: reviewThreads,
  ReviewEdits: reviewEdits,
  ResolveReviewThread: resolveReviewThread,
};

function reviewThreads(hub: Hub, call: GraphqlCall) {
  const thread = demandPull(hub, call);
  const nodes = rootsOf(hub, thread).map((root) => renderReviewThread(hub, call, root));
  const pullRequest = { ...renderThreadNode(hub, thread), reviewThreads: connection(call, 'reviewThreads', nodes) };
  return { repository: { ...renderRepositoryNode(hub), pullRequest } };
}

function rootsOf(hub: Hub, thread: PullThread): readonly ReviewComment[] {
  return commentsOf(hub.state.reviewComments, thread.number).filter((comment) => comment.inReplyTo === null);
}

function reviewEdits(hub: Hub, call: GraphqlCall) {
  const thread = demandPull(hub, call);
  const found = [...hub.state.reviews.values()].filter(({ issue }) => issue === thread.number);
  const nodes = found.map((review) => ({
    id: nodeId('PullRequestReview', review.id),
    databaseId: review.id,
    author: renderActor(hub, review.author),
    body: review.body,
    state: review.state,
    createdAt: review.createdAt,
    submittedAt: review.submittedAt,
    lastEditedAt: review.lastEditedAt,
    url: renderReview(hub, review).html_url,
  }));
  const pullRequest = { ...renderThreadNode(hub, thread), reviews: connection(call, 'reviews', nodes) };
  return { repository: { ...renderRepositoryNode(hub), pullRequest } };
}

function renderReviewThread(hub: Hub, call: GraphqlCall, root: ReviewComment) {
  const resolver = hub.state.resolvedThreads.get(root.id);
  const comments = commentsOf(hub.state.reviewComments, root.issue).filter(
    ({ id, inReplyTo }) => id === root.id || inReplyTo === root.id,
  );
  return {
    id: nodeId('PullRequestReviewThread', root.id),
    isResolved: resolver !== undefined,
    resolvedBy: resolver === undefined ? null : renderActor(hub, resolver),
    isOutdated: isOutdated(root),
    isCollapsed: resolver !== undefined || isOutdated(root),
    path: root.path,
    line: root.currentLine,
    originalLine: root.line,
    startLine: root.currentLine === null ? null : root.startLine,
    originalStartLine: root.startLine,
    diffSide: root.side,
    subjectType: root.line === null ? 'FILE' : 'LINE',
    comments: connection(
      call,
      'comments',
      comments.map((comment) => renderReviewCommentNode(hub, comment)),
    ),
  };
}

function renderReviewCommentNode(hub: Hub, comment: ReviewComment) {
  return {
    ...renderCommentNode(hub, comment),
    id: nodeId('PullRequestReviewComment', comment.id),
    url: renderReviewComment(hub, comment).html_url,
    path: comment.path,
    line: comment.currentLine,
    originalLine: comment.line,
    diffHunk: comment.diffHunk,
    outdated: isOutdated(comment),
    replyTo:
      comment.inReplyTo === null
        ? null
        : { id: nodeId('PullRequestReviewComment', comment.inReplyTo), databaseId: comment.inReplyTo },
  };
}

function resolveReviewThread(hub: Hub, call: GraphqlCall) {
  const field = 'resolveReviewThread';
  const root = findReviewThread(hub, textOf(call, 'id'), field);
  demand(call, field, ['pull_requests:write']);
  // An app needs the contents, too, and a workflow's own token is refused whatever it has: no document says so, people report it.
  demand(call, field, ['contents:write']);
  if (call.grant.actor === 'github-actions[bot]') throw forbidden(field);
  hub.state.resolvedThreads.set(root.id, call.grant.actor);
  return { resolveReviewThread: { clientMutationId: null, thread: renderReviewThread(hub, call, root) } };
}
