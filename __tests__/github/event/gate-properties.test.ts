// What holds for every decision of the gate, whatever comes together: drawn events, facts and settings, told by a seed.
import { expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import {
  type GateDecision,
  type GateFacts,
  type Permission,
  type PullHead,
  type RunPlan,
  runPlanSchema,
  type Skip,
  skipSchema,
  type ThreadFacts,
} from '../../../src/schema/gate.ts';
import type { Actor, GitHubEvent } from '../../../src/schema/github-event.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import {
  commentEvent,
  discussionComment,
  dispatchEvent,
  factsWith,
  headWith,
  issueEvent,
  outsider,
  ownPullWith,
  pullComment,
  pullEvent,
  pushEvent,
  reviewComment,
  reviewEvent,
  run,
  scheduleEvent,
  selfBot,
  settingsWith,
  shaOfBase,
  shaOfHead,
  threadWith,
  writer,
} from './gate-fixtures.ts';

/** A generator of whole numbers below `n`, the same for the same seed. */
function drawing(seed: number) {
  let state = seed;
  const below = (n: number) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const again = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return ((again ^ (again >>> 14)) >>> 0) % n;
  };
  const one = <T>(...choices: readonly T[]): T => choices[below(choices.length)] as T;
  /** Four times in five the first: what starts runs. */
  const mostly = <T>(usual: T, ...others: readonly T[]): T => (below(5) > 0 ? usual : one(...others));
  return { one, mostly, maybe: () => below(2) === 0 };
}
type Draw = ReturnType<typeof drawing>;

const bot: Actor = { login: 'renovate[bot]', id: 3, type: 'Bot' };
const organization: Actor = { login: 'acme', id: 4, type: 'Organization' };
const words = [
  '',
  'fix it',
  'resolve the conflicts',
  'merge main, please',
  'rebase it',
  'stop',
  'status',
  'undo',
  'plan x',
  'plan',
  'approve',
  'review',
  'continue',
  'new x',
  'help',
];
const options = ['', ' --max-turns 999', ' --budget 0', ' --model gpt-5'];

function drawBody({ one, mostly }: Draw): string {
  const order = `@harness9 ${one(...words)}${mostly('', ...options)}`;
  return mostly(order, 'no mention', `> ${order}`, `<!-- harness9:v1 trigger=a kind=reply -->\n${order}`, '');
}

function drawEvent(draw: Draw): GitHubEvent {
  const { one, maybe, mostly } = draw;
  const sender = mostly<Actor | null>(writer, outsider, bot, selfBot, organization, null);
  const body = drawBody(draw);
  const isFork = maybe();
  const action = mostly('created', 'edited', 'deleted');
  const change = { action: one('opened', 'labeled', 'assigned', 'synchronize'), body, label: one('harness9', 'bug'), sender };
  const { repository } = commentEvent();
  const ended = {
    version: 1,
    repository,
    sender,
    action: one('completed', 'requested'),
    headSha: shaOfHead,
    isFork,
    createdAt: '2026-01-02T03:04:05Z',
    check: {
      id: 1,
      attempt: 1,
      name: 'CI',
      sourceId: 2,
      startedBy: 'pull_request',
      conclusion: one('failure', 'timed_out', 'success'),
      headBranch: 'feature',
      actors: one([writer], [outsider], [writer, outsider], [bot], []),
    },
  } as const;
  return one<GitHubEvent>(
    commentEvent(body, { sender, action }),
    { ...pullComment(body), sender, action },
    { ...pullComment(body), sender, action },
    { ...pullComment(body), sender },
    reviewComment(body, { sender, action, isFork }),
    reviewEvent(body, { sender, action: one('submitted', 'edited'), isFork }),
    issueEvent(change),
    pullEvent({ ...change, isFork }),
    pullEvent({ ...change, isFork, kind: 'pull_request_target' }),
    discussionComment(body, { sender, action }),
    { ...ended, kind: 'workflow_run' },
    { ...ended, kind: 'check_suite' },
    pushEvent({ sender, isDeleted: maybe() }),
    scheduleEvent(sender),
    dispatchEvent(sender),
    { version: 1, kind: 'repository_dispatch', action: 'x', repository, sender },
    { version: 1, kind: 'other', name: 'watch', action: 'started', repository, sender },
  );
}

