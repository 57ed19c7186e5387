/** Refusals that depend on what a ref would hold: workflow files and protected branches. */
import { notAccessible } from './auth.ts';
import { Refusal } from './http/reply.ts';
import type { Hub } from './hub.ts';
import type { Grant } from './state.ts';

const WORKFLOWS = '.github/workflows';

/** 403 when commits that no branch has yet touch workflow files and the token may not do that. */
export async function guardWorkflowFiles(hub: Hub, grant: Grant, sha: string): Promise<void> {
  if (grant.permissions.workflows === 'write') return;
  const args = ['log', '--format=', '--name-only', '--diff-merges=combined', sha, '--not', '--branches', '--', WORKFLOWS];
  if ((await hub.git.run({ args })).length > 0) throw notAccessible(hub.state, grant);
}

/** 422 for a branch that may be changed through pull requests only. */
export function guardProtectedBranch(hub: Hub, ref: string): void {
  if (!hub.state.repository.protectedBranches.some((branch) => ref === `refs/heads/${branch}`)) return;
  throw new Refusal(422, 'Repository rule violations found\n\nChanges must be made through a pull request.\n\n');
}
