// Puts a commit on a branch: a new one under the first free name, or the pull request's by compare-and-swap. Never by force (E12).
import type { RunPlan } from '../../schema/gate.ts';
import { isRefusal, repositoryOf } from '../api.ts';
import { type Commit, isSameCommit, readBranch, readCommit } from './commit.ts';
import type { PublishIo } from './ports.ts';

export interface Placed {
  readonly branch: string;
  readonly sha: string;
}

/** After this many taken names something else is wrong. */
const maxNames = 20;

/**
 * Creates `plan.branchName`, or with `-2`, `-3`… where the name is taken by something else. A branch that holds this commit's
 * tree on these parents is this run's own from an earlier try, and done. Rejects with GitHub's refusal when no name can be had.
 */
export async function createBranch(plan: RunPlan, commit: Commit, { ports, signal }: PublishIo): Promise<Placed> {
  for (let attempt = 1; attempt < maxNames; attempt += 1) {
    const branch = attempt === 1 ? plan.branchName : `${plan.branchName}-${attempt}`;
    const refused = await tryCreate(plan, { branch, sha: commit.sha }, { ports, signal });
    if (refused === undefined) return { branch, sha: commit.sha };
    const standing = await readBranch(plan, branch, ports, signal);
    if (standing === null) throw refused;
    if (standing === commit.sha || isSameCommit(await readCommit(plan, standing, ports, signal), commit))
      return { branch, sha: standing };
  }
  throw new Error(`all names from ${plan.branchName} to ${plan.branchName}-${maxNames - 1} are taken`);
}

async function tryCreate(plan: RunPlan, { branch, sha }: Placed, { ports, signal }: PublishIo): Promise<unknown> {
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
export type Pushed =
  | { readonly kind: 'pushed'; readonly sha: string }
  | { readonly kind: 'moved'; readonly to: string | null }
  | { readonly kind: 'refused'; readonly answer: string };

/** Moves `branch` from `expected` to the commit, if it still stands there. */
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
    if (isRefusal(error)) return { kind: 'refused', answer: error.answer };
    throw error;
  }
}

async function judgeStanding(
  plan: RunPlan,
  standing: string | null,
  commit: Commit,
  { ports, signal }: PublishIo,
): Promise<Pushed> {
  if (standing === null) return { kind: 'moved', to: null };
  const there = await readCommit(plan, standing, ports, signal);
  return isSameCommit(there, commit) ? { kind: 'pushed', sha: standing } : { kind: 'moved', to: standing };
}
