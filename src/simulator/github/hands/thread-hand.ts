/** The hand's part about issues, conversations and discussions. */
import { addAttachment, assetUrl, signedAssetUrl } from '../attachments/attachment.ts';
import type { Hand } from '../contract.ts';
import { discussionPage } from '../graphql/render-node.ts';
import type { Hub } from '../hub.ts';
import { nodeId } from '../render/render-account.ts';
import { renderComment } from '../render/render-thread.ts';
import type { Discussion, Reaction } from '../state.ts';
import { addComment, addReaction, editComment } from '../threads/comments.ts';
import { addDiscussionComment, createDiscussion } from '../threads/discussions.ts';
import { addAssignees, addLabels, createThread, editThread, removeLabel } from '../threads/threads.ts';
import { anyCommentOf, handleOf, known, reviewCommentOf, reviewOf, threadOf } from './known.ts';

type TextHand = Pick<
  Hand,
  'openIssue' | 'comment' | 'editComment' | 'editBody' | 'minimize' | 'attach' | 'openDiscussion' | 'commentDiscussion' | 'react'
>;
type StateHand = Pick<Hand, 'closeThread' | 'lockThread' | 'addLabel' | 'unlabel' | 'assign'>;

export function createThreadHand(hub: Hub): TextHand & StateHand {
  return { ...textHand(hub), ...stateHand(hub) };
}

function textHand(hub: Hub): TextHand {
  return {
    openIssue({ author, title, body = '', labels = [] }) {
      return handleOf(hub, createThread(hub, { author: known(hub, author), title, body, labels }));
    },
    comment({ author, issue, body }) {
      const comment = addComment(hub, threadOf(hub, issue), known(hub, author), body);
      return { id: comment.id, url: renderComment(hub, comment).html_url };
    },
    editComment: (id, body) => editComment(hub, anyCommentOf(hub, id), body),
    editBody(number, body) {
      const discussion = hub.state.discussions.get(number);
      if (discussion === undefined) editThread(hub, threadOf(hub, number), threadOf(hub, number).author, { body });
      else Object.assign(discussion, { body, lastEditedAt: hub.now() });
    },
    minimize(id, reason = 'outdated') {
      const minimized = hub.state.reviews.get(id) ?? anyCommentOf(hub, id);
      minimized.minimizedReason = reason;
    },
    attach({ author, name, content, mimeType = 'image/png' }) {
      const attachment = addAttachment(hub, { owner: known(hub, author), name, content, mimeType });
      return { url: assetUrl(hub, attachment), signedUrl: signedAssetUrl(hub, attachment) };
    },
    openDiscussion({ author, title, body = '', category = 'Q&A', labels = [] }) {
      const { number, id } = createDiscussion(hub, { author: known(hub, author), title, body, category, labels });
      return { number, id, url: discussionPage(hub, number), nodeId: nodeId('Discussion', id) };
    },
    commentDiscussion({ author, discussion: number, body, replyTo }) {
      const parent = replyTo === undefined ? null : hub.state.discussionComments.get(replyTo);
      if (parent === undefined) throw new Error(`there is no comment ${replyTo} of a discussion`);
      const { id } = addDiscussionComment(hub, discussionOf(hub, number), { author: known(hub, author), body, replyTo: parent });
      return { id, url: `${discussionPage(hub, number)}#discussioncomment-${id}`, nodeId: nodeId('DiscussionComment', id) };
    },
    react: ({ on, id, by, content }) => void addReaction(hub, reactionsOf(hub, on, id), known(hub, by), content),
  };
}

function stateHand(hub: Hub): StateHand {
  return {
    closeThread: (number, by) => editThread(hub, threadOf(hub, number), known(hub, by), { state: 'closed' }),
    lockThread(number) {
      const thread = hub.state.discussions.get(number) ?? threadOf(hub, number);
      thread.isLocked = true;
    },
    addLabel: ({ issue, name, by }) => addLabels(hub, threadOf(hub, issue), known(hub, by), [name]),
    unlabel: ({ issue, name, by }) => void removeLabel(hub, threadOf(hub, issue), known(hub, by), name),
    assign: ({ issue, login, by }) => addAssignees(hub, threadOf(hub, issue), known(hub, by), [known(hub, login)]),
  };
}

function discussionOf(hub: Hub, number: number): Discussion {
  const discussion = hub.state.discussions.get(number);
  if (discussion === undefined) throw new Error(`there is no discussion #${number}`);
  return discussion;
}

function reactionsOf(hub: Hub, on: Parameters<Hand['react']>[0]['on'], id: number): Reaction[] {
  if (on === 'issue') return threadOf(hub, id).reactions;
  if (on === 'discussion') return discussionOf(hub, id).reactions;
  if (on === 'review') return reviewOf(hub, id).reactions;
  return (on === 'review_comment' ? reviewCommentOf(hub, id) : anyCommentOf(hub, id)).reactions;
}
