// A check that failed: which pull request it is of, who asks by it, and when nothing is mended. On a simulated GitHub.
import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { loadFacts } from '../../../src/github/event/load-facts.ts';
import { parseEvent } from '../../../src/github/event/parse-event.ts';
import { gateFactsSchema } from '../../../src/schema/gate.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import type { Hand } from '../../../src/simulator/github/contract.ts';
import { never, startStage } from '../simulated.ts';
import { run, settingsWith } from './gate-fixtures.ts';

const workflowPath = '.github/workflows/ci.yml';
const files = { 'src/a.ts': 'export const a = 1;\n' };

type RunDraft = Parameters<Hand['startRun']>[0];
type Stage = Awaited<ReturnType<typeof startStage>>;

async function openPull({ hub }: Stage, changes: { author?: string; body?: string } = {}) {
  const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'Totals', files, ...changes });
  return { ...pull, sha: await hub.git('rev-parse', 'feature') };
}

function ended({ hub }: Stage, headSha: string, conclusion = 'failure', draft: Partial<RunDraft> = {}): number {
  const started = hub.startRun({ workflowPath, event: 'pull_request', headBranch: 'feature', headSha, actor: 'mona', ...draft });
  hub.finishRun(started.id, conclusion);
  return started.id;
}

async function decide(stage: Stage, runId: number, settings: Partial<GateSettings> = {}, attempt = 1) {
  const event = parseEvent('workflow_run', stage.hub.payload('workflow_run', { run: runId }));
  const all = settingsWith(settings);
  const facts = await loadFacts(event, all, { api: stage.api, now: stage.now }, never);
  expect(gateFactsSchema.parse(facts)).toEqual(facts);
  return decideGate(event, facts, all, { ...run, attempt });
}

async function outcome(...parameters: Parameters<typeof decide>) {
  const decision = await decide(...parameters);
  return decision.kind === 'run' ? 'run' : decision.skip.reason;
}

function reply({ hub }: Stage, pull: number, trigger: string, kind = 'reply') {
  hub.comment({ author: 'github-actions[bot]', issue: pull, body: `<!-- harness9:v1 trigger=${trigger} kind=${kind} -->\nx` });
}

