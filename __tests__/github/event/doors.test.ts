// Every door of GitHub: who comes in by which event, on which head, and how far trusted. One row a way.
import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { type GateFacts, type RunPlan, runPlanSchema, type Skip, type ThreadFacts } from '../../../src/schema/gate.ts';
import type { GitHubEvent } from '../../../src/schema/github-event.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import {
  commentEvent,
  discussionComment,
  dispatchEvent,
  factsWith,
  headWith,
  outsider,
  outsiderInThread,
  pullComment,
  pullEvent,
  pullThread,
  pushEvent,
  reviewComment,
  reviewEvent,
  run,
  selfBot,
  settingsWith,
  shaOfHead,
  threadWith,
} from './gate-fixtures.ts';

interface Way {
  readonly by: string;
  readonly event: GitHubEvent;
  readonly facts?: Partial<GateFacts>;
  readonly settings?: Partial<GateSettings>;
}

function decide({ event, facts = {}, settings = {} }: Way) {
  return decideGate(event, factsWith(facts), settingsWith(settings), run);
}

function planOf(way: Way): RunPlan {
  const decision = decide(way);
  if (decision.kind === 'skip') throw new Error(`${way.by}: ${decision.skip.reason}: ${decision.skip.detail}`);
  expect(runPlanSchema.parse(decision.plan)).toEqual(decision.plan);
  return decision.plan;
}

const onPull = { thread: pullThread() };
const onFork = { thread: pullThread({ isFork: true, repository: 'eve/r' }) };
const mixed = { thread: { ...pullThread(), authors: outsiderInThread } };
const read = { requester: { kind: 'known', permission: 'read' } } as const;
const noThread = { thread: null };
const prompt = { prompt: 'Tidy up.' };
const labeled = { action: 'labeled', label: 'harness9' } as const;
const bot = { login: 'evil[bot]', id: 5, type: 'Bot' } as const;

type Grant = readonly [kind: string, id: string, mode: string, trust: string, tools: string, bash: string, delivery: string];

