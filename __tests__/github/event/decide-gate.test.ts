import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { type GateFacts, type RunPlan, runPlanSchema, type Skip } from '../../../src/schema/gate.ts';
import type { GitHubEvent } from '../../../src/schema/github-event.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import {
  commentEvent,
  dispatchEvent,
  factsWith,
  issueEvent,
  noticeOf,
  outsider,
  outsiderInThread,
  pullThread as pull,
  pullComment,
  run,
  scheduleEvent,
  selfBot,
  settingsWith,
  shaOfBase,
  shaOfHead,
  threadWith,
} from './gate-fixtures.ts';

interface Row {
  readonly when: string;
  readonly event?: GitHubEvent;
  readonly facts?: Partial<GateFacts>;
  readonly settings?: Partial<GateSettings>;
}

function decide(row: Row) {
  return decideGate(row.event ?? commentEvent(), factsWith(row.facts), settingsWith(row.settings), run);
}

function planOf(row: Row): RunPlan {
  const decision = decide(row);
  if (decision.kind !== 'run') throw new Error(`${row.when}: ${decision.skip.reason}: ${decision.skip.detail}`);
  return decision.plan;
}

const bot = { login: 'evil[bot]', id: 5, type: 'Bot' } as const;
const read = { kind: 'known', permission: 'read' } as const;
const unknown = { kind: 'unknown', reason: 'GitHub answered 404' } as const;
const full = (runsInLastDay: number) => ({ thread: threadWith({ runsInLastDay }) });

