/** What a test or the demo gets: the addresses of the simulated GitHub, a hand to act on it, and eyes to look at the outcome. */
import type { Step } from './ci-state.ts';
import type { FileContent } from './git/fast-import.ts';
import type { FaultRule } from './http/faults.ts';
import type { RecordedRequest } from './http/journal.ts';
import type { LimitSettings } from './http/limits.ts';
import type { PayloadRefs } from './payloads.ts';
import type { JobDraft, RunDraft } from './runs/runs.ts';
import type { Snapshot } from './snapshot.ts';
import type { Level, ReactionContent, Role } from './state.ts';

export type Files = Readonly<Record<string, FileContent>>;

export interface GitHubOptions {
  /** Default `octo-org`; the owner is an admin. */
  readonly owner?: string;
  /** Default `shop`. */
  readonly repo?: string;
  /** The first commit on the default branch. */
  readonly files: Files;
  readonly private?: boolean;
  /** Default `main`. */
  readonly defaultBranch?: string;
  /** False: the repository refuses draft pull requests. Default true. */
  readonly draftsAllowed?: boolean;
  /** False: `github-actions[bot]` may not open pull requests, which is GitHub's setting for new repositories. Default true. */
  readonly actionsMayCreatePulls?: boolean;
  /** Branches that refuse direct changes through REST and push. */
  readonly protectedBranches?: readonly string[];
  /** Default `ruleset`; `classic` is a branch protection rule. */
  readonly protection?: 'ruleset' | 'classic';
  /** Branches that take verified commits only: those that GitHub signs for a bot. */
  readonly signedBranches?: readonly string[];
  /** Rate limits; default GitHub's. */
  readonly limits?: LimitSettings;
  readonly now?: () => Date;
  /** `PATH` for the git binary. */
  readonly searchPath?: string;
}

export interface ThreadHandle {
  readonly number: number;
  readonly id: number;
  readonly url: string;
}

export interface CommentHandle {
  readonly id: number;
  readonly url: string;
}

export interface DiscussionHandle extends ThreadHandle {
  readonly nodeId: string;
}

export interface DiscussionCommentHandle extends CommentHandle {
  readonly nodeId: string;
}

export interface PullDraft {
  readonly author: string;
  readonly head: string;
  readonly base?: string;
  readonly title: string;
  readonly body?: string;
  readonly draft?: boolean;
  /** `login/repo`: the head is in a fork, and its commits are under `refs/pull/N/head` only. */
  readonly fork?: string;
  readonly files: Files;
  readonly labels?: readonly string[];
}

export interface ReviewCommentDraft {
  readonly author: string;
  readonly pull: number;
  readonly body: string;
  readonly path: string;
  readonly line: number | null;
  readonly startLine?: number;
  readonly side?: 'LEFT' | 'RIGHT';
  readonly inReplyTo?: number;
}

export interface AttachmentHandle {
  /** What a text holds, as in `![](url)`. */
  readonly url: string;
  /** What opens it for five minutes; the API gives it in a text's HTML. */
  readonly signedUrl: string;
}

export interface RunHandle {
  readonly id: number;
  readonly attempt: number;
  readonly number: number;
  readonly jobId: number;
}

export interface CheckDraft {
  readonly name: string;
  readonly conclusion: string;
  readonly title?: string;
  readonly summary?: string;
}

export interface AppHandle {
  readonly appId: number;
  readonly installationId: number;
  /** PEM, PKCS#8. */
  readonly privateKey: string;
}

export interface Settings {
  readonly private?: boolean;
  readonly draftsAllowed?: boolean;
  readonly actionsMayCreatePulls?: boolean;
  readonly protectedBranches?: readonly string[];
  readonly signedBranches?: readonly string[];
}