describe('a run of a workflow that failed', () => {
  test('is bound to the open pull request by its commit, and pushes to its head', async () => {
    await using stage = await startStage();
    const pull = await openPull(stage);
    const id = ended(stage, pull.sha);
    const decision = await decide(stage, id, { prompt: 'Keep the public API.' });
    expect(decision).toMatchObject({
      kind: 'run',
      plan: {
        mode: 'fix',
        trigger: { kind: 'failure', id: `fix-${pull.number}-${pull.sha.slice(0, 12)}`, target: null },
        requester: { login: 'mona' },
        instruction: {
          command: null,
          text: expect.stringMatching(/^The check "ci" failed on the commit .*\n\nKeep the public API\.$/s),
        },
        thread: { kind: 'pull_request', number: pull.number, title: 'Totals' },
        threadKey: `pull_request-${pull.number}`,
        failedCheck: {
          kind: 'workflow_run',
          id,
          attempt: 1,
          name: 'ci',
          headSha: pull.sha,
          passedBefore: false,
          base: 'unknown',
        },
        channel: { kind: 'thread', number: pull.number },
        checkoutSha: pull.sha,
        trust: 'trusted',
        delivery: 'push_to_head',
      },
    });
  });

  test.each(['success', 'cancelled', 'skipped', 'action_required', 'startup_failure'])(
    'that ended with %s is no task',
    async (conclusion) => {
      await using stage = await startStage();
      const pull = await openPull(stage);
      expect(await outcome(stage, ended(stage, pull.sha, conclusion))).toBe('no_task');
    },
  );

  test('is of no pull request when the head has moved on, when there is none, or when it is closed', async () => {
    await using stage = await startStage();
    const pull = await openPull(stage);
    const id = ended(stage, pull.sha);
    const onMain = ended(stage, await stage.hub.git('rev-parse', 'main'), 'failure', {
      headBranch: 'main',
      event: 'push',
      workflowPath: '.github/workflows/lint.yml',
    });
    await stage.hub.pushCommit({ branch: 'feature', files: { 'b.ts': '1' }, message: 'b', author: 'mona' });
    expect([await outcome(stage, id), await outcome(stage, onMain)]).toEqual(['no_pull_request', 'no_pull_request']);
    const newer = ended(stage, await stage.hub.git('rev-parse', 'feature'));
    expect(await outcome(stage, newer)).toBe('run');
    stage.hub.closeThread(pull.number, 'mona');
    expect(await outcome(stage, newer)).toBe('no_pull_request');
  });

  test('A9 I5 of a fork is nobody’s, whoever ran it', async () => {
    await using stage = await startStage();
    const pull = await stage.hub.openPull({ author: 'eve', head: 'feature', title: 'P', fork: 'eve/shop', files });
    const headSha = await stage.hub.git('rev-parse', `refs/pull/${pull.number}/head`);
    const id = ended(stage, headSha, 'failure', { fork: 'eve/shop', actor: 'eve', triggeringActor: 'mona' });
    expect(await outcome(stage, id)).toBe('fork');
  });

  test('A9 needs its actor and whoever ran it again to be let in', async () => {
    await using stage = await startStage();
    const pull = await openPull(stage);
    const by = async (actor: string, triggeringActor: string, settings = {}) =>
      outcome(stage, ended(stage, pull.sha, 'failure', { actor, triggeringActor }), settings);
    stage.hub.addUser('dependabot[bot]', { type: 'Bot' });
    expect([
      await by('mona', 'eve'),
      await by('eve', 'mona'),
      await by('dependabot[bot]', 'mona'),
      await by('dependabot[bot]', 'mona', { allowedBots: ['dependabot[bot]'] }),
      await by('github-actions[bot]', 'github-actions[bot]'),
    ]).toEqual(['no_permission', 'no_permission', 'bot', 'run', 'run']);
  });

  test('which fails on the base as well is not this pull request’s fault; a pull request from a branch of that name says nothing', async () => {
    await using stage = await startStage();
    const pull = await openPull(stage);
    const main = await stage.hub.git('rev-parse', 'main');
    const base = (conclusion: string, event = 'push') => ended(stage, main, conclusion, { headBranch: 'main', event });
    const reasons = [];
    for (const [conclusion, event] of [['failure'], ['success'], ['cancelled'], ['failure', 'pull_request'], ['timed_out']]) {
      base(conclusion ?? '', event);
      reasons.push(await outcome(stage, ended(stage, pull.sha)));
    }
    expect(reasons).toEqual(['base_failing', 'run', 'run', 'run', 'base_failing']);
  });

  test('whose token may not read runs goes on and knows nothing of the base', async () => {
    await using stage = await startStage();
    const pull = await openPull(stage);
    stage.hub.fail({ path: /actions\/workflows/, status: 403 });
    stage.hub.fail({ path: /actions\/workflows/, status: 403 });
    expect(await decide(stage, ended(stage, pull.sha))).toMatchObject({ plan: { failedCheck: { base: 'unknown' } } });
  });

  test('which passed on this commit before, in another run or attempt, is known to be flaky', async () => {
    await using stage = await startStage();
    const pull = await openPull(stage);
    const passedBefore = async (id: number) => {
      const decision = await decide(stage, id);
      return decision.kind === 'run' && decision.plan.failedCheck?.passedBefore;
    };
    const id = ended(stage, pull.sha);
    expect(await passedBefore(id)).toBe(false);
    stage.hub.rerun({ run: id, by: 'mona' });
    stage.hub.finishRun(id, 'success');
    stage.hub.rerun({ run: id, by: 'mona' });
    stage.hub.finishRun(id, 'failure');
    expect(await passedBefore(id)).toBe(true);
    const other = ended(stage, pull.sha, 'failure', { workflowPath: '.github/workflows/lint.yml' });
    expect(await passedBefore(other)).toBe(false);
    // The push's run has the commit alone, this one its merge with the base.
    ended(stage, pull.sha, 'success', { workflowPath: '.github/workflows/lint.yml', event: 'push' });
    expect(await passedBefore(other)).toBe(false);
    ended(stage, pull.sha, 'success', { workflowPath: '.github/workflows/lint.yml' });
    expect(await passedBefore(other)).toBe(true);
  });
});

