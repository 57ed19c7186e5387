/** REST: the git database: blobs, trees, commits. */
import type { Commit, Signature, TreeEntry } from '../git/parse-object.ts';
import { isoSeconds } from '../git/parse-object.ts';
import { isTreePath, type TreeChange, writeTree } from '../git/write-tree.ts';
import {
  actorOf,
  type Call,
  field,
  optionalList,
  optionalText,
  optionalTexts,
  optionalWord,
  param,
  requiredText,
} from '../http/call.ts';
import { json, notFound, Refusal, type Reply } from '../http/reply.ts';
import { type Route, route } from '../http/router.ts';
import type { Hub } from '../hub.ts';
import { isBot, signatureOf } from '../people.ts';
import { nodeId, repositoryUrl } from '../render/render-account.ts';
import { renderGitCommit } from '../render/render-commit.ts';

const SHA = /^[0-9a-f]{40}$/;
const MODES = ['100644', '100755', '040000', '160000', '120000'] as const;
// Beyond this GitHub cuts a recursive listing.
const MAX_TREE_ENTRIES = 100_000;

export const gitRoutes: readonly Route[] = [
  route('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', ['contents:read'], getBlob),
  route('POST /repos/{owner}/{repo}/git/blobs', ['contents:write'], createBlob),
  route('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', ['contents:read'], getTree),
  route('POST /repos/{owner}/{repo}/git/trees', ['contents:write'], createTree),
  route('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', ['contents:read'], getCommit),
  route('POST /repos/{owner}/{repo}/git/commits', ['contents:write'], createCommit),
];

async function getBlob(hub: Hub, call: Call): Promise<Reply> {
  const sha = param(call, 'file_sha');
  const object = SHA.test(sha) ? await hub.git.object(sha) : undefined;
  if (object?.type !== 'blob') throw notFound();
  if (call.accept.includes('raw')) {
    return { status: 200, body: object.content, headers: { 'content-type': 'application/vnd.github.raw; charset=utf-8' } };
  }
  return json({
    sha,
    node_id: nodeId('Blob', sha),
    size: object.content.length,
    url: blobUrl(hub, sha),
    content: wrapBase64(object.content),
    encoding: 'base64',
  });
}

/** Base64 in lines of 60 characters, as GitHub writes it. */
export function wrapBase64(content: Buffer): string {
  return content.toString('base64').replace(/.{60}|.+$/g, '$&\n');
}

function blobUrl(hub: Hub, sha: string): string {
  return `${repositoryUrl(hub)}/git/blobs/${sha}`;
}

async function createBlob(hub: Hub, call: Call): Promise<Reply> {
  const encoding = optionalWord(call.body, 'encoding', ['utf-8', 'base64']) ?? 'utf-8';
  const sha = await hub.git.writeBlob(Buffer.from(requiredText(call.body, 'content'), encoding === 'base64' ? 'base64' : 'utf8'));
  return json({ sha, url: blobUrl(hub, sha) }, 201);
}

async function getTree(hub: Hub, call: Call): Promise<Reply> {
  const name = param(call, 'tree_sha');
  const revision = hub.git.refs.get(`refs/heads/${name}`) ?? (SHA.test(name) ? name : undefined);
  const tree = revision === undefined ? undefined : await hub.git.tree(revision, call.query.has('recursive'));
  if (tree === undefined) throw notFound();
  return json(await renderTree(hub, tree));
}

async function renderTree(hub: Hub, tree: { sha: string; entries: readonly TreeEntry[] }) {
  const entries = tree.entries.slice(0, MAX_TREE_ENTRIES);
  return {
    sha: tree.sha,
    url: `${repositoryUrl(hub)}/git/trees/${tree.sha}`,
    tree: await Promise.all(entries.map((entry) => renderEntry(hub, entry))),
    truncated: tree.entries.length > MAX_TREE_ENTRIES,
  };
}

async function renderEntry(hub: Hub, entry: TreeEntry) {
  const { path, mode, type, sha } = entry;
  if (type === 'commit') return { path, mode, type, sha };
  if (type === 'tree') return { path, mode, type, sha, url: `${repositoryUrl(hub)}/git/trees/${sha}` };
  return { path, mode, type, sha, size: (await hub.git.object(sha))?.content.length ?? 0, url: blobUrl(hub, sha) };
}

