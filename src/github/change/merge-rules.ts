// What may be published of a merge with the base; pure. Used before the run, when the merge is made, and again when the bundle is validated.
import type { Change, Merge, MergedPath } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { foldersAbove } from '../../schema/ignore-rules.ts';
import { holdsMark } from '../checkout/read-merge.ts';
import { createAllowedMatcher, createPathMatcher, defaultProtectedPaths } from './protected-paths.ts';

/**
 * Tells of each path of a merge why it cannot be part of one, as a clause, or null. What one side alone changed comes along, whatever it
 * is: without it the merge would take it back. What both changed under a protected path is a person's to put together.
 */
export function createMergeRules(plan: Pick<RunPlan, 'protectedPaths' | 'allowedPaths'>): (merged: MergedPath) => string | null {
  const isProtected = createPathMatcher([...defaultProtectedPaths, ...plan.protectedPaths]);
  const isAllowed = createAllowedMatcher(plan.allowedPaths);
  return ({ kind, path }) => {
    if (kind !== 'merged' && kind !== 'open') return null;
    if (isProtected(path)) return 'both sides changed it and it is protected, so that a person has to merge it';
    return kind === 'open' && !isAllowed(path) ? 'it is in conflict and not among the input `allowed_paths`' : null;
  };
}

/** The paths that still hold marks of the merge when these changes are published. */
export function findUnresolved(merge: Merge, changes: readonly Change[]): readonly string[] {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const isReplaced = (path: string) => foldersAbove(path).some(([folder]) => byPath.get(folder)?.kind === 'write');
  return merge.conflicts
    .filter(({ path, marks }) => marks.length > 0 && !isReplaced(path) && !isResolved(byPath.get(path), marks))
    .map(({ path }) => path);
}

function isResolved(change: Change | undefined, marks: readonly string[]): boolean {
  if (change === undefined || change.kind === 'delete') return change !== undefined;
  const { encoding, data } = change.content;
  return !holdsMark(encoding === 'base64' ? Buffer.from(data, 'base64').toString('utf8') : data, marks);
}
