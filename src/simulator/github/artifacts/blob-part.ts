/** The blob store behind artifacts as a part of the server: the block-blob calls that Azure's client makes. */
import { createHash } from 'node:crypto';
import type { Artifact } from '../ci-state.ts';
import type { Reply } from '../http/reply.ts';
import type { Part, RawRequest } from '../http/server.ts';
import type { Hub } from '../hub.ts';

// Azure's client reads account, container and blob out of a path with three parts.
const PREFIX = '/blobs/actions-results/';

/** Where an artifact's content is put and got; the signature stands for the right to do so. */
export function signedUrl(hub: Hub, artifact: Artifact): string {
  return `${hub.urls.results}${PREFIX}${artifact.id}?sig=${signature(hub, artifact)}`;
}

// The repository's creation time keeps signatures of two instances apart; nothing secret is protected here.
function signature(hub: Hub, artifact: Artifact): string {
  return createHash('sha256').update(`${hub.urls.results} ${hub.state.repository.createdAt} ${artifact.id}`).digest('hex');
}

export function createBlobPart(hub: Hub): Part {
  const blocks = new Map<string, Buffer>();
  return {
    kind: 'artifact',
    prefix: PREFIX,
    strip: '',
    answer: async (request) => ({ route: `${PREFIX}{id}`, reply: answer(hub, blocks, request) }),
  };
}

function answer(hub: Hub, blocks: Map<string, Buffer>, request: RawRequest): Reply {
  const artifact = hub.state.artifacts.get(Number(request.path.slice(PREFIX.length)));
  if (artifact === undefined) return { status: 404, headers: { 'x-ms-error-code': 'BlobNotFound' } };
  if (request.query.get('sig') !== signature(hub, artifact))
    return { status: 403, headers: { 'x-ms-error-code': 'AuthenticationFailed' } };
  if (request.method === 'GET' || request.method === 'HEAD') return download(artifact);
  if (request.method !== 'PUT') return { status: 405 };
  const block = (id: string): string => `${artifact.id}/${id}`;
  const part = request.query.get('comp');
  if (part === 'block') blocks.set(block(request.query.get('blockid') ?? ''), request.body);
  else if (part === 'blocklist')
    artifact.content = Buffer.concat(listedBlocks(request.body).map((id) => blocks.get(block(id)) ?? Buffer.of()));
  else artifact.content = request.body;
  return { status: 201, headers: { etag: `"${artifact.id}"`, 'x-ms-request-id': String(artifact.id) } };
}

function listedBlocks(body: Buffer): readonly string[] {
  return [...body.toString().matchAll(/<(?:Latest|Uncommitted|Committed)>([^<]*)</g)].map(([, id = '']) => id);
}

function download(artifact: Artifact): Reply {
  const isZip = artifact.mimeType === 'application/zip';
  const disposition = `attachment; filename="${artifact.name}${isZip ? '.zip' : ''}"`;
  return {
    status: 200,
    body: artifact.content,
    headers: { 'content-type': artifact.mimeType, 'content-disposition': disposition },
  };
}
