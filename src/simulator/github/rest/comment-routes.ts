/** REST: comments in the conversation of an issue or pull request. */

import { actorOf, type Call, requiredText } from '../http/call.ts';
import { isSince, paged } from '../http/paging.ts';
import { json, noContent, notFound, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { withHtml } from '../render/render-html.ts';
import { renderComment } from '../render/render-thread.ts';
import type { Comment, Thread } from '../state.ts';
import { addComment, commentsOf, editComment } from '../threads/comments.ts';
import { findComment, findThread } from './find.ts';
import { demandThreadWrite, demandUnlocked } from './issue-routes.ts';

const READ = ['issues:read', 'pull_requests:read'] as const;
const WRITE = ['issues:write', 'pull_requests:write'] as const;
const COMMENTS = '/repos/{owner}/{repo}/issues/comments';

export const commentRoutes: readonly Route[] = [
  route('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', READ, listThreadComments),
  route('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', WRITE, createComment),
  route(`GET ${COMMENTS}`, READ, listAllComments),
  route(`GET ${COMMENTS}/{comment_id}`, READ, (hub, call) =>
    json(withHtml(hub, call, renderComment(hub, findComment(hub, call)))),
  ),
  route(`PATCH ${COMMENTS}/{comment_id}`, WRITE, updateComment),
  route(`DELETE ${COMMENTS}/{comment_id}`, WRITE, deleteComment),
];

function listThreadComments(hub: Hub, call: Call): Reply {
  const thread = findThread(hub, call);
  return paged(hub, call, since(call, commentsOf(hub.state.comments, thread.number)), (comment) =>
    withHtml(hub, call, renderComment(hub, comment)),
  );
}

function listAllComments(hub: Hub, call: Call): Reply {
  const found = since(call, [...hub.state.comments.values()]);
  const ordered = call.query.get('direction') === 'desc' ? found.toReversed() : found;
  return paged(hub, call, ordered, (comment) => renderComment(hub, comment));
}

function since(call: Call, comments: readonly Comment[]): readonly Comment[] {
  return comments.filter((comment) => isSince(call.query, comment.updatedAt));
}

function createComment(hub: Hub, call: Call): Reply {
  const thread = findThread(hub, call);
  demandThreadWrite(hub, call, thread);
  demandUnlocked(hub, call, thread);
  return json(renderComment(hub, addComment(hub, thread, actorOf(call), requiredText(call.body, 'body'))), 201);
}

function updateComment(hub: Hub, call: Call): Reply {
  const comment = findComment(hub, call);
  demandThreadWrite(hub, call, threadOf(hub, comment));
  editComment(hub, comment, requiredText(call.body, 'body'));
  return json(renderComment(hub, comment));
}

function deleteComment(hub: Hub, call: Call): Reply {
  const comment = findComment(hub, call);
  const thread = threadOf(hub, comment);
  demandThreadWrite(hub, call, thread);
  hub.state.comments.delete(comment.id);
  thread.updatedAt = hub.now();
  return noContent();
}

function threadOf(hub: Hub, comment: Comment): Thread {
  const thread = hub.state.threads.get(comment.issue);
  if (thread === undefined) throw notFound();
  return thread;
}
