// Keeps session files as workflow artifacts: looks them up by name and provenance, downloads, uploads. Never looks inside of one.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isAnyArrayBuffer } from 'node:util/types';
import { messageOf } from '../../schema/error.ts';
import type { Log } from '../../schema/world.ts';
import { type GitHubApi, GitHubApiError, type RepositoryRef, type Response } from '../api.ts';
import { artifactName, MAX_NAMES } from './artifact-name.ts';
import type { ListedArtifact, ProvenanceExpectations } from './artifact-provenance.ts';
import { whyNotListed, whyNotOurRun } from './artifact-provenance.ts';
import type { ZipResult } from './read-zip.ts';
import { MAX_PACKED_BYTES, readSessionZip, SESSION_FILE } from './read-zip.ts';

/** The part of `@actions/artifact` that uploads. It takes files of a folder, not bytes. */
export interface ArtifactUploader {
  uploadArtifact(
    name: string,
    files: string[],
    rootDirectory: string,
    options: { readonly retentionDays: number },
  ): Promise<{ readonly id?: number | undefined }>;
}

export interface ArtifactStoreOptions {
  readonly api: GitHubApi;
  readonly repository: RepositoryRef;
  readonly expected: ProvenanceExpectations;
  readonly fetch: typeof globalThis.fetch;
  readonly loadUploader: () => Promise<ArtifactUploader>;
  readonly log: Log;
}

/** A file that may be the thread's session, by the artifact's id or the blob's; newest first in `find`. */
export interface SessionCandidate {
  readonly id: number | string;
}

/** `warning`: the session was not kept, or is kept and cannot be read again; never a reason to fail the run. */
export type SavedSession =
  | {
      readonly kind: 'saved';
      readonly name: string;
      readonly artifactId: number | null;
      readonly warning: string | null;
    }
  | { readonly kind: 'lost'; readonly warning: string };

/** A session file to be kept, and where it may be written for the upload. */
export interface SessionFile {
  readonly threadKey: string;
  readonly bytes: Uint8Array;
  readonly directory: string;
  readonly retentionDays: number;
}

export interface SessionStore {
  /** Candidates whose provenance fits, newest first, and one reason of those that did not fit. Rejects with a GitHubApiError. */
  find(
    threadKey: string,
    signal: AbortSignal,
  ): Promise<{ readonly candidates: readonly SessionCandidate[]; readonly refused: string | null }>;
  /** The session file, in memory. Rejects when GitHub or the network fails. */
  download(candidate: SessionCandidate, signal: AbortSignal): Promise<ZipResult>;
  /** Keeps the file; `directory` is a private empty folder of the caller's. Never rejects. */
  save(session: SessionFile): Promise<SavedSession>;
}

// The highest sequence is among the newest ones; an old run that is run again is the only way to be newer and lower.
const MAX_CANDIDATES = 5;
// Forks can list artifacts under our names; a flood of them costs us three pages, not all.
const MAX_PAGES = 3;
const PAGE_SIZE = 100;

/** A session store on the repository's artifacts. */
export function createArtifactSessionStore(options: ArtifactStoreOptions): SessionStore {
  return {
    find: (threadKey, signal) => findCandidates(options, threadKey, signal),
    download: (candidate, signal) => download(options, candidate, signal),
    save: (session) => save(options, session),
  };
}

async function findCandidates(
  options: ArtifactStoreOptions,
  threadKey: string,
  signal: AbortSignal,
): Promise<{ readonly candidates: readonly SessionCandidate[]; readonly refused: string | null }> {
  const listed: ListedArtifact[] = [];
  for (let attempt = 1; attempt <= MAX_NAMES; attempt += 1) {
    const found = await listByName(options, artifactName(threadKey, attempt), signal);
    listed.push(...found);
    // A name with a suffix is there only where the one before it is, or was taken by an upload that never came to its end.
    if (found.length === 0 && attempt > 1) break;
  }
  const reasons: string[] = [];
  const candidates: SessionCandidate[] = [];
  // Artifact ids grow, dates can be equal.
  for (const artifact of listed.sort((a, b) => b.id - a.id)) {
    if (candidates.length === MAX_CANDIDATES) break;
    const reason = whyNotListed(artifact, options.expected) ?? (await whyNotItsRun(options, artifact, signal));
    if (reason === null) candidates.push({ id: artifact.id });
    else reasons.push(reason);
  }
  for (const reason of new Set(reasons)) options.log(`[session] an artifact was passed over: ${reason}`);
  return { candidates, refused: reasons[0] ?? null };
}

async function listByName(options: ArtifactStoreOptions, name: string, signal: AbortSignal): Promise<readonly ListedArtifact[]> {
  const found: ListedArtifact[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const parameters = { ...options.repository, name, per_page: PAGE_SIZE, page };
    const { data } = await options.api.rest('GET /repos/{owner}/{repo}/actions/artifacts', parameters, signal);
    // An emulated or older server may not know the filter.
    found.push(...data.artifacts.filter((artifact) => artifact.name === name).map(listedArtifact));
    if (data.artifacts.length < PAGE_SIZE) break;
  }
  return found;
}

