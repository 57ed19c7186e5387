/** REST: git refs. */
import { demandOneOf } from '../auth.ts';
import { NO_OBJECT } from '../git/git-repository.ts';
import { guardProtectedBranch, guardSignatures, guardWorkflowFiles } from '../guards.ts';
import { actorOf, type Call, optionalFlag, param, requiredText } from '../http/call.ts';
import { json, noContent, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { nodeId, repositoryUrl } from '../render/render-account.ts';
import { recordRefMove } from '../threads/branches.ts';

const WRITE = ['contents:write'] as const;

export const refRoutes: readonly Route[] = [
  route('GET /repos/{owner}/{repo}/git/ref/{ref}', ['contents:read'], getRef),
  route('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', ['contents:read'], listMatchingRefs),
  route('POST /repos/{owner}/{repo}/git/refs', WRITE, createRef),
  route('PATCH /repos/{owner}/{repo}/git/refs/{ref}', WRITE, updateRef),
  route('DELETE /repos/{owner}/{repo}/git/refs/{ref}', WRITE, deleteRef),
];

async function renderRef(hub: Hub, ref: string, sha: string) {
  const type = ref.startsWith('refs/tags/') ? ((await hub.git.object(sha))?.type ?? 'commit') : 'commit';
  return {
    ref,
    node_id: nodeId('Ref', ref),
    url: `${repositoryUrl(hub)}/git/${ref}`,
    object: { sha, type, url: `${repositoryUrl(hub)}/git/${type}s/${sha}` },
  };
}

async function getRef(hub: Hub, call: Call): Promise<Reply> {
  const ref = `refs/${param(call, 'ref')}`;
  const sha = hub.git.refs.get(ref);
  if (sha === undefined) throw notFound();
  return json(await renderRef(hub, ref, sha));
}

async function listMatchingRefs(hub: Hub, call: Call): Promise<Reply> {
  const prefix = `refs/${param(call, 'ref')}`;
  const found = [...hub.git.refs].filter(([ref]) => ref.startsWith(prefix)).sort(([left], [right]) => (left < right ? -1 : 1));
  return json(await Promise.all(found.map(([ref, sha]) => renderRef(hub, ref, sha))));
}

async function createRef(hub: Hub, call: Call): Promise<Reply> {
  const ref = requiredText(call.body, 'ref');
  if (!/^refs\/(heads|tags)\/./.test(ref)) throw new Refusal(422, `Reference name must start with 'refs/heads/' or 'refs/tags/'`);
  const sha = await demandTarget(hub, call, ref);
  if (hub.git.refs.has(ref)) throw new Refusal(422, 'Reference already exists');
  guardProtectedBranch(hub, ref);
  if (!(await hub.git.updateRef(ref, sha, NO_OBJECT))) {
    throw new Refusal(422, hub.git.refs.has(ref) ? 'Reference already exists' : 'Reference name is not valid');
  }
  await recordRefMove(hub, { actor: actorOf(call), ref, before: NO_OBJECT, after: sha });
  return json(await renderRef(hub, ref, sha), 201);
}

async function updateRef(hub: Hub, call: Call): Promise<Reply> {
  const ref = `refs/${param(call, 'ref')}`;
  const before = hub.git.refs.get(ref);
  if (before === undefined) throw new Refusal(422, 'Reference does not exist');
  const after = await demandTarget(hub, call, ref);
  guardProtectedBranch(hub, ref);
  const isForced = optionalFlag(call.body, 'force') ?? false;
  if (!isForced && !(await hub.git.isAncestor(before, after))) throw new Refusal(422, 'Update is not a fast forward');
  if (!(await hub.git.updateRef(ref, after, before))) throw new Refusal(409, 'Reference cannot be updated');
  await recordRefMove(hub, { actor: actorOf(call), ref, before, after });
  return json(await renderRef(hub, ref, after));
}

// The commit that the ref shall point to: it must exist, and its workflow files must be allowed.
async function demandTarget(hub: Hub, call: Call, ref: string): Promise<string> {
  const sha = requiredText(call.body, 'sha');
  const object = /^[0-9a-f]{40}$/.test(sha) ? await hub.git.object(sha) : undefined;
  if (object === undefined) throw new Refusal(422, 'Object does not exist');
  if (ref.startsWith('refs/heads/') && object.type !== 'commit') throw new Refusal(422, 'Reference update failed');
  demandOneOf(hub.state, call.grant, WRITE);
  if (call.grant !== undefined && object.type === 'commit') await guardWorkflowFiles(hub, call.grant, sha);
  await guardSignatures(hub, ref, sha);
  return sha;
}

async function deleteRef(hub: Hub, call: Call): Promise<Reply> {
  const ref = `refs/${param(call, 'ref')}`;
  const before = hub.git.refs.get(ref);
  if (before === undefined || ref.startsWith('refs/pull/')) throw new Refusal(422, 'Reference does not exist');
  guardProtectedBranch(hub, ref);
  if (ref === `refs/heads/${hub.state.repository.defaultBranch}`) throw new Refusal(422, 'Cannot delete the default branch');
  await hub.git.deleteRef(ref);
  await recordRefMove(hub, { actor: actorOf(call), ref, before, after: NO_OBJECT });
  return noContent();
}