const ways: readonly (Way & { readonly grant: Grant })[] = [
  {
    by: 'a review that mentions us',
    event: reviewEvent('@harness9 fix what I said'),
    facts: onPull,
    grant: ['mention', 'pull_request_review-55', 'act', 'trusted', 'all', 'allowed', 'push_to_head'],
  },
  {
    by: 'the label on a pull request',
    event: pullEvent(labeled),
    facts: onPull,
    grant: ['label', 'label-7-run-99', 'act', 'trusted', 'all', 'allowed', 'push_to_head'],
  },
  {
    by: 'the label on a pull request where an outsider wrote',
    event: pullEvent(labeled),
    facts: mixed,
    grant: ['label', 'label-7-run-99', 'act', 'mixed', 'all', 'sandboxed', 'reply'],
  },
  {
    by: 'an assignment of a pull request',
    event: pullEvent({ action: 'assigned', assignee: 'H9' }),
    facts: onPull,
    settings: { assigneeTrigger: 'h9' },
    grant: ['assignment', 'assignment-7-run-99', 'act', 'trusted', 'all', 'allowed', 'push_to_head'],
  },
  {
    by: 'a mention in a pull request that is opened',
    event: pullEvent({ action: 'opened', body: 'Please, @harness9, add tests.' }),
    facts: onPull,
    grant: ['mention', 'pull_request-7-opened', 'act', 'trusted', 'all', 'allowed', 'push_to_head'],
  },
  {
    by: 'a prompt for each push to a pull request',
    event: pullEvent({ action: 'synchronize' }),
    facts: onPull,
    settings: prompt,
    grant: ['prompt', 'pull_request-7-run-99-agent', 'act', 'trusted', 'all', 'allowed', 'push_to_head'],
  },
  {
    by: 'a prompt that asks for a review',
    event: pullEvent({ action: 'ready_for_review' }),
    facts: onPull,
    settings: { prompt: 'REVIEW this pull request for races.' },
    grant: ['prompt', 'pull_request-7-run-99-agent', 'review', 'trusted', 'read_only', 'allowed', 'reply'],
  },
  {
    by: 'the word review, about outsiders’ text',
    event: pullComment('@harness9 review'),
    facts: mixed,
    grant: ['mention', 'issue_comment-123', 'review', 'mixed', 'read_only', 'sandboxed', 'reply'],
  },
  {
    by: 'the word review, about a fork',
    event: pullComment('@harness9 review'),
    facts: onFork,
    grant: ['mention', 'issue_comment-123', 'review', 'untrusted', 'read_only', 'denied', 'reply'],
  },
  {
    by: 'the word review, on an issue',
    event: commentEvent('@harness9 review the parser'),
    grant: ['mention', 'issue_comment-123', 'act', 'trusted', 'all', 'allowed', 'pull_request'],
  },
  {
    by: 'I5 pull_request_target of a fork, by a writer’s label',
    event: pullEvent({ ...labeled, kind: 'pull_request_target', isFork: true }),
    facts: onFork,
    grant: ['label', 'label-7-run-99', 'act', 'untrusted', 'all', 'denied', 'reply'],
  },
  {
    by: 'pull_request_target of a fork, opened by a stranger whom the prompt meets',
    event: pullEvent({ action: 'opened', kind: 'pull_request_target', isFork: true, sender: outsider }),
    facts: { ...onFork, ...read },
    settings: { ...prompt, requiredPermission: 'none' },
    grant: ['prompt', 'pull_request-7-run-99-agent', 'act', 'untrusted', 'read_only', 'denied', 'reply'],
  },
  {
    by: 'a comment on a line',
    event: reviewComment('@harness9 why?'),
    facts: onPull,
    grant: ['mention', 'pull_request_review_comment-66', 'act', 'trusted', 'all', 'allowed', 'push_to_head'],
  },
  {
    by: 'a comment in a discussion',
    event: discussionComment('@harness9 try it'),
    grant: ['mention', 'discussion_comment-77', 'act', 'trusted', 'all', 'allowed', 'pull_request'],
  },
  {
    by: 'A11 a repository_dispatch',
    event: { ...dispatchEvent(), kind: 'repository_dispatch', action: 'nightly' },
    facts: noThread,
    settings: prompt,
    grant: ['prompt', 'repository_dispatch-run-99-agent', 'act', 'trusted', 'all', 'allowed', 'pull_request'],
  },
  {
    by: 'a push',
    event: pushEvent(),
    facts: noThread,
    settings: prompt,
    grant: ['prompt', 'push-run-99-agent', 'act', 'trusted', 'all', 'allowed', 'pull_request'],
  },
  {
    by: 'the word undo, about outsiders’ text that no model reads',
    event: pullComment('@harness9 undo'),
    facts: mixed,
    grant: ['mention', 'issue_comment-123', 'undo', 'mixed', 'read_only', 'denied', 'push_to_head'],
  },
  {
    by: 'B6 the word undo, on a head that moved',
    event: pullComment('@harness9 undo'),
    facts: { thread: pullThread({ movedAfterTrigger: true }) },
    grant: ['mention', 'issue_comment-123', 'undo', 'untrusted', 'read_only', 'denied', 'reply'],
  },
];

describe('a run begins by', () => {
  test.each(ways)('$by', (way) => {
    const { trigger, mode, trust, tools, bash, delivery } = planOf(way);
    expect([trigger.kind, trigger.id, mode, trust, tools, bash, delivery]).toEqual(way.grant);
  });
});

