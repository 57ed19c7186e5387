import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { Octokit } from '@octokit/rest';
import type { RunHandle, SimulatedGitHub } from '../../../src/simulator/github/contract.ts';
import { BOT, clientFor, clientWith, createClock, refusalOf, withGitHub } from './world.ts';

const run = promisify(execFile);
const CLIENT = path.join(import.meta.dirname, 'artifact-client.ts');
const DAY_SECONDS = 86_400;

function startRun(github: SimulatedGitHub): RunHandle {
  const headSha = github.snapshot().refs['refs/heads/main'] ?? '';
  return github.startRun({
    workflowPath: '.github/workflows/ci.yml',
    event: 'issue_comment',
    headBranch: 'main',
    headSha,
    actor: 'alice',
  });
}

async function artifactClient(github: SimulatedGitHub, token: string, ...args: readonly string[]): Promise<unknown> {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ACTIONS_RESULTS_URL: github.resultsUrl,
    ACTIONS_RUNTIME_TOKEN: token,
    GITHUB_SERVER_URL: github.serverUrl,
    GITHUB_WORKSPACE: tmpdir(),
  };
  const { stdout } = await run(process.execPath, [CLIENT, ...args], { env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null');
}

async function withFile(content: string, body: (file: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'artifact-test-'));
  try {
    const file = path.join(folder, 'session.json');
    await writeFile(file, content);
    await body(file, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function names(github: SimulatedGitHub): readonly string[] {
  return github.snapshot().artifacts.map(({ name }) => name);
}

function ids(github: SimulatedGitHub): readonly number[] {
  return github.snapshot().artifacts.map(({ id }) => id);
}

async function listedIds(rest: Octokit['rest'], repo: { owner: string; repo: string }): Promise<readonly number[]> {
  const { data } = await rest.actions.listArtifactsForRepo({ ...repo, name: 'session' });
  return data.artifacts.map(({ id }) => id);
}

describe('artifacts', () => {
  test('the real client uploads, lists and downloads, and another run finds the artifact through REST', () =>
    withGitHub({}, (github, repo) =>
      withFile('{"version":1}', async (file, folder) => {
        const first = startRun(github);
        const token = github.runtimeToken(first.id);
        const uploaded = await artifactClient(github, token, 'upload', 'harness9-session-issue-1', file);
        expect(uploaded).toEqual({
          size: expect.any(Number),
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
          id: expect.any(Number),
        });
        const [artifact] = github.snapshot().artifacts;
        expect(uploaded).toMatchObject({ id: artifact?.id, size: artifact?.sizeBytes });
        expect(await artifactClient(github, token, 'list')).toMatchObject({
          artifacts: [{ name: 'harness9-session-issue-1', id: artifact?.id }],
        });
        await artifactClient(github, token, 'download', String(artifact?.id), path.join(folder, 'inside'));
        expect(await readFile(path.join(folder, 'inside', 'session.json'), 'utf8')).toBe('{"version":1}');

        startRun(github);
        const { rest } = clientFor(github);
        const listed = await rest.actions.listArtifactsForRepo({ ...repo, name: 'harness9-session-issue-1' });
        expect(listed.data.artifacts[0]?.workflow_run).toEqual({
          id: first.id,
          repository_id: github.repositoryId,
          head_repository_id: github.repositoryId,
          head_branch: 'main',
          head_sha: github.snapshot().refs['refs/heads/main'],
        });
        const zip = await rest.actions.downloadArtifact({ ...repo, artifact_id: artifact?.id ?? 0, archive_format: 'zip' });
        const bytes = Buffer.from(zip.data instanceof ArrayBuffer ? new Uint8Array(zip.data) : []);
        expect(bytes.subarray(0, 2).toString()).toBe('PK');
        expect(bytes).toHaveLength(artifact?.sizeBytes ?? -1);
      }),
    ));

  test('a second artifact of the same name in one run is refused at once, another run may have it', () =>
    withGitHub({}, (github) =>
      withFile('x', async (file) => {
        const first = github.runtimeToken(startRun(github).id);
        const second = github.runtimeToken(startRun(github).id);
        await artifactClient(github, first, 'upload', 'session', file);
        expect(await artifactClient(github, first, 'upload', 'session', file)).toEqual({
          error: expect.stringContaining('(409) Conflict'),
        });
        expect(await artifactClient(github, second, 'upload', 'session', file)).toMatchObject({ id: expect.any(Number) });
        expect(names(github)).toEqual(['session', 'session']);
      }),
    ));

  test('newest first, by name, gone when deleted, and 410 when expired', async () => {
    const clock = createClock();
    await withGitHub({ now: clock.now }, (github, repo) =>
      withFile('x', async (file) => {
        await artifactClient(github, github.runtimeToken(startRun(github).id), 'upload', 'session', file);
        await artifactClient(github, github.runtimeToken(startRun(github).id), 'upload', 'session', file);
        const [old, young] = ids(github);
        const { rest } = clientFor(github, BOT, { actions: 'write' });
        expect(await listedIds(rest, repo)).toEqual([young, old]);
        await rest.actions.deleteArtifact({ ...repo, artifact_id: old ?? 0 });
        expect(await listedIds(rest, repo)).toEqual([young]);
        clock.advance(100 * DAY_SECONDS);
        expect((await rest.actions.getArtifact({ ...repo, artifact_id: young ?? 0 })).data.expired).toBe(true);
        const download = rest.actions.downloadArtifact({ ...repo, artifact_id: young ?? 0, archive_format: 'zip' });
        expect(await refusalOf(download)).toEqual({ status: 410, message: 'Artifact has expired' });
      }),
    );
  });

  test('a token of another run, no token, and a blob without its signature are refused', () =>
    withGitHub({}, async (github, repo) => {
      const [first, second] = [startRun(github), startRun(github)];
      const create = (authorization: string) =>
        fetch(`${github.resultsUrl}/twirp/github.actions.results.api.v1.ArtifactService/CreateArtifact`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({
            workflow_run_backend_id: String(first.id),
            workflow_job_run_backend_id: String(first.jobId),
            name: 'session',
            version: 7,
          }),
        });
      expect((await create(`Bearer ${github.runtimeToken(second.id)}`)).status).toBe(403);
      expect((await create('Bearer no.token.here')).status).toBe(401);
      const created = await create(`Bearer ${github.runtimeToken(first.id)}`);
      const url = new URL(String(JSON.parse(await created.text()).signed_upload_url));
      expect((await fetch(`${url.origin}${url.pathname}`, { method: 'PUT', body: 'x' })).status).toBe(403);
      expect(github.snapshot().artifacts).toEqual([]);
      const anonymous = clientWith(github).rest.actions.downloadArtifact({ ...repo, artifact_id: 1, archive_format: 'zip' });
      expect((await refusalOf(anonymous)).status).toBe(401);
      expect(github.requests.filter(({ kind }) => kind === 'artifact').map(({ status }) => status)).toEqual([403, 401, 200, 403]);
    }));
});
