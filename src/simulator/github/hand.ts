/** The test's hand: acts on the state as people and runners would, by the same functions that the REST handlers use. */
import { issueToken, registerApp } from './apps.ts';
import { renderRuntimeToken } from './artifacts/runtime-token.ts';
import { addAttachment, assetUrl, signedAssetUrl } from './attachments/attachment.ts';
import { DEFAULT_PERMISSIONS } from './auth.ts';
import type { CommentHandle, Hand, PullDraft, ReviewCommentDraft, RunDraft, RunHandle, ThreadHandle } from './contract.ts';
import type { Hub } from './hub.ts';
import { putAccount, signatureOf } from './people.ts';
import { isPull, type PullThread, renderReview, renderReviewComment } from './render/render-pull.ts';
import { renderComment, threadPage } from './render/render-thread.ts';
import type { Reaction, Run, Thread } from './state.ts';
import { commitToBranch, movePullHead, pullRef } from './threads/branches.ts';
import { addComment, addReaction, editComment } from './threads/comments.ts';
import { createPullWithFiles, mergePull } from './threads/pulls.ts';
import { addReply, addReview, addReviewComment } from './threads/reviews.ts';
import { addAssignees, addLabels, createThread, editThread } from './threads/threads.ts';

export function createHand(hub: Hub): Hand {
  return { ...peopleHand(hub), ...runHand(hub), ...threadHand(hub), ...pullHand(hub) };
}

type PeopleHand = Pick<Hand, 'addUser' | 'deleteUser' | 'issueToken' | 'revokeToken' | 'registerApp' | 'configure'>;
type RunHand = Pick<Hand, 'startRun' | 'finishRun' | 'runtimeToken'>;
type ThreadHand = Pick<
  Hand,
  'openIssue' | 'closeThread' | 'lockThread' | 'comment' | 'editComment' | 'attach' | 'addLabel' | 'assign' | 'react'
>;
type PullHand = Pick<Hand, 'openPull' | 'mergePull' | 'reviewComment' | 'review' | 'pushCommit' | 'pushToFork'>;

function known(hub: Hub, login: string): string {
  return putAccount(hub.state, login).login;
}

function threadOf(hub: Hub, number: number): Thread {
  const thread = hub.state.threads.get(number);
  if (thread === undefined) throw new Error(`there is no issue or pull request #${number}`);
  return thread;
}

function pullOf(hub: Hub, number: number): PullThread {
  const thread = threadOf(hub, number);
  if (!isPull(thread)) throw new Error(`#${number} is an issue, not a pull request`);
  return thread;
}

function handleOf(hub: Hub, thread: Thread): ThreadHandle {
  return { number: thread.number, id: thread.id, url: threadPage(hub, thread) };
}

function peopleHand(hub: Hub): PeopleHand {
  const { state } = hub;
  return {
    addUser: (login, options) => void putAccount(state, login, options),
    deleteUser(login) {
      putAccount(state, login).isDeleted = true;
    },
    issueToken(actorLogin, permissions = DEFAULT_PERMISSIONS) {
      return issueToken(state, { actor: known(hub, actorLogin), permissions });
    },
    revokeToken: (token) => void state.grants.delete(token),
    registerApp: (app) => registerApp(hub, app),
    configure(change) {
      const { repository } = state;
      repository.isPrivate = change.private ?? repository.isPrivate;
      repository.draftsAllowed = change.draftsAllowed ?? repository.draftsAllowed;
      repository.actionsMayCreatePulls = change.actionsMayCreatePulls ?? repository.actionsMayCreatePulls;
      repository.protectedBranches = [...(change.protectedBranches ?? repository.protectedBranches)];
    },
  };
}

function runHand(hub: Hub): RunHand {
  const runOf = (id: number): Run => {
    const run = hub.state.runs.get(id);
    if (run === undefined) throw new Error(`there is no run ${id}`);
    return run;
  };
  return {
    startRun: (draft) => startRun(hub, draft),
    finishRun(id, conclusion, outcome = {}) {
      const run = runOf(id);
      run.status = 'completed';
      run.conclusion = conclusion;
      run.log = outcome.log ?? '';
      run.steps = outcome.steps ?? [];
      run.updatedAt = hub.now();
    },
    runtimeToken: (runId, jobId) => renderRuntimeToken(runId, jobId ?? runOf(runId).jobId),
  };
}

