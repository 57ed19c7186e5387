// What the merge with the base means to the model before its run, and to the bundle after it. Pure.

import { findUnresolved } from '../github/change/merge-rules.ts';
import type { BaseMerge } from '../github/checkout/merge-base.ts';
import type { Bundle } from '../schema/bundle.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { RunResult } from '../schema/run.ts';
import type { Task } from '../schema/task.ts';

/** `task` with what the files hold of the base. */
export function withMerge(task: Task, { base }: Pick<RunPlan, 'base'>, merge: BaseMerge | null): Task {
  if (merge === null) return task;
  const { branch } = base;
  if (merge.kind === 'merged') return { ...task, merge: { branch, why: null, conflicts: merge.merge.conflicts } };
  return { ...task, merge: { branch, why: merge.kind === 'impossible' ? merge.why : 'all of it is in them', conflicts: [] } };
}

type Work = Pick<Bundle, 'changes' | 'leftOut'>;

/**
 * The second parent, and the changes on top of its merge. A run that did not come to its end and left conflicts, or changed nothing,
 * merges nothing: then its changes, which stand on the merge, are left out with the reason.
 */
export function bundleMerge(
  { base }: Pick<RunPlan, 'base'>,
  { result, merge, collected }: { readonly result: RunResult; readonly merge: BaseMerge | null; readonly collected: Work },
): Work & Pick<Bundle, 'mergeParent' | 'merge'> {
  const { changes, leftOut } = collected;
  if (merge?.kind !== 'merged') return { changes, leftOut, mergeParent: null };
  const isEnded = result.stopReason === 'completed' && result.error === undefined;
  const isWhole = changes.length > 0 && findUnresolved(merge.merge, changes).length === 0;
  if (isEnded || isWhole) return { changes, leftOut, mergeParent: base.sha, merge: merge.merge };
  const reason = `the merge with \`${base.branch}\` is not finished`;
  return {
    changes: [],
    leftOut: [...leftOut, ...changes.map(({ path, patch }) => ({ path, reason, patch }))],
    mergeParent: null,
  };
}
