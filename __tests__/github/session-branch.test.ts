import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { GitHubApi } from '../../src/github/api.ts';
import { createOctokitApi } from '../../src/github/octokit-api.ts';
import { createBranchSessionStore } from '../../src/github/session-store/branch-store.ts';
import { restoreSession } from '../../src/github/session-store/restore-session.ts';
import { openEnvelope, sealEnvelope } from '../../src/memory/envelope.ts';
import { deriveSessionKey } from '../../src/memory/session-key.ts';
import type { GitHubOptions } from '../../src/simulator/github/contract.ts';
import { startGitHub } from '../../src/simulator/github/simulated-github.ts';
import { countingClock } from './loopback-server.ts';

const never = new AbortController().signal;
const ref = 'refs/heads/harness9/sessions';
const dayMs = 86_400_000;

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'session-branch-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** A repository and the store on it; `today` is what the store takes for the time. */
async function startScene(options: Partial<GitHubOptions> = {}) {
  const hub = await startGitHub({ files: { 'README.md': 'hello\n' }, ...options });
  const repository = { owner: hub.owner, repo: hub.repo };
  let today = Date.parse('2026-01-02T03:00:00Z');
  const clock = { ...countingClock(), now: () => new Date(today) };
  const apiAs = (token: string) =>
    createOctokitApi({
      token,
      apiUrl: hub.apiUrl,
      egress: (text) => text,
      fetch: globalThis.fetch,
      clock,
      random: () => 0,
      log: () => undefined,
    });
  const api = apiAs(hub.issueToken('github-actions[bot]'));
  const storeOn = (through: GitHubApi) => createBranchSessionStore({ api: through, repository, clock });
  const store = storeOn(api);
  const save = (threadKey: string, text: string, through = store) => {
    today += 1_000;
    return through.save({ threadKey, bytes: Buffer.from(text), directory, retentionDays: 30 });
  };
  const texts = async (threadKey: string) => {
    const { candidates } = await store.find(threadKey, never);
    const files = await Promise.all(candidates.map((candidate) => store.download(candidate, never)));
    return files.map((file) => (file.kind === 'file' ? Buffer.from(file.bytes).toString() : file.reason));
  };
  const pass = (days: number) => {
    today += days * dayMs;
  };
  return { hub, api, apiAs, repository, store, storeOn, save, texts, pass, [Symbol.asyncDispose]: () => hub.close() };
}

const kept = { kind: 'saved', name: 'harness9/sessions', artifactId: null, warning: null };

