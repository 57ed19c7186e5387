/** REST: reactions on issues, comments and review comments. */
import { demandOneOf } from '../auth.ts';
import { actorOf, type Call, numberParam, optionalWord } from '../http/call.ts';
import { paged } from '../http/paging.ts';
import { invalid, json, noContent, notFound, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { renderReaction } from '../render/render-thread.ts';
import type { Reaction, ReactionContent } from '../state.ts';
import { addReaction, removeReaction } from '../threads/comments.ts';
import { findComment, findReviewComment, findThread } from './find.ts';
import { demandThreadWrite } from './issue-routes.ts';

const CONTENTS: readonly ReactionContent[] = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'];

/** Gives the reactions of what the path names; with `isWrite` after checking that the token may change them. */
type FindReactions = (hub: Hub, call: Call, isWrite: boolean) => Reaction[];

export const reactionRoutes: readonly Route[] = [
  ...reactionsUnder('/repos/{owner}/{repo}/issues/{issue_number}', 'issues', onThread),
  ...reactionsUnder('/repos/{owner}/{repo}/issues/comments/{comment_id}', 'issues', onComment),
  ...reactionsUnder('/repos/{owner}/{repo}/pulls/comments/{comment_id}', 'pull_requests', onReviewComment),
];

function reactionsUnder(path: string, permission: string, find: FindReactions): readonly Route[] {
  const alternatives =
    permission === 'issues' ? (['issues:write', 'pull_requests:write'] as const) : (['pull_requests:write'] as const);
  return [
    route(`GET ${path}/reactions`, ['issues:read', 'pull_requests:read'], (hub, call) => listReactions(hub, call, find)),
    route(`POST ${path}/reactions`, alternatives, (hub, call) => createReaction(hub, call, find)),
    route(`DELETE ${path}/reactions/{reaction_id}`, alternatives, (hub, call) => deleteReaction(hub, call, find)),
  ];
}

function onThread(hub: Hub, call: Call, isWrite: boolean): Reaction[] {
  const thread = findThread(hub, call);
  if (isWrite) demandThreadWrite(hub, call, thread);
  return thread.reactions;
}

function onComment(hub: Hub, call: Call, isWrite: boolean): Reaction[] {
  const comment = findComment(hub, call);
  const thread = hub.state.threads.get(comment.issue);
  if (thread === undefined) throw notFound();
  if (isWrite) demandThreadWrite(hub, call, thread);
  return comment.reactions;
}

function onReviewComment(hub: Hub, call: Call, isWrite: boolean): Reaction[] {
  const comment = findReviewComment(hub, call);
  if (isWrite) demandOneOf(hub.state, call.grant, ['pull_requests:write']);
  return comment.reactions;
}

function listReactions(hub: Hub, call: Call, find: FindReactions): Reply {
  const content = call.query.get('content');
  const found = find(hub, call, false).filter((reaction) => content === null || reaction.content === content);
  return paged(hub, call, found, (reaction) => renderReaction(hub, reaction));
}

function createReaction(hub: Hub, call: Call, find: FindReactions): Reply {
  const on = find(hub, call, true);
  const content = optionalWord(call.body, 'content', CONTENTS);
  if (content === undefined) throw invalid({ resource: 'Reaction', code: 'missing_field', field: 'content' });
  const { reaction, isNew } = addReaction(hub, on, actorOf(call), content);
  return json(renderReaction(hub, reaction), isNew ? 201 : 200);
}

function deleteReaction(hub: Hub, call: Call, find: FindReactions): Reply {
  if (!removeReaction(find(hub, call, true), numberParam(call, 'reaction_id'))) throw notFound();
  return noContent();
}