const skips: readonly (Row & {
  readonly skip: Skip['reason'];
  readonly conclusion: Skip['conclusion'];
  readonly tells?: Skip['notice'];
})[] = [
  {
    when: 'an event carries no task',
    event: { ...scheduleEvent(), kind: 'other', name: 'watch', action: 'started' },
    skip: 'unsupported_event',
    conclusion: 'skipped',
  },
  {
    when: 'A7 a comment was edited',
    event: commentEvent('@harness9 x', { action: 'edited' }),
    skip: 'no_task',
    conclusion: 'skipped',
  },
  {
    when: 'A7 a comment was deleted',
    event: commentEvent('@harness9 x', { action: 'deleted' }),
    skip: 'no_task',
    conclusion: 'skipped',
  },
  { when: 'a comment does not mention us', event: commentEvent('thanks'), skip: 'no_mention', conclusion: 'skipped' },
  { when: 'A6 a mention is only quoted', event: commentEvent('> @harness9 x'), skip: 'no_mention', conclusion: 'skipped' },
  { when: 'A1 a reader asks', facts: { requester: read }, skip: 'no_permission', conclusion: 'denied' },
  {
    when: 'A1 a triager asks and write is needed',
    facts: { requester: { kind: 'known', permission: 'triage' } },
    skip: 'no_permission',
    conclusion: 'denied',
  },
  {
    when: 'a writer asks and maintain is needed',
    settings: { requiredPermission: 'maintain' },
    skip: 'no_permission',
    conclusion: 'denied',
  },
  {
    when: 'A3 the permission cannot be verified',
    facts: { requester: unknown },
    skip: 'permission_unknown',
    conclusion: 'denied',
  },
  {
    when: 'G1-05 A10 the account of the comment is gone',
    event: commentEvent('@harness9 x', { sender: null }),
    skip: 'requester_unknown',
    conclusion: 'denied',
  },
  { when: 'A4 an unlisted bot asks', event: commentEvent('@harness9 x', { sender: bot }), skip: 'bot', conclusion: 'denied' },
  {
    when: 'A4 the list of bots says *',
    event: commentEvent('@harness9 x', { sender: bot }),
    settings: { allowedBots: ['*'] },
    skip: 'bot',
    conclusion: 'denied',
  },
  {
    when: 'A4 a reader is named like a listed bot',
    event: commentEvent('@harness9 x', { sender: { ...outsider, login: 'evil[bot]' } }),
    facts: { requester: read },
    settings: { allowedBots: ['evil[bot]'] },
    skip: 'no_permission',
    conclusion: 'denied',
  },
  {
    when: 'A4 a bot is named like a listed user',
    event: commentEvent('@harness9 x', { sender: bot }),
    settings: { allowedNonWriteUsers: ['evil[bot]'], allowedUsers: ['evil[bot]'] },
    skip: 'bot',
    conclusion: 'denied',
  },
  {
    when: 'G1-06 an unlisted app asks',
    event: commentEvent('@harness9 x', { sender: { ...bot, login: 'Copilot' } }),
    skip: 'bot',
    conclusion: 'denied',
  },
  {
    when: 'A5 our own comment mentions us',
    event: commentEvent('@harness9 x', { sender: selfBot }),
    settings: { allowedBots: ['github-actions[bot]'] },
    skip: 'own_comment',
    conclusion: 'skipped',
  },
  {
    when: 'A5 another harness9 app mentions us, though listed',
    event: commentEvent('@harness9 x <!-- harness9:v1 kind=reply -->', { sender: bot }),
    settings: { allowedBots: ['evil[bot]'] },
    skip: 'own_comment',
    conclusion: 'skipped',
  },
  {
    when: 'A5 our comment was written with a person’s token',
    event: commentEvent('@harness9 x <!-- harness9:v1 kind=reply -->'),
    facts: { self: { login: 'mona', id: 1 } },
    skip: 'own_comment',
    conclusion: 'skipped',
  },
  {
    when: 'a writer is not among the allowed users',
    settings: { allowedUsers: ['hubot'] },
    skip: 'no_permission',
    conclusion: 'denied',
  },
  { when: 'A10 the thread is locked', facts: { thread: threadWith({ isLocked: true }) }, skip: 'locked', conclusion: 'denied' },
  {
    when: 'the thread reaches its limit',
    facts: full(20),
    skip: 'thread_limit',
    conclusion: 'denied',
    tells: noticeOf(12),
  },
  { when: 'the limit was told already', facts: full(21), skip: 'thread_limit', conclusion: 'denied' },
  {
    when: 'A1 a reader asks in a thread at its limit',
    facts: { ...full(20), requester: read },
    skip: 'no_permission',
    conclusion: 'denied',
  },
  { when: 'an issue is opened without a mention', event: issueEvent(), skip: 'no_mention', conclusion: 'skipped' },
  {
    when: 'an issue gets another label',
    event: issueEvent({ action: 'labeled', label: 'bug' }),
    skip: 'no_task',
    conclusion: 'skipped',
  },
  {
    when: 'A8 a triager puts the label on',
    event: issueEvent({ action: 'labeled', label: 'harness9' }),
    facts: { requester: { kind: 'known', permission: 'triage' } },
    skip: 'no_permission',
    conclusion: 'denied',
  },
  {
    when: 'an issue is assigned and no assignee triggers',
    event: issueEvent({ action: 'assigned', assignee: 'h9' }),
    skip: 'no_task',
    conclusion: 'skipped',
  },
  { when: 'A10 an issue is transferred', event: issueEvent({ action: 'transferred' }), skip: 'no_task', conclusion: 'skipped' },
  { when: 'a schedule has no prompt', event: scheduleEvent(), facts: { thread: null }, skip: 'no_task', conclusion: 'skipped' },
  {
    when: 'a schedule has no actor',
    event: scheduleEvent(null),
    facts: { thread: null },
    settings: { prompt: 'Tidy.' },
    skip: 'requester_unknown',
    conclusion: 'denied',
  },
  {
    when: 'a schedule’s actor has left',
    event: scheduleEvent(),
    facts: { thread: null, requester: { kind: 'known', permission: 'none' } },
    settings: { prompt: 'Tidy.' },
    skip: 'no_permission',
    conclusion: 'denied',
  },
  {
    when: 'A11 an unlisted bot dispatches',
    event: dispatchEvent(bot),
    facts: { thread: null },
    settings: { prompt: 'Tidy.' },
    skip: 'bot',
    conclusion: 'denied',
  },
];

describe('decideGate refuses', () => {
  test.each(skips)('when $when: $skip', (row) => {
    const { detail, ...skip } = (decide(row) as { skip: Skip }).skip;
    expect(skip).toEqual({ version: 1, reason: row.skip, conclusion: row.conclusion, notice: row.tells ?? null });
    expect(detail).not.toBe('');
  });
});

