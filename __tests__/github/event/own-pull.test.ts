import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { loadFacts } from '../../../src/github/event/load-facts.ts';
import { renderMarked } from '../../../src/github/marker.ts';
import { type GateFacts, type OwnPull, type RunPlan, runPlanSchema, type Trust } from '../../../src/schema/gate.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import { never, startStage } from '../simulated.ts';
import {
  commentEvent,
  factsWith,
  outsider,
  outsiderInThread,
  ownPullWith,
  run,
  settingsWith,
  shaOfBase,
  shaOfHead,
  threadWith,
} from './gate-fixtures.ts';

interface Row {
  readonly when: string;
  readonly pull?: Partial<OwnPull>;
  readonly says?: string;
  readonly sender?: typeof outsider;
  readonly facts?: Partial<GateFacts>;
  readonly settings?: Partial<GateSettings>;
  readonly isMixed?: boolean;
}

function planOf({ pull, says = '@harness9 continue', isMixed, sender, facts, settings }: Row): RunPlan {
  const thread = threadWith({ ownPull: ownPullWith(pull), ...(isMixed ? { authors: outsiderInThread } : {}) });
  const event = commentEvent(says, sender ? { sender } : {});
  const decision = decideGate(event, factsWith({ thread, ...facts }), settingsWith(settings), run);
  if (decision.kind !== 'run') throw new Error(decision.skip.detail);
  return decision.plan;
}

const own = 'harness9/issue-12-fix-rounding-1a2b3c4d';
const rows: readonly (Row & {
  readonly trust: Trust;
  readonly delivery: RunPlan['delivery'];
  readonly from: string;
  readonly base: string;
  readonly continues?: number;
})[] = [
  {
    when: 'a writer asks to continue',
    ...{ trust: 'trusted', delivery: 'push_to_head', from: shaOfHead, base: 'main', continues: 2 },
  },
  {
    when: 'a writer asks for something else on the issue',
    says: '@harness9 add a test',
    ...{ trust: 'trusted', delivery: 'push_to_head', from: shaOfHead, base: 'main', continues: 2 },
  },
  {
    when: 'a person pushed to it and made it ready',
    pull: { isOursAlone: false, isDraft: false },
    ...{ trust: 'trusted', delivery: 'push_to_head', from: shaOfHead, base: 'main', continues: 2 },
  },
  {
    when: 'a writer wants to begin anew',
    says: '@harness9 new do it in another way',
    ...{ trust: 'trusted', delivery: 'pull_request', from: shaOfBase, base: 'main' },
  },
  {
    when: 'pull requests are not to be pushed to',
    settings: { pushToPr: false },
    ...{ trust: 'trusted', delivery: 'pull_request', from: shaOfHead, base: own, continues: 2 },
  },
  {
    when: 'an outsider wrote there, and it is a draft that only mixed runs wrote',
    isMixed: true,
    pull: { trust: 'mixed' },
    ...{ trust: 'mixed', delivery: 'push_to_head', from: shaOfHead, base: 'main', continues: 2 },
  },
  {
    when: 'an outsider wrote there, and a trusted run wrote the draft',
    isMixed: true,
    ...{ trust: 'mixed', delivery: 'pull_request', from: shaOfHead, base: own, continues: 2 },
  },
  {
    when: 'an outsider wrote there, and the mixed draft was made ready',
    isMixed: true,
    pull: { trust: 'mixed', isDraft: false },
    ...{ trust: 'mixed', delivery: 'pull_request', from: shaOfHead, base: own, continues: 2 },
  },
  {
    when: 'an outsider wrote there, and a person pushed to the mixed draft',
    isMixed: true,
    pull: { trust: 'mixed', isOursAlone: false },
    ...{ trust: 'mixed', delivery: 'pull_request', from: shaOfHead, base: own, continues: 2 },
  },
  {
    when: 'only writers are left on the thread, but a mixed run wrote the branch',
    pull: { trust: 'mixed' },
    settings: { context: 'writers' },
    ...{ trust: 'mixed', delivery: 'push_to_head', from: shaOfHead, base: 'main', continues: 2 },
  },
  {
    when: 'only writers are left, a mixed run wrote the branch, and a writer begins anew',
    pull: { trust: 'mixed' },
    says: '@harness9 new',
    ...{ trust: 'trusted', delivery: 'pull_request', from: shaOfBase, base: 'main' },
  },
  {
    when: 'a listed outsider asks',
    sender: outsider,
    facts: { requester: { kind: 'known', permission: 'read' } },
    settings: { allowedNonWriteUsers: ['eve'] },
    ...{ trust: 'untrusted', delivery: 'reply', from: shaOfHead, base: 'main', continues: 2 },
  },
];

