/** The artifact service as a part of the server: Twirp calls in JSON, as `@actions/artifact` makes them. */

import type { Artifact } from '../ci-state.ts';
import { field, optionalText, requiredText } from '../http/call.ts';
import { Refusal, type Reply } from '../http/reply.ts';
import type { Part, RawRequest } from '../http/server.ts';
import type { Hub } from '../hub.ts';
import { signedUrl } from './blob-part.ts';
import { readRuntimeToken } from './runtime-token.ts';

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/';
const RETENTION_DAYS = 90;
const DAY_MS = 86_400_000;

type Method = (hub: Hub, runId: number, body: unknown) => Reply;

const METHODS: Readonly<Record<string, Method>> = {
  CreateArtifact: createArtifact,
  FinalizeArtifact: finalizeArtifact,
  ListArtifacts: listArtifacts,
  GetSignedArtifactURL: getSignedUrl,
  DeleteArtifact: deleteArtifact,
};

/** Twirp's way to refuse: a status, a code and a text. */
function twirpError(status: number, code: string, msg: string): Reply {
  return { status, body: { code, msg } };
}

export function createArtifactPart(hub: Hub): Part {
  return {
    kind: 'artifact',
    prefix: SERVICE,
    strip: '',
    answer: async (request) => {
      const body: unknown = JSON.parse(request.body.toString());
      return { route: request.path, body, reply: answer(hub, request, body) };
    },
  };
}

function answer(hub: Hub, request: RawRequest, body: unknown): Reply {
  const method = METHODS[request.path.slice(SERVICE.length)];
  if (method === undefined) return twirpError(404, 'bad_route', `no handler for ${request.path}`);
  const token = readRuntimeToken(request.headers.authorization);
  const isOfRun = token !== undefined && hub.state.runs.has(token.runId);
  if (!isOfRun) return twirpError(401, 'unauthenticated', 'the runtime token is not valid');
  if (field(body, 'workflow_run_backend_id') !== String(token.runId)) {
    return twirpError(403, 'permission_denied', 'the runtime token is for another run');
  }
  try {
    return method(hub, token.runId, body);
  } catch (error) {
    if (error instanceof Refusal) return twirpError(400, 'invalid_argument', error.message);
    throw error;
  }
}

function artifactsOfRun(hub: Hub, runId: number): readonly Artifact[] {
  return [...hub.state.artifacts.values()].filter((artifact) => artifact.runId === runId);
}

function findByName(hub: Hub, runId: number, body: unknown): Artifact | undefined {
  const name = requiredText(body, 'name');
  return artifactsOfRun(hub, runId).find((artifact) => artifact.name === name);
}

function createArtifact(hub: Hub, runId: number, body: unknown): Reply {
  if (findByName(hub, runId, body) !== undefined) {
    return twirpError(409, 'already_exists', 'an artifact with this name already exists on the workflow run');
  }
  const createdAt = hub.now();
  const expiresAt = optionalText(body, 'expires_at') ?? new Date(Date.parse(createdAt) + RETENTION_DAYS * DAY_MS).toISOString();
  const artifact: Artifact = {
    id: hub.state.nextId(),
    runId,
    name: requiredText(body, 'name'),
    mimeType: optionalText(body, 'mime_type') ?? 'application/zip',
    createdAt,
    expiresAt: `${expiresAt.slice(0, 19)}Z`,
    content: new Uint8Array(),
    digest: null,
    isFinal: false,
  };
  hub.state.artifacts.set(artifact.id, artifact);
  return { status: 200, body: { ok: true, signed_upload_url: signedUrl(hub, artifact) } };
}

function finalizeArtifact(hub: Hub, runId: number, body: unknown): Reply {
  const artifact = findByName(hub, runId, body);
  if (artifact === undefined) return twirpError(404, 'not_found', 'no such artifact');
  artifact.digest = optionalText(body, 'hash') ?? null;
  artifact.isFinal = true;
  return { status: 200, body: { ok: true, artifact_id: String(artifact.id) } };
}

function listArtifacts(hub: Hub, runId: number, body: unknown): Reply {
  const name = optionalText(body, 'name_filter');
  const found = artifactsOfRun(hub, runId).filter(
    (artifact) => artifact.isFinal && (typeof name !== 'string' || artifact.name === name),
  );
  const artifacts = found.map((artifact) => ({
    workflow_run_backend_id: String(runId),
    workflow_job_run_backend_id: requiredText(body, 'workflow_job_run_backend_id'),
    database_id: String(artifact.id),
    name: artifact.name,
    size: String(artifact.content.length),
    created_at: artifact.createdAt,
    ...(artifact.digest === null ? {} : { digest: artifact.digest }),
  }));
  return { status: 200, body: { artifacts } };
}

function getSignedUrl(hub: Hub, runId: number, body: unknown): Reply {
  const artifact = findByName(hub, runId, body);
  if (artifact === undefined) return twirpError(404, 'not_found', 'no such artifact');
  return { status: 200, body: { name: artifact.name, signed_url: signedUrl(hub, artifact) } };
}

function deleteArtifact(hub: Hub, runId: number, body: unknown): Reply {
  const artifact = findByName(hub, runId, body);
  if (artifact === undefined) return twirpError(404, 'not_found', 'no such artifact');
  hub.state.artifacts.delete(artifact.id);
  return { status: 200, body: { ok: true, artifact_id: String(artifact.id) } };
}