function startRun(hub: Hub, draft: RunDraft): RunHandle {
  const { state } = hub;
  const time = hub.now();
  if (!state.workflows.has(draft.workflowPath)) {
    state.workflows.set(draft.workflowPath, { id: state.nextId(), path: draft.workflowPath, createdAt: time });
  }
  const number = [...state.runs.values()].filter((run) => run.workflowPath === draft.workflowPath).length + 1;
  const [id, jobId] = [state.nextId(), state.nextId()];
  const run: Run = {
    id,
    number,
    attempt: 1,
    ...draft,
    actor: known(hub, draft.actor),
    createdAt: time,
    jobId,
    status: 'in_progress',
    conclusion: null,
    updatedAt: time,
    log: '',
    steps: [],
  };
  state.runs.set(id, run);
  return { id, attempt: run.attempt, number, jobId };
}

function threadHand(hub: Hub): ThreadHand {
  return {
    openIssue({ author, title, body = '', labels = [] }) {
      return handleOf(hub, createThread(hub, { author: known(hub, author), title, body, labels }));
    },
    closeThread: (number, by) => editThread(hub, threadOf(hub, number), known(hub, by), { state: 'closed' }),
    lockThread(number) {
      threadOf(hub, number).isLocked = true;
    },
    comment({ author, issue, body }): CommentHandle {
      const comment = addComment(hub, threadOf(hub, issue), known(hub, author), body);
      return { id: comment.id, url: renderComment(hub, comment).html_url };
    },
    editComment(id, body) {
      const comment = hub.state.comments.get(id) ?? hub.state.reviewComments.get(id);
      if (comment === undefined) throw new Error(`there is no comment ${id}`);
      editComment(hub, comment, body);
    },
    attach({ author, name, content, mimeType = 'image/png' }) {
      const attachment = addAttachment(hub, { owner: known(hub, author), name, content, mimeType });
      return { url: assetUrl(hub, attachment), signedUrl: signedAssetUrl(hub, attachment) };
    },
    addLabel: ({ issue, name, by }) => addLabels(hub, threadOf(hub, issue), known(hub, by), [name]),
    assign: ({ issue, login, by }) => addAssignees(hub, threadOf(hub, issue), known(hub, by), [known(hub, login)]),
    react: ({ on, id, by, content }) => void addReaction(hub, reactionsOf(hub, on, id), known(hub, by), content),
  };
}

function reactionsOf(hub: Hub, on: 'issue' | 'comment' | 'review_comment', id: number): Reaction[] {
  if (on === 'issue') return threadOf(hub, id).reactions;
  const comment = (on === 'comment' ? hub.state.comments : hub.state.reviewComments).get(id);
  if (comment === undefined) throw new Error(`there is no ${on} ${id}`);
  return comment.reactions;
}

function pullHand(hub: Hub): PullHand {
  return {
    async openPull(draft: PullDraft) {
      const { author, head, base = hub.state.repository.defaultBranch, title, body = '', files, fork, labels = [] } = draft;
      const thread = { author: known(hub, author), title, body, labels, head, base, isDraft: draft.draft ?? false };
      if (fork !== undefined) known(hub, fork.split('/')[0] ?? '');
      return handleOf(hub, await createPullWithFiles(hub, { ...thread, files, fork }));
    },
    mergePull: (number, by) => mergePull(hub, pullOf(hub, number), known(hub, by)),
    reviewComment: (draft) => reviewComment(hub, draft),
    review({ author, pull, body = '', state }) {
      const review = addReview(hub, pullOf(hub, pull), { author: known(hub, author), body, state });
      return { id: review.id, url: renderReview(hub, review).html_url };
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
  };
}

async function reviewComment(hub: Hub, draft: ReviewCommentDraft): Promise<CommentHandle> {
  const thread = pullOf(hub, draft.pull);
  const author = known(hub, draft.author);
  const parent = draft.inReplyTo === undefined ? undefined : hub.state.reviewComments.get(draft.inReplyTo);
  const comment =
    parent === undefined
      ? await addReviewComment(hub, thread, { ...draft, author, inReplyTo: null })
      : await addReply(hub, thread, parent, { author, body: draft.body });
  return { id: comment.id, url: renderReviewComment(hub, comment).html_url };
}