const closed: readonly (Way & { readonly reason: Skip['reason']; readonly detail?: RegExp })[] = [
  { by: 'a review that says nothing', event: reviewEvent(''), facts: onPull, reason: 'no_mention' },
  { by: 'A7 a review that was edited', event: reviewEvent('@harness9 x', { action: 'edited' }), reason: 'no_task' },
  { by: 'A7 a review that was dismissed', event: reviewEvent('@harness9 x', { action: 'dismissed' }), reason: 'no_task' },
  {
    by: 'A1 a stranger’s review',
    event: reviewEvent('@harness9 x', { sender: outsider }),
    facts: { ...onPull, ...read },
    reason: 'no_permission',
  },
  {
    by: 'I5 a fork’s pull request',
    event: pullEvent({ ...labeled, isFork: true }),
    facts: onFork,
    reason: 'fork',
    detail: /without secrets .* `pull_request_target`, is answered$/,
  },
  { by: 'I5 a review of a fork', event: reviewEvent('@harness9 x', { isFork: true }), facts: onFork, reason: 'fork' },
  { by: 'I5 a comment on a fork’s line', event: reviewComment('@harness9 x', { isFork: true }), facts: onFork, reason: 'fork' },
  {
    by: 'a push to a pull request without a prompt',
    event: pullEvent({ action: 'synchronize' }),
    reason: 'no_task',
    detail:
      /^a pull request that was synchronize asks for nothing here; the label "harness9", or a mention of @harness9 .* `prompt` would$/,
  },
  { by: 'another label', event: pullEvent({ action: 'labeled', label: 'bug' }), reason: 'no_task' },
  {
    by: 'A8 the label by a triager',
    event: pullEvent(labeled),
    facts: { ...onPull, requester: { kind: 'known', permission: 'triage' } },
    reason: 'no_permission',
  },
  { by: 'an unlisted bot’s pull request', event: pullEvent({ sender: bot }), settings: prompt, reason: 'bot' },
  {
    by: 'A5 our own pull request',
    event: pullEvent({ sender: selfBot }),
    settings: { ...prompt, allowedBots: [selfBot.login] },
    reason: 'own_comment',
  },
  {
    by: 'A5 our own pull request, made with a person’s token',
    event: pullEvent({ body: '<!-- harness9:v1 trigger=a kind=pull_request -->' }),
    facts: { ...onPull, self: { login: 'mona', id: 1 } },
    settings: prompt,
    reason: 'own_comment',
  },
  {
    by: 'A5 our own push, made with a person’s token',
    event: pushEvent({ message: 'Fix it\n\nRequested-by: mona\nHarness9-run: https://x/1\n' }),
    facts: { ...noThread, self: { login: 'mona', id: 1 } },
    settings: prompt,
    reason: 'own_comment',
  },
  {
    by: 'a push without a prompt',
    event: pushEvent(),
    facts: noThread,
    reason: 'no_task',
    detail: /^push needs the input prompt/,
  },
  {
    by: 'a branch that was deleted',
    event: pushEvent({ isDeleted: true }),
    facts: noThread,
    settings: prompt,
    reason: 'no_task',
  },
  {
    by: 'A11 a repository_dispatch without a prompt',
    event: { ...dispatchEvent(), kind: 'repository_dispatch' },
    facts: noThread,
    reason: 'no_task',
  },
  {
    by: 'A11 a repository_dispatch by an unlisted bot',
    event: { ...dispatchEvent(bot), kind: 'repository_dispatch' },
    facts: noThread,
    settings: prompt,
    reason: 'bot',
  },
  {
    by: 'A7 a comment in a discussion that was edited',
    event: discussionComment('@harness9 x', { action: 'edited' }),
    reason: 'no_task',
  },
  {
    by: 'a check_run',
    event: { ...dispatchEvent(), kind: 'other', name: 'check_run' },
    reason: 'unsupported_event',
    detail: /what it answers is `workflow_run`, or `check_suite`/,
  },
  {
    by: 'the name of a called workflow',
    event: { ...dispatchEvent(), kind: 'other', name: 'workflow_call' },
    reason: 'unsupported_event',
    detail: /the event of the calling workflow/,
  },
  {
    by: 'the word undo of somebody who may only ask',
    event: pullComment('@harness9 undo'),
    facts: { ...onPull, requester: { kind: 'known', permission: 'triage' } },
    settings: { requiredPermission: 'triage' },
    reason: 'no_permission',
    detail: /only those who may write can have a commit taken back\.$/,
  },
  {
    by: 'the word undo where nothing is ours',
    event: commentEvent('@harness9 undo'),
    reason: 'no_task',
    detail: /^There is nothing/,
  },
  { by: 'the word undo on a fork', event: pullComment('@harness9 undo'), facts: onFork, reason: 'no_task' },
];

describe('nothing begins by', () => {
  test.each(closed)('$by', (way) => {
    const decision = decide(way);
    expect(decision).toMatchObject({ kind: 'skip', skip: { reason: way.reason } });
    if (decision.kind === 'skip') expect(decision.skip.detail).toMatch(way.detail ?? /./);
  });
});