function drawFacts({ one, maybe, mostly }: Draw, event: GitHubEvent): GateFacts {
  const onPull = 'check' in event || ('thread' in event && event.thread.kind === 'pull_request');
  const head = headWith({
    isFork: one(false, false, true),
    movedAfterTrigger: one(false, false, true),
    repository: one('o/r', 'eve/r', null),
  });
  const authors = one([], [{ login: 'mona', isWriter: true, isSelf: false }], [{ login: 'eve', isWriter: false, isSelf: false }]);
  const trust = one('trusted', 'mixed', 'untrusted' as const);
  const thread = threadWith({
    state: mostly<ThreadFacts['state']>('open', 'closed', 'merged'),
    isLocked: mostly(false, true),
    authors,
    head: onPull ? head : null,
    base: onPull ? { branch: 'main', sha: shaOfBase } : null,
    isMergeable: one(true, false, null),
    isMergeOpen: maybe(),
    ownPull: maybe() && !(onPull && head.isFork) ? ownPullWith({ trust, isOursAlone: maybe(), isDraft: maybe() }) : null,
    runsInLastDay: mostly(0, 19, 20, 21),
    answered: one<string[]>([], [], ['issue_comment-123'], ['fix-7-1', 'fix-7-2', 'fix-7-3']),
    announced: one([], ['issue_comment-9']),
    progressAt: one(null, '2026-01-02T03:04:50Z'),
    waiting: one([], [{ triggerId: 'issue_comment-5', login: 'mona', text: 'and this' }]),
    topComment: one(null, 'DC_1'),
  });
  const permission = mostly<Permission>('write', 'none', 'read', 'triage', 'maintain', 'admin');
  const requester = one<GateFacts['requester']>(
    { kind: 'known', permission },
    { kind: 'known', permission },
    { kind: 'unknown', reason: 'GitHub knows no such user' },
  );
  const pull = one({ number: 7, title: 'T' }, { number: 7, title: 'T' }, null);
  const hasThread = 'thread' in event || ('check' in event && pull !== null);
  return factsWith({
    requester,
    self: one(selfBot, writer),
    thread: hasThread ? thread : null,
    check: 'check' in event ? { pull, base: one('passed', 'failed', 'unknown'), passedBefore: maybe() } : null,
  });
}

function drawSettings({ one, maybe, mostly }: Draw): GateSettings {
  return settingsWith({
    prompt: one(null, null, 'Triage.', 'review this'),
    requiredPermission: mostly<Permission>('write', 'none', 'triage', 'admin'),
    allowedBots: one([], ['renovate[bot]'], ['mona', 'eve', 'acme']),
    allowedUsers: mostly<string[]>([], ['mona'], ['eve']),
    allowedNonWriteUsers: one([], ['eve'], ['renovate[bot]']),
    assigneeTrigger: one(null, ''),
    context: one('auto', 'all', 'writers'),
    network: one('auto', 'off', 'allowlist', 'open'),
    createPr: one('draft', 'ready', 'link', 'none'),
    pushToPr: maybe(),
    comment: one('auto', 'auto', 'none'),
    dryRun: one(false, false, true),
    maxCostUsd: one(null, 1),
    maxTurns: one(0, 50),
    reportIssue: one(null, 'Report'),
    models: one([], ['openai/gpt-5']),
    maxFixAttempts: one(0, 3),
  });
}

interface Drawn {
  readonly seed: number;
  readonly event: GitHubEvent;
  readonly facts: GateFacts;
  readonly settings: GateSettings;
  readonly decision: GateDecision;
}

