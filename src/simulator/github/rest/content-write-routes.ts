/** REST: one-file commits through the contents API, and annotated tags. */
import type { Signature } from '../git/parse-object.ts';
import { type TreeChange, writeTree } from '../git/write-tree.ts';
import { guardProtectedBranch, guardWorkflowFiles } from '../guards.ts';
import { actorOf, type Call, field, optionalText, param, requiredText } from '../http/call.ts';
import { json, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { signatureOf } from '../people.ts';
import { nodeId, repositoryUrl } from '../render/render-account.ts';
import { renderGitCommit } from '../render/render-commit.ts';
import { recordRefMove } from '../threads/branches.ts';
import { renderContentFile } from './content-routes.ts';

const WRITE = ['contents:write'] as const;

export const contentWriteRoutes: readonly Route[] = [
  route('PUT /repos/{owner}/{repo}/contents/{path}', WRITE, putContent),
  route('DELETE /repos/{owner}/{repo}/contents/{path}', WRITE, deleteContent),
  route('POST /repos/{owner}/{repo}/git/tags', WRITE, createTag),
];

async function putContent(hub: Hub, call: Call): Promise<Reply> {
  const path = param(call, 'path');
  const target = await findTarget(hub, call, path);
  if (target.blob !== undefined && optionalText(call.body, 'sha') === undefined) {
    throw new Refusal(422, 'Invalid request.\n\n"sha" wasn\'t supplied.');
  }
  const sha = await hub.git.writeBlob(Buffer.from(requiredText(call.body, 'content'), 'base64'));
  const commit = await commitChange(hub, call, target, { path, mode: '100644', sha });
  const content = await renderContentFile(hub, { path, ref: target.branch, sha });
  return json({ content, commit }, target.blob === undefined ? 201 : 200);
}

async function deleteContent(hub: Hub, call: Call): Promise<Reply> {
  const path = param(call, 'path');
  const target = await findTarget(hub, call, path);
  if (target.blob === undefined) throw notFound();
  requiredText(call.body, 'sha');
  return json({ content: null, commit: await commitChange(hub, call, target, { path, mode: '100644', sha: null }) });
}

interface Target {
  readonly branch: string;
  readonly head: string;
  /** The file as it is now. */
  readonly blob: string | undefined;
}

// 409 when the caller has seen another state of the file.
async function findTarget(hub: Hub, call: Call, path: string): Promise<Target> {
  const branch = optionalText(call.body, 'branch') ?? hub.state.repository.defaultBranch;
  const head = hub.git.refs.get(`refs/heads/${branch}`);
  if (head === undefined) throw new Refusal(404, `Branch ${branch} not found`);
  guardProtectedBranch(hub, `refs/heads/${branch}`);
  const blob = (await hub.git.object(`${head}:${path}`))?.sha;
  const seen = optionalText(call.body, 'sha');
  if (typeof seen === 'string' && seen !== blob) throw new Refusal(409, `${path} does not match ${seen}`);
  return { branch, head, blob };
}

async function commitChange(hub: Hub, call: Call, target: Target, change: TreeChange) {
  const message = requiredText(call.body, 'message');
  const tree = await writeTree(hub.git, target.head, [change]);
  if (tree === undefined) throw new Refusal(422, 'path contains a malformed path component');
  const author: Signature = signatureOf(hub.state, actorOf(call), hub.now());
  const after = await hub.git.writeCommit({ tree, parents: [target.head], message, author, committer: author });
  if (call.grant !== undefined) await guardWorkflowFiles(hub, call.grant, after);
  // What is committed here is signed by GitHub, whoever asks.
  hub.state.signedCommits.add(after);
  const ref = `refs/heads/${target.branch}`;
  if (!(await hub.git.updateRef(ref, after, target.head))) throw new Refusal(409, `${ref} was changed meanwhile`);
  await recordRefMove(hub, { actor: actorOf(call), ref, before: target.head, after });
  const commit = await hub.git.commit(after);
  if (commit === undefined) throw notFound();
  return renderGitCommit(hub, commit);
}

async function createTag(hub: Hub, call: Call): Promise<Reply> {
  const [tag, message, target] = [
    requiredText(call.body, 'tag'),
    requiredText(call.body, 'message'),
    requiredText(call.body, 'object'),
  ];
  const object = /^[0-9a-f]{40}$/.test(target) ? await hub.git.object(target) : undefined;
  if (object === undefined) throw new Refusal(422, 'Object does not exist');
  const given = field(call.body, 'tagger');
  const own = signatureOf(hub.state, actorOf(call), hub.now());
  const tagger =
    given === undefined ? own : { name: requiredText(given, 'name'), email: requiredText(given, 'email'), date: own.date };
  const sha = await hub.git.writeTag({ tag, message, target, type: object.type, tagger });
  return json(
    {
      node_id: nodeId('Tag', sha),
      tag,
      sha,
      url: `${repositoryUrl(hub)}/git/tags/${sha}`,
      message,
      tagger,
      object: { type: object.type, sha: target, url: `${repositoryUrl(hub)}/git/${object.type}s/${target}` },
    },
    201,
  );
}