type Means = readonly [trust: string, tools: string, bash: string, network: string, delivery: string, pullRequest: string];
const mixedThread = { thread: threadWith({ authors: outsiderInThread }) };
const priv = commentEvent('@harness9 fix it', { repository: { ...commentEvent().repository, isPrivate: true } });
const mixedPull = { thread: { ...pull(), authors: outsiderInThread } };
const forkPull = { thread: pull({ isFork: true, repository: 'eve/r' }) };

const runs: readonly (Row & { readonly means: Means })[] = [
  { when: 'a writer asks on an issue', means: ['trusted', 'all', 'allowed', 'open', 'pull_request', 'ready'] },
  { when: 'the repository is private', event: priv, means: ['trusted', 'all', 'allowed', 'allowlist', 'pull_request', 'ready'] },
  {
    when: 'a trusted run’s network is set',
    event: priv,
    settings: { network: 'open' },
    means: ['trusted', 'all', 'allowed', 'open', 'pull_request', 'ready'],
  },
  {
    when: 'B7 an outsider wrote there',
    facts: mixedThread,
    means: ['mixed', 'all', 'sandboxed', 'allowlist', 'pull_request', 'draft'],
  },
  {
    when: 'B7 an outsider wrote there, privately',
    event: priv,
    facts: mixedThread,
    means: ['mixed', 'all', 'sandboxed', 'off', 'pull_request', 'draft'],
  },
  {
    when: 'a mixed run’s network may not be widened',
    facts: mixedThread,
    settings: { network: 'open' },
    means: ['mixed', 'all', 'sandboxed', 'allowlist', 'pull_request', 'draft'],
  },
  {
    when: 'a mixed run’s network may be narrowed',
    facts: mixedThread,
    settings: { network: 'off' },
    means: ['mixed', 'all', 'sandboxed', 'off', 'pull_request', 'draft'],
  },
  {
    when: 'B7 only writers’ text is in context',
    facts: mixedThread,
    settings: { context: 'writers' },
    means: ['trusted', 'all', 'allowed', 'open', 'pull_request', 'ready'],
  },
  {
    when: 'no pull request is wanted of a mixed run',
    facts: mixedThread,
    settings: { createPr: 'none' },
    means: ['mixed', 'all', 'sandboxed', 'allowlist', 'pull_request', 'none'],
  },
  {
    when: 'a person is to open the pull request of a mixed run',
    facts: mixedThread,
    settings: { createPr: 'link' },
    means: ['mixed', 'all', 'sandboxed', 'allowlist', 'pull_request', 'link'],
  },
  {
    when: 'our own replies are no outsider’s text',
    facts: { thread: threadWith({ authors: [{ login: selfBot.login, isWriter: false, isSelf: true }] }) },
    means: ['trusted', 'all', 'allowed', 'open', 'pull_request', 'ready'],
  },
  {
    when: 'a listed outsider asks',
    event: commentEvent('@harness9 x', { sender: outsider }),
    facts: { requester: read },
    settings: { allowedNonWriteUsers: ['Eve'], network: 'open' },
    means: ['untrusted', 'read_only', 'denied', 'off', 'reply', 'draft'],
  },
  {
    when: 'A3 a listed outsider’s permission is unknown',
    event: commentEvent('@harness9 x', { sender: outsider }),
    facts: { requester: unknown },
    settings: { allowedNonWriteUsers: ['eve'] },
    means: ['untrusted', 'read_only', 'denied', 'off', 'reply', 'draft'],
  },
  {
    when: 'G1-06 a listed app asks',
    event: commentEvent('@harness9 x', { sender: { ...bot, login: 'Copilot' } }),
    facts: { requester: unknown, thread: threadWith({ authors: [{ login: 'Copilot', isWriter: false, isSelf: false }] }) },
    settings: { allowedBots: ['Copilot'] },
    means: ['mixed', 'all', 'sandboxed', 'allowlist', 'pull_request', 'draft'],
  },
  {
    when: 'a pull request is ours and open',
    event: pullComment(),
    facts: { thread: pull() },
    means: ['trusted', 'all', 'allowed', 'open', 'push_to_head', 'ready'],
  },
  {
    when: 'the head may not be pushed to',
    event: pullComment(),
    facts: { thread: pull() },
    settings: { pushToPr: false },
    means: ['trusted', 'all', 'allowed', 'open', 'pull_request', 'ready'],
  },
  {
    when: 'G1-12 the head’s name is unusual and legal',
    event: pullComment(),
    facts: { thread: pull({ branch: '#8982-bugfix' }) },
    means: ['trusted', 'all', 'allowed', 'open', 'push_to_head', 'ready'],
  },
  {
    when: 'G1-12 the head’s name is an option of git',
    event: pullComment(),
    facts: { thread: pull({ branch: '--upload-pack=x' }) },
    means: ['trusted', 'all', 'allowed', 'open', 'reply', 'ready'],
  },
  {
    when: 'an outsider wrote on the pull request',
    event: pullComment(),
    facts: mixedPull,
    means: ['mixed', 'all', 'sandboxed', 'allowlist', 'reply', 'draft'],
  },
  {
    when: 'G1-07 E11 the head is a fork’s',
    event: pullComment(),
    facts: forkPull,
    means: ['untrusted', 'all', 'denied', 'off', 'reply', 'draft'],
  },
  {
    when: 'G1-09 the fork is gone',
    event: pullComment(),
    facts: { thread: pull({ isFork: true, repository: null }) },
    means: ['untrusted', 'all', 'denied', 'off', 'reply', 'draft'],
  },
  {
    when: 'B6 the head moved after the request',
    event: pullComment(),
    facts: { thread: pull({ movedAfterTrigger: true }) },
    means: ['untrusted', 'read_only', 'denied', 'off', 'reply', 'draft'],
  },
  {
    when: 'G1-14 the pull request is merged',
    event: pullComment(),
    facts: { thread: { ...pull(), state: 'merged' } },
    means: ['trusted', 'all', 'allowed', 'open', 'pull_request', 'ready'],
  },
  {
    when: 'G1-14 a fork’s pull request is closed, by an outsider',
    event: pullComment(),
    facts: { thread: { ...forkPull.thread, state: 'closed', authors: outsiderInThread } },
    means: ['mixed', 'all', 'sandboxed', 'allowlist', 'pull_request', 'draft'],
  },
  {
    when: 'a schedule has a prompt',
    event: scheduleEvent(),
    facts: { thread: null },
    settings: { prompt: 'Tidy.', createPr: 'draft' },
    means: ['trusted', 'all', 'allowed', 'open', 'pull_request', 'draft'],
  },
  {
    when: 'a triager asks where triage is enough',
    facts: { requester: { kind: 'known', permission: 'triage' } },
    settings: { requiredPermission: 'triage' },
    means: ['untrusted', 'read_only', 'denied', 'off', 'reply', 'draft'],
  },
];