describe('an issue with our open pull request', () => {
  test.each(rows)('is worked on so when $when', (row) => {
    const plan = planOf(row);
    expect({
      trust: plan.trust,
      delivery: plan.delivery,
      from: plan.checkoutSha,
      head: plan.head && [plan.head.branch, plan.head.sha, plan.head.isFork],
      base: plan.base.branch,
      continues: plan.pullRequest.continues,
    }).toEqual({
      trust: row.trust,
      delivery: row.delivery,
      from: row.from,
      head: row.continues === undefined ? null : [own, shaOfHead, false],
      base: row.base,
      continues: row.continues,
    });
    expect(runPlanSchema.parse(plan)).toEqual(plan);
    expect(plan.branchName).not.toBe(own);
  });

  test('keeps its base, at the newest commit that is known of it', () => {
    const old = { branch: 'release', sha: 'c'.repeat(40) };
    expect([planOf({ when: 'same' }).base, planOf({ when: 'another', pull: { base: old } }).base]).toEqual([
      { branch: 'main', sha: shaOfBase },
      old,
    ]);
  });
});

describe('loadFacts finds our pull request of an issue', () => {
  const bodyFor = (thread: string) =>
    renderMarked({ trigger: 'issue_comment-1', kind: 'pull_request', origin: { thread, trust: 'mixed' } }, 'Mended.');

  /** What the gate knows of our pull request for a new issue, after `arrange`. */
  async function found(
    arrange: (stage: Awaited<ReturnType<typeof startStage>>, thread: string, issue: number) => Promise<unknown>,
  ) {
    await using stage = await startStage();
    const issue = stage.hub.openIssue({ author: 'mona', title: 'T' }).number;
    await arrange(stage, `issue-${issue}`, issue);
    const event = stage.mention(issue);
    const { thread } = await loadFacts(event, settingsWith(), { api: stage.api, now: stage.now }, never);
    return thread?.ownPull;
  }

  const draft = { author: 'github-actions[bot]', head: 'harness9/x', title: 'X', files: { 'a.ts': 'a\n' }, draft: true };

  test('by author, place and marker; the newest of two', async () => {
    let sha = '';
    const pull = await found(async ({ hub }, thread) => {
      await hub.openPull({ ...draft, head: 'harness9/older', body: bodyFor(thread) });
      await hub.openPull({ ...draft, body: bodyFor(thread) });
      sha = await hub.git('rev-parse', 'refs/heads/harness9/x');
    });
    expect(pull).toEqual({
      number: 3,
      branch: 'harness9/x',
      sha,
      base: { branch: 'main', sha: expect.stringMatching(/^[0-9a-f]{40}$/) },
      isDraft: true,
      trust: 'mixed',
      isOursAlone: true,
    });
  });

  test('and sees that a person pushed to it', async () => {
    const pull = await found(async ({ hub }, thread) => {
      await hub.openPull({ ...draft, body: bodyFor(thread) });
      await hub.pushCommit({ branch: 'harness9/x', files: { 'b.ts': 'b\n' }, message: 'mine', author: 'mona' });
    });
    expect(pull).toMatchObject({ number: 2, isOursAlone: false });
  });

  test.each<[string, (stage: Awaited<ReturnType<typeof startStage>>, thread: string, issue: number) => Promise<unknown>]>([
    [
      'G8 somebody else’s with our marker',
      ({ hub }, thread) => hub.openPull({ ...draft, author: 'mona', body: bodyFor(thread) }),
    ],
    ['a fork’s', ({ hub }, thread) => hub.openPull({ ...draft, fork: 'eve/shop', body: bodyFor(thread) })],
    ['one for another issue', ({ hub }) => hub.openPull({ ...draft, body: bodyFor('issue-11') })],
    [
      'one without a thread in its marker',
      ({ hub }) => hub.openPull({ ...draft, body: '<!-- harness9:v1 trigger=a kind=pull_request -->\nx' }),
    ],
    ['one whose marker is quoted', ({ hub }, thread) => hub.openPull({ ...draft, body: `> ${bodyFor(thread)}` })],
    [
      'a closed one',
      async ({ hub }, thread) => hub.closeThread((await hub.openPull({ ...draft, body: bodyFor(thread) })).number, 'mona'),
    ],
    [
      'a merged one',
      async ({ hub }, thread) =>
        hub.mergePull((await hub.openPull({ ...draft, draft: false, body: bodyFor(thread) })).number, 'mona'),
    ],
    [
      'a comment that names a pull request',
      async ({ hub }, thread, issue) => {
        await hub.openPull({ ...draft, author: 'mona' });
        hub.comment({ author: 'eve', issue, body: bodyFor(thread) });
      },
    ],
  ])('but not %s', async (_what, arrange) => {
    expect(await found(arrange)).toBe(null);
  });

  test('and without the permission to read pull requests there is none', async () => {
    const pull = await found(async ({ hub }, thread) => {
      await hub.openPull({ ...draft, body: bodyFor(thread) });
      hub.fail({
        method: 'GET',
        path: /\/pulls(?:\?|$)/,
        status: 403,
        body: { message: 'Resource not accessible by integration' },
      });
    });
    expect(pull).toBe(null);
  });
});

test.each<[string, Partial<Row>, boolean]>([
  ['asks for its conflicts to be resolved', { says: '@harness9 resolve the conflicts' }, true],
  ['asks for anything else', { says: '@harness9 add a test' }, false],
  ['begins anew', { says: '@harness9 new rebase it' }, false],
  ['may have nothing pushed to it', { says: '@harness9 resolve the conflicts', settings: { pushToPr: false } }, false],
])('who %s has the base merged into our pull request, or not', (when, row, expected) => {
  expect(planOf({ when, ...row }).mergesBase).toBe(expected);
});