function draw(seed: number): Drawn {
  const from = drawing(seed);
  const event = drawEvent(from);
  const facts = drawFacts(from, event);
  const settings = drawSettings(from);
  return { seed, event, facts, settings, decision: decideGate(event, facts, settings, run) };
}

/** Everybody whom the event is by, but for us whose work a check is of. */
function peopleOf({ event, facts }: Drawn): readonly Actor[] {
  const actors = 'check' in event ? event.check.actors : [];
  const all = [...actors, ...(event.sender === null ? [] : [event.sender])];
  return 'check' in event ? all.filter(({ id }) => id !== facts.self.id) : all;
}

const ranks = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];
const holds = (facts: GateFacts, wanted: string) =>
  facts.requester.kind === 'known' && ranks.indexOf(facts.requester.permission) >= ranks.indexOf(wanted);

/** Written down once more, from the table of inputs and not from the gate. */
function mayAsk({ event, facts, settings }: Drawn, actor: Actor): boolean {
  const isIn = (names: readonly string[]) => names.includes(actor.login);
  if (actor.type === 'Bot') return isIn(settings.allowedBots) || actor.id === facts.self.id;
  if (actor.type !== 'User') return false;
  if (isIn(settings.allowedNonWriteUsers)) return true;
  const isLabel = 'label' in event && event.action === 'labeled' && event.label === settings.labelTrigger;
  const asksItself = 'comment' in event || settings.prompt === null || isLabel;
  const needed = settings.requiredPermission === 'none' && asksItself ? 'write' : settings.requiredPermission;
  return holds(facts, needed) && (settings.allowedUsers.length === 0 || isIn(settings.allowedUsers));
}

const cases = 20_000;
const all = Array.from({ length: cases }, (_, index) => draw(index * 7_919 + 1));

test('a run is asked for by people who may ask, and its plan is whole, frozen and of one repository', () => {
  let runs = 0;
  for (const drawn of all) {
    const { seed, decision } = drawn;
    if (decision.kind === 'skip') continue;
    runs += 1;
    const { plan } = decision;
    expect({ seed, ok: runPlanSchema.safeParse(plan).success }).toEqual({ seed, ok: true });
    expect({ seed, frozen: Object.isFrozen(plan) && Object.isFrozen(plan.trigger) }).toEqual({ seed, frozen: true });
    const strangers = peopleOf(drawn).filter((actor) => !mayAsk(drawn, actor));
    expect({ seed, strangers }).toEqual({ seed, strangers: [] });
  }
  expect(runs).toBeGreaterThan(cases / 50);
});

interface Rule {
  readonly when: (plan: RunPlan, facts: GateFacts, head: PullHead | null) => boolean;
  readonly is: (plan: RunPlan, facts: GateFacts) => boolean;
}

