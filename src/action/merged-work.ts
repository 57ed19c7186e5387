// What the merge with the base means to the model before its run, and to the bundle after it. Pure.

import { findUnresolved } from '../github/change/merge-rules.ts';
import type { BaseMerge } from '../github/checkout/merge-base.ts';
import { isAnswered } from '../github/publish/decide-conclusion.ts';
import type { Bundle } from '../schema/bundle.ts';
import type { RunPlan } from '../schema/gate.ts';
import type { RunResult } from '../schema/run.ts';
import type { Task } from '../schema/task.ts';

/** `task` with what the files hold of the base. */
export function withMerge(task: Task, { base, noMerge }: Pick<RunPlan, 'base' | 'noMerge'>, merge: BaseMerge | null): Task {
  if (merge === null) return noMerge === undefined ? task : { ...task, merge: { ...noMerge, conflicts: [] } };
  const { branch } = base;
  if (merge.kind === 'merged') return { ...task, merge: { branch, why: null, conflicts: merge.merge.conflicts } };
  return { ...task, merge: { branch, why: merge.kind === 'impossible' ? merge.why : 'all of it is in them', conflicts: [] } };
}

type Work = Pick<Bundle, 'changes' | 'leftOut'>;

/** `notices`: what people are told of a merge that came to nothing. */
type MergedWork = Work & Pick<Bundle, 'mergeParent' | 'merge' | 'notices'>;

/**
 * The second parent, and the changes on top of its merge. A run that did not come to its end and left conflicts, or changed nothing,
 * merges nothing: then its changes, which stand on the merge, are left out with the reason. Work that only did not pass its check is
 * pushed as all work of that kind is.
 */
export function bundleMerge(
  { base }: Pick<RunPlan, 'base'>,
  { result, merge, collected }: { readonly result: RunResult; readonly merge: BaseMerge | null; readonly collected: Work },
): MergedWork {
  const { changes, leftOut } = collected;
  if (merge?.kind !== 'merged') return { changes, leftOut, mergeParent: null, notices: [] };
  const { stopReason, error } = result;
  const isEnded = stopReason === 'completed' && (error === undefined || isAnswered(error));
  const isWhole = changes.length > 0 && findUnresolved(merge.merge, changes).length === 0;
  if (isEnded || isWhole) return { changes, leftOut, mergeParent: base.sha, merge: merge.merge, notices: [] };
  const reason = `the merge with \`${base.branch}\` is not finished`;
  return {
    changes: [],
    leftOut: [...leftOut, ...changes.map(({ path, patch }) => ({ path, reason, patch }))],
    mergeParent: null,
    // Each change that is left out says so itself.
    notices: changes.length === 0 ? [`T${reason.slice(1)}, so nothing of it is pushed.`] : [],
  };
}
