/** The plain data of one simulated GitHub (git data excepted: they are in the bare repository). Holds no behaviour but identifiers. */

import type { Artifact, CheckRun, CheckSuite, CommitStatus, Run, Workflow } from './ci-state.ts';

export type Role = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';
export type Level = 'read' | 'write';
export type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

export interface Account {
  readonly login: string;
  readonly id: number;
  readonly type: 'User' | 'Bot';
  permission: Role;
  isDeleted: boolean;
}

/** What a token may do, and in whose name. `permissions` uses the words of a workflow's `permissions`, with underscores. */
export interface Grant {
  readonly actor: string;
  readonly permissions: Readonly<Record<string, Level>>;
  /** An installation's token ends; the others last as long as the instance. */
  readonly expiresAt?: string;
  /** Set for the JSON web token of an app, which speaks for the app itself and opens no repository. */
  readonly appId?: number;
}

/** A GitHub App. */
export interface App {
  readonly id: number;
  readonly slug: string;
  readonly publicKey: string;
  readonly installationId: number;
  /** On this repository. */
  readonly isInstalled: boolean;
  readonly permissions: Readonly<Record<string, Level>>;
  readonly createdAt: string;
}

export interface Reaction {
  readonly id: number;
  readonly user: string;
  readonly content: ReactionContent;
  readonly createdAt: string;
}

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}

/** One entry of a thread's timeline that is not a comment, a review or a commit. */
export interface ThreadEvent {
  readonly id: number;
  readonly actor: string;
  readonly createdAt: string;
  readonly event:
    | 'labeled'
    | 'unlabeled'
    | 'assigned'
    | 'unassigned'
    | 'renamed'
    | 'closed'
    | 'reopened'
    | 'head_ref_force_pushed';
  readonly label?: string;
  readonly assignee?: string;
  readonly rename?: { readonly from: string; readonly to: string };
}

/** The part of a thread that a pull request has and an issue has not. `headRepository` is null for a branch of this repository. */
export interface PullFacts {
  readonly id: number;
  readonly headRef: string;
  readonly headRepository: { readonly fullName: string; readonly id: number } | null;
  baseRef: string;
  headSha: string;
  baseSha: string;
  isDraft: boolean;
  mergedAt: string | null;
  requestedReviewers: string[];
  stats: PullStats;
}

export interface PullStats {
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
}

export interface Thread {
  readonly number: number;
  readonly id: number;
  readonly author: string;
  readonly createdAt: string;
  readonly events: ThreadEvent[];
  readonly reactions: Reaction[];
  readonly pull: PullFacts | null;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'not_planned' | 'reopened' | null;
  /** When the text was last changed after it was written; titles do not count. */
  lastEditedAt: string | null;
  labels: string[];
  assignees: string[];
  isLocked: boolean;
  updatedAt: string;
  closedAt: string | null;
  closedBy: string | null;
}

export interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  readonly createdAt: string;
  readonly reactions: Reaction[];
  body: string;
  updatedAt: string;
  isEdited: boolean;
  /** Why the comment is collapsed; undefined when it is not. */
  minimizedReason?: string;
}

/** A comment on a line of a pull request's diff. */
export interface ReviewComment extends Comment {
  readonly reviewId: number;
  readonly path: string;
  readonly line: number | null;
  readonly startLine: number | null;
  readonly side: 'LEFT' | 'RIGHT';
  readonly commitId: string;
  readonly diffHunk: string;
  readonly inReplyTo: number | null;
  /** Where the line is now; null when a later push has changed it, which makes the comment outdated. */
  currentLine: number | null;
}

export interface Review {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  readonly commitId: string;
  readonly createdAt: string;
  readonly reactions: Reaction[];
  minimizedReason?: string;
  lastEditedAt: string | null;
  body: string;
  state: 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';
  submittedAt: string | null;
}

