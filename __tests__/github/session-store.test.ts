import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Octokit } from '@octokit/rest';
import { strToU8, zipSync } from 'fflate';
import { type GitHubApi, GitHubApiError } from '../../src/github/api.ts';
import { artifactName } from '../../src/github/session-store/artifact-name.ts';
import type { ArtifactStoreOptions, ArtifactUploader, SessionStore } from '../../src/github/session-store/artifact-store.ts';
import { createArtifactSessionStore } from '../../src/github/session-store/artifact-store.ts';
import { readSessionZip } from '../../src/github/session-store/read-zip.ts';
import type { OpenSession } from '../../src/github/session-store/restore-session.ts';
import { restoreSession } from '../../src/github/session-store/restore-session.ts';
import type { SessionEnvelope } from '../../src/schema/session.ts';

const OURS = 42;
const FORK = 43;
const WORKFLOW = '.github/workflows/harness9.yml';

interface Stored {
  readonly id: number;
  readonly name: string;
  readonly zip: Uint8Array | number;
  /** What the list says; default: the truth. */
  readonly size?: number;
  readonly isExpired?: boolean;
  readonly headRepository?: number;
  readonly run?: Partial<{ path: string; event: string; headBranch: string }>;
}

/** The three routes and the blob store, as GitHub answers them. */
function startServer(stored: readonly Stored[], requests: string[]): Server {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}${url.search} ${request.headers.authorization ?? '-'}`);
    const send = (status: number, body: unknown, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    };
    const [, , , , , kind, id, tail] = url.pathname.split('/');
    const one = stored.find((artifact) => String(artifact.id) === (kind === 'runs' ? id : (id ?? url.pathname.split('/')[2])));
    if (kind === 'artifacts' && id === undefined) {
      const artifacts = stored.filter(({ name }) => name === url.searchParams.get('name')).map(listed);
      return send(200, { total_count: artifacts.length, artifacts });
    }
    if (one === undefined) return send(404, { message: 'Not Found' });
    if (kind === 'runs') {
      const run = { path: WORKFLOW, event: 'issue_comment', headBranch: 'main', ...one.run };
      return send(200, { id: one.id, path: run.path, event: run.event, head_branch: run.headBranch });
    }
    if (tail === 'zip') return send(302, {}, { location: `http://${request.headers.host}/blob/${one.id}` });
    if (typeof one.zip === 'number') return send(one.zip, {});
    response.writeHead(200, { 'content-type': 'application/zip' }).end(one.zip);
  });
}

const listed = ({ id, name, zip, size, isExpired, headRepository }: Stored): unknown => ({
  id,
  name,
  size_in_bytes: typeof zip === 'number' ? 1 : (size ?? zip.length),
  expired: isExpired ?? false,
  workflow_run: { id, repository_id: OURS, head_repository_id: headRepository ?? OURS, head_branch: 'main', head_sha: 'a' },
});

const zipOf = (sequence: number): Uint8Array => zipSync({ 'session.json': strToU8(JSON.stringify({ sequence })) });
/** Stands in for memory/envelope.ts: a file that says its sequence is valid. */
const open: OpenSession = (bytes) => {
  const envelope = JSON.parse(Buffer.from(bytes).toString()) as SessionEnvelope;
  return envelope.sequence >= 0
    ? { kind: 'opened', envelope, hash: `hash ${envelope.sequence}`, quoteOnly: false }
    : { kind: 'refused', reason: 'its signature does not fit' };
};

let server: Server | undefined;
let requests: string[] = [];
let lines: string[] = [];
let directory = '';
const log = (line: string): void => {
  lines.push(line);
};

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'session-'));
  requests = [];
  lines = [];
});
afterEach(async () => {
  server?.close();
  server = undefined;
  await rm(directory, { recursive: true });
});

async function storeOf(...given: Parameters<typeof optionsOf>): Promise<SessionStore> {
  return createArtifactSessionStore(await optionsOf(...given));
}