async function createTree(hub: Hub, call: Call): Promise<Reply> {
  const base = optionalText(call.body, 'base_tree') ?? undefined;
  if (base !== undefined && !(SHA.test(base) && (await hub.git.tree(base, false)) !== undefined)) {
    throw new Refusal(404, 'Not Found');
  }
  const items = optionalList(call.body, 'tree');
  if (items === undefined || items.length === 0) throw new Refusal(422, 'Invalid tree info');
  const changes = await Promise.all(items.map((item) => readChange(hub, item)));
  await checkDeletions(hub, base, changes);
  const sha = await writeTree(hub.git, base, changes);
  const tree = sha === undefined ? undefined : await hub.git.tree(sha, false);
  if (tree === undefined) throw new Refusal(422, 'GitRPC::BadObjectState');
  return json(await renderTree(hub, tree), 201);
}

async function readChange(hub: Hub, item: unknown): Promise<TreeChange> {
  const path = requiredText(item, 'path');
  if (!isTreePath(path)) throw new Refusal(422, 'tree.path contains a malformed path component');
  const mode = MODES.find((candidate) => candidate === field(item, 'mode'));
  if (mode === undefined) throw new Refusal(422, 'Must supply a valid tree.mode');
  const content = optionalText(item, 'content');
  if (typeof content === 'string') return { path, mode, sha: await hub.git.writeBlob(Buffer.from(content)) };
  if (field(item, 'sha') === null) return { path, mode, sha: null };
  const sha = requiredText(item, 'sha');
  const isThere =
    SHA.test(sha) && (mode === '160000' || (await hub.git.object(sha))?.type === (mode === '040000' ? 'tree' : 'blob'));
  if (!isThere) throw new Refusal(422, `tree.sha ${sha} is not a valid ${mode === '040000' ? 'tree' : 'blob'}`);
  return { path, mode, sha };
}

// GitHub refuses to delete what isn't there.
async function checkDeletions(hub: Hub, base: string | undefined, changes: readonly TreeChange[]): Promise<void> {
  for (const change of changes.filter(({ sha }) => sha === null)) {
    if (base === undefined || (await hub.git.object(`${base}:${change.path}`)) === undefined) {
      throw new Refusal(422, 'GitRPC::BadObjectState');
    }
  }
}

async function getCommit(hub: Hub, call: Call): Promise<Reply> {
  const sha = param(call, 'commit_sha');
  const commit = SHA.test(sha) ? await hub.git.commit(sha) : undefined;
  if (commit === undefined) throw notFound();
  return json(renderGitCommit(hub, commit));
}

async function createCommit(hub: Hub, call: Call): Promise<Reply> {
  const tree = requiredText(call.body, 'tree');
  const message = requiredText(call.body, 'message');
  const parents = optionalTexts(call.body, 'parents') ?? [];
  if (!SHA.test(tree) || (await hub.git.object(tree))?.type !== 'tree') throw new Refusal(422, 'Tree SHA does not exist');
  for (const parent of parents) {
    const isCommit = SHA.test(parent) && (await hub.git.object(parent))?.type === 'commit';
    if (!isCommit) throw new Refusal(422, 'Parent SHA does not exist or is not a commit object');
  }
  const author = readSignature(field(call.body, 'author')) ?? signatureOf(hub.state, actorOf(call), hub.now());
  const committer = readSignature(field(call.body, 'committer')) ?? author;
  const sha = await hub.git.writeCommit({
    tree,
    parents,
    message,
    author: withDate(hub, author),
    committer: withDate(hub, committer),
  });
  // GitHub signs what a bot commits in its own name, and nothing whose author or committer was given.
  const isOwn = field(call.body, 'author') === undefined && field(call.body, 'committer') === undefined;
  if (isOwn && isBot(hub.state, actorOf(call))) hub.state.signedCommits.add(sha);
  const commit: Commit | undefined = await hub.git.commit(sha);
  if (commit === undefined) throw new Refusal(422, 'Commit could not be created');
  return json(renderGitCommit(hub, commit), 201);
}

function readSignature(value: unknown): Signature | undefined {
  if (value === undefined) return undefined;
  return { name: requiredText(value, 'name'), email: requiredText(value, 'email'), date: optionalText(value, 'date') ?? '' };
}

function withDate(hub: Hub, signature: Signature): Signature {
  const time = Date.parse(signature.date);
  return { ...signature, date: Number.isNaN(time) ? hub.now() : isoSeconds(new Date(time)) };
}
