import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { SimulatedGitHub } from '../../src/simulator/github/contract.ts';
import { startGitHub } from '../../src/simulator/github/simulated-github.ts';
import { runAction } from '../../src/simulator/runner/run-action.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const WORKFLOW = '.github/workflows/harness9.yml';
const from = (file: string): string => JSON.stringify(pathToFileURL(path.join(ROOT, file)).href);

/** An action that restores its thread's session and saves the next one: our store with the official client, in a process of its own. */
const ACTION = `
import { mkdirSync } from 'node:fs';
import { Octokit } from ${from('node_modules/@octokit/rest/dist-src/index.js')};
import { createArtifactSessionStore } from ${from('src/github/session-store/artifact-store.ts')};
import { loadArtifactUploader } from ${from('src/github/session-store/load-uploader.ts')};
import { restoreSession } from ${from('src/github/session-store/restore-session.ts')};
import { openEnvelope, sealEnvelope } from ${from('src/memory/envelope.ts')};
import { journalStart } from ${from('src/memory/history.ts')};
import { deriveSessionKey } from ${from('src/memory/session-key.ts')};
const { env } = process;
const octokit = new Octokit({ auth: env.INPUT_GITHUB_TOKEN, baseUrl: env.GITHUB_API_URL });
const repositoryId = Number(env.GITHUB_REPOSITORY_ID);
const threadKey = 'issue-1';
const store = createArtifactSessionStore({
  api: { rest: (route, { request, ...parameters }, signal) => octokit.request(route, { ...parameters, request: { ...request, signal } }) },
  repository: { owner: env.GITHUB_REPOSITORY_OWNER, repo: env.GITHUB_REPOSITORY.split('/')[1] },
  expected: { repositoryId, workflowPath: '${WORKFLOW}', defaultBranch: 'main', branch: 'main' },
  fetch, log: (line) => console.error(line), loadUploader: loadArtifactUploader,
});
const key = deriveSessionKey({ sessionSecret: null, modelKey: env.INPUT_API_KEY, repositoryId });
const expected = { key, threadKey, repositoryId, planTrust: 'trusted' };
const restored = await restoreSession({ session: 'auto', threadKey, instruction: { command: null } }, { store, open: (bytes) => openEnvelope(bytes, expected), log: (line) => console.error(line) }, new AbortController().signal);
const provenance = { repositoryId, repository: env.GITHUB_REPOSITORY, workflowPath: '${WORKFLOW}', runId: Number(env.GITHUB_RUN_ID), runAttempt: 1, event: 'issue_comment', headSha: env.GITHUB_SHA };
const { sessionId, baseRecords, ...place } = journalStart(restored, { newId: 's' + env.GITHUB_RUN_ID, threadKey, trust: 'trusted', provenance });
const body = { version: 1, id: sessionId, ...place, updatedAt: 'now', records: [...(baseRecords ?? []), { type: 'plan', at: 'now', text: env.GITHUB_RUN_ID }] };
const directory = env.RUNNER_TEMP + '/session';
mkdirSync(directory);
const saved = await store.save({ threadKey, bytes: sealEnvelope(body, key).bytes, directory, retentionDays: 30 });
console.log('RESULT ' + JSON.stringify({ kind: restored.kind, notice: restored.notice, sequence: place.sequence, texts: body.records.map(({ text }) => text), saved }));
`;

interface Result {
  readonly kind: string;
  readonly notice?: string;
  readonly sequence: number;
  readonly texts: readonly string[];
  readonly saved: Readonly<Record<string, unknown>>;
}

let folder = '';
let github: SimulatedGitHub;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'round-trip-'));
  github = await startGitHub({ files: { [WORKFLOW]: 'on: issue_comment\n' } });
  await mkdir(path.join(folder, 'action'));
  await writeFile(path.join(folder, 'action', 'main.mjs'), ACTION);
  const metadata =
    'name: t\ninputs:\n  api_key: {}\n  github_token:\n    default: ${{ github.token }}\nruns:\n  using: node24\n  main: main.mjs\n';
  await writeFile(path.join(folder, 'action', 'action.yml'), metadata);
});
afterEach(async () => {
  await github.close();
  await rm(folder, { recursive: true });
});

function startRun(workflowPath = WORKFLOW): number {
  const headSha = github.snapshot().refs['refs/heads/main'] ?? '';
  return github.startRun({ workflowPath, event: 'issue_comment', headBranch: 'main', headSha, actor: 'ann' }).id;
}

async function run(runId: number, change: { apiKey?: string; serverUrl?: string } = {}): Promise<Result> {
  const { serverUrl, owner, repo, apiUrl, graphqlUrl, resultsUrl, repositoryId } = github;
  const addresses = { serverUrl: change.serverUrl ?? serverUrl, apiUrl, graphqlUrl, resultsUrl };
  const token = github.issueToken('github-actions[bot]');
  const result = await runAction({
    actionDir: path.join(folder, 'action'),
    github: { ...addresses, owner, repo, repositoryId, token, runtimeToken: github.runtimeToken(runId) },
    event: { name: 'issue_comment', payload: {} },
    inputs: { api_key: change.apiKey ?? 'sk-model' },
    workspace: path.join(folder, 'workspace'),
    runId,
    actor: 'ann',
    ref: 'refs/heads/main',
    sha: github.snapshot().refs['refs/heads/main'] ?? '',
    workflowPath: WORKFLOW,
    job: 'answer',
  });
  const line = /^RESULT (.*)$/m.exec(result.stdout)?.[1];
  if (line === undefined) throw new Error(result.log);
  return JSON.parse(line) as Result;
}

describe('a session through the official artifact client', () => {
  test('goes from run to run, and meets the taken name of its own run with the next one (G1-17)', async () => {
    const [first, second] = [startRun(), startRun()];
    expect(await run(first)).toMatchObject({
      kind: 'fresh',
      sequence: 0,
      texts: [`${first}`],
      saved: { kind: 'saved', name: 'harness9-session-issue-1' },
    });
    expect(await run(first)).toMatchObject({
      kind: 'restored',
      sequence: 1,
      texts: [`${first}`, `${first}`],
      saved: { kind: 'saved', name: 'harness9-session-issue-1-2' },
    });
    expect(await run(second)).toMatchObject({
      kind: 'restored',
      sequence: 2,
      texts: [`${first}`, `${first}`, `${second}`],
      saved: { name: 'harness9-session-issue-1' },
    });
  });

  test('is not believed when another workflow or another key wrote it (attacks G1, G2)', async () => {
    await run(startRun('.github/workflows/evil.yml'));
    expect(await run(startRun())).toMatchObject({
      kind: 'fresh',
      sequence: 0,
      notice: expect.stringContaining('it was written by another workflow'),
    });
    expect(await run(startRun(), { apiKey: 'sk-rotated' })).toMatchObject({
      kind: 'fresh',
      sequence: 0,
      notice: expect.stringContaining('signature'),
    });
  });

  test('is lost with one warning where the server has no artifact service, and the run goes on (G1-20)', async () => {
    const result = await run(startRun(), { serverUrl: 'https://ghe.example.com' });
    expect(result).toMatchObject({
      kind: 'fresh',
      saved: { kind: 'lost', warning: expect.stringContaining('no artifact service') },
    });
  });
});
