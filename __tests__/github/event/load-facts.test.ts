import { describe, expect, test } from '@jest/globals';
import { decideGate } from '../../../src/github/event/decide-gate.ts';
import { loadFacts } from '../../../src/github/event/load-facts.ts';
import { loadPermission } from '../../../src/github/event/load-permission.ts';
import { parseEvent } from '../../../src/github/event/parse-event.ts';
import { createOctokitApi } from '../../../src/github/octokit-api.ts';
import { Harness9Error } from '../../../src/schema/error.ts';
import { gateFactsSchema } from '../../../src/schema/gate.ts';
import { countingClock, startLoopback } from '../loopback-server.ts';
import { never, startStage } from '../simulated.ts';
import { run, settingsWith } from './gate-fixtures.ts';

const files = { 'src/a.ts': 'export const a = 1;\n' };
const self = { login: 'github-actions[bot]', id: expect.any(Number) };

describe('loadFacts on an issue', () => {
  test('knows requester, self, authors and the default branch', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const issue = hub.openIssue({ author: 'eve', title: 'Totals are off' });
    hub.comment({ author: 'eve', issue: issue.number, body: 'Please.' });
    const event = stage.mention(issue.number);
    hub.comment({ author: 'mallory', issue: issue.number, body: 'after the request' });
    const facts = await loadFacts(event, settingsWith(), { api, now }, never);
    expect(gateFactsSchema.parse(facts)).toEqual(facts);
    expect(facts).toEqual({
      version: 1,
      observedAt: expect.any(String),
      requester: { kind: 'known', permission: 'write' },
      self,
      thread: {
        state: 'open',
        isLocked: false,
        authors: [
          { login: 'eve', isWriter: false, isSelf: false },
          { login: 'mona', isWriter: true, isSelf: false },
        ],
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
      },
      check: null,
      base: { branch: 'main', sha: await hub.git('rev-parse', 'main') },
    });
  });

  test('A1 loads nothing of a thread whose requester may not ask', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const issue = hub.openIssue({ author: 'eve', title: 'T' });
    const event = stage.mention(issue.number, '@harness9 x', 'eve');
    const facts = await loadFacts(event, settingsWith(), { api, now }, never);
    expect([facts.requester, facts.thread]).toEqual([{ kind: 'known', permission: 'read' }, null]);
    expect(hub.requests.filter(({ path }) => path.includes('/issues/'))).toEqual([]);
    expect(decideGate(event, facts, settingsWith(), run)).toMatchObject({
      skip: { reason: 'no_permission', notice: null },
    });
  });

  test('A2 the association in the payload counts for nothing', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const issue = hub.openIssue({ author: 'eve', title: 'T' });
    const comment = hub.comment({ author: 'eve', issue: issue.number, body: '@harness9 x' });
    const payload = JSON.parse(JSON.stringify(hub.payload('issue_comment', { comment: comment.id })));
    payload.comment.author_association = 'OWNER';
    const event = parseEvent('issue_comment', payload);
    const facts = await loadFacts(event, settingsWith(), { api, now }, never);
    expect(decideGate(event, facts, settingsWith(), run)).toMatchObject({ skip: { reason: 'no_permission' } });
  });

  test('A7 a re-run has the weaker permission of its two actors', async () => {
    await using stage = await startStage();
    const issue = stage.hub.openIssue({ author: 'mona', title: 'T' });
    const event = stage.mention(issue.number);
    const asked = async (triggeringActor: string) =>
      (await loadFacts(event, settingsWith(), { api: stage.api, now: stage.now, triggeringActor }, never)).requester;
    expect([await asked('mona'), await asked('eve'), await asked('octo-org')]).toEqual([
      { kind: 'known', permission: 'write' },
      { kind: 'known', permission: 'read' },
      { kind: 'known', permission: 'write' },
    ]);
  });

  test('counts our answered triggers of a day, once each, and nobody else’s markers', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const issue = hub.openIssue({ author: 'mona', title: 'T' });
    const say = (author: string, trigger: string, kind: string) =>
      hub.comment({ author, issue: issue.number, body: `<!-- harness9:v1 trigger=${trigger} kind=${kind} -->\nx` });
    say('github-actions[bot]', 'a', 'progress');
    say('github-actions[bot]', 'a', 'reply');
    say('github-actions[bot]', 'b', 'reply');
    say('eve', 'c', 'reply');
    hub.comment({ author: 'github-actions[bot]', issue: issue.number, body: 'not by harness9' });
    const quoting = '> <!-- harness9:v1 trigger=d kind=reply -->\nquoted by another tool';
    hub.comment({ author: 'github-actions[bot]', issue: issue.number, body: quoting });
    const event = stage.mention(issue.number);
    const facts = await loadFacts(event, settingsWith(), { api, now }, never);
    expect(facts.thread?.runsInLastDay).toBe(2);
    const dayLater = () => new Date(now().getTime() + 86_400_000);
    expect((await loadFacts(event, settingsWith(), { api, now: dayLater }, never)).thread?.runsInLastDay).toBe(0);
  });

  test('G1-05 a gone author is one outsider', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const issue = hub.openIssue({ author: 'old', title: 'T' });
    hub.comment({ author: 'older', issue: issue.number, body: 'x' });
    hub.deleteUser('old');
    hub.deleteUser('older');
    const { thread } = await loadFacts(stage.mention(issue.number), settingsWith(), { api, now }, never);
    expect(thread?.authors).toEqual([
      { login: 'ghost', isWriter: false, isSelf: false },
      { login: 'mona', isWriter: true, isSelf: false },
    ]);
  });

  test('asks for thirty authors and takes the rest for outsiders', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const issue = hub.openIssue({ author: 'mona', title: 'T' });
    for (let index = 0; index < 35; index += 1) {
      hub.addUser(`w${index}`, { permission: 'write' });
      hub.comment({ author: `w${index}`, issue: issue.number, body: 'x' });
    }
    const { thread } = await loadFacts(stage.mention(issue.number), settingsWith(), { api, now }, never);
    expect(thread?.authors.filter(({ isWriter }) => isWriter).length).toBe(30);
    expect(thread?.authors.length).toBe(36);
  });

  test('A10 sees a locked thread', async () => {
    await using stage = await startStage();
    const issue = stage.hub.openIssue({ author: 'mona', title: 'T' });
    stage.hub.lockThread(issue.number);
    const facts = await loadFacts(stage.mention(issue.number), settingsWith(), { api: stage.api, now: stage.now }, never);
    expect(facts.thread?.isLocked).toBe(true);
  });
});