describe('decideGate grants', () => {
  test.each(runs)('when $when', (row) => {
    const plan = planOf(row);
    expect([plan.trust, plan.tools, plan.bash, plan.network, plan.delivery, plan.pullRequest.mode]).toEqual(row.means);
    expect(runPlanSchema.parse(plan)).toEqual(plan);
  });
});

test('a trusted comment on an issue becomes this whole plan', () => {
  expect(planOf({ when: 'whole', event: commentEvent('@harness9 review the fix --max-turns 20') })).toEqual({
    version: 1,
    repository: { id: 9, owner: 'o', name: 'r', defaultBranch: 'main', isPrivate: false },
    event: { kind: 'issue_comment', action: 'created' },
    run: { id: 99, attempt: 1, url: run.url, workflowPath: run.workflowPath, job: 'agent' },
    trigger: { kind: 'mention', id: 'issue_comment-123', at: '2026-01-02T03:04:05Z', target: { kind: 'issue_comment', id: 123 } },
    requester: { login: 'mona', id: 1 },
    self: { login: 'github-actions[bot]', id: 41898282 },
    instruction: { text: 'the fix', command: 'review', maxTurns: 20 },
    thread: { kind: 'issue', number: 12, title: 'Fix rounding' },
    threadKey: 'issue-12',
    base: { branch: 'main', sha: shaOfBase },
    head: null,
    checkoutSha: shaOfBase,
    trust: 'trusted',
    handle: '@harness9',
    mode: 'act',
    trustReason: 'a writer asks, and all text is by writers',
    tools: 'all',
    bash: 'allowed',
    network: 'open',
    delivery: 'pull_request',
    branchName: expect.stringMatching(/^harness9\/issue-12-fix-rounding-[0-9a-f]{8}$/),
    pullRequest: { mode: 'ready', closes: 12, title: null, labels: [], reviewers: [], assignees: [] },
    failedCheck: null,
    channel: { kind: 'thread', number: 12 },
    alsoAnswers: [],
    model: null,
    mergesBase: false,
    commitMessage: null,
    inlineComments: 'suggestions',
    includeDiff: 'auto',
    mayApprove: false,
    dryRun: false,
    language: 'auto',
    actors: { include: [], exclude: [] },
    context: 'all',
    limits: {
      maxTurns: 20,
      timeoutMs: 1_800_000,
      maxTokensTotal: null,
      maxCostUsd: null,
      maxPatchFiles: 100,
      maxPatchBytes: 4_194_304,
      maxDeletions: 300,
    },
    protectedPaths: ['.github/workflows/**'],
    allowedPaths: [],
    session: 'auto',
    comment: 'auto',
    reaction: 'eyes',
  });
});

