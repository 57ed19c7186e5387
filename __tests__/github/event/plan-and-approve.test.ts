import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { type GateFacts, type RunPlan, runPlanSchema } from '../../../src/schema/gate.ts';
import type { Actor } from '../../../src/schema/github-event.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import {
  commentEvent,
  factsWith,
  headWith,
  issueEvent,
  outsider,
  outsiderInThread,
  ownPullWith,
  pullComment,
  run,
  settingsWith,
  shaOfBase,
  shaOfHead,
  threadWith,
  writer,
} from './gate-fixtures.ts';

/** Who asks, and where. */
interface Place {
  readonly where: string;
  readonly sender?: Actor;
  readonly isOnPull?: boolean;
  readonly facts?: Partial<GateFacts>;
  readonly settings?: Partial<GateSettings>;
}

function decide({ sender = writer, isOnPull = false, facts, settings }: Place, words: string) {
  const event = isOnPull ? pullComment(`@harness9 ${words}`) : commentEvent(`@harness9 ${words}`);
  return decideGate({ ...event, sender }, factsWith(facts), settingsWith(settings), run);
}

function planOf(place: Place, words: string): RunPlan {
  const decision = decide(place, words);
  if (decision.kind !== 'run') throw new Error(`${place.where}: ${decision.skip.detail}`);
  return decision.plan;
}

const means = ({ mode, trust, tools, bash, network, delivery }: RunPlan) => [mode, trust, tools, bash, network, delivery];
const pull = (changes = {}) => threadWith({ head: headWith(changes), base: { branch: 'main', sha: shaOfBase } });
const read = { kind: 'known', permission: 'read' } as const;

type Means = readonly [trust: string, tools: string, bash: string, network: string, delivery: string];
const places: readonly (Place & { readonly approved: Means })[] = [
  { where: 'a writer asks on an issue', approved: ['trusted', 'all', 'allowed', 'open', 'pull_request'] },
  {
    where: 'an outsider wrote on the issue',
    facts: { thread: threadWith({ authors: outsiderInThread }) },
    approved: ['mixed', 'all', 'sandboxed', 'allowlist', 'pull_request'],
  },
  {
    where: 'the issue has our open pull request',
    facts: { thread: threadWith({ ownPull: ownPullWith() }) },
    approved: ['trusted', 'all', 'allowed', 'open', 'push_to_head'],
  },
  {
    where: 'the open pull request of a mixed issue may be pushed to',
    facts: { thread: threadWith({ authors: outsiderInThread, ownPull: ownPullWith({ trust: 'mixed' }) }) },
    approved: ['mixed', 'all', 'sandboxed', 'allowlist', 'push_to_head'],
  },
  {
    where: 'a writer asks on a pull request',
    isOnPull: true,
    facts: { thread: pull() },
    approved: ['trusted', 'all', 'allowed', 'open', 'push_to_head'],
  },
  {
    where: 'pull requests are not pushed to',
    isOnPull: true,
    facts: { thread: pull() },
    settings: { pushToPr: false },
    approved: ['trusted', 'all', 'allowed', 'open', 'pull_request'],
  },
  {
    where: 'an outsider wrote on the pull request',
    isOnPull: true,
    facts: { thread: { ...pull(), authors: outsiderInThread } },
    approved: ['mixed', 'all', 'sandboxed', 'allowlist', 'reply'],
  },
  {
    where: 'G1-07 a writer asks on a fork’s pull request',
    isOnPull: true,
    facts: { thread: pull({ isFork: true, repository: 'eve/r' }) },
    approved: ['untrusted', 'all', 'denied', 'off', 'reply'],
  },
  {
    where: 'B6 the head moved after the request',
    isOnPull: true,
    facts: { thread: pull({ movedAfterTrigger: true }) },
    approved: ['untrusted', 'read_only', 'denied', 'off', 'reply'],
  },
  {
    where: 'G1-14 the pull request is merged',
    isOnPull: true,
    facts: { thread: { ...pull(), state: 'merged' } },
    approved: ['trusted', 'all', 'allowed', 'open', 'pull_request'],
  },
];

/** They may ask for a plan, and not approve one. */
const placesOfOutsiders: typeof places = [
  {
    where: 'a listed outsider asks',
    sender: outsider,
    facts: { requester: read },
    settings: { allowedNonWriteUsers: ['eve'] },
    approved: ['untrusted', 'read_only', 'denied', 'off', 'reply'],
  },
  {
    where: 'a listed outsider asks on a fork’s pull request',
    sender: outsider,
    isOnPull: true,
    facts: { requester: read, thread: pull({ isFork: true, repository: 'eve/r' }) },
    settings: { allowedNonWriteUsers: ['eve'] },
    approved: ['untrusted', 'read_only', 'denied', 'off', 'reply'],
  },
  {
    where: 'a triager asks, where triage is enough',
    facts: { requester: { kind: 'known', permission: 'triage' } },
    settings: { requiredPermission: 'triage' },
    approved: ['untrusted', 'read_only', 'denied', 'off', 'reply'],
  },
];

