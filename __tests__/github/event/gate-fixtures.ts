// Events, facts and settings that the gate's tests start from; each test changes what it is about.
import type { GateFacts, OwnPull, PullHead, ThreadFacts } from '../../../src/schema/gate.ts';
import type { Actor, GitHubEvent } from '../../../src/schema/github-event.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';

export const shaOfBase = 'b'.repeat(40);
export const shaOfHead = 'a'.repeat(40);
export const writer: Actor = { login: 'mona', id: 1, type: 'User' };
export const outsider: Actor = { login: 'eve', id: 2, type: 'User' };
export const selfBot: Actor = { login: 'github-actions[bot]', id: 41898282, type: 'Bot' };

const common = {
  version: 1,
  repository: { id: 9, owner: 'o', name: 'r', defaultBranch: 'main', isPrivate: false },
  sender: writer,
} as const;

export const run = {
  id: 99,
  attempt: 1,
  url: 'https://github.com/o/r/actions/runs/99',
  workflowPath: '.github/workflows/harness9.yml',
  job: 'agent',
  ref: 'refs/heads/main',
  sha: shaOfBase,
};

export function settingsWith(changes: Partial<GateSettings> = {}): GateSettings {
  return {
    prompt: null,
    triggerPhrases: ['@harness9'],
    labelTrigger: 'harness9',
    assigneeTrigger: null,
    requiredPermission: 'write',
    allowedBots: [],
    allowedUsers: [],
    allowedNonWriteUsers: [],
    context: 'auto',
    maxTurns: 50,
    timeoutMs: 1_800_000,
    maxTokensTotal: null,
    maxCostUsd: null,
    maxRunsPerThread: 20,
    network: 'auto',
    session: 'auto',
    baseBranch: null,
    branchName: 'harness9/{{kind}}-{{number}}-{{slug}}',
    createPr: 'ready',
    pushToPr: true,
    protectedPaths: ['.github/workflows/**'],
    maxPatchFiles: 100,
    maxPatchBytes: 4_194_304,
    maxDeletions: 300,
    comment: 'auto',
    reaction: 'eyes',
    includeActors: [],
    excludeActors: [],
    prTitle: null,
    prLabels: [],
    prReviewers: [],
    prAssignees: [],
    commitMessage: null,
    allowedPaths: [],
    maxFixAttempts: 3,
    inlineComments: 'suggestions',
    includeDiff: 'auto',
    allowApprove: false,
    dryRun: false,
    language: 'auto',
    reportIssue: null,
    models: [],
    ...changes,
  };
}

type CommentEvent = Extract<GitHubEvent, { kind: 'issue_comment' }>;

export function commentEvent(body = '@harness9 fix it', changes: Partial<CommentEvent> = {}): CommentEvent {
  const comment = { id: 123, body, createdAt: '2026-01-02T03:04:05Z' };
  return {
    ...common,
    kind: 'issue_comment',
    action: 'created',
    thread: { kind: 'issue', number: 12 },
    title: 'Fix rounding',
    comment,
    ...changes,
  };
}

export function pullComment(body = '@harness9 fix it'): CommentEvent {
  return commentEvent(body, { thread: { kind: 'pull_request', number: 7 } });
}

type IssueEvent = Extract<GitHubEvent, { kind: 'issues' }>;

export function issueEvent(changes: Partial<IssueEvent> = {}): IssueEvent {
  return {
    ...common,
    kind: 'issues',
    action: 'opened',
    thread: { kind: 'issue', number: 12 },
    title: 'Fix rounding',
    body: 'Totals are off.',
    createdAt: '2026-01-02T03:04:05Z',
    ...changes,
  };
}

const onHead = { thread: { kind: 'pull_request', number: 7 }, title: 'Fix rounding', headSha: shaOfHead, isFork: false } as const;

type ReviewEvent = Extract<GitHubEvent, { kind: 'pull_request_review' }>;

export function reviewEvent(body: string, changes: Partial<ReviewEvent> = {}): ReviewEvent {
  const comment = { id: 55, body, createdAt: '2026-01-02T03:04:05Z' };
  return { ...common, ...onHead, kind: 'pull_request_review', action: 'submitted', comment, nodeId: 'PRR_55', ...changes };
}