const none = ({ bash, network }: RunPlan) => bash === 'denied' && network === 'off';
const rules: Readonly<Record<string, Rule>> = {
  'a fork’s code, or what may have been pushed since, is not trusted': {
    when: (_plan, _facts, head) => head !== null && (head.isFork || head.movedAfterTrigger),
    is: ({ trust }) => trust === 'untrusted',
  },
  'nothing untrusted runs': { when: ({ trust }) => trust === 'untrusted', is: none },
  // `undo` reads no text, runs nothing and is a writer's: it goes by the branch alone.
  'nothing untrusted is pushed': {
    when: ({ trust, mode }) => trust === 'untrusted' && mode !== 'undo',
    is: ({ delivery }) => delivery === 'reply',
  },
  'a fork is never pushed to': {
    when: (_plan, _facts, head) => head?.isFork === true,
    is: ({ delivery }) => delivery === 'reply',
  },
  'a mixed run has a sandbox and no open network': {
    when: ({ trust, mode }) => trust === 'mixed' && mode !== 'undo' && mode !== 'plan',
    is: ({ bash, network }) => bash === 'sandboxed' && network !== 'open',
  },
  'a mixed run writes on an own draft of mixed runs alone': {
    when: ({ trust, mode, delivery }) => trust === 'mixed' && mode !== 'undo' && delivery === 'push_to_head',
    is: (_plan, { thread }) => {
      const own = thread?.ownPull;
      return own?.trust === 'mixed' && own.isDraft && own.isOursAlone;
    },
  },
  'an undo runs nothing, and is for who may write': {
    when: ({ mode }) => mode === 'undo',
    // A bot that is let in asks as a writer does, whatever permission it has.
    is: (plan, facts) =>
      none(plan) &&
      plan.tools === 'read_only' &&
      (holds(facts, 'write') || facts.requester.kind === 'unknown' || plan.requester.login.endsWith('[bot]')),
  },
  'a plan and a review change nothing': {
    when: ({ mode }) => mode === 'plan' || mode === 'review',
    is: ({ tools, delivery }) => tools === 'read_only' && delivery === 'reply',
  },
  'the base is merged into a head that is pushed to, and nowhere else': {
    when: ({ mergesBase }) => mergesBase,
    is: ({ mode, delivery, noMerge }) => mode === 'act' && delivery === 'push_to_head' && noMerge === undefined,
  },
};

test.each(Object.entries(rules))('B6 B7 I5 %s', (_name, { when, is }) => {
  let met = 0;
  for (const { seed, decision, facts } of all) {
    if (decision.kind === 'skip') continue;
    const head = facts.thread?.state === 'open' ? facts.thread.head : null;
    if (!when(decision.plan, facts, head)) continue;
    met += 1;
    expect({ seed, is: is(decision.plan, facts) }).toEqual({ seed, is: true });
  }
  expect(met).toBeGreaterThan(3);
});

test('A1 a skip is told only to who may ask, on the thread that was asked on, where comments are wanted', () => {
  const told = new Map<Skip['reason'], number>();
  for (const drawn of all) {
    const { seed, decision, facts, settings, event } = drawn;
    if (decision.kind === 'run') continue;
    const { skip } = decision;
    expect({ seed, ok: skipSchema.safeParse(skip).success, detail: skip.detail === '' }).toEqual({
      seed,
      ok: true,
      detail: false,
    });
    if (skip.notice === null) continue;
    told.set(skip.reason, (told.get(skip.reason) ?? 0) + 1);
    const strangers = peopleOf(drawn).filter((actor) => !mayAsk(drawn, actor));
    expect({ seed, strangers, comment: settings.comment }).toEqual({ seed, strangers: [], comment: 'auto' });
    const number = 'thread' in event ? event.thread.number : facts.check?.pull?.number;
    expect({ seed, on: skip.notice.thread, locked: facts.thread?.isLocked }).toEqual({ seed, on: number, locked: false });
  }
  expect([...told.keys()].sort()).toEqual(['bad_option', 'fix_limit', 'no_permission', 'no_task', 'thread_limit']);
});

/** The thread that a place is on; null: it is on none. */
function numberOf(channel: RunPlan['channel']): number | null {
  if (channel === null || channel.kind === 'report') return null;
  return channel.kind === 'review_thread' ? channel.pull : channel.number;
}

test('an accepted request speaks where it was asked, and without such a place in the report or nowhere', () => {
  for (const { seed, decision, event, facts, settings } of all) {
    if (decision.kind === 'skip') continue;
    const { channel, thread, comment, reaction } = decision.plan;
    const number = ('thread' in event ? event.thread.number : facts.check?.pull?.number) ?? null;
    expect({ seed, on: numberOf(channel), thread: thread?.number ?? null }).toEqual({ seed, on: number, thread: number });
    const hasPlace = number !== null || settings.reportIssue !== null;
    expect({ seed, hasPlace: channel !== null }).toEqual({ seed, hasPlace });
    if (settings.dryRun) expect({ seed, comment, reaction }).toEqual({ seed, comment: 'none', reaction: 'none' });
  }
});