describe('a plan is asked for', () => {
  test.each([...places, ...placesOfOutsiders])(
    '[spec 9 permission control] and the run has reading alone when $where',
    (place) => {
      const plan = planOf(place, 'plan the fix');
      const [trust] = place.approved;
      expect(means(plan)).toEqual(['plan', trust, 'read_only', 'denied', 'off', 'reply']);
      expect(plan.instruction).toEqual({ text: 'the fix', command: 'plan' });
      expect(runPlanSchema.parse(plan)).toEqual(plan);
    },
  );

  test('and nothing that the workflow is set to widens it', () => {
    const widest = { network: 'open', context: 'writers', createPr: 'ready', pushToPr: true } as const;
    expect(means(planOf({ where: 'widest', settings: widest }, 'plan it'))).toEqual([
      ...['plan', 'trusted', 'read_only', 'denied', 'off', 'reply'],
    ]);
  });

  test('and it is made on the code that it is about', () => {
    const own = planOf({ where: 'own', facts: { thread: threadWith({ ownPull: ownPullWith() }) } }, 'plan the rest');
    const head = planOf({ where: 'head', isOnPull: true, facts: { thread: pull() }, settings: { pushToPr: false } }, 'plan it');
    expect([own.checkoutSha, own.pullRequest.continues, own.base.branch]).toEqual([shaOfHead, 2, 'main']);
    expect([head.checkoutSha, head.base]).toEqual([shaOfHead, { branch: 'main', sha: shaOfBase }]);
  });

  test('in a new issue, too', () => {
    const event = issueEvent({ body: 'Totals are off.\n\n@harness9 plan' });
    const decision = decideGate(event, factsWith(), settingsWith(), run);
    expect(decision).toMatchObject({ plan: { mode: 'plan', tools: 'read_only', instruction: { text: 'Totals are off.' } } });
  });
});

describe('a plan is approved', () => {
  test.each(places)('and the run is granted what every other is when $where', (place) => {
    const plan = planOf(place, 'approve');
    expect(means(plan)).toEqual(['act', ...place.approved]);
    expect(means(planOf(place, 'fix it'))).toEqual(means(plan));
    expect(plan.instruction).toEqual({ text: '', command: 'approve' });
    expect(plan.session).toBe('auto');
    expect(runPlanSchema.parse(plan)).toEqual(plan);
  });

  test.each(placesOfOutsiders)('A1 by nobody who may not write, and they are told so: $where', (place) => {
    const login = (place.sender ?? writer).login;
    expect(decide(place, 'approve, but leave out step 3')).toMatchObject({
      kind: 'skip',
      skip: {
        reason: 'no_permission',
        detail: `${login} may ask here, but only those who may write can approve a plan.`,
        conclusion: 'denied',
        notice: { thread: place.isOnPull === true ? 7 : 12 },
      },
    });
    expect(planOf(place, 'fix it').trust).toBe('untrusted');
  });

  test('by a bot that is listed, which asks as a writer', () => {
    const bot: Actor = { login: 'helper[bot]', id: 5, type: 'Bot' };
    const place = { where: 'a listed bot', sender: bot, settings: { allowedBots: ['helper[bot]'] } };
    expect(planOf(place, 'approve').tools).toBe('all');
  });

  test('with conditions, which are in its text', () => {
    const { mode, instruction } = planOf({ where: 'conditions' }, 'approve, but leave out step 3 --max-turns 5');
    expect([mode, instruction]).toEqual(['act', { text: 'but leave out step 3', command: 'approve', maxTurns: 5 }]);
  });
});

describe.each(['plan the fix', 'approve', 'approve, but leave out step 3'])(
  'A1 "%s" passes the gate of every request',
  (words) => {
    test.each<Place & { readonly reason: string }>([
      { where: 'a reader asks', sender: outsider, facts: { requester: read }, reason: 'no_permission' },
      {
        where: 'the permission is not known',
        facts: { requester: { kind: 'unknown', reason: '404' } },
        reason: 'permission_unknown',
      },
      {
        where: 'a writer is not among the allowed users',
        settings: { allowedUsers: ['hubot'] },
        reason: 'no_permission',
      },
      { where: 'a bot asks', sender: { login: 'evil[bot]', id: 5, type: 'Bot' }, reason: 'bot' },
      { where: 'the thread is locked', facts: { thread: threadWith({ isLocked: true }) }, reason: 'locked' },
      { where: 'the thread is full', facts: { thread: threadWith({ runsInLastDay: 21 }) }, reason: 'thread_limit' },
    ])('and is refused when $where', ({ reason, ...place }) => {
      expect(decide(place, words)).toMatchObject({ kind: 'skip', skip: { reason, conclusion: 'denied', notice: null } });
    });
  },
);
