// Keeps session files on a branch without history, for servers that have no artifacts: one file a thread, one commit, nothing but ours.
import { messageOf } from '../../schema/error.ts';
import type { Clock } from '../../schema/world.ts';
import { type GitHubApi, GitHubApiError, isGone, type RepositoryApi, type RepositoryRef } from '../api.ts';
import { artifactName } from './artifact-name.ts';
import type { SavedSession, SessionFile, SessionStore } from './artifact-store.ts';
import { MAX_UNPACKED_BYTES } from './read-zip.ts';

const branch = 'harness9/sessions';
/** A tree of so many is read and written in one answer. */
const maxThreads = 500;
/** Two runs that end together meet once or twice; more often means that something else is wrong. */
const maxAttempts = 5;
const dayMs = 86_400_000;
const saveTimeoutMs = 50_000;

export interface BranchStoreOptions {
  readonly api: GitHubApi;
  readonly repository: RepositoryRef;
  readonly clock: Clock;
}

/** A session of a thread, as the branch's tree lists it. Its name says when it was written: one commit knows nothing of its files' ages. */
interface Kept {
  readonly path: string;
  readonly sha: string;
  readonly bytes: number;
  readonly thread: string;
  readonly writtenAtMs: number;
}

interface Head {
  readonly commit: string;
  readonly kept: readonly Kept[];
}

/** A session store on the branch `harness9/sessions`. Who may write to it may be anybody: what a file says is believed by its MAC alone. */
export function createBranchSessionStore(options: BranchStoreOptions): SessionStore {
  return {
    find: async (threadKey, signal) => {
      const head = await loadHead(options, signal);
      const ours = (head?.kept ?? []).filter(({ thread }) => thread === artifactName(threadKey, 1));
      const fitting = ours.filter(({ bytes }) => bytes <= MAX_UNPACKED_BYTES);
      const newest = fitting.sort((a, b) => b.writtenAtMs - a.writtenAtMs).slice(0, maxAttempts);
      const refused = fitting.length < ours.length ? `its file is larger than ${MAX_UNPACKED_BYTES} bytes` : null;
      return { candidates: newest.map(({ sha }) => ({ id: sha })), refused };
    },
    download: async ({ id }, signal) => {
      const parameters = { ...options.repository, file_sha: String(id) };
      const { data } = await options.api.rest('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', parameters, signal);
      return { kind: 'file', bytes: new Uint8Array(Buffer.from(data.content, 'base64')) };
    },
    save: (session) => save(options, session),
  };
}

async function save(options: BranchStoreOptions, session: SessionFile): Promise<SavedSession> {
  try {
    const signal = AbortSignal.timeout(saveTimeoutMs);
    const parameters = { ...options.repository, content: Buffer.from(session.bytes).toString('base64'), encoding: 'base64' };
    const { data: blob } = await options.api.rest('POST /repos/{owner}/{repo}/git/blobs', parameters, signal);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const head = await loadHead(options, signal);
      const commit = await commitOf({ head, session, blob: blob.sha }, options, signal);
      const moved = head === null ? await createBranch(commit, options, signal) : await moveBranch(head, commit, options, signal);
      if (moved) return { kind: 'saved', name: branch, artifactId: null, warning: null };
    }
    return lost(`other runs kept writing to the branch ${branch}`);
  } catch (error) {
    return lost(messageOf(error));
  }
}

function lost(reason: string): SavedSession {
  return { kind: 'lost', warning: `The session could not be saved, so the next run will not remember this one: ${reason}` };
}