describe('loadFacts on a pull request', () => {
  test('pins the head, which stood before the request', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'P', files });
    const { thread, base } = await loadFacts(stage.mention(pull.number), settingsWith(), { api, now }, never);
    const sha = await hub.git('rev-parse', 'feature');
    const repository = `${hub.owner}/${hub.repo}`;
    expect(thread).toMatchObject({
      state: 'open',
      head: { branch: 'feature', sha, repository, isFork: false, movedAfterTrigger: false },
      base: { branch: 'main', sha: await hub.git('rev-parse', 'main') },
    });
    expect(base).toEqual(thread?.base);
  });

  test('B6 sees a push after the request, but not our own', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'P', files });
    const event = stage.mention(pull.number);
    const moved = async () => (await loadFacts(event, settingsWith(), { api, now }, never)).thread?.head?.movedAfterTrigger;
    await hub.pushCommit({ branch: 'feature', files: { 'b.ts': '1' }, message: 'ours', author: 'github-actions[bot]' });
    expect(await moved()).toBe(false);
    await hub.pushCommit({ branch: 'feature', files: { 'b.ts': '2' }, message: 'theirs', author: 'mona' });
    expect(await moved()).toBe(true);
  });

  test('B6 what cannot be verified counts as moved', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'P', files });
    const event = stage.mention(pull.number);
    hub.fail({ path: /activity/, status: 403 });
    const { thread } = await loadFacts(event, settingsWith(), { api, now }, never);
    expect(thread?.head).toMatchObject({ movedAfterTrigger: true, isUnlisted: true });
  });

  test('B6 a server without a list of pushes still trusts the head that a review’s event names', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'P', files });
    const review = hub.review({ author: 'mona', pull: pull.number, body: '@harness9 mend it', state: 'COMMENTED' });
    const event = parseEvent('pull_request_review', hub.payload('pull_request_review', { review: review.id }));
    hub.fail({ path: /activity/, status: 404, times: 9 });
    const { thread } = await loadFacts(event, settingsWith(), { api, now }, never);
    expect(thread?.head?.movedAfterTrigger).toBe(false);
  });

  test('G1-07 knows a fork’s head, and that the closed one is closed', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const pull = await hub.openPull({ author: 'eve', head: 'feat/x', title: 'P', fork: 'eve/shop', files });
    const event = stage.mention(pull.number);
    const { thread } = await loadFacts(event, settingsWith(), { api, now }, never);
    expect(thread?.head).toMatchObject({ branch: 'feat/x', repository: 'eve/shop', isFork: true });
    hub.closeThread(pull.number, 'mona');
    expect((await loadFacts(event, settingsWith(), { api, now }, never)).thread?.state).toBe('closed');
  });

  test('G1-14 a merged pull request goes to the default branch', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'P', files });
    await hub.mergePull(pull.number, 'mona');
    const facts = await loadFacts(stage.mention(pull.number), settingsWith(), { api, now }, never);
    expect([facts.thread?.state, facts.base]).toEqual(['merged', { branch: 'main', sha: await hub.git('rev-parse', 'main') }]);
  });

  test('an open pull request has its own base, at its newest commit, whatever the workflow’s base branch is', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    await hub.pushCommit({ branch: 'next', files: { 'n.ts': '1' }, message: 'n', author: 'mona' });
    const pull = await hub.openPull({ author: 'mona', head: 'feature', title: 'P', files });
    const newest = await hub.pushCommit({ branch: 'main', files: { 'm.ts': '1' }, message: 'm', author: 'mona' });
    const facts = await loadFacts(stage.mention(pull.number), settingsWith({ baseBranch: 'next' }), { api, now }, never);
    expect(facts.base).toEqual({ branch: 'main', sha: newest });
  });

  test('G1-13 the default branch stands in for a base that is gone', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    await hub.pushCommit({ branch: 'stack', files: { 's.ts': '1' }, message: 's', author: 'mona' });
    const pull = await hub.openPull({ author: 'mona', head: 'feature', base: 'stack', title: 'P', files });
    const event = stage.mention(pull.number);
    expect((await loadFacts(event, settingsWith(), { api, now }, never)).base.branch).toBe('stack');
    await hub.git('update-ref', '-d', 'refs/heads/stack');
    const facts = await loadFacts(event, settingsWith(), { api, now }, never);
    expect([facts.base.branch, facts.thread?.base?.branch]).toEqual(['main', 'stack']);
  });
});

