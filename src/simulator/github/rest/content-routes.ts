/** REST: files and folders of a revision. */
import type { TreeEntry } from '../git/parse-object.ts';
import { type Call, param } from '../http/call.ts';
import { json, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { repositoryPage, repositoryUrl } from '../render/render-account.ts';
import { wrapBase64 } from './git-routes.ts';
import { resolveRevision } from './history-routes.ts';

// GitHub gives the content of larger files as raw bytes or blobs only.
const MAX_INLINE_BYTES = 1_048_576;

export const contentRoutes: readonly Route[] = [
  route('GET /repos/{owner}/{repo}/contents/{path}', ['contents:read'], getContent),
  // The root folder.
  route('GET /repos/{owner}/{repo}/contents', ['contents:read'], getContent),
];

async function getContent(hub: Hub, call: Call): Promise<Reply> {
  const name = call.query.get('ref') ?? 'HEAD';
  const revision = resolveRevision(hub, name);
  if (revision === undefined) throw new Refusal(404, `No commit found for the ref ${name}`);
  const path = param(call, 'path').replace(/^\/+|\/+$/g, '');
  const object = await hub.git.object(`${revision}:${path}`);
  if (object === undefined) throw notFound();
  const place = { path, revision, ref: name === 'HEAD' ? hub.state.repository.defaultBranch : name };
  if (object.type === 'tree') {
    const entries = (await hub.git.tree(object.sha, false))?.entries ?? [];
    return json(await Promise.all(entries.map((entry) => renderEntry(hub, place, entry))));
  }
  if (call.accept.includes('raw')) {
    return { status: 200, body: object.content, headers: { 'content-type': 'application/vnd.github.raw; charset=utf-8' } };
  }
  return json(await renderContentFile(hub, { path, ref: place.ref, sha: object.sha }));
}

/** A file with its content, as this API gives it. */
export async function renderContentFile(hub: Hub, file: Place & { readonly sha: string }) {
  const content = (await hub.git.object(file.sha))?.content ?? Buffer.of();
  const isInline = content.length <= MAX_INLINE_BYTES;
  return {
    type: 'file',
    encoding: isInline ? 'base64' : 'none',
    size: content.length,
    content: isInline ? wrapBase64(content) : '',
    ...renderPlace(hub, { ...file, type: 'blob' }),
  };
}

interface Place {
  readonly path: string;
  readonly ref: string;
}

async function renderEntry(hub: Hub, place: Place, entry: TreeEntry) {
  const path = place.path === '' ? entry.path : `${place.path}/${entry.path}`;
  const size = entry.type === 'blob' ? ((await hub.git.object(entry.sha))?.content.length ?? 0) : 0;
  return { type: entryType(entry), size, ...renderPlace(hub, { ref: place.ref, path, sha: entry.sha, type: entry.type }) };
}

function entryType(entry: TreeEntry): 'dir' | 'file' | 'submodule' {
  if (entry.type === 'tree') return 'dir';
  return entry.type === 'commit' ? 'submodule' : 'file';
}

function renderPlace(hub: Hub, place: Place & { sha: string; type: TreeEntry['type'] }) {
  const encoded = place.path.split('/').map(encodeURIComponent).join('/');
  const self = `${repositoryUrl(hub)}/contents/${encoded}?ref=${place.ref}`;
  const git = `${repositoryUrl(hub)}/git/${place.type}s/${place.sha}`;
  const html = `${repositoryPage(hub)}/${place.type}/${place.ref}/${encoded}`;
  return {
    name: place.path.split('/').at(-1) ?? '',
    path: place.path,
    sha: place.sha,
    url: self,
    git_url: git,
    html_url: html,
    download_url: place.type === 'blob' ? `${repositoryPage(hub)}/raw/${place.ref}/${encoded}` : null,
    _links: { self, git, html },
  };
}
