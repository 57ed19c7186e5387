/** The hosts of attachments as parts of the server: the lasting address, which leads on, and the signed one, which gives the bytes. */
import { readGrant } from '../auth.ts';
import { notFound, type Reply } from '../http/reply.ts';
import type { Part, RawRequest } from '../http/server.ts';
import type { Hub } from '../hub.ts';
import type { Grant } from '../state.ts';
import { ASSET_PREFIX, findSigned, SIGNED_PREFIX, signedAssetUrl } from './attachment.ts';

export function createAttachmentParts(hub: Hub): readonly Part[] {
  const part = (prefix: string, answer: (request: RawRequest, grant: Grant | undefined) => Reply): Part => ({
    kind: 'attachment',
    prefix,
    strip: '',
    answer: async (request) => {
      const grant = readGrant(hub, request.headers.authorization);
      return { route: `${prefix}{file}`, grant, reply: answer(request, grant) };
    },
  });
  return [
    part(ASSET_PREFIX, (request) => lead(hub, request)),
    part(SIGNED_PREFIX, (request, grant) => give(hub, request, grant)),
  ];
}

/** People are known here by their session, and no token takes its place: what is private does not exist. */
function lead(hub: Hub, { path }: RawRequest): Reply {
  const attachment = hub.state.attachments.get(path.slice(ASSET_PREFIX.length));
  if (attachment === undefined || hub.state.repository.isPrivate) throw notFound();
  return { status: 302, headers: { location: signedAssetUrl(hub, attachment) } };
}

/** As the store behind it: a signature and a token together are one too many. */
function give(hub: Hub, { path, query }: RawRequest, grant: Grant | undefined): Reply {
  if (grant !== undefined)
    return { status: 400, body: 'Only one auth mechanism allowed', headers: { 'content-type': 'text/plain' } };
  const attachment = findSigned(hub, path.slice(SIGNED_PREFIX.length), query.get('jwt') ?? '');
  if (attachment === undefined) throw notFound();
  return { status: 200, body: attachment.content, headers: { 'content-type': attachment.mimeType } };
}