async function optionsOf(
  stored: readonly Stored[],
  uploader?: ArtifactUploader,
  { followsRedirects = false } = {},
): Promise<ArtifactStoreOptions> {
  const started = startServer(stored, requests);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const address = started.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const octokit = new Octokit({ auth: 'token', baseUrl: `http://127.0.0.1:${port}` });
  const api = {
    rest: (route: string, { request, ...parameters }: { request?: object }, signal: AbortSignal) =>
      octokit.request(route, { ...parameters, request: followsRedirects ? { signal } : { ...request, signal } }),
  } as unknown as GitHubApi;
  return {
    api,
    repository: { owner: 'o', repo: 'r' },
    expected: { repositoryId: OURS, workflowPath: WORKFLOW, defaultBranch: 'main', branch: 'topic' },
    fetch,
    log,
    loadUploader: async () => uploader ?? { uploadArtifact: async () => ({}) },
  };
}

const plan = { session: 'auto', threadKey: 'issue-7', instruction: { command: null } } as const;
const signal = new AbortController().signal;
const name = 'harness9-session-issue-7';
const artifact = (id: number, sequence: number, more: Partial<Stored> = {}): Stored => ({
  id,
  name,
  zip: zipOf(sequence),
  ...more,
});
const restore = async (stored: readonly Stored[], session: 'auto' | 'new' | 'off' = 'auto') =>
  restoreSession({ ...plan, session }, { store: await storeOf(stored), open, log }, signal);
const fresh = (reason: string) => ({
  kind: 'fresh',
  notice: `The earlier session was not used: ${reason}. This run started fresh.`,
});

const notAccessible = new GitHubApiError({
  status: 403,
  route: 'GET /repos/{owner}/{repo}/actions/artifacts',
  answer: 'Resource not accessible by integration',
  isRateLimit: false,
  isMissingPermission: true,
});

