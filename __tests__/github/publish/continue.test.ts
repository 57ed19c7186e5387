import { afterEach, describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { loadFacts } from '../../../src/github/event/load-facts.ts';
import { parseEvent } from '../../../src/github/event/parse-event.ts';
import { announce } from '../../../src/github/publish/announce.ts';
import { publish } from '../../../src/github/publish/publish.ts';
import type { Bundle } from '../../../src/schema/bundle.ts';
import type { RunPlan } from '../../../src/schema/gate.ts';
import type { GateSettings } from '../../../src/schema/settings.ts';
import { run as identity, settingsWith } from '../event/gate-fixtures.ts';
import { bundleOf, writeOf } from '../plan-and-bundle.ts';
import { never, openStage, type Stage } from './stage.ts';

const stages: Stage[] = [];
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

async function open(options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  // No two things happen in the same second.
  let seconds = 0;
  const now = () => new Date(Date.UTC(2026, 2, 1) + 1000 * seconds++);
  const stage = await openStage({ now, ...options });
  stages.push(stage);
  return stage;
}

/** The plan that the gate makes of a comment on the stage's issue, or on another thread. */
async function ask(stage: Stage, body: string, settings: Partial<GateSettings> = {}, thread = stage.plan.thread?.number ?? 0) {
  const comment = stage.hub.comment({ author: 'mona', issue: thread, body });
  const event = parseEvent('issue_comment', stage.hub.payload('issue_comment', { comment: comment.id }));
  const given = settingsWith({ createPr: 'draft', ...settings });
  const facts = await loadFacts(event, given, { api: stage.ports.api, now: stage.ports.clock.now }, never);
  const decision = decideGate(event, facts, given, identity);
  if (decision.kind !== 'run') throw new Error(decision.skip.detail);
  return decision.plan;
}

async function finish(stage: Stage, plan: RunPlan, more: Partial<Bundle> = {}) {
  const announcement = await announce(plan, stage.ports, never);
  return publish(plan, bundleOf(plan, more), announcement, { ports: stage.ports, signal: never });
}

const cut = { ...bundleOf({ checkoutSha: '0'.repeat(40) } as RunPlan).result, stopReason: 'max_turns' as const };
const one = { changes: [writeOf('one.txt', '1\n')], reply: 'One is done.', result: cut };
const two = { changes: [writeOf('two.txt', '2\n')], reply: 'Two is done as well.', title: 'Another title' };
const pullsOf = (stage: Stage) => stage.hub.snapshot().pulls;
const filesOf = async (stage: Stage, branch: string) =>
  (await stage.hub.git('ls-tree', '-r', '--name-only', `refs/heads/${branch}`))
    .split('\n')
    .filter((file) => /^(?:one|two|three|person)/.test(file));

describe('a later request on an issue', () => {
  test('goes on with the open pull request: commit on its branch, description renewed, title kept', async () => {
    const stage = await open();
    const first = await finish(stage, await ask(stage, '@harness9 do both'), one);
    expect(pullsOf(stage)[0]?.body).toContain('**Not finished**');

    const plan = await ask(stage, '@harness9 continue');
    expect([plan.checkoutSha, plan.delivery, plan.trust]).toEqual([first.commitSha, 'push_to_head', 'trusted']);
    const second = await finish(stage, plan, two);

    const [pull] = pullsOf(stage);
    expect(pullsOf(stage)).toHaveLength(1);
    expect(second).toMatchObject({
      conclusion: 'success',
      branchName: first.branchName,
      pullRequest: { number: first.pullRequest?.number, operation: 'updated' },
    });
    expect(await filesOf(stage, pull?.head ?? '')).toEqual(['one.txt', 'two.txt']);
    expect(pull?.title).toBe('Fix rounding in total()');
    expect(pull?.body).toContain('Two is done as well.');
    expect(pull?.body).toContain(`Closes #${stage.plan.thread?.number}`);
    expect(pull?.body).not.toContain('Not finished');
    expect(stage.replies().at(-1)).toContain(`· branch \`${first.branchName}\` · #${pull?.number} ·`);

    expect(await ask(stage, '@harness9 one more')).toMatchObject({ checkoutSha: second.commitSha, delivery: 'push_to_head' });
  });

  test('that finds nothing left to do takes “Not finished” away; a question does not', async () => {
    const stage = await open();
    await finish(stage, await ask(stage, '@harness9 do both'), one);
    const before = pullsOf(stage)[0]?.body;
    const question = await finish(stage, await ask(stage, '@harness9 why?'), { changes: [], reply: 'Because.' });
    expect([pullsOf(stage)[0]?.body, question.pullRequest]).toEqual([before, null]);

    const done = await finish(stage, await ask(stage, '@harness9 continue'), { changes: [], reply: 'All was done.' });
    expect(done).toMatchObject({ conclusion: 'no_changes', commitSha: null, pullRequest: { operation: 'updated' } });
    expect(pullsOf(stage)[0]?.body).toContain('All was done.');
    expect(pullsOf(stage)[0]?.body).not.toContain('Not finished');
  });

  test.each([
    ['closed', (stage: Stage, number: number) => stage.hub.closeThread(number, 'mona')],
    ['merged', (stage: Stage, number: number) => stage.hub.mergePull(number, 'mona')],
  ])('begins at the base again after the pull request was %s', async (_how, end) => {
    const stage = await open();
    await finish(stage, await ask(stage, '@harness9 do one'), one);
    await end(stage, pullsOf(stage)[0]?.number ?? 0);
    const plan = await ask(stage, '@harness9 do two');
    expect(plan).toMatchObject({ checkoutSha: await stage.hub.git('rev-parse', 'main'), head: null, delivery: 'pull_request' });
  });

  test('that says new begins another pull request, with which the one after it goes on', async () => {
    const stage = await open();
    const first = await finish(stage, await ask(stage, '@harness9 do one'), one);
    const other = await finish(stage, await ask(stage, '@harness9 new do two'), two);
    expect(other.pullRequest).toMatchObject({ operation: 'created' });
    expect(pullsOf(stage)).toMatchObject([{ state: 'open' }, { state: 'open', base: 'main' }]);
    const older = `> #${first.pullRequest?.number}, from before, is left as it is: close the one that you do not want.`;
    expect(stage.replies().at(-1)).toContain(older);
    expect(stage.replies()[0]).not.toContain('is left as it is');
    expect(await filesOf(stage, other.branchName ?? '')).toEqual(['two.txt']);
    expect((await ask(stage, '@harness9 continue')).pullRequest.continues).toBe(other.pullRequest?.number);
  });

  test('that says new and is run again does not take its own pull request for an older one', async () => {
    const stage = await open();
    await finish(stage, await ask(stage, '@harness9 do one'), one);
    const plan = await ask(stage, '@harness9 new do two');
    const { pullRequest } = await finish(stage, plan, two);
    // As the gate sees it then: the newest that is open is this run's own.
    const again = { ...plan, pullRequest: { ...plan.pullRequest, leaves: pullRequest?.number ?? 0 } };
    expect(await finish(stage, again, two)).toMatchObject({ pullRequest });
    expect(stage.replies().at(-1)).not.toContain('left as it is');
  });

  test('that says new and changes nothing speaks of no other pull request', async () => {
    const stage = await open();
    await finish(stage, await ask(stage, '@harness9 do one'), one);
    await finish(stage, await ask(stage, '@harness9 new is it right?'), { changes: [], reply: 'It is.' });
    expect(stage.replies().at(-1)).not.toContain('left as it is');
  });

  test('is stacked where pull requests are not to be pushed to, and the reply says on which', async () => {
    const stage = await open();
    const first = await finish(stage, await ask(stage, '@harness9 do one'), one);
    const plan = await ask(stage, '@harness9 do two', { pushToPr: false });
    const stacked = await finish(stage, plan, two);
    expect(stacked.pullRequest).toMatchObject({ operation: 'created' });
    expect(pullsOf(stage)).toMatchObject([{ base: 'main' }, { base: first.branchName, head: stacked.branchName }]);
    expect(await stage.hub.git('rev-parse', `refs/heads/${first.branchName}`)).toBe(first.commitSha);
    const [below, above] = [first, stacked].map(({ pullRequest }) => pullRequest?.number);
    expect(stage.replies().at(-1)).toContain(`> #${above} is stacked on #${below}: it goes to that one’s branch.`);
    expect(stage.replies()[0]).not.toContain('is stacked on');
  });

  test('whose description GitHub refuses still has its commit, and says so', async () => {
    const stage = await open();
    await finish(stage, await ask(stage, '@harness9 do one'), one);
    const plan = await ask(stage, '@harness9 do two');
    stage.hub.fail({ method: 'PATCH', path: /\/pulls\/\d+$/, status: 403, body: { message: 'no' } });
    const outcome = await finish(stage, plan, two);
    expect(outcome).toMatchObject({ conclusion: 'success', pullRequest: { operation: 'updated' } });
    expect(outcome.warnings).toContainEqual(
      expect.stringContaining(`The description of #${outcome.pullRequest?.number} is the earlier one`),
    );
  });
});

describe('about an outsider’s report', () => {
  async function openMixed() {
    const stage = await open();
    const issue = stage.hub.openIssue({ author: 'eve', title: 'It rounds wrong' }).number;
    const first = await finish(stage, await ask(stage, '@harness9 fix it', {}, issue), one);
    const again = (settings: Partial<GateSettings> = {}) => ask(stage, '@harness9 continue', settings, issue);
    return { stage, first, again, number: first.pullRequest?.number ?? 0 };
  }

  test('a mixed run goes on with the draft of a mixed run', async () => {
    const { stage, first, again } = await openMixed();
    const plan = await again();
    expect([plan.trust, plan.delivery]).toEqual(['mixed', 'push_to_head']);
    expect(await finish(stage, plan, two)).toMatchObject({ branchName: first.branchName, pullRequest: { operation: 'updated' } });
    expect(pullsOf(stage)).toMatchObject([{ draft: true, body: expect.stringContaining('trust=mixed') }]);
  });

  test('a person’s push is not pushed onto: a draft is stacked on it', async () => {
    const { stage, first, again } = await openMixed();
    const branch = first.branchName ?? '';
    const person = await stage.hub.pushCommit({ branch, files: { 'person.txt': 'p\n' }, message: 'mine', author: 'mona' });
    const outcome = await finish(stage, await again(), two);
    expect(await stage.hub.git('rev-parse', `refs/heads/${branch}`)).toBe(person);
    expect(pullsOf(stage).at(-1)).toMatchObject({ draft: true, base: branch });
    expect(await filesOf(stage, outcome.branchName ?? '')).toEqual(['one.txt', 'person.txt', 'two.txt']);
  });

  test('a draft that became ready during the run is not pushed onto', async () => {
    const { stage, first, again, number } = await openMixed();
    const plan = await again();
    stage.hub.markReady(number);
    const outcome = await finish(stage, plan, two);
    expect(outcome.branchName).not.toBe(first.branchName);
    expect(pullsOf(stage).at(-1)).toMatchObject({ draft: true, base: first.branchName });
    expect(stage.replies().at(-1)).toContain(`#${number} was marked as ready meanwhile`);
  });
});

describe('a pull request that ends during the run', () => {
  test.each([
    ['merged', (stage: Stage, number: number) => stage.hub.mergePull(number, 'mona')],
    ['closed', async (stage: Stage, number: number) => stage.hub.closeThread(number, 'mona')],
  ])('and is %s is not pushed to: a new one takes the changes, and the reply says so', async (how, end) => {
    const stage = await open();
    const first = await finish(stage, await ask(stage, '@harness9 do one'), one);
    const number = first.pullRequest?.number ?? 0;
    const plan = await ask(stage, '@harness9 do two');
    await end(stage, number);
    const outcome = await finish(stage, plan, two);
    expect(outcome).toMatchObject({ conclusion: 'success', pullRequest: { operation: 'created' } });
    expect(pullsOf(stage).at(-1)).toMatchObject({ base: 'main', head: outcome.branchName });
    expect(await stage.hub.git('rev-parse', `refs/heads/${first.branchName}`)).toBe(first.commitSha);
    expect(stage.replies().at(-1)).toContain(`#${number} was ${how} meanwhile, so the changes are on a branch of their own.`);
  });

  test('a person’s pull request too', async () => {
    const stage = await open();
    const pull = await stage.hub.openPull({ author: 'mona', head: 'feature', title: 'F', files: { 'one.txt': '1\n' } });
    const plan = await ask(stage, '@harness9 do two', {}, pull.number);
    await stage.hub.mergePull(pull.number, 'mona');
    const outcome = await finish(stage, plan, two);
    expect(pullsOf(stage).at(-1)).toMatchObject({ base: 'main', head: outcome.branchName });
    expect(stage.replies().at(-1)).toContain(`#${pull.number} was merged meanwhile`);
  });

  test('after an earlier try had pushed, is left as it is (R4)', async () => {
    const stage = await open();
    const first = await finish(stage, await ask(stage, '@harness9 do one'), one);
    const plan = await ask(stage, '@harness9 do two');
    const pushed = await finish(stage, plan, two);
    await stage.hub.mergePull(first.pullRequest?.number ?? 0, 'mona');
    expect(await finish(stage, plan, two)).toMatchObject({ commitSha: pushed.commitSha, branchName: first.branchName });
    expect(pullsOf(stage)).toHaveLength(1);
  });
});

describe('another result for the same branch', () => {
  test('of the same trigger is a commit on top in the same pull request, and takes the first one’s place', async () => {
    const stage = await open();
    const first = await finish(stage, stage.plan, one);
    const second = await finish(stage, stage.plan, two);
    expect(second).toMatchObject({
      branchName: first.branchName,
      pullRequest: { number: first.pullRequest?.number, operation: 'updated' },
    });
    expect(await filesOf(stage, first.branchName ?? '')).toEqual(['two.txt']);
    expect(await stage.hub.git('log', '-1', '--format=%P', `refs/heads/${first.branchName}`)).toBe(first.commitSha);
    expect(pullsOf(stage)).toMatchObject([{ body: expect.stringContaining('Two is done as well.') }]);
    expect(await finish(stage, stage.plan, two)).toMatchObject({ commitSha: second.commitSha, branchName: first.branchName });
  });

  test('of a schedule, whose base moved, shows only its own changes', async () => {
    const stage = await open();
    const plan = {
      ...stage.plan,
      thread: null,
      threadKey: 'other-1',
      event: { kind: 'schedule', action: '' },
      pullRequest: { ...stage.plan.pullRequest, closes: null },
    } as const;
    const first = await finish(stage, plan, one);
    const base = await stage.hub.pushCommit({ branch: 'main', files: { 'three.txt': '3\n' }, message: 'on main' });
    const later = {
      ...plan,
      trigger: { ...plan.trigger, id: 'schedule-run-100' },
      base: { branch: 'main', sha: base },
      checkoutSha: base,
    };
    const second = await finish(stage, later, two);
    expect(second.pullRequest).toMatchObject({ number: first.pullRequest?.number, operation: 'updated' });
    expect(await stage.hub.git('diff', '--name-only', `main...${first.branchName}`)).toBe('two.txt');
    expect(await stage.hub.git('log', '-1', '--format=%P', `refs/heads/${first.branchName}`)).toBe(`${first.commitSha} ${base}`);
  });

  test('never takes a person’s commit away: it gets a branch of its own', async () => {
    const stage = await open();
    const first = await finish(stage, stage.plan, one);
    const branch = first.branchName ?? '';
    const person = await stage.hub.pushCommit({ branch, files: { 'person.txt': 'p\n' }, message: 'mine', author: 'mona' });
    const second = await finish(stage, stage.plan, two);
    expect(second.branchName).toBe(`${branch}-2`);
    expect(await stage.hub.git('rev-parse', `refs/heads/${branch}`)).toBe(person);
  });

  test('is never forced (R8)', async () => {
    const stage = await open();
    await finish(stage, stage.plan, one);
    await finish(stage, stage.plan, two);
    expect(JSON.stringify(stage.hub.requests)).not.toMatch(/force\\?"\s*:\s*true/);
  });
});

test('killed after the pull request was made, the next process names it as created (R4)', async () => {
  const stage = await open();
  const first = await finish(stage, stage.plan);
  const again = await finish(stage, stage.plan);
  expect(again.pullRequest).toEqual(first.pullRequest);
  expect(stage.replies()).toEqual([expect.stringContaining(`· #${first.pullRequest?.number} ·`)]);
});

test('what GitHub refuses to push to a head is left out by its path, a link of the folder’s name too (G1-15)', async () => {
  const stage = await open();
  await finish(stage, await ask(stage, '@harness9 do one'), one);
  const plan = await ask(stage, '@harness9 do two');
  stage.hub.fail({
    method: 'PATCH',
    path: /git\/refs/,
    status: 403,
    body: { message: 'refusing to allow a GitHub App to create or update workflow' },
  });
  const link = writeOf('.github/workflows', '../elsewhere', { mode: '120000' });
  const outcome = await finish(stage, plan, { ...two, changes: [...two.changes, link] });
  expect(outcome).toMatchObject({ conclusion: 'success', pullRequest: { operation: 'updated' } });
  expect(await filesOf(stage, outcome.branchName ?? '')).toEqual(['one.txt', 'two.txt']);
  expect(stage.replies().at(-1)).toContain('**Not published:** `.github/workflows`: GitHub refused it');
});
