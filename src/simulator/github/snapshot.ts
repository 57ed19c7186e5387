/** The state as plain data for assertions: what a person would see, without identifiers and addresses that tests don't care for. */
import type { Hub } from './hub.ts';
import { isPull } from './render/render-pull.ts';
import type { Comment, Reaction, State, Thread } from './state.ts';

export interface ReactionSnapshot {
  readonly user: string;
  readonly content: string;
}

export interface CommentSnapshot {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  readonly body: string;
  readonly edited: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly reactions: readonly ReactionSnapshot[];
}

export interface ThreadSnapshot {
  readonly number: number;
  readonly author: string;
  readonly title: string;
  readonly body: string | null;
  readonly state: 'open' | 'closed';
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly reactions: readonly ReactionSnapshot[];
}

export interface PullSnapshot extends ThreadSnapshot {
  readonly head: string;
  readonly headSha: string;
  /** `login/repo` for a head in a fork. */
  readonly fork: string | null;
  readonly base: string;
  readonly draft: boolean;
  readonly requestedReviewers: readonly string[];
}

export interface DiscussionCommentSnapshot extends Omit<CommentSnapshot, 'issue'> {
  readonly discussion: number;
  /** The comment that it stands under. */
  readonly replyTo: number | null;
}

export interface Snapshot {
  readonly issues: readonly ThreadSnapshot[];
  readonly pulls: readonly PullSnapshot[];
  readonly comments: readonly CommentSnapshot[];
  readonly reviewComments: readonly (CommentSnapshot & {
    readonly path: string;
    readonly line: number | null;
    /** The comment that began the thread. */
    readonly inReplyTo: number | null;
  })[];
  readonly reviews: readonly { readonly pull: number; readonly author: string; readonly state: string; readonly body: string }[];
  readonly discussions: readonly {
    readonly number: number;
    readonly author: string;
    readonly title: string;
    readonly body: string;
    readonly category: string;
    readonly reactions: readonly ReactionSnapshot[];
  }[];
  readonly discussionComments: readonly DiscussionCommentSnapshot[];
  /** The collapsed comments of every kind, by id, and why they are. */
  readonly minimized: Readonly<Record<number, string>>;
  /** The review threads that are resolved, by their first comment's id, and who resolved them. */
  readonly resolved: Readonly<Record<number, string>>;
  /** Full ref name → sha. */
  readonly refs: Readonly<Record<string, string>>;
  readonly labels: readonly string[];
  readonly artifacts: readonly {
    readonly id: number;
    readonly name: string;
    readonly runId: number;
    readonly sizeBytes: number;
  }[];
  readonly runs: readonly {
    readonly id: number;
    readonly workflowPath: string;
    readonly status: string;
    readonly conclusion: string | null;
  }[];
  readonly checks: readonly {
    readonly name: string;
    readonly sha: string;
    readonly status: string;
    readonly conclusion: string | null;
  }[];
}

export function takeSnapshot(hub: Hub): Snapshot {
  const { state, git } = hub;
  const threads = [...state.threads.values()];
  return {
    issues: threads.filter((thread) => thread.pull === null).map(copyThread),
    pulls: threads.filter(isPull).map((thread) => ({
      ...copyThread(thread),
      head: thread.pull.headRef,
      headSha: thread.pull.headSha,
      fork: thread.pull.headRepository?.fullName ?? null,
      base: thread.pull.baseRef,
      draft: thread.pull.isDraft,
      requestedReviewers: [...thread.pull.requestedReviewers],
    })),
    comments: [...state.comments.values()].map(copyComment),
    reviewComments: [...state.reviewComments.values()].map((comment) => ({
      ...copyComment(comment),
      path: comment.path,
      line: comment.line,
      inReplyTo: comment.inReplyTo,
    })),
    reviews: [...state.reviews.values()].map((review) => ({
      pull: review.issue,
      author: review.author,
      state: review.state,
      body: review.body,
    })),
    ...takeTalk(state),
    refs: Object.fromEntries(git.refs),
    labels: [...state.labels.values()].map((label) => label.name),
    artifacts: [...state.artifacts.values()]
      .filter((artifact) => artifact.isFinal)
      .map(({ id, name, runId, content }) => ({ id, name, runId, sizeBytes: content.length })),
    runs: [...state.runs.values()].map(({ id, workflowPath, status, conclusion }) => ({ id, workflowPath, status, conclusion })),
    checks: [...state.checkRuns.values()].map(({ name, headSha, status, conclusion }) => ({
      name,
      sha: headSha,
      status,
      conclusion,
    })),
  };
}

function takeTalk(state: State): Pick<Snapshot, 'discussions' | 'discussionComments' | 'minimized' | 'resolved'> {
  const comments = [state.comments, state.reviewComments, state.reviews, state.discussionComments].flatMap((kind) => [
    ...kind.values(),
  ]);
  const minimized = comments.flatMap(({ id, minimizedReason }) => (minimizedReason === undefined ? [] : [[id, minimizedReason]]));
  return {
    discussions: [...state.discussions.values()].map(({ number, author, title, body, category, reactions }) => {
      return { number, author, title, body, category, reactions: reactions.map(copyReaction) };
    }),
    discussionComments: [...state.discussionComments.values()].map((comment) => {
      const { issue, ...copy } = copyComment(comment);
      return { ...copy, discussion: issue, replyTo: comment.replyTo };
    }),
    minimized: Object.fromEntries(minimized),
    resolved: Object.fromEntries(state.resolvedThreads),
  };
}

function copyThread(thread: Thread): ThreadSnapshot {
  const { number, author, title, body, state, labels, assignees, reactions } = thread;
  return {
    number,
    author,
    title,
    body,
    state,
    labels: [...labels],
    assignees: [...assignees],
    reactions: reactions.map(copyReaction),
  };
}

function copyComment(comment: Comment): CommentSnapshot {
  const { id, issue, author, body, isEdited, createdAt, updatedAt, reactions } = comment;
  return { id, issue, author, body, edited: isEdited, createdAt, updatedAt, reactions: reactions.map(copyReaction) };
}

function copyReaction({ user, content }: Reaction): ReactionSnapshot {
  return { user, content };
}