type ApiArtifact = Response<'GET /repos/{owner}/{repo}/actions/artifacts'>['data']['artifacts'][number];

function listedArtifact(artifact: ApiArtifact): ListedArtifact {
  const { id, repository_id: repositoryId, head_repository_id: headRepositoryId } = artifact.workflow_run ?? {};
  const isKnown = id !== undefined && repositoryId !== undefined && headRepositoryId !== undefined;
  return {
    id: artifact.id,
    isExpired: artifact.expired,
    packedBytes: artifact.size_in_bytes,
    run: isKnown ? { id, repositoryId, headRepositoryId } : null,
  };
}

async function whyNotItsRun(
  options: ArtifactStoreOptions,
  artifact: ListedArtifact,
  signal: AbortSignal,
): Promise<string | null> {
  if (artifact.run === null) return 'the run that wrote it is gone';
  const parameters = { ...options.repository, run_id: artifact.run.id };
  const { data } = await options.api.rest('GET /repos/{owner}/{repo}/actions/runs/{run_id}', parameters, signal);
  return whyNotOurRun({ path: data.path, event: data.event, headBranch: data.head_branch }, options.expected);
}

/** Answers with the archive's place. A client that follows it by itself hands out the archive; its size was known from the list. */
async function requestArchive(options: ArtifactStoreOptions, artifactId: number, signal: AbortSignal) {
  const route = 'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}';
  // The redirect is better followed by us, where reading stops at the limit and no token goes along.
  const request = { redirect: 'manual' } as const;
  const parameters = { ...options.repository, artifact_id: artifactId, archive_format: 'zip', request } as const;
  return await options.api.rest(route, parameters, signal);
}

async function download(options: ArtifactStoreOptions, candidate: SessionCandidate, signal: AbortSignal): Promise<ZipResult> {
  const { headers, data } = await requestArchive(options, Number(candidate.id), signal);
  if (headers.location === undefined) {
    return isAnyArrayBuffer(data)
      ? readSessionZip(new Uint8Array(data))
      : { kind: 'refused', reason: 'GitHub named no place to download it from' };
  }
  const response = await options.fetch(headers.location, { signal });
  if (!response.ok) return { kind: 'refused', reason: `its download was answered with ${response.status}` };
  const archive = await readAtMost(response, MAX_PACKED_BYTES);
  return archive === null
    ? { kind: 'refused', reason: `its archive is larger than ${MAX_PACKED_BYTES} bytes` }
    : readSessionZip(archive);
}

/** The body, or null as soon as it is larger than `maxBytes`. */
async function readAtMost(response: globalThis.Response, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function save(options: ArtifactStoreOptions, session: SessionFile): Promise<SavedSession> {
  const file = path.join(session.directory, SESSION_FILE);
  try {
    await writeFile(file, session.bytes, { mode: 0o600 });
    const uploader = await options.loadUploader();
    const { name, artifactId } = await uploadUnderFreeName(uploader, file, session);
    const warning = artifactId === null || (await mayDownload(options, artifactId)) ? null : unreadableWarning;
    return { kind: 'saved', name, artifactId, warning };
  } catch (error) {
    return { kind: 'lost', warning: lostBecause(error) };
  }
}

const unreadableWarning =
  'The session is kept, but the next run cannot read it: the workflow’s job needs `actions: read` under `permissions`.';
/** One question; a slow answer is no reason to keep the reply waiting. */
const PROBE_TIMEOUT_MS = 10_000;

/** Writing needs no permission of the job, and on public repositories listing needs none either: only a download tells. Doubt is yes. */
async function mayDownload(options: ArtifactStoreOptions, artifactId: number): Promise<boolean> {
  try {
    await requestArchive(options, artifactId, AbortSignal.timeout(PROBE_TIMEOUT_MS));
    return true;
  } catch (error) {
    return !(error instanceof GitHubApiError && error.isMissingPermission);
  }
}

/**
 * The service answers 409 for a name that this run has used already (G1-17). Its client hands that on as text only, so any refusal
 * is followed by the next name; a service that is down spends its own retries on the first.
 */
async function uploadUnderFreeName(
  uploader: ArtifactUploader,
  file: string,
  session: Pick<SessionFile, 'threadKey' | 'retentionDays'>,
): Promise<{ readonly name: string; readonly artifactId: number | null }> {
  let failure: unknown;
  for (let attempt = 1; attempt <= MAX_NAMES; attempt += 1) {
    const name = artifactName(session.threadKey, attempt);
    try {
      const { id } = await uploader.uploadArtifact(name, [file], path.dirname(file), { retentionDays: session.retentionDays });
      return { name, artifactId: id ?? null };
    } catch (error) {
      if (isUnsupported(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

function isUnsupported(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'GHESNotSupportedError';
}

function lostBecause(error: unknown): string {
  // G1-20: one line, no stack, and what it means.
  if (isUnsupported(error))
    return 'This GitHub server has no artifact service that harness9 can use, so the next run will not remember this one; `session_store: branch` keeps it on a branch instead.';
  const detail = messageOf(error);
  return `The session could not be saved, so the next run will not remember this one: ${detail}`;
}
