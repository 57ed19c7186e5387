// Owns the events of something that a person wrote: comments of issues, pull requests and discussions, and submitted reviews.
import { z } from 'zod';
import type { GitHubEvent } from '../../schema/github-event.ts';
import { commentOf, commentPayload, envelope, isObject, onPull, pullPayload, read } from './payload-parts.ts';

const issueCommentPayload = z.object({
  ...envelope,
  comment: commentPayload,
  issue: z.object({ number: z.number().int(), title: z.string(), pull_request: z.unknown().optional() }),
});
const reviewCommentPayload = z.object({
  ...envelope,
  comment: commentPayload.extend({
    path: z.string(),
    line: z.number().nullish(),
    diff_hunk: z.string(),
    in_reply_to_id: z.number().nullish(),
  }),
  pull_request: pullPayload,
});
const reviewPayload = z.object({
  ...envelope,
  review: z.object({ id: z.number(), node_id: z.string(), body: z.string().nullish(), submitted_at: z.string().nullish() }),
  pull_request: pullPayload.extend({ updated_at: z.string() }),
});
const discussionCommentPayload = z.object({
  ...envelope,
  comment: commentPayload.extend({ node_id: z.string(), parent_id: z.number().nullish() }),
  discussion: z.object({ number: z.number().int(), title: z.string(), node_id: z.string() }),
});

export function parseIssueComment(payload: unknown): GitHubEvent {
  const { issue, comment, ...common } = read('issue_comment', issueCommentPayload, payload);
  const kind = isObject(issue.pull_request) ? 'pull_request' : 'issue';
  return {
    version: 1,
    kind: 'issue_comment',
    ...common,
    thread: { kind, number: issue.number },
    title: issue.title,
    comment: commentOf(comment),
  };
}

export function parseReviewComment(payload: unknown): GitHubEvent {
  const kind = 'pull_request_review_comment';
  const { comment, pull_request: pull, ...common } = read(kind, reviewCommentPayload, payload);
  return {
    version: 1,
    kind,
    ...common,
    ...onPull(pull, common.repository.id),
    comment: commentOf(comment),
    rootId: comment.in_reply_to_id ?? comment.id,
    path: comment.path,
    line: comment.line ?? null,
    diffHunk: comment.diff_hunk,
  };
}

export function parseReview(payload: unknown): GitHubEvent {
  const kind = 'pull_request_review';
  const { review, pull_request: pull, ...common } = read(kind, reviewPayload, payload);
  const { id, body, submitted_at: submittedAt } = review;
  return {
    version: 1,
    kind,
    ...common,
    ...onPull(pull, common.repository.id),
    comment: { id, body: body ?? '', createdAt: submittedAt ?? pull.updated_at },
    nodeId: review.node_id,
  };
}

export function parseDiscussionComment(payload: unknown): GitHubEvent {
  const { comment, discussion, ...common } = read('discussion_comment', discussionCommentPayload, payload);
  return {
    version: 1,
    kind: 'discussion_comment',
    ...common,
    thread: { kind: 'discussion', number: discussion.number },
    title: discussion.title,
    nodeId: discussion.node_id,
    comment: { ...commentOf(comment), nodeId: comment.node_id, parentId: comment.parent_id ?? null },
  };
}
