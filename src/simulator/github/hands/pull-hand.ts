/** The hand's part about pull requests, reviews and branches. */
import type { Hand, PullDraft, ReviewCommentDraft } from '../contract.ts';
import { NO_OBJECT } from '../git/git-repository.ts';
import type { Hub } from '../hub.ts';
import { signatureOf } from '../people.ts';
import { renderReview, renderReviewComment } from '../render/render-pull.ts';
import { commitToBranch, movePullHead, pullRef, recordRefMove } from '../threads/branches.ts';
import { createPullWithFiles, mergePull } from '../threads/pulls.ts';
import { addReply, addReview, addReviewComment, editReview, submitReview } from '../threads/reviews.ts';
import { handleOf, known, pullOf, reviewCommentOf, reviewOf } from './known.ts';

type ReviewHand = Pick<Hand, 'reviewComment' | 'review' | 'submitReview' | 'editReview' | 'requestReview' | 'resolveThread'>;
type BranchHand = Pick<Hand, 'openPull' | 'mergePull' | 'markReady' | 'pushCommit' | 'pushToFork' | 'deleteBranch'>;

export function createPullHand(hub: Hub): ReviewHand & BranchHand {
  return { ...reviewHand(hub), ...branchHand(hub) };
}

function branchHand(hub: Hub): BranchHand {
  return {
    async openPull(draft: PullDraft) {
      const { author, head, base = hub.state.repository.defaultBranch, title, body = '', files, fork, labels = [] } = draft;
      const thread = { author: known(hub, author), title, body, labels, head, base, isDraft: draft.draft ?? false };
      if (fork !== undefined) known(hub, fork.split('/')[0] ?? '');
      return handleOf(hub, await createPullWithFiles(hub, { ...thread, files, fork }));
    },
    mergePull: (number, by) => mergePull(hub, pullOf(hub, number), known(hub, by)),
    markReady(number) {
      pullOf(hub, number).pull.isDraft = false;
    },
    pushCommit: ({ author, ...commit }) =>
      commitToBranch(hub, { ...commit, author: known(hub, author ?? hub.state.repository.owner) }),
    async pushToFork({ pull, files, message }) {
      const thread = pullOf(hub, pull);
      const author = signatureOf(hub.state, thread.author, hub.now());
      const sha = await hub.git.commitFiles({ ref: pullRef(pull), parent: thread.pull.headSha, files, message, author });
      await movePullHead(hub, thread, sha);
      return sha;
    },
    async deleteBranch(branch, by = hub.state.repository.owner) {
      const ref = `refs/heads/${branch}`;
      const before = hub.git.refs.get(ref);
      if (before === undefined) throw new Error(`there is no branch ${branch}`);
      await hub.git.deleteRef(ref);
      await recordRefMove(hub, { actor: known(hub, by), ref, before, after: NO_OBJECT });
    },
  };
}

function reviewHand(hub: Hub): ReviewHand {
  return {
    reviewComment: (draft) => reviewComment(hub, draft),
    review({ author, pull, body = '', state }) {
      const review = addReview(hub, pullOf(hub, pull), { author: known(hub, author), body, state });
      return { id: review.id, url: renderReview(hub, review).html_url };
    },
    async submitReview({ author, pull, body = '', state = 'COMMENTED', comments }) {
      const thread = pullOf(hub, pull);
      const review = addReview(hub, thread, { author: known(hub, author), body, state: 'PENDING' });
      const ids: number[] = [];
      for (const draft of comments) {
        const comment = await addReviewComment(hub, thread, { ...draft, author: review.author, reviewId: review.id });
        ids.push(comment.id);
      }
      submitReview(hub, review, state);
      return { id: review.id, url: renderReview(hub, review).html_url, comments: ids };
    },
    editReview: (id, body) => editReview(hub, reviewOf(hub, id), body),
    requestReview({ pull, reviewer }) {
      pullOf(hub, pull).pull.requestedReviewers.push(known(hub, reviewer));
    },
    resolveThread(commentId, by) {
      const comment = reviewCommentOf(hub, commentId);
      hub.state.resolvedThreads.set(comment.inReplyTo ?? comment.id, known(hub, by));
    },
  };
}

async function reviewComment(hub: Hub, draft: ReviewCommentDraft) {
  const thread = pullOf(hub, draft.pull);
  const author = known(hub, draft.author);
  const comment =
    draft.inReplyTo === undefined
      ? await addReviewComment(hub, thread, { ...draft, author })
      : await addReply(hub, thread, reviewCommentOf(hub, draft.inReplyTo), { author, body: draft.body });
  return { id: comment.id, url: renderReviewComment(hub, comment).html_url };
}
