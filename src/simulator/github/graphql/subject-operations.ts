/** GraphQL: what is done with things of several kinds by their identifier: collapsing, reacting, reading their HTML. */
import type { Hub } from '../hub.ts';
import { nodeId } from '../render/render-account.ts';
import { renderHtml } from '../render/render-html.ts';
import { addReaction as addReactionTo } from '../threads/comments.ts';
import { findNode, type Node } from './nodes.ts';
import { demand, type GraphqlCall, GraphqlError, type GraphqlOperation, textOf } from './operation.ts';
import { CONTENTS, renderReactionNode } from './render-node.ts';

// GraphQL's `ReportedContentClassifiers`.
const CLASSIFIERS: readonly string[] = ['ABUSE', 'DUPLICATE', 'LOW_QUALITY', 'OFF_TOPIC', 'OUTDATED', 'RESOLVED', 'SPAM'];

export const subjectOperations: Readonly<Record<string, GraphqlOperation>> = {
  MinimizeComment: minimizeComment,
  AddReaction: addReaction,
  BodyHtml: bodyHtml,
};

function minimizeComment(hub: Hub, call: GraphqlCall) {
  const path = 'minimizeComment';
  const classifier = textOf(call, 'classifier');
  if (!CLASSIFIERS.includes(classifier)) {
    throw new GraphqlError('Variable $classifier of type ReportedContentClassifiers! was provided invalid value');
  }
  const node = findNode(hub, textOf(call, 'id'), path);
  if (!isMinimizable(node)) throw new GraphqlError(`${node.kind} is not Minimizable.`, { type: 'UNPROCESSABLE', path: [path] });
  demand(call, path, node.needs);
  const reason = classifier.toLowerCase().replaceAll('_', '-');
  node.value.minimizedReason = reason;
  const minimizedComment = {
    __typename: node.kind,
    id: nodeId(node.kind, node.value.id),
    isMinimized: true,
    minimizedReason: reason,
  };
  return { minimizeComment: { clientMutationId: null, minimizedComment } };
}

type Minimizable = Exclude<Node, { kind: 'Issue' | 'PullRequest' | 'Discussion' | 'PullRequestReviewThread' }>;

function isMinimizable(node: Node): node is Minimizable {
  return !['Issue', 'PullRequest', 'Discussion', 'PullRequestReviewThread'].includes(node.kind);
}

function addReaction(hub: Hub, call: GraphqlCall) {
  const path = 'addReaction';
  const content = CONTENTS[textOf(call, 'content')];
  if (content === undefined) throw new GraphqlError('Variable $content of type ReactionContent! was provided invalid value');
  const node = findNode(hub, textOf(call, 'id'), path);
  demand(call, path, node.needs);
  const { reaction } = addReactionTo(hub, node.value.reactions, call.grant.actor, content);
  const id = node.kind === 'PullRequest' ? (node.value.pull?.id ?? 0) : node.value.id;
  return {
    addReaction: {
      clientMutationId: null,
      reaction: renderReactionNode(hub, reaction),
      subject: { __typename: node.kind, id: nodeId(node.kind, id) },
    },
  };
}

function bodyHtml(hub: Hub, call: GraphqlCall) {
  const { kind, value } = findNode(hub, textOf(call, 'id'), 'node');
  // A review thread has no text of its own.
  const html = kind === 'PullRequestReviewThread' ? {} : { bodyHTML: renderHtml(hub, value.body ?? '') };
  return { node: { __typename: kind, id: nodeId(kind, value.id), ...html } };
}
