/** REST: a repository under a name that it had before, and under its id, to which GitHub sends who asks by the old name. */
import type { Reply } from '../http/reply.ts';
import type { RawRequest } from '../http/server.ts';
import type { Hub } from '../hub.ts';

/** The request as if it named the repository: `/repositories/{id}/…` is `/repos/{owner}/{repo}/…`. */
export function byName(hub: Hub, request: RawRequest): RawRequest {
  const { owner, name, id } = hub.state.repository;
  const rest = /^\/repositories\/(\d+)((?:\/.*)?)$/.exec(request.path);
  return rest?.[1] === String(id) ? { ...request, path: `/repos/${owner}/${name}${rest[2]}` } : request;
}

/** The redirect for an old name: 301 for what reads, and 307 for the rest, which is to be sent again as it is. */
export function redirectOf(hub: Hub, { method, path, search }: RawRequest): Reply | undefined {
  const { owner, formerNames, id } = hub.state.repository;
  const former = formerNames.find((name) => `${path}/`.startsWith(`/repos/${owner}/${name}/`));
  if (former === undefined) return undefined;
  const location = `${hub.urls.api}/repositories/${id}${path.slice(`/repos/${owner}/${former}`.length)}${search === '' ? '' : `?${search}`}`;
  const isRead = method === 'GET' || method === 'HEAD';
  const message = isRead ? 'Moved Permanently' : 'Temporary Redirect';
  return { status: isRead ? 301 : 307, headers: { location }, body: { message, url: location } };
}