describe('restoring a session', () => {
  test('takes the highest valid sequence and not the newest artifact (attack G3)', async () => {
    const restored = await restore([artifact(1, 5), artifact(2, 2), artifact(3, -1)]);
    expect(restored).toEqual({ kind: 'restored', envelope: { sequence: 5 }, hash: 'hash 5', quoteOnly: false });
  });

  test('of two runs at once that wrote the same sequence takes the later one, and is not confused (G6-22)', async () => {
    const written = (id: number): Stored =>
      artifact(id, 3, { zip: zipSync({ 'session.json': strToU8(JSON.stringify({ sequence: 3, id })) }) });
    expect(await restore([written(1), written(2)])).toMatchObject({ kind: 'restored', envelope: { sequence: 3, id: 2 } });
  });

  test('knows the names with a suffix (G1-17)', async () => {
    const restored = await restore([
      artifact(1, 1),
      artifact(2, 2, { name: `${name}-2` }),
      artifact(3, 3, { name: `${name}-3` }),
    ]);
    expect(restored).toMatchObject({ kind: 'restored', envelope: { sequence: 3 } });
  });

  test('knows the second name, too, where an upload under the first was cut off before its end', async () => {
    const restored = await restore([artifact(2, 2, { name: `${name}-2` })]);
    expect(restored).toMatchObject({ kind: 'restored', envelope: { sequence: 2 } });
  });

  test('starts fresh without a word when there is none, after two requests', async () => {
    expect(await restore([])).toEqual({ kind: 'fresh', notice: null });
    expect(requests).toEqual(
      [name, `${name}-2`].map((each) => `GET /repos/o/r/actions/artifacts?name=${each}&per_page=100&page=1 token token`),
    );
  });

  test('says why it was not used; an approval does not start afresh', async () => {
    const expired = [artifact(1, 5, { isExpired: true })];
    expect(await restore(expired)).toEqual(fresh('it has expired'));
    const approval = { ...plan, instruction: { command: 'approve' } } as const;
    const restored = await restoreSession(approval, { store: await storeOf(expired), open, log }, signal);
    expect(restored).toEqual({ kind: 'fresh', notice: 'The earlier session was not used: it has expired.' });
  });

  test('asks nothing when sessions are off', async () => {
    expect(await restore([artifact(1, 5)], 'off')).toEqual({ kind: 'fresh', notice: null });
    expect(requests).toEqual([]);
  });

  test('that is left behind on purpose still says where it stood, so that the new one wins', async () => {
    expect(await restore([artifact(1, 5)], 'new')).toEqual({
      kind: 'fresh',
      notice: null,
      continues: { sequence: 5, hash: 'hash 5' },
    });
  });

  test('never takes an artifact of a fork, another workflow, branch or event (attack G1)', async () => {
    expect(await restore([artifact(1, 5, { headRepository: FORK })])).toEqual(
      fresh('it comes from a fork or another repository'),
    );
    const runs: readonly (readonly [Stored['run'], string])[] = [
      [{ path: '.github/workflows/other.yml' }, 'it was written by another workflow (.github/workflows/other.yml)'],
      [{ headBranch: 'evil' }, 'it was written on another branch'],
      [{ event: 'push' }, 'it was written on the event push'],
      [{ event: 'workflow_dispatch', headBranch: 'evil' }, 'it was written on another branch'],
    ];
    for (const [run, reason] of runs) {
      server?.close();
      expect(await restore([artifact(1, 5, run === undefined ? {} : { run })])).toEqual(fresh(reason));
    }
    expect(requests.some((line) => line.includes('/zip'))).toBe(false);
  });

  test('takes what our workflow wrote on a pull request’s branch, on ours, and with a ref behind its path', async () => {
    const runs: readonly Stored['run'][] = [
      { event: 'pull_request_review_comment', headBranch: 'feature' },
      { event: 'workflow_dispatch', headBranch: 'topic' },
      { path: `${WORKFLOW}@refs/heads/main` },
    ];
    for (const run of runs) {
      server?.close();
      expect(await restore([artifact(1, 5, run === undefined ? {} : { run })])).toMatchObject({ kind: 'restored' });
    }
  });

  test('passes over an expired one, a lost one and a refused one, and takes the next', async () => {
    const restored = await restore([
      artifact(1, 1),
      artifact(2, 2, { isExpired: true }),
      artifact(3, 3, { zip: 404 }),
      artifact(4, -1),
    ]);
    expect(restored).toMatchObject({ kind: 'restored', envelope: { sequence: 1 } });
    expect(lines).toEqual([
      '[session] an artifact was passed over: it has expired',
      '[session] file 4 was not used: its signature does not fit',
      '[session] file 3 was not used: its download was answered with 404',
    ]);
  });

  test('starts fresh with one line when GitHub fails', async () => {
    const store: Pick<SessionStore, 'find' | 'download'> = {
      find: () => Promise.reject(new Error('down')),
      download: () => Promise.reject(new Error('down')),
    };
    expect(await restoreSession(plan, { store, open, log }, signal)).toEqual(fresh('GitHub did not hand it out'));
  });

  test('names the permission that is missing, for the list and for the download', async () => {
    const find = (candidates: readonly number[]) => async () => ({
      candidates: candidates.map((id) => ({ id })),
      refused: null,
    });
    const refuse = () => Promise.reject(notAccessible);
    const need = fresh('the workflow’s job needs `actions: read` under `permissions` to read it');
    expect(await restoreSession(plan, { store: { find: refuse, download: refuse }, open, log }, signal)).toEqual(need);
    expect(await restoreSession(plan, { store: { find: find([1]), download: refuse }, open, log }, signal)).toEqual(need);
  });

  test.each([
    ['continue', 'There is no earlier conversation here to continue, so this run began a new one.'],
    [null, null],
  ] as const)('says of %s where nothing was before: %s', async (command, notice) => {
    const store = await storeOf([]);
    expect(await restoreSession({ ...plan, instruction: { command } }, { store, open, log }, signal)).toEqual({
      kind: 'fresh',
      notice,
    });
  });

  test('does not hand our token to the place of the download', async () => {
    await restore([artifact(1, 5)]);
    expect(requests.filter((line) => line.includes('/blob/'))).toEqual(['GET /blob/1 -']);
  });

  test('stops reading a download that is too large (attack G4)', async () => {
    expect(await restore([artifact(1, 1, { zip: Buffer.alloc(9 * 1024 * 1024), size: 1 })])).toEqual(
      fresh('its archive is larger than 8388608 bytes'),
    );
  });
});