describe('loadFacts without a thread', () => {
  test('a schedule needs no thread, and its actor the permission', async () => {
    await using stage = await startStage();
    const event = parseEvent('schedule', { ...stage.hub.payload('schedule') }, { actor: { login: 'mona', id: 5 } });
    const facts = await loadFacts(event, settingsWith(), { api: stage.api, now: stage.now }, never);
    expect([facts.requester, facts.thread, facts.base.branch]).toEqual([{ kind: 'known', permission: 'write' }, null, 'main']);
  });

  test('the base branch of the settings must exist', async () => {
    await using stage = await startStage();
    const event = parseEvent('schedule', { ...stage.hub.payload('schedule') }, { actor: { login: 'mona', id: 5 } });
    const load = (baseBranch: string) =>
      loadFacts(event, settingsWith({ baseBranch }), { api: stage.api, now: stage.now }, never);
    await stage.hub.pushCommit({ branch: 'next', files, message: 'n', author: 'mona' });
    expect((await load('next')).base).toEqual({ branch: 'next', sha: await stage.hub.git('rev-parse', 'next') });
    const fault = await load('nope').catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(Harness9Error);
    expect(fault).toMatchObject({ code: 'BASE_BRANCH_MISSING' });
  });

  test('where GraphQL says nothing the Actions bot has the id that this server has given it', async () => {
    await using stage = await startStage();
    const { hub, api, now } = stage;
    const event = parseEvent('schedule', { ...hub.payload('schedule') }, { actor: { login: 'mona', id: 5 } });
    hub.fail({ path: /graphql/, status: 403, times: 2 });
    hub.fail({ path: /^\/users\//, status: 200, body: { login: 'github-actions[bot]', id: 900 } });
    const selfOf = async () => (await loadFacts(event, settingsWith(), { api, now }, never)).self;
    expect(await selfOf()).toEqual({ login: 'github-actions[bot]', id: 900 });
    hub.fail({ path: /^\/users\//, status: 404 });
    expect(await selfOf()).toEqual({ login: 'github-actions[bot]', id: 41_898_282 });
  });

  test('a person’s token writes as that person', async () => {
    await using stage = await startStage();
    const { hub } = stage;
    const event = parseEvent('schedule', { ...hub.payload('schedule') }, { actor: { login: 'mona', id: 5 } });
    const options = { egress: (text: string) => text, fetch, clock: countingClock(), random: () => 0, log: () => undefined };
    const api = createOctokitApi({ ...options, token: hub.issueToken('mona'), apiUrl: hub.apiUrl });
    expect((await loadFacts(event, settingsWith(), { api, now: stage.now }, never)).self.login).toBe('mona');
  });
});

describe('loadPermission', () => {
  const repository = { owner: 'o', repo: 'r' };
  async function ask(reply: object) {
    await using server = await startLoopback(() => reply);
    const options = { egress: (text: string) => text, fetch, clock: countingClock(), random: () => 0, log: () => undefined };
    const api = createOctokitApi({ ...options, token: 't', apiUrl: server.url });
    return await loadPermission({ api, repository }, 'Copilot', never);
  }

  test.each([
    ['A3 G1-06 404', { status: 404, json: { message: 'Copilot is not a user' } }],
    ['A3 403', { status: 403 }],
    ['A3 500', { status: 500 }],
    ['A3 no answer', { cut: true }],
    ['A3 permission null', { json: { permission: null } }],
    ['A3 a strange permission', { json: { permission: 'owner', role_name: 'boss' } }],
    ['A3 no JSON', { text: 'ok' }],
  ])('%s is unknown, with the reason', async (_name, reply) => {
    expect(await ask(reply)).toEqual({ kind: 'unknown', reason: expect.stringMatching(/./) });
  });

  test.each([
    [{ permission: 'write', role_name: 'maintain' }, 'maintain'],
    [{ permission: 'read', role_name: 'triage' }, 'triage'],
    [{ permission: 'write', role_name: 'release-crew' }, 'write'],
    [{ permission: 'admin' }, 'admin'],
  ])('%j is %s', async (json, permission) => {
    expect(await ask({ json })).toEqual({ kind: 'known', permission });
  });
});