type ReviewCommentEvent = Extract<GitHubEvent, { kind: 'pull_request_review_comment' }>;

export function reviewComment(body: string, changes: Partial<ReviewCommentEvent> = {}): ReviewCommentEvent {
  const comment = { id: 66, body, createdAt: '2026-01-02T03:04:05Z' };
  const place = { rootId: 66, path: 'a.ts', line: 1, diffHunk: '@@ -1 +1 @@' };
  return { ...common, ...onHead, kind: 'pull_request_review_comment', action: 'created', comment, ...place, ...changes };
}

type PullEvent = Extract<GitHubEvent, { kind: 'pull_request' | 'pull_request_target' }>;

export function pullEvent(changes: Partial<PullEvent> = {}): PullEvent {
  const event = { ...common, ...onHead, action: 'opened', body: 'Totals are off.', createdAt: '2026-01-02T03:04:05Z' };
  return { ...event, kind: 'pull_request', ...changes };
}

type DiscussionComment = Extract<GitHubEvent, { kind: 'discussion_comment' }>;

export function discussionComment(body: string, changes: Partial<DiscussionComment> = {}): DiscussionComment {
  const thread = { kind: 'discussion', number: 5 } as const;
  const comment = { id: 77, body, createdAt: '2026-01-02T03:04:05Z', nodeId: 'DC_77', parentId: null };
  return { ...common, kind: 'discussion_comment', action: 'created', thread, title: 'Ideas', nodeId: 'D_5', comment, ...changes };
}

type PushEvent = Extract<GitHubEvent, { kind: 'push' }>;

export function pushEvent(changes: Partial<PushEvent> = {}): PushEvent {
  return { ...common, kind: 'push', action: '', ref: 'refs/heads/main', isDeleted: false, message: 'A change', ...changes };
}

export function scheduleEvent(sender: Actor | null = writer): GitHubEvent {
  return { ...common, kind: 'schedule', action: '', sender };
}

export function dispatchEvent(sender: Actor | null = writer, hasInputs = true): GitHubEvent {
  return { ...common, kind: 'workflow_dispatch', action: '', sender, ref: 'refs/heads/main', hasInputs };
}

export function headWith(changes: Partial<PullHead> = {}): PullHead {
  return { branch: 'feature', sha: shaOfHead, repository: 'o/r', isFork: false, movedAfterTrigger: false, ...changes };
}

export function threadWith(changes: Partial<ThreadFacts> = {}): ThreadFacts {
  return {
    state: 'open',
    isLocked: false,
    authors: [{ login: 'mona', isWriter: true, isSelf: false }],
    head: null,
    base: null,
    ownPull: null,
    runsInLastDay: 0,
    isMergeable: null,
    isMergeOpen: false,
    answered: [],
    announced: [],
    progressAt: null,
    waiting: [],
    topComment: null,
    ...changes,
  };
}

/** An open pull request of this repository. */
export const pullThread = (changes: Partial<PullHead> = {}): ThreadFacts =>
  threadWith({ head: headWith(changes), base: { branch: 'main', sha: shaOfBase } });

/** Where a comment's answer goes that starts no run. */
export function noticeOf(number: number) {
  const channel = { kind: 'thread', number } as const;
  return { thread: number, triggerId: 'issue_comment-123', selfId: selfBot.id, channel };
}

/** Our draft for issue 12, which a trusted run opened. */
export function ownPullWith(changes: Partial<OwnPull> = {}): OwnPull {
  return {
    number: 2,
    branch: 'harness9/issue-12-fix-rounding-1a2b3c4d',
    sha: shaOfHead,
    base: { branch: 'main', sha: shaOfBase },
    isDraft: true,
    trust: 'trusted',
    isOursAlone: true,
    ...changes,
  };
}

export const outsiderInThread = [
  { login: 'mona', isWriter: true, isSelf: false },
  { login: 'eve', isWriter: false, isSelf: false },
];

export function factsWith(changes: Partial<GateFacts> = {}): GateFacts {
  return {
    version: 1,
    observedAt: '2026-01-02T03:05:00Z',
    requester: { kind: 'known', permission: 'write' },
    self: { login: selfBot.login, id: selfBot.id },
    thread: threadWith(),
    check: null,
    base: { branch: 'main', sha: shaOfBase },
    ...changes,
  };
}