/** Acts on the simulated GitHub as people and runners would. Unknown logins become accounts without a role. */
export interface Hand {
  addUser(login: string, options?: { permission?: Role; type?: 'User' | 'Bot' }): void;
  setPermission(login: string, permission: Role): void;
  /** From then on the account's texts have `user: null`. */
  deleteUser(login: string): void;
  /** A token that acts in this name. Default permissions: those that INTERFACE asks of a job. */
  issueToken(actorLogin: string, permissions?: Readonly<Record<string, Level>>): string;
  /** From then on the token is answered 401. */
  revokeToken(token: string): void;
  /** Registers a GitHub App, installed on the repository unless told otherwise; its `slug[bot]` acts by tokens that its key asks for. */
  registerApp(app: { slug: string; permissions?: Readonly<Record<string, Level>>; isInstalled?: boolean }): AppHandle;
  /** `ACTIONS_RUNTIME_TOKEN` of a run's job. */
  runtimeToken(runId: number, jobId?: number): string;
  startRun(run: RunDraft): RunHandle;
  /** Ends a run's newest attempt with its one job, or with `jobs`; logs and steps are what the jobs API answers. */
  finishRun(
    id: number,
    conclusion: string,
    outcome?: { log?: string; steps?: readonly Step[]; jobs?: readonly JobDraft[] },
  ): void;
  /** Starts the next attempt of a run that has ended, as the page's button does. */
  rerun(rerun: { run: number; by: string; onlyFailed?: boolean }): RunHandle;
  /** The ended checks of an app (by its slug) on a commit. Gives the suite's id. */
  checkSuite(suite: { app: string; headSha: string; headBranch?: string; checks: readonly CheckDraft[] }): number;
  openIssue(issue: { author: string; title: string; body?: string; labels?: readonly string[] }): ThreadHandle;
  closeThread(number: number, by: string): void;
  /** Changes the text of an issue, a pull request or a discussion. */
  editBody(number: number, body: string): void;
  /** Collapses a comment of any kind. */
  minimize(commentId: number, reason?: string): void;
  unlabel(label: { issue: number; name: string; by: string }): void;
  /** Only collaborators comment on a locked thread. */
  lockThread(number: number): void;
  comment(comment: { author: string; issue: number; body: string }): CommentHandle;
  editComment(id: number, body: string): void;
  /** Opens a discussion in a category of the repository. */
  openDiscussion(discussion: {
    author: string;
    title: string;
    body?: string;
    /** Default `Q&A`. */
    category?: string;
    labels?: readonly string[];
  }): DiscussionHandle;
  /** Comments on a discussion, or with `replyTo` under one of its comments. */
  commentDiscussion(comment: { author: string; discussion: number; body: string; replyTo?: number }): DiscussionCommentHandle;
  /** Uploads a file as if it was dropped into a text. The name's ending and the type are what the uploader says. */
  attach(file: { author: string; name: string; content: Uint8Array; mimeType?: string }): AttachmentHandle;
  openPull(pull: PullDraft): Promise<ThreadHandle>;
  reviewComment(comment: ReviewCommentDraft): Promise<CommentHandle>;
  review(review: {
    author: string;
    pull: number;
    body?: string;
    state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
  }): CommentHandle;
  /** Submits a review with comments on lines. Gives the review's id with those of its comments. */
  submitReview(review: {
    author: string;
    pull: number;
    body?: string;
    state?: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
    comments: readonly Omit<ReviewCommentDraft, 'author' | 'pull' | 'inReplyTo'>[];
  }): Promise<CommentHandle & { readonly comments: readonly number[] }>;
  editReview(id: number, body: string): void;
  requestReview(request: { pull: number; reviewer: string }): void;
  /** Resolves the review thread that a comment is in. */
  resolveThread(commentId: number, by: string): void;
  markReady(pull: number): void;
  addLabel(label: { issue: number; name: string; by: string }): void;
  assign(assignment: { issue: number; login: string; by: string }): void;
  react(reaction: {
    on: 'issue' | 'comment' | 'review_comment' | 'review' | 'discussion' | 'discussion_comment';
    id: number;
    by: string;
    content: ReactionContent;
  }): void;
  /** Commits to a branch, which starts at the default branch when it is new; pull requests from it follow. Gives the sha. */
  pushCommit(commit: { branch: string; files: Files; message: string; author?: string }): Promise<string>;
  /** Merges a pull request by a merge commit; throws on a conflict. Gives the commit's sha. */
  mergePull(number: number, by: string): Promise<string>;
  /** Commits on a fork's pull request. */
  pushToFork(commit: { pull: number; files: Files; message: string }): Promise<string>;
  /** Takes a branch away; the pull requests from it are closed. */
  deleteBranch(branch: string, by?: string): Promise<void>;
  /** From then on the old name leads to the new one. */
  renameRepository(name: string): void;
  configure(change: Settings): void;
}

export interface SimulatedGitHub extends Hand {
  /** REST base, e.g. `http://127.0.0.1:1234/api`: `baseUrl` of octokit, `GITHUB_API_URL`. */
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  /** `http://github.localhost:1234`: git over HTTP and people's links; curl resolves it by itself, Node does not. */
  readonly serverUrl: string;
  /** `ACTIONS_RESULTS_URL`. */
  readonly resultsUrl: string;
  readonly owner: string;
  readonly repo: string;
  readonly repositoryId: number;
  readonly defaultBranch: string;
  /** The webhook payload that GitHub would send for this state. */
  payload(name: string, refs?: PayloadRefs): Readonly<Record<string, unknown>>;
  /** Everything that can be asserted about the outcome, as plain data of this moment. */
  snapshot(): Snapshot;
  /** Every request so far, in order. */
  readonly requests: readonly RecordedRequest[];
  fail(rule: FaultRule): void;
  /** Runs git in the bare repository and gives its output without the last newline. */
  git(...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}
