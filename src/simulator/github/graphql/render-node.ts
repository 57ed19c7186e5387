/** Issues, pull requests, comments and discussions → GraphQL's fields. */
import type { Hub } from '../hub.ts';
import { association, findAccount } from '../people.ts';
import { nodeId, repositoryPage } from '../render/render-account.ts';
import { threadNodeId, threadPage } from '../render/render-thread.ts';
import type { Comment, Discussion, DiscussionComment, Reaction, ReactionContent, Thread } from '../state.ts';

/** REST's words for reactions and GraphQL's. */
export const CONTENTS: Readonly<Record<string, ReactionContent>> = {
  THUMBS_UP: '+1',
  THUMBS_DOWN: '-1',
  LAUGH: 'laugh',
  HOORAY: 'hooray',
  CONFUSED: 'confused',
  HEART: 'heart',
  ROCKET: 'rocket',
  EYES: 'eyes',
};

/** An actor; null when the account is gone. GraphQL writes a bot's login without `[bot]`. */
export function renderActor(hub: Hub, login: string) {
  const account = findAccount(hub.state, login);
  if (account === undefined) return null;
  const name = account.login.replace(/\[bot\]$/, '');
  return {
    __typename: account.type,
    id: nodeId(account.type, account.id),
    databaseId: account.id,
    login: name,
    url: `${hub.urls.server}/${account.type === 'Bot' ? 'apps/' : ''}${name}`,
  };
}

export function renderThreadNode(hub: Hub, thread: Thread) {
  return {
    __typename: thread.pull === null ? 'Issue' : 'PullRequest',
    id: threadNodeId(thread),
    databaseId: thread.pull?.id ?? thread.id,
    fullDatabaseId: String(thread.pull?.id ?? thread.id),
    number: thread.number,
    title: thread.title,
    body: thread.body ?? '',
    state: thread.pull?.mergedAt == null ? thread.state.toUpperCase() : 'MERGED',
    url: threadPage(hub, thread),
    author: renderActor(hub, thread.author),
    authorAssociation: association(hub.state, thread.author),
    createdAt: thread.createdAt,
    updatedAt: thread.updatedAt,
    lastEditedAt: thread.lastEditedAt,
    locked: thread.isLocked,
    closed: thread.state === 'closed',
    repository: renderRepositoryNode(hub),
  };
}

export function renderRepositoryNode(hub: Hub) {
  const { id, owner, name, isPrivate } = hub.state.repository;
  const [fullName, url] = [`${owner}/${name}`, repositoryPage(hub)];
  return {
    id: nodeId('Repository', id),
    databaseId: id,
    name,
    nameWithOwner: fullName,
    isPrivate,
    url,
    owner: renderActor(hub, owner),
  };
}

/** What comments of every kind have. */
export function renderCommentNode(hub: Hub, comment: Comment) {
  return {
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    author: renderActor(hub, comment.author),
    authorAssociation: association(hub.state, comment.author),
    body: comment.body,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    lastEditedAt: comment.isEdited ? comment.updatedAt : null,
    isMinimized: comment.minimizedReason !== undefined,
    minimizedReason: comment.minimizedReason ?? null,
  };
}

export function renderDiscussionNode(hub: Hub, discussion: Discussion) {
  const { category } = discussion;
  return {
    __typename: 'Discussion',
    id: nodeId('Discussion', discussion.id),
    databaseId: discussion.id,
    number: discussion.number,
    title: discussion.title,
    body: discussion.body,
    url: discussionPage(hub, discussion.number),
    author: renderActor(hub, discussion.author),
    authorAssociation: association(hub.state, discussion.author),
    createdAt: discussion.createdAt,
    updatedAt: discussion.updatedAt,
    lastEditedAt: discussion.lastEditedAt,
    locked: discussion.isLocked,
    closed: false,
    category: {
      id: nodeId('DiscussionCategory', category),
      name: category,
      slug: slugOf(category),
      isAnswerable: category === 'Q&A',
    },
    repository: renderRepositoryNode(hub),
  };
}

export function slugOf(category: string): string {
  return category.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** A comment of a discussion, without what stands under it. */
export function renderDiscussionCommentNode(hub: Hub, comment: DiscussionComment) {
  const discussion = hub.state.discussions.get(comment.issue);
  return {
    __typename: 'DiscussionComment',
    ...renderCommentNode(hub, comment),
    id: nodeId('DiscussionComment', comment.id),
    url: `${discussionPage(hub, comment.issue)}#discussioncomment-${comment.id}`,
    isAnswer: false,
    replyTo: comment.replyTo === null ? null : { id: nodeId('DiscussionComment', comment.replyTo), databaseId: comment.replyTo },
    discussion: discussion === undefined ? null : renderDiscussionNode(hub, discussion),
  };
}

export function discussionPage(hub: Hub, number: number): string {
  return `${repositoryPage(hub)}/discussions/${number}`;
}

export function renderReactionNode(hub: Hub, reaction: Reaction) {
  const content = Object.entries(CONTENTS).find(([, word]) => word === reaction.content)?.[0] ?? '';
  return {
    id: nodeId('Reaction', reaction.id),
    databaseId: reaction.id,
    content,
    user: renderActor(hub, reaction.user),
    createdAt: reaction.createdAt,
  };
}