test.each<Way & { readonly channel: RunPlan['channel'] }>([
  { by: 'a comment', event: commentEvent(), channel: { kind: 'thread', number: 12 } },
  { by: 'a review', event: reviewEvent('@harness9 x'), facts: onPull, channel: { kind: 'thread', number: 7 } },
  {
    by: 'the first comment of a review thread',
    event: reviewComment('@harness9 x'),
    facts: onPull,
    channel: { kind: 'review_thread', pull: 7, commentId: 66 },
  },
  {
    by: 'a reply in one',
    event: reviewComment('@harness9 x', { rootId: 60 }),
    facts: onPull,
    channel: { kind: 'review_thread', pull: 7, commentId: 60 },
  },
  {
    by: 'a comment in a discussion',
    event: discussionComment('@harness9 x'),
    facts: { thread: threadWith({ topComment: 'DC_top' }) },
    channel: { kind: 'discussion', number: 5, id: 'D_5', replyTo: 'DC_top' },
  },
  { by: 'a dispatch', event: dispatchEvent(), facts: noThread, settings: prompt, channel: null },
  {
    by: 'a dispatch with a report',
    event: dispatchEvent(),
    facts: noThread,
    settings: { ...prompt, reportIssue: 'Weekly' },
    channel: { kind: 'report', title: 'Weekly' },
  },
  {
    by: 'a comment where reports are made',
    event: commentEvent(),
    settings: { reportIssue: 'Weekly' },
    channel: { kind: 'thread', number: 12 },
  },
])('$by is answered in its own place', ({ channel, ...way }) => {
  expect(planOf(way).channel).toEqual(channel);
});

test.each<[string, boolean | null, Partial<RunPlan['head']>, boolean]>([
  ['@harness9 resolve the conflicts', false, {}, true],
  ['@harness9 please rebase', null, {}, true],
  ['@harness9 解决冲突', false, {}, true],
  ['@harness9 resolve the conflicts', true, {}, false],
  ['@harness9 fix the merger of carts', false, {}, false],
  ['@harness9 plan the merge', false, {}, false],
  ['@harness9 resolve the conflicts', false, { isFork: true, repository: 'eve/r' }, false],
])('%j on a head that GitHub calls mergeable=%p, %j', (body, isMergeable, head, expected) => {
  const thread = { ...pullThread(head ?? {}), isMergeable };
  expect(planOf({ by: '', event: pullComment(body), facts: { thread } }).mergesBase).toBe(expected);
});

interface Merged {
  readonly mergesBase: boolean;
  readonly why?: string;
}

test.each<[string, Partial<ThreadFacts>, Partial<GateSettings>, Merged]>([
  ['@harness9 continue', { isMergeOpen: true }, {}, { mergesBase: true }],
  ['@harness9 approve', { isMergeOpen: true }, {}, { mergesBase: true }],
  ['@harness9 continue', { isMergeOpen: false }, {}, { mergesBase: false }],
  ['@harness9 continue', { isMergeOpen: true, isMergeable: true }, {}, { mergesBase: false }],
  ['@harness9 add a test', { isMergeOpen: true }, {}, { mergesBase: false }],
  [
    '@harness9 plan how to resolve the conflicts',
    { isMergeable: false },
    {},
    { mergesBase: false, why: 'when the plan is carried out' },
  ],
  [
    '@harness9 resolve the conflicts',
    { isMergeable: false, head: headWith({ isFork: true, repository: 'eve/r' }) },
    {},
    { mergesBase: false, why: 'from a fork' },
  ],
  ['@harness9 resolve the conflicts', { isMergeable: false }, { pushToPr: false }, { mergesBase: false, why: 'own branch' }],
  ['@harness9 fix the merge of carts', { isMergeable: null }, { pushToPr: false }, { mergesBase: false }],
])('%j where the thread has %j and the workflow %j: %j', (body, thread, settings, expected) => {
  const facts = { thread: { ...pullThread(), ...thread } };
  const { mergesBase, noMerge } = planOf({ by: '', event: pullComment(body), facts, settings });
  expect([mergesBase, noMerge?.branch]).toEqual([expected.mergesBase, expected.why && 'main']);
  expect(noMerge?.why ?? '').toContain(expected.why ?? '');
});

test('whose comments are left out says nothing of who may ask', () => {
  const settings = { excludeActors: ['mona'], includeActors: ['hubot'] };
  const { actors, requester } = planOf({ by: '', event: commentEvent(), settings });
  expect([actors, requester.login]).toEqual([{ include: ['hubot'], exclude: ['mona'] }, 'mona']);
});

test('a run is on the commit of the event’s pull request, and a discussion’s on the base', () => {
  expect(planOf({ by: '', event: reviewEvent('@harness9 x'), facts: onPull }).checkoutSha).toBe(shaOfHead);
  const plan = planOf({ by: '', event: discussionComment('@harness9 x') });
  expect([plan.head, plan.threadKey, plan.pullRequest.closes]).toEqual([null, 'discussion-5', null]);
  expect(plan.branchName).toMatch(/^harness9\/discussion-5-ideas-/);
});
