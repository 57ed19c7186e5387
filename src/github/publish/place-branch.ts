// Puts a commit on a branch: a new one under the first free name, or the pull request's by compare-and-swap. Never by force (E12).
import type { Bundle } from '../../schema/bundle.ts';
import type { OwnPull, RunPlan } from '../../schema/gate.ts';
import { isRefusal, repositoryOf } from '../api.ts';
import { markerOfOwnPull, mayWriteOn, toOwnPull } from '../own-pull.ts';
import { type Commit, commitTree, isSameCommit, readBranch, readCommit } from './commit.ts';
import type { PullLink } from './open-pull-request.ts';
import type { PublishIo } from './ports.ts';

export interface Placed {
  readonly branch: string;
  readonly sha: string;
  /** Our open pull request from before, which now holds the commit as well; null: the branch is this run's own. */
  readonly pull: PullLink | null;
}

/** After this many taken names something else is wrong. */
const maxNames = 20;

/**
 * Creates `plan.branchName`, or with `-2`, `-3`… where the name is taken by something else, or with `-` for `/` where a part of it is a
 * branch: below one there are no names, of which GitHub says no more than that it refuses. A branch that holds this commit's
 * tree on these parents is this run's own from an earlier try, and done; one that only we wrote, for the same trigger or schedule, gets
 * the commit on top. Rejects with GitHub's refusal when no name can be had.
 */
export async function createBranch(plan: RunPlan, bundle: Bundle, commit: Commit, io: PublishIo): Promise<Placed> {
  const made = { plan, bundle, commit, io };
  try {
    return await createNamed(plan.branchName, made);
  } catch (error) {
    io.signal.throwIfAborted();
    if (!isRefusal(error) || !(await isBelowBranch(plan, io))) throw error;
    return createNamed(flatName(plan), made);
  }
}

interface Made {
  readonly plan: RunPlan;
  readonly bundle: Bundle;
  readonly commit: Commit;
  readonly io: PublishIo;
}

async function createNamed(name: string, { plan, bundle, commit, io }: Made): Promise<Placed> {
  for (let attempt = 1; attempt < maxNames; attempt += 1) {
    const branch = attempt === 1 ? name : `${name}-${attempt}`;
    const refused = await tryCreate(plan, { branch, sha: commit.sha }, io);
    if (refused === undefined) return { branch, sha: commit.sha, pull: null };
    const standing = await readBranch(plan, branch, io.ports, io.signal);
    if (standing === null) {
      if (isRefusal(refused) && (await listRefs(plan, `${branch}/`, io)).length > 0) continue;
      throw refused;
    }
    const there = await readCommit(plan, standing, io.ports, io.signal);
    if (isSameCommit(there, commit)) return { branch, sha: standing, pull: null };
    const added = await addToOwn(plan, bundle, { branch, there, commit }, io);
    if (added !== null) return added;
  }
  throw new Error(`all names from ${name} to ${name}-${maxNames - 1} are taken`);
}

/** The name that is left where `harness9` is a branch: below a branch git has no other. */
function flatName({ branchName }: RunPlan): string {
  return branchName.replaceAll('/', '-');
}

/** Whether a part of the plan's name, up to a slash, is a branch. */
async function isBelowBranch(plan: RunPlan, { ports, signal }: PublishIo): Promise<boolean> {
  const parts = plan.branchName.split('/');
  for (let count = 1; count < parts.length; count += 1) {
    const above = parts.slice(0, count).join('/');
    if ((await readBranch(plan, above, ports, signal)) !== null) return true;
  }
  return false;
}

/** The branches whose names begin with `start`. */
async function listRefs(plan: RunPlan, start: string, { ports, signal }: PublishIo): Promise<readonly string[]> {
  const parameters = { ...repositoryOf(plan), ref: `heads/${start}` };
  const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', parameters, signal);
  return data.map(({ ref }) => ref.slice('refs/heads/'.length));
}

/**
 * The run began at the base again, so its tree takes the place of what an earlier one left on the branch: only where nobody but us wrote
 * it, and never by force. null: the branch is not ours to write on, or GitHub refused.
 */
