/** Discussions → the JSON of GitHub's webhooks; REST has none. */
import { discussionPage, slugOf } from '../graphql/render-node.ts';
import type { Hub } from '../hub.ts';
import { association } from '../people.ts';
import type { Discussion, DiscussionComment } from '../state.ts';
import { commentsOf } from '../threads/comments.ts';
import { nodeId, renderUserOrGhost, repositoryUrl } from './render-account.ts';
import { renderLabels, renderRollup } from './render-thread.ts';

export function renderDiscussion(hub: Hub, discussion: Discussion) {
  const { repository } = hub.state;
  return {
    repository_url: repositoryUrl(hub),
    category: {
      id: 1,
      node_id: nodeId('DiscussionCategory', discussion.category),
      repository_id: repository.id,
      emoji: ':speech_balloon:',
      name: discussion.category,
      description: '',
      created_at: repository.createdAt,
      updated_at: repository.createdAt,
      slug: slugOf(discussion.category),
      is_answerable: discussion.category === 'Q&A',
    },
    answer_html_url: null,
    answer_chosen_at: null,
    answer_chosen_by: null,
    html_url: discussionPage(hub, discussion.number),
    id: discussion.id,
    node_id: nodeId('Discussion', discussion.id),
    number: discussion.number,
    title: discussion.title,
    user: renderUserOrGhost(hub, discussion.author),
    labels: renderLabels(hub, discussion),
    state: discussion.isLocked ? 'locked' : 'open',
    state_reason: null,
    locked: discussion.isLocked,
    comments: commentsOf(hub.state.discussionComments, discussion.number).length,
    created_at: discussion.createdAt,
    updated_at: discussion.updatedAt,
    author_association: association(hub.state, discussion.author),
    active_lock_reason: null,
    body: discussion.body,
    reactions: renderRollup(`${repositoryUrl(hub)}/discussions/${discussion.number}`, discussion.reactions),
    timeline_url: `${repositoryUrl(hub)}/discussions/${discussion.number}/timeline`,
  };
}

export function renderDiscussionComment(hub: Hub, comment: DiscussionComment, discussionId: number) {
  const children = [...hub.state.discussionComments.values()].filter(({ replyTo }) => replyTo === comment.id);
  return {
    id: comment.id,
    node_id: nodeId('DiscussionComment', comment.id),
    html_url: `${discussionPage(hub, comment.issue)}#discussioncomment-${comment.id}`,
    parent_id: comment.replyTo,
    child_comment_count: children.length,
    repository_url: `${hub.state.repository.owner}/${hub.state.repository.name}`,
    discussion_id: discussionId,
    author_association: association(hub.state, comment.author),
    user: renderUserOrGhost(hub, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    body: comment.body,
    reactions: renderRollup(`${repositoryUrl(hub)}/discussions/comments/${comment.id}`, comment.reactions),
  };
}