describe('attempts', () => {
  test('one a head: what a run is at work on, or has answered, is not begun again but by a re-run', async () => {
    await using stage = await startStage();
    const pull = await openPull(stage);
    const trigger = `fix-${pull.number}-${pull.sha.slice(0, 12)}`;
    const [first, second] = [ended(stage, pull.sha), ended(stage, pull.sha, 'timed_out')];
    reply(stage, pull.number, trigger, 'progress');
    expect(await outcome(stage, second)).toBe('answered');
    reply(stage, pull.number, trigger);
    expect([await outcome(stage, first), await outcome(stage, first, {}, 2)]).toEqual(['answered', 'run']);
  });

  test('three a pull request: then one notice, then silence', async () => {
    await using stage = await startStage();
    const pull = await openPull(stage);
    const id = ended(stage, pull.sha);
    for (const head of ['a', 'b', 'b', 'c']) reply(stage, pull.number, `fix-${pull.number}-${head.repeat(12)}`);
    reply(stage, pull.number, `fix-${pull.number}1-${'d'.repeat(12)}`);
    const told = await decide(stage, id);
    expect(told).toMatchObject({
      skip: {
        reason: 'fix_limit',
        conclusion: 'denied',
        detail: expect.stringMatching(/^there were 3 attempts .*max_fix_attempts is 3\./),
        notice: { channel: { kind: 'thread', number: pull.number } },
      },
    });
    expect(await outcome(stage, id, { maxFixAttempts: 4 })).toBe('run');
    reply(stage, pull.number, `fix-${pull.number}-${'e'.repeat(12)}`);
    expect(await decide(stage, id)).toMatchObject({ skip: { reason: 'fix_limit', notice: null } });
    expect(await decide(stage, id, { maxFixAttempts: 0 })).toMatchObject({ skip: { reason: 'fix_limit', notice: null } });
  });
});

describe('a check of our own pull request', () => {
  test.each([
    ['mixed', 'mixed'],
    ['trusted', 'trusted'],
  ])('which a %s run wrote is mended by a %s one', async (written, trust) => {
    await using stage = await startStage();
    const body = `<!-- harness9:v1 trigger=issue_comment-1 kind=pull_request thread=issue-1 trust=${written} -->\nOurs.`;
    const pull = await openPull(stage, { author: 'github-actions[bot]', body });
    const id = ended(stage, pull.sha, 'failure', { actor: 'github-actions[bot]' });
    expect(await decide(stage, id)).toMatchObject({ kind: 'run', plan: { trust, pullRequest: { continues: pull.number } } });
  });
});

test('the suite of an app is bound and compared like a run', async () => {
  await using stage = await startStage();
  const pull = await openPull(stage);
  const suite = (headSha: string, headBranch: string, conclusion: string) =>
    stage.hub.checkSuite({ app: 'circle', headSha, headBranch, checks: [{ name: 'build', conclusion }] });
  const failed = suite(pull.sha, 'feature', 'failure');
  const decideSuite = async () => {
    const event = parseEvent('check_suite', stage.hub.payload('check_suite', { checkSuite: failed, sender: 'mona' }));
    const facts = await loadFacts(event, settingsWith(), { api: stage.api, now: stage.now }, never);
    return decideGate(event, facts, settingsWith(), run);
  };
  expect(await decideSuite()).toMatchObject({
    kind: 'run',
    plan: { mode: 'fix', failedCheck: { kind: 'check_suite', id: failed, headSha: pull.sha, base: 'unknown' } },
  });
  suite(await stage.hub.git('rev-parse', 'main'), 'main', 'failure');
  expect(await decideSuite()).toMatchObject({ skip: { reason: 'base_failing' } });
});