describe('sessions on a branch', () => {
  test('come back as they went, the newest of each thread alone, in one commit without a past', async () => {
    await using scene = await startScene();
    const odd = 'issue/7 "ünï" @*?';
    expect([
      await scene.save('issue-1', 'one'),
      await scene.save(odd, '\0\xff two'),
      await scene.save('issue-1', 'three'),
    ]).toEqual([kept, kept, kept]);
    expect([await scene.texts('issue-1'), await scene.texts(odd), await scene.texts('issue-2')]).toEqual([
      ['three'],
      ['\0\xff two'],
      [],
    ]);
    const commit_sha = scene.hub.snapshot().refs[ref] ?? '';
    const { data } = await scene.api.rest(
      'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
      { ...scene.repository, commit_sha },
      never,
    );
    expect(data.parents).toEqual([]);
  });

  test('are there for nobody before the first one is kept, and are no fault then', async () => {
    await using scene = await startScene();
    expect(await scene.store.find('issue-1', never)).toEqual({ candidates: [], refused: null });
  });

  test('that are older than they are kept go with the next one', async () => {
    await using scene = await startScene();
    await scene.save('issue-1', 'old');
    scene.pass(20);
    await scene.save('issue-2', 'younger');
    scene.pass(15);
    await scene.save('issue-3', 'new');
    expect(await Promise.all(['issue-1', 'issue-2', 'issue-3'].map(scene.texts))).toEqual([[], ['younger'], ['new']]);
  });

  test('of two runs that end together are both kept', async () => {
    await using scene = await startScene();
    await scene.save('issue-0', 'zero');
    const keys = ['issue-1', 'issue-2', 'issue-3'];
    expect(await Promise.all(keys.map((key) => scene.save(key, key)))).toEqual([kept, kept, kept]);
    expect(await Promise.all(['issue-0', ...keys].map(scene.texts))).toEqual([['zero'], ...keys.map((key) => [key])]);
  });

  test('of two runs that make the branch together are both kept', async () => {
    await using scene = await startScene();
    await Promise.all([scene.save('issue-1', 'one'), scene.save('issue-2', 'two')]);
    expect(await Promise.all(['issue-1', 'issue-2'].map(scene.texts))).toEqual([['one'], ['two']]);
  });

  test('take nothing along that somebody else put on the branch', async () => {
    await using scene = await startScene();
    await scene.save('issue-1', 'one');
    const files = { 'evil.sh': 'rm -rf /\n', '.github/workflows/x.yml': 'on: push\n' };
    await scene.hub.pushCommit({ branch: 'harness9/sessions', author: 'mona', files, message: 'mine' });
    await scene.save('issue-2', 'two');
    const tree_sha = scene.hub.snapshot().refs[ref] ?? '';
    const { data } = await scene.api.rest(
      'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
      { ...scene.repository, tree_sha, recursive: '1' },
      never,
    );
    expect(data.tree.map((entry) => entry.path?.replace(/@\d+/, '@when')).sort()).toEqual([
      'harness9-session-issue-1@when.json',
      'harness9-session-issue-2@when.json',
    ]);
  });

  test.each([
    ['a protected branch', { protectedBranches: ['harness9/sessions'] }, undefined],
    ['a token that may not write', {}, { contents: 'read' as const }],
  ])('are lost with one warning on %s', async (_why, options, permissions) => {
    await using scene = await startScene(options);
    const through =
      permissions === undefined ? scene.store : scene.storeOn(scene.apiAs(scene.hub.issueToken('x[bot]', permissions)));
    expect(await scene.save('issue-1', 'one', through)).toEqual({
      kind: 'lost',
      warning: expect.stringMatching(
        /^The session could not be saved, so the next run will not remember this one: GitHub answered 4\d\d/,
      ),
    });
  });

  test('G3 are believed by their signature alone: who may write on the branch cannot write a session', async () => {
    await using scene = await startScene();
    const place = { threadKey: 'issue-1', repositoryId: scene.hub.repositoryId };
    const keyOf = (modelKey: string) => deriveSessionKey({ sessionSecret: null, modelKey, repositoryId: place.repositoryId });
    const provenance = {
      repositoryId: place.repositoryId,
      repository: 'octo-org/shop',
      workflowPath: 'w.yml',
      runId: 1,
      runAttempt: 1,
      event: 'issue_comment',
      headSha: 'a'.repeat(40),
    };
    const body = (sequence: number) => ({
      version: 1 as const,
      id: 's',
      sequence,
      parentHash: null,
      threadKey: place.threadKey,
      trust: 'trusted' as const,
      provenance,
      updatedAt: '2026-01-01T00:00:00Z',
      records: [],
    });
    const restore = () => {
      const expected = { key: keyOf('sk-ours'), planTrust: 'trusted' as const, ...place };
      const open = (bytes: Uint8Array) => openEnvelope(bytes, expected);
      const plan = { session: 'auto' as const, threadKey: place.threadKey, instruction: { command: null } };
      return restoreSession(plan, { store: scene.store, open, log: () => undefined }, never);
    };
    const seal = (sequence: number, modelKey: string) =>
      Buffer.from(sealEnvelope(body(sequence), keyOf(modelKey)).bytes).toString();
    await scene.save('issue-1', seal(1, 'sk-ours'));
    expect(await restore()).toMatchObject({ kind: 'restored', envelope: { sequence: 1 } });
    await scene.save('issue-1', seal(9, 'sk-theirs'));
    expect(await restore()).toMatchObject({ kind: 'fresh', notice: expect.stringContaining('signature') });
  });
});