describe('a client that follows redirects by itself', () => {
  test('hands out the same session, and nothing that the list says is too large', async () => {
    const follows = { followsRedirects: true };
    const stored = [artifact(1, 5), artifact(2, 6, { size: 9 * 1024 * 1024 })];
    const restored = await restoreSession(plan, { store: await storeOf(stored, undefined, follows), open, log }, signal);
    expect(restored).toMatchObject({ kind: 'restored', envelope: { sequence: 5 } });
    expect(requests.filter((line) => line.includes('/blob/')).map((line) => line.split(' ')[1])).toEqual(['/blob/1']);
  });
});

describe('saving a session', () => {
  const session = { threadKey: 'issue-7', bytes: strToU8('{}'), retentionDays: 30 };
  /** Refuses the first `refusals` names as the official client does: with nothing but a text. */
  const uploaderThat = (refusals: number, tried: string[] = []): ArtifactUploader => ({
    uploadArtifact: async (triedName, files, root, options) => {
      tried.push(triedName);
      expect([files, root, options]).toEqual([[path.join(directory, 'session.json')], directory, { retentionDays: 30 }]);
      expect(await readFile(path.join(directory, 'session.json'), 'utf8')).toBe('{}');
      if (tried.length <= refusals)
        throw new Error('Failed to CreateArtifact: Received non-retryable error: Failed request: (409)');
      return { id: 9 };
    },
  });

  test('tries the next name when one is taken (G1-17)', async () => {
    const tried: string[] = [];
    const store = await storeOf([artifact(9, 1)], uploaderThat(2, tried));
    expect(await store.save({ ...session, directory })).toEqual({
      kind: 'saved',
      name: `${name}-3`,
      artifactId: 9,
      warning: null,
    });
    expect(tried).toEqual([name, `${name}-2`, `${name}-3`]);
  });

  test('that the job may not read again is kept, with a warning that names the permission', async () => {
    const api = { rest: () => Promise.reject(notAccessible) } as unknown as GitHubApi;
    const store = createArtifactSessionStore({ ...(await optionsOf([], uploaderThat(0))), api });
    expect(await store.save({ ...session, directory })).toEqual({
      kind: 'saved',
      name,
      artifactId: 9,
      warning:
        'The session is kept, but the next run cannot read it: the workflow’s job needs `actions: read` under `permissions`.',
    });
  });

  test('that always fails is a warning and never an error (G1-17)', async () => {
    const saved = await (await storeOf([], uploaderThat(99))).save({ ...session, directory });
    expect(saved).toEqual({ kind: 'lost', warning: expect.stringContaining('the next run will not remember this one') });
  });

  test('on a server without the artifact service is one plain warning (G1-20)', async () => {
    const tried: string[] = [];
    const uploadArtifact = async (triedName: string): Promise<never> => {
      tried.push(triedName);
      throw Object.assign(new Error('not currently supported on GHES.'), { name: 'GHESNotSupportedError' });
    };
    const saved = await (await storeOf([], { uploadArtifact })).save({ ...session, directory });
    expect(saved).toEqual({
      kind: 'lost',
      warning:
        'This GitHub server has no artifact service that harness9 can use, so the next run will not remember this one; `session_store: branch` keeps it on a branch instead.',
    });
    expect(tried).toEqual([name]);
  });

  test('uses names that the service takes, whatever the key (G1-18)', () => {
    const odd = artifactName('o/r feature/a:b*c?"<>|\\', 2);
    expect(odd).not.toMatch(/["*:<>|?\r\n\\/ ]/);
    expect(artifactName('a/b', 1)).not.toBe(artifactName('a:b', 1));
    expect(artifactName('pull_request-7', 1)).toBe('harness9-session-pull_request-7');
  });
});

describe('the archive of a session', () => {
  const content = strToU8('{"a":1}');

  /** A zip with one entry, every field of which can be a lie. */
  function craft(
    lie: {
      name?: string;
      flags?: number;
      mode?: number;
      method?: number;
      size?: number;
      entries?: number;
      data?: Uint8Array;
      checksum?: number;
      offset?: number;
    } = {},
  ): Buffer {
    const fileName = Buffer.from(lie.name ?? 'session.json');
    const data = lie.data ?? deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(lie.flags ?? 0, 2);
    fields.writeUInt16LE(lie.method ?? 8, 4);
    fields.writeUInt32LE(lie.checksum ?? crc32(content), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(lie.size ?? content.length, 18);
    fields.writeUInt16LE(fileName.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, fileName, data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((lie.mode ?? 0o100644) * 0x10000, 6);
    rest.writeUInt32LE(lie.offset ?? 0, 10);
    const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), fields, rest, fileName]);
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06');
    end.writeUInt16LE(lie.entries ?? 1, 8);
    end.writeUInt16LE(lie.entries ?? 1, 10);
    end.writeUInt32LE(central.length, 12);
    end.writeUInt32LE(local.length, 16);
    return Buffer.concat([local, central, end]);
  }

  test('is read when it is what the artifact client writes', () => {
    expect(readSessionZip(craft())).toEqual({ kind: 'file', bytes: Buffer.from(content) });
    expect(readSessionZip(craft({ method: 0, data: content }))).toEqual({ kind: 'file', bytes: Buffer.from(content) });
    expect(readSessionZip(zipSync({ 'session.json': content }))).toEqual({ kind: 'file', bytes: Buffer.from(content) });
  });

  test('is refused for anything else, and nothing throws (G6-12, attack G4)', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${index}`, content]));
    const evil: readonly (readonly [string, Uint8Array])[] = [
      ['empty', Buffer.alloc(0)],
      ['no zip', strToU8('hello, this is no zip at all')],
      ['without the entry', zipSync({ 'other.json': content })],
      ['empty zip', zipSync({})],
      ['../x', craft({ name: '../session.json' })],
      ['absolute', craft({ name: '/session.json' })],
      ['two entries', zipSync({ 'session.json': content, x: content })],
      ['10 000 entries', zipSync(many)],
      ['zip64 count', craft({ entries: 0xffff })],
      ['symbolic link', craft({ mode: 0o120777 })],
      ['encrypted', craft({ flags: 1 })],
      ['other method', craft({ method: 12 })],
      ['wrong checksum', craft({ checksum: 1 })],
      ['lying size', craft({ size: 3 })],
      ['zip64 size', craft({ size: 0xffffffff })],
      ['offset outside', craft({ offset: 0xffffffff })],
      ['bomb', craft({ data: deflateRawSync(Buffer.alloc(64 * 1024 * 1024)), size: 100 })],
      ['300 MB of zeros, packed', Buffer.alloc(9 * 1024 * 1024)],
    ];
    for (const [label, zip] of evil)
      expect([label, readSessionZip(zip)]).toEqual([label, { kind: 'refused', reason: expect.any(String) }]);
    const whole = craft();
    for (let length = 0; length < whole.length; length += 1)
      expect(readSessionZip(whole.subarray(0, length)).kind).toBe('refused');
  });
});