export interface Discussion {
  readonly number: number;
  readonly id: number;
  readonly author: string;
  readonly category: string;
  readonly createdAt: string;
  readonly reactions: Reaction[];
  readonly labels: readonly string[];
  title: string;
  body: string;
  lastEditedAt: string | null;
  updatedAt: string;
  isLocked: boolean;
}

/** A comment of a discussion; one with `replyTo` stands under another. Its `issue` is the discussion's number. */
export interface DiscussionComment extends Comment {
  readonly replyTo: number | null;
}

/** A file in a text. `uuid` is in its lasting address. */
export interface Attachment {
  readonly id: number;
  readonly uuid: string;
  readonly owner: string;
  readonly name: string;
  readonly mimeType: string;
  readonly content: Uint8Array;
}

/** One change of a ref, as the repository's activity lists it. */
export interface Activity {
  readonly id: number;
  readonly actor: string;
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly type: 'push' | 'force_push' | 'branch_deletion' | 'branch_creation';
  readonly timestamp: string;
}

export interface Repository {
  readonly id: number;
  readonly owner: string;
  name: string;
  /** Names that it had before, under which it is still found. */
  readonly formerNames: string[];
  readonly defaultBranch: string;
  readonly createdAt: string;
  isPrivate: boolean;
  draftsAllowed: boolean;
  /** The setting "Allow GitHub Actions to create and approve pull requests". */
  actionsMayCreatePulls: boolean;
  protectedBranches: string[];
  /** By what branches are protected: the same refusals have other words. */
  protection: 'ruleset' | 'classic';
  /** Branches that take verified commits only. */
  signedBranches: string[];
}

export interface State {
  readonly repository: Repository;
  readonly accounts: Map<string, Account>;
  readonly grants: Map<string, Grant>;
  readonly apps: Map<number, App>;
  readonly labels: Map<string, Label>;
  readonly threads: Map<number, Thread>;
  readonly comments: Map<number, Comment>;
  readonly reviewComments: Map<number, ReviewComment>;
  readonly reviews: Map<number, Review>;
  /** The first comment of each resolved review thread, with who resolved it. */
  readonly resolvedThreads: Map<number, string>;
  readonly discussions: Map<number, Discussion>;
  readonly discussionComments: Map<number, DiscussionComment>;
  readonly workflows: Map<string, Workflow>;
  readonly runs: Map<number, Run>;
  readonly artifacts: Map<number, Artifact>;
  /** By their `uuid`. */
  readonly attachments: Map<string, Attachment>;
  readonly checkSuites: Map<number, CheckSuite>;
  readonly checkRuns: Map<number, CheckRun>;
  /** The commits that GitHub itself has signed. */
  readonly signedCommits: Set<string>;
  readonly statuses: CommitStatus[];
  readonly activity: Activity[];
  /** The next identifier: unique across all kinds, growing. */
  nextId(): number;
}

// GitHub's identifiers are large; starting high keeps them apart from issue numbers in a test's output.
const FIRST_ID = 1_000_001;

/** An empty GitHub around one repository. */
export function createState(repository: Omit<Repository, 'id'>): State {
  let lastId = FIRST_ID - 1;
  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };
  return {
    repository: { id: nextId(), ...repository },
    accounts: new Map(),
    grants: new Map(),
    apps: new Map(),
    labels: new Map(),
    threads: new Map(),
    comments: new Map(),
    reviewComments: new Map(),
    reviews: new Map(),
    resolvedThreads: new Map(),
    discussions: new Map(),
    discussionComments: new Map(),
    workflows: new Map(),
    runs: new Map(),
    artifacts: new Map(),
    attachments: new Map(),
    checkSuites: new Map(),
    checkRuns: new Map(),
    signedCommits: new Set(),
    statuses: [],
    activity: [],
    nextId,
  };
}

/** The number of the next issue, pull request or discussion: they share one sequence. */
export function nextThreadNumber(state: State): number {
  return state.threads.size + state.discussions.size + 1;
}
