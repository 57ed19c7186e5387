/** Refusals that several parts of the API share: workflow files, protected branches, conversations that are locked. */
import { notAccessible } from './auth.ts';
import { Refusal } from './http/reply.ts';
import type { Hub } from './hub.ts';
import type { Grant } from './state.ts';

const WORKFLOWS = '.github/workflows';

/** 403 when commits that no branch has yet touch workflow files and the token may not do that. */
export async function guardWorkflowFiles(hub: Hub, grant: Grant, sha: string): Promise<void> {
  if (grant.permissions.workflows === 'write') return;
  if (await isPlainStep(hub, sha)) return;
  const args = ['log', '--format=', '--name-only', '--diff-merges=combined', sha, '--not', '--branches', '--', WORKFLOWS];
  if ((await hub.git.run({ args })).length > 0) throw notAccessible(hub.state, grant);
}

// The usual case without a process: one commit on top of a branch, with the same workflow folder.
async function isPlainStep(hub: Hub, sha: string): Promise<boolean> {
  const branches = new Set([...hub.git.refs].filter(([ref]) => ref.startsWith('refs/heads/')).map(([, head]) => head));
  if (branches.has(sha)) return true;
  const [parent, ...others] = (await hub.git.commit(sha))?.parents ?? [];
  if (parent === undefined || others.length > 0 || !branches.has(parent)) return false;
  const [before, after] = await Promise.all([hub.git.object(`${parent}:${WORKFLOWS}`), hub.git.object(`${sha}:${WORKFLOWS}`)]);
  return before?.sha === after?.sha;
}

/** Whether a locked conversation is closed to somebody: it is to all who may not write here. */
export function isShutOut(hub: Hub, login: string, { isLocked }: { readonly isLocked: boolean }): boolean {
  const role = hub.state.accounts.get(login.toLowerCase())?.permission ?? 'none';
  return isLocked && !['write', 'maintain', 'admin'].includes(role);
}

/** 422 for a branch that may be changed through pull requests only. */
export function guardProtectedBranch(hub: Hub, ref: string): void {
  const { protectedBranches, protection } = hub.state.repository;
  if (!protectedBranches.some((branch) => ref === `refs/heads/${branch}`)) return;
  throw violation(protection, 'Changes must be made through a pull request.');
}

/** 422 for a branch that takes verified commits only, when one that no branch has yet is not. */
export async function guardSignatures(hub: Hub, ref: string, sha: string): Promise<void> {
  const { signedBranches, protection } = hub.state.repository;
  if (!signedBranches.some((branch) => ref === `refs/heads/${branch}`)) return;
  const added = await hub.git.history([sha, '--not', '--branches']);
  if (added.some((commit) => !hub.state.signedCommits.has(commit))) {
    throw violation(protection, 'Commits must have verified signatures.');
  }
}

// A ruleset's refusal has a headline; for a classic rule people report the sentence alone.
function violation(protection: 'ruleset' | 'classic', rule: string): Refusal {
  return new Refusal(422, protection === 'classic' ? rule : `Repository rule violations found\n\n${rule}\n\n`);
}
