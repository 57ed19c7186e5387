/** Opening pull requests, from a branch of the repository or from a fork. */
import type { FileContent } from '../git/fast-import.ts';
import { NO_OBJECT } from '../git/git-repository.ts';
import { invalid, Refusal } from '../http/reply.ts';
import type { Hub } from '../hub.ts';
import { signatureOf } from '../people.ts';
import type { PullThread } from '../render/render-pull.ts';
import { nextThreadNumber, type PullFacts, type Thread } from '../state.ts';
import { commitToBranch, pullRef, pullStats, recordRefMove } from './branches.ts';
import { createThread, editThread, type NewThread } from './threads.ts';

export interface NewPull extends NewThread {
  /** `branch` or `owner:branch`. */
  readonly head: string;
  readonly base: string;
  readonly isDraft: boolean;
}

export interface PullWithFiles extends NewPull {
  readonly files: Readonly<Record<string, FileContent>>;
  readonly fork?: string | undefined;
}

/** Opens a pull request from a branch that is there, as `POST pulls` does, with GitHub's refusals. */
export async function createPull(hub: Hub, draft: NewPull): Promise<Thread> {
  const [owner, headRef] = splitHead(hub, draft.head);
  const headSha = owner === hub.state.repository.owner ? hub.git.refs.get(`refs/heads/${headRef}`) : undefined;
  const baseSha = hub.git.refs.get(`refs/heads/${draft.base}`);
  if (headSha === undefined) throw invalid({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  if (baseSha === undefined) throw invalid({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  if (draft.isDraft && !hub.state.repository.draftsAllowed) {
    throw new Refusal(422, 'Draft pull requests are not supported in this repository.');
  }
  if (findOpenPull(hub, headRef, draft.base) !== undefined) {
    const message = `A pull request already exists for ${owner}:${headRef}.`;
    throw invalid({ resource: 'PullRequest', code: 'custom', message });
  }
  const stats = await pullStats(hub, baseSha, headSha);
  if (stats.commits === 0) {
    throw invalid({ resource: 'PullRequest', code: 'custom', message: `No commits between ${draft.base} and ${headRef}` });
  }
  return openThread(hub, draft, { ...newFacts(hub, draft), headRef, headRepository: null, headSha, baseSha, stats });
}

/** Makes a head with these files (in a fork: under `refs/pull/N/head` only) and opens a pull request from it. */
export async function createPullWithFiles(hub: Hub, draft: PullWithFiles): Promise<Thread> {
  const message = draft.title;
  if (draft.fork === undefined) {
    const [, headRef] = splitHead(hub, draft.head);
    if (Object.keys(draft.files).length > 0)
      await commitToBranch(hub, { branch: headRef, files: draft.files, message, author: draft.author });
    return createPull(hub, draft);
  }
  const baseSha = hub.git.refs.get(`refs/heads/${draft.base}`) ?? NO_OBJECT;
  const author = signatureOf(hub.state, draft.author, hub.now());
  const ref = pullRef(nextThreadNumber(hub.state));
  const headSha = await hub.git.commitFiles({ ref, parent: baseSha, files: draft.files, message, author });
  const headRepository = forkRepository(hub, draft.fork);
  const stats = await pullStats(hub, baseSha, headSha);
  const [, headRef] = splitHead(hub, draft.head);
  return openThread(hub, draft, { ...newFacts(hub, draft), headRef, headRepository, headSha, baseSha, stats });
}

/** Merges by a merge commit on the base branch, and closes the pull request; throws on a conflict. */
export async function mergePull(hub: Hub, thread: PullThread, actor: string): Promise<string> {
  const { pull } = thread;
  const ref = `refs/heads/${pull.baseRef}`;
  const before = hub.git.refs.get(ref) ?? NO_OBJECT;
  const tree = await hub.git.line('merge-tree', '--write-tree', before, pull.headSha);
  const author = signatureOf(hub.state, actor, hub.now());
  const message = `Merge pull request #${thread.number} from ${pull.headRef}`;
  const after = await hub.git.writeCommit({ tree, parents: [before, pull.headSha], message, author, committer: author });
  hub.state.signedCommits.add(after);
  await hub.git.updateRef(ref, after, before);
  pull.mergedAt = hub.now();
  editThread(hub, thread, actor, { state: 'closed' });
  await recordRefMove(hub, { actor, ref, before, after });
  return after;
}

function findOpenPull(hub: Hub, headRef: string, base: string): Thread | undefined {
  return [...hub.state.threads.values()].find(
    ({ state, pull }) => state === 'open' && pull?.headRepository === null && pull.headRef === headRef && pull.baseRef === base,
  );
}

function newFacts(hub: Hub, draft: NewPull) {
  return { id: hub.state.nextId(), baseRef: draft.base, isDraft: draft.isDraft, mergedAt: null, requestedReviewers: [] };
}

async function openThread(hub: Hub, draft: NewPull, pull: PullFacts): Promise<Thread> {
  const thread = createThread(hub, draft, pull);
  await hub.git.updateRef(pullRef(thread.number), pull.headSha);
  return thread;
}

function splitHead(hub: Hub, head: string): readonly [string, string] {
  const colon = head.indexOf(':');
  return colon < 0 ? [hub.state.repository.owner, head] : [head.slice(0, colon), head.slice(colon + 1)];
}

function forkRepository(hub: Hub, fullName: string): { fullName: string; id: number } {
  const known = [...hub.state.threads.values()]
    .map(({ pull }) => pull?.headRepository)
    .find((fork) => fork?.fullName === fullName);
  return known ?? { fullName, id: hub.state.nextId() };
}
