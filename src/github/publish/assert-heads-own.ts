// Holds a merge's protected paths against the head as GitHub has it: a bundle, whatever made it, brings nothing there that no side had.
import type { MergedPath } from '../../schema/bundle.ts';
import { Harness9Error } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { repositoryOf } from '../api.ts';
import { createPathMatcher, defaultProtectedPaths } from '../change/protected-paths.ts';
import { loadTree, type TreeEntry } from '../control/read-tree.ts';
import type { PublishIo } from './ports.ts';

/** The tree is made on the base's, so that only what differs from the base is in question. Throws MERGE_NOT_OURS with the path. */
export async function assertHeadsOwn(plan: RunPlan, paths: readonly MergedPath[], { ports, signal }: PublishIo): Promise<void> {
  const isProtected = createPathMatcher([...defaultProtectedPaths, ...plan.protectedPaths]);
  const guarded = paths.filter(({ path }) => isProtected(path));
  if (guarded.length === 0) return;
  const head = await loadTree(plan.checkoutSha, { api: ports.api, repository: repositoryOf(plan) }, signal);
  const known = new Set([...(head ?? [])].flatMap(([path, entry]) => (isProtected(path) ? [nameOf(entry)] : [])));
  // Where one side moved the file it has the other's content at another path.
  const isHeads = (merged: MergedPath) =>
    merged.kind === 'delete' ? head?.has(merged.path) === false : merged.kind === 'known' && known.has(nameOf(merged));
  const foreign = guarded.find((merged) => !isHeads(merged));
  if (foreign === undefined) return;
  throw new Harness9Error({
    code: 'MERGE_NOT_OURS',
    message: `${JSON.stringify(foreign.path)} is protected, and GitHub does not show that the pull request has it like that`,
  });
}

function nameOf({ mode, sha }: TreeEntry): string {
  return `${mode} ${sha}`;
}