test('the plan is frozen all the way down, and what it was made of is not', () => {
  const settings = settingsWith();
  const decision = decideGate(commentEvent(), factsWith(), settings, run);
  const plan = (decision as { plan: RunPlan }).plan;
  expect([plan, plan.limits, plan.protectedPaths, plan.trigger.target].every(Object.isFrozen)).toBe(true);
  expect(Object.isFrozen(settings.protectedPaths)).toBe(false);
});

test('a stacked pull request stands on the head that it was asked on', () => {
  const plan = planOf({ when: 'stacked', event: pullComment(), facts: { thread: pull() }, settings: { pushToPr: false } });
  expect([plan.base, plan.checkoutSha]).toEqual([{ branch: 'feature', sha: shaOfHead }, shaOfHead]);
});

test('G1-14 a closed pull request is worked on from the base branch', () => {
  const plan = planOf({ when: 'closed', event: pullComment(), facts: { thread: { ...pull(), state: 'closed' } } });
  expect([plan.base, plan.checkoutSha, plan.head?.sha]).toEqual([{ branch: 'main', sha: shaOfBase }, shaOfBase, shaOfHead]);
});

test('a turn limit in the comment goes up to the ceiling only', () => {
  const turns = (words: string, maxTurns: number) =>
    planOf({ when: 'turns', event: commentEvent(`@harness9 x ${words}`), settings: { maxTurns } }).limits.maxTurns;
  expect([turns('--max-turns 80', 50), turns('--max-turns 5', 50), turns('--max-turns 80', 0), turns('', 0)]).toEqual([
    50, 5, 80, 0,
  ]);
});

test('the word new starts a new session, unless sessions are off', () => {
  const session = (setting: 'auto' | 'off') =>
    planOf({ when: 'new', event: commentEvent('@harness9 new'), settings: { session: setting } }).session;
  expect([session('auto'), session('off')]).toEqual(['new', 'off']);
});

test('a prompt on a comment event comes before what the comment asks', () => {
  const plan = planOf({ when: 'prompt', event: commentEvent('@harness9 be brief'), settings: { prompt: 'Review this.' } });
  expect(plan.instruction).toEqual({ text: 'Review this.\n\nbe brief', command: null });
});

test('a label, an assignment, an opened issue and a prompt name their trigger for ever', () => {
  const ids = [
    planOf({ when: 'label', event: issueEvent({ action: 'labeled', label: 'Harness9' }) }),
    planOf({ when: 'assignee', event: issueEvent({ action: 'assigned', assignee: 'h9' }), settings: { assigneeTrigger: 'h9' } }),
    planOf({ when: 'opened', event: issueEvent({ body: 'Please, @harness9, fix it.' }) }),
    planOf({ when: 'prompt', event: issueEvent(), settings: { prompt: 'Triage.' } }),
    planOf({ when: 'dispatch', event: dispatchEvent(), facts: { thread: null }, settings: { prompt: 'Tidy.' } }),
  ].map((plan) => [plan.trigger.kind, plan.trigger.id]);
  expect(ids).toEqual([
    ['label', 'label-12-run-99'],
    ['assignment', 'assignment-12-run-99'],
    ['mention', 'issue-12-opened'],
    ['prompt', 'issue-12-run-99-agent'],
    ['prompt', 'workflow_dispatch-run-99-agent'],
  ]);
});