/** null: there is no branch yet. */
async function loadHead({ api, repository }: RepositoryApi, signal: AbortSignal): Promise<Head | null> {
  try {
    const ref = { ...repository, ref: `heads/${branch}` };
    const { data } = await api.rest('GET /repos/{owner}/{repo}/git/ref/{ref}', ref, signal);
    const commit = data.object.sha;
    // A commit's name does for its tree's.
    const { data: listed } = await api.rest(
      'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
      { ...repository, tree_sha: commit },
      signal,
    );
    return { commit, kept: listed.tree.flatMap((entry) => keptOf(entry) ?? []) };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

const fileName = /^(harness9-session-.+)@(\d{1,13})\.json$/;

/** What is not named as ours is not carried along: the branch holds nothing but our bytes. */
function keptOf(entry: {
  readonly path?: string | undefined;
  readonly sha?: string | null | undefined;
  readonly size?: number | undefined;
}): Kept | null {
  const [path = '', thread = '', at = ''] = fileName.exec(entry.path ?? '') ?? [];
  const { sha, size: bytes } = entry;
  return path === '' || sha == null || bytes === undefined ? null : { path, sha, bytes, thread, writtenAtMs: Number(at) };
}

interface Wanted {
  readonly head: Head | null;
  readonly session: SessionFile;
  readonly blob: string;
}

/** A commit without a parent: what is left out of it is gone for good, once GitHub cleans up. */
async function commitOf({ head, session, blob }: Wanted, options: BranchStoreOptions, signal: AbortSignal): Promise<string> {
  const { api, repository, clock } = options;
  const nowMs = clock.now().getTime();
  const thread = artifactName(session.threadKey, 1);
  const oldestMs = nowMs - session.retentionDays * dayMs;
  const others = (head?.kept ?? [])
    .filter((kept) => kept.thread !== thread && kept.writtenAtMs >= oldestMs)
    .sort((a, b) => b.writtenAtMs - a.writtenAtMs)
    .slice(0, maxThreads - 1);
  const files = [{ path: `${thread}@${nowMs}.json`, sha: blob }, ...others];
  const tree = files.map(({ path, sha }) => ({ path, sha, mode: '100644', type: 'blob' }) as const);
  const made = await api.rest('POST /repos/{owner}/{repo}/git/trees', { ...repository, tree }, signal);
  const message = 'Sessions of harness9\n\nOne file a thread, written and read by harness9 alone. The branch may be deleted.\n';
  const commit = { ...repository, message, tree: made.data.sha, parents: [] };
  return (await api.rest('POST /repos/{owner}/{repo}/git/commits', commit, signal)).data.sha;
}

/** false: somebody else made it meanwhile. */
async function createBranch(sha: string, options: BranchStoreOptions, signal: AbortSignal): Promise<boolean> {
  try {
    const ref = { ...options.repository, ref: `refs/heads/${branch}`, sha };
    await options.api.rest('POST /repos/{owner}/{repo}/git/refs', ref, signal);
    return true;
  } catch (error) {
    if (isStale(error) && (await loadHead(options, signal)) !== null) return false;
    throw error;
  }
}

/** REST moves a ref to an unrelated commit from wherever it is; only GraphQL asks where it was. */
const replaceRefMutation = `mutation ReplaceRef($repositoryId: ID!, $name: GitRefname!, $beforeOid: GitObjectID!, $afterOid: GitObjectID!) {
  updateRefs(input: { repositoryId: $repositoryId, refUpdates: [{ name: $name, beforeOid: $beforeOid, afterOid: $afterOid, force: true }] }) {
    clientMutationId
  }
}`;

/** false: the branch is not where it was any more. */
async function moveBranch(head: Head, afterOid: string, options: BranchStoreOptions, signal: AbortSignal): Promise<boolean> {
  const { api, repository } = options;
  const { data } = await api.rest('GET /repos/{owner}/{repo}', { ...repository }, signal);
  const name = `refs/heads/${branch}`;
  try {
    await api.graphql(replaceRefMutation, { repositoryId: data.node_id, name, beforeOid: head.commit, afterOid }, signal);
    return true;
  } catch (error) {
    if (!(error instanceof GitHubApiError)) throw error;
    // In what words GitHub says it does not count; where the branch is now does. An answer that was lost may have done its work, too.
    const now = (await loadHead(options, signal))?.commit;
    if (now === afterOid) return true;
    if (now !== head.commit) return false;
    throw error;
  }
}

function isStale(error: unknown): boolean {
  return error instanceof GitHubApiError && error.status === 422;
}
