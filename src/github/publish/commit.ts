// Commits and branches through the Git Data API: no git, no hooks, no credential on disk; never forces anything (E1, E12, R8).
import type { Bundle, Change } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { isGone, isRefusal, repositoryOf } from '../api.ts';
import { assertHeadsOwn } from './assert-heads-own.ts';
import { type Draft, draftTree } from './draft-tree.ts';
import type { PublishIo, PublishPorts } from './ports.ts';
import { renderCommitMessage } from './render-pull-request.ts';

export interface Commit {
  readonly sha: string;
  readonly treeSha: string;
  readonly parents: readonly string[];
}

/** What a branch stands on, or null when there is no such branch. */
export async function readBranch(
  plan: RunPlan,
  branch: string,
  ports: PublishPorts,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const parameters = { ...repositoryOf(plan), ref: `heads/${branch}` };
    const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/git/ref/{ref}', parameters, signal);
    return data.object.sha;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

export async function readCommit(plan: RunPlan, sha: string, ports: PublishPorts, signal: AbortSignal): Promise<Commit> {
  const parameters = { ...repositoryOf(plan), commit_sha: sha };
  const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', parameters, signal);
  return { sha: data.sha, treeSha: data.tree.sha, parents: data.parents.map((parent) => parent.sha) };
}

/** The same parents and the same tree: made by an earlier try of this run, whatever its name. */
export function isSameCommit(a: Commit, b: Commit): boolean {
  return a.treeSha === b.treeSha && a.parents.join() === b.parents.join();
}

/**
 * Makes the commit of these changes on `bundle.baseSha`, on no branch yet; where the base was merged in, of the merge with them. null: the
 * tree would be the one that is there.
 */
export async function createCommit(
  plan: RunPlan,
  bundle: Bundle,
  changes: readonly Change[],
  io: PublishIo,
): Promise<Commit | null> {
  const { mergeParent, baseSha } = bundle;
  if (bundle.merge !== undefined) await assertHeadsOwn(plan, bundle.merge.paths, io);
  const onto = await readCommit(plan, mergeParent ?? baseSha, io.ports, io.signal);
  const treeSha = await createTree(plan, { onto: onto.treeSha, drafts: draftTree(bundle.merge, changes) }, io);
  if (treeSha === onto.treeSha && mergeParent === null) return null;
  const parents = [baseSha, ...(mergeParent === null ? [] : [mergeParent])];
  return commitTree(plan, bundle, { treeSha, parents }, io);
}

async function createTree(
  plan: RunPlan,
  { onto, drafts }: { readonly onto: string; readonly drafts: readonly Draft[] },
  { ports, signal }: PublishIo,
): Promise<string> {
  // GitHub takes no empty list.
  if (drafts.length === 0) return onto;
  const tree: NewTreeEntry[] = [];
  for (const draft of drafts) tree.push(await toTreeEntry(plan, draft, ports, signal));
  const parameters = { ...repositoryOf(plan), base_tree: onto, tree };
  const { data } = await twice(() => ports.api.rest('POST /repos/{owner}/{repo}/git/trees', parameters, signal), signal);
  return data.sha;
}

/** Makes a commit of a tree that is there, on no branch yet. */
export async function commitTree(
  plan: RunPlan,
  bundle: Bundle,
  { treeSha, parents }: Pick<Commit, 'treeSha' | 'parents'>,
  { ports, signal }: PublishIo,
): Promise<Commit> {
  const message = ports.egress(renderCommitMessage(plan, bundle));
  const parameters = { ...repositoryOf(plan), message, tree: treeSha, parents: [...parents] };
  const { data } = await twice(() => ports.api.rest('POST /repos/{owner}/{repo}/git/commits', parameters, signal), signal);
  return { sha: data.sha, treeSha, parents };
}

interface NewTreeEntry {
  path: string;
  mode: '100644' | '100755' | '120000' | '160000';
  type: 'blob' | 'commit';
  sha?: string | null;
  content?: string;
}

/** Text goes along in the tree's request; only binaries need one of their own. */
async function toTreeEntry(plan: RunPlan, draft: Draft, ports: PublishPorts, signal: AbortSignal): Promise<NewTreeEntry> {
  const { path } = draft;
  if (draft.kind === 'delete') return { path, mode: '100644', type: 'blob', sha: null };
  const { mode } = draft;
  if (draft.kind === 'known') return { path, mode, type: mode === '160000' ? 'commit' : 'blob', sha: draft.sha };
  const { content } = draft;
  if (content.encoding === 'utf-8') return { path, mode, type: 'blob', content: content.data };
  const parameters = { ...repositoryOf(plan), content: content.data, encoding: 'base64' };
  const { data } = await twice(() => ports.api.rest('POST /repos/{owner}/{repo}/git/blobs', parameters, signal), signal);
  return { path, mode, type: 'blob', sha: data.sha };
}

/** Objects are named by their content: a second try does no harm when the first one's answer was lost. */
async function twice<T>(make: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await make();
  } catch (error) {
    signal.throwIfAborted();
    if (isRefusal(error)) throw error;
    return make();
  }
}