async function addToOwn(
  plan: RunPlan,
  bundle: Bundle,
  { branch, there, commit }: { readonly branch: string; readonly there: Commit; readonly commit: Commit },
  io: PublishIo,
): Promise<Placed | null> {
  const own = await findOwnPull(plan, branch, io);
  if (own === null) return null;
  // What has ended is neither opened again nor written on: its branch goes on with a pull request of its own.
  const link = own.isOpen ? own.link : null;
  if (there.treeSha === commit.treeSha) return { branch, sha: there.sha, pull: link };
  if (own.pull.sha !== there.sha || !own.pull.isOursAlone || !mayWriteOn(own.pull, plan.trust)) return null;
  const isBehind = await standsOn(plan, there.sha, io);
  const parents = isBehind ? [there.sha] : [there.sha, ...commit.parents];
  const added = await commitTree(plan, bundle, { treeSha: commit.treeSha, parents }, io);
  try {
    const pushed = await pushToBranch(plan, { branch, expected: there.sha, commit: added }, io);
    return pushed.kind === 'pushed' ? { branch, sha: pushed.sha, pull: link } : null;
  } catch (error) {
    io.signal.throwIfAborted();
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** Whether the commit that the run began at is below `sha`; else it becomes a parent, so that only our changes are in the diff. */
async function standsOn(plan: RunPlan, sha: string, { ports, signal }: PublishIo): Promise<boolean> {
  const parameters = { ...repositoryOf(plan), basehead: `${plan.checkoutSha}...${sha}`, per_page: 1 };
  const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/compare/{basehead}', parameters, signal);
  return data.status === 'ahead' || data.status === 'identical';
}

/** A pull request of ours, from a branch that this trigger made, or this schedule at another time. */
export interface OwnOnBranch {
  readonly pull: OwnPull;
  readonly link: PullLink;
  readonly isOpen: boolean;
}

/** Our open pull request, whichever of its names the plan's branch got when it was made. */
export async function findOwnOpen(plan: RunPlan, io: PublishIo): Promise<OwnOnBranch | null> {
  for (const name of new Set([plan.branchName, flatName(plan)])) {
    const found = (await listRefs(plan, name, io)).filter((branch) => /^(?:-\d+)?$/.test(branch.slice(name.length)));
    for (const branch of found) {
      const own = await findOwnPull(plan, branch, io);
      if (own?.isOpen === true) return own;
    }
  }
  return null;
}

/** The open one, else the newest; null: somebody else's, or none. */
async function findOwnPull(plan: RunPlan, branch: string, { ports, signal }: PublishIo): Promise<OwnOnBranch | null> {
  const place = { api: ports.api, repository: repositoryOf(plan) };
  const parameters = { ...place.repository, head: `${plan.repository.owner}:${branch}`, state: 'all' as const };
  const { data } = await ports.api.rest('GET /repos/{owner}/{repo}/pulls', parameters, signal);
  const listed = data.filter((pull) => pull.head.ref === branch);
  const newest = listed.find(({ state }) => state === 'open') ?? listed[0];
  if (newest === undefined) return null;
  const marker = markerOfOwnPull(newest, { self: plan.self, repositoryId: plan.repository.id });
  if (marker?.origin === undefined) return null;
  if (marker.trigger !== plan.trigger.id && marker.origin.thread !== plan.threadKey) return null;
  const pull = await toOwnPull({ pull: newest, trust: marker.origin.trust, self: plan.self }, place, signal);
  return { pull, link: { number: newest.number, url: newest.html_url }, isOpen: newest.state === 'open' };
}

async function tryCreate(
  plan: RunPlan,
  { branch, sha }: Pick<Placed, 'branch' | 'sha'>,
  { ports, signal }: PublishIo,
): Promise<unknown> {
  try {
    const parameters = { ...repositoryOf(plan), ref: `refs/heads/${branch}`, sha };
    await ports.api.rest('POST /repos/{owner}/{repo}/git/refs', parameters, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    // Taken, forbidden, or done with the answer lost: the branch itself tells which.
    return error;
  }
}

/** What came of the push to a pull request's own branch. `moved`: to this commit, or null when the branch is gone. */
export type Pushed = { readonly kind: 'pushed'; readonly sha: string } | { readonly kind: 'moved'; readonly to: string | null };

/** Moves `branch` from `expected` to the commit, if it still stands there. Rejects with GitHub's refusal. */
export async function pushToBranch(
  plan: RunPlan,
  push: { readonly branch: string; readonly expected: string; readonly commit: Commit },
  { ports, signal }: PublishIo,
): Promise<Pushed> {
  const { branch, expected, commit } = push;
  const standing = await readBranch(plan, branch, ports, signal);
  if (standing !== expected) return judgeStanding(plan, standing, commit, { ports, signal });
  try {
    const parameters = { ...repositoryOf(plan), ref: `heads/${branch}`, sha: commit.sha, force: false };
    await ports.api.rest('PATCH /repos/{owner}/{repo}/git/refs/{ref}', parameters, signal);
    return { kind: 'pushed', sha: commit.sha };
  } catch (error) {
    signal.throwIfAborted();
    const now = await readBranch(plan, branch, ports, signal);
    if (now !== expected) return judgeStanding(plan, now, commit, { ports, signal });
    throw error;
  }
}

/** Whether a branch that stands elsewhere than expected holds the commit already, from a try whose answer was lost. */
export async function judgeStanding(
  plan: RunPlan,
  standing: string | null,
  commit: Commit,
  { ports, signal }: PublishIo,
): Promise<Pushed> {
  if (standing === null) return { kind: 'moved', to: null };
  const there = await readCommit(plan, standing, ports, signal);
  return isSameCommit(there, commit) ? { kind: 'pushed', sha: standing } : { kind: 'moved', to: standing };
}
