// How much of a change is kept: twice what the plan allows, so that the validator can say by how much it is too big; the rest is only counted.
import type { RunPlan } from '../../schema/gate.ts';
import type { PatchSide } from './render-patch.ts';

export type ChangeLimits = Pick<RunPlan['limits'], 'maxPatchFiles' | 'maxPatchBytes' | 'maxDeletions'>;

/** What one path came to: a side to publish, gone, or left out with the reason. */
export type Finding =
  | { readonly kind: 'write'; readonly path: string; readonly side: PatchSide }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'left_out'; readonly path: string; readonly reason: string };

export interface Tally {
  /** Whether one more file is to be read. When not, it is counted, and the change is beyond its limits already. */
  mayRead(): boolean;
  add(finding: Finding): void;
  /** What is kept, in the order of the paths; what is only counted comes last, in one entry. */
  findings(): readonly Finding[];
}

/** Stands for the paths that are only counted. */
export const restPath = '…';
/** Nobody reads more names than these. */
const maxLeftOut = 100;

export function createTally(limits: ChangeLimits): Tally {
  const kept: Record<Finding['kind'], Finding[]> = { write: [], delete: [], left_out: [] };
  const most = { write: Number.POSITIVE_INFINITY, delete: 2 * limits.maxDeletions + 1, left_out: maxLeftOut };
  const counted = { write: 0, delete: 0, left_out: 0 };
  let bytes = 0;

  function mayRead(): boolean {
    const isFull = kept.write.length > 2 * limits.maxPatchFiles || bytes > 2 * limits.maxPatchBytes;
    if (isFull) counted.write++;
    return !isFull;
  }

  function add(finding: Finding): void {
    if (kept[finding.kind].length >= most[finding.kind]) {
      counted[finding.kind]++;
      return;
    }
    kept[finding.kind].push(finding);
    if (finding.kind === 'write') bytes += finding.side.bytes.length;
  }

  function findings(): readonly Finding[] {
    const sorted = [...kept.write, ...kept.delete, ...kept.left_out].sort((a, b) => (a.path < b.path ? -1 : 1));
    const rest = [
      ...tell(counted.write, 'more files look changed or new and were not read'),
      ...tell(counted.delete, 'more files were deleted'),
      ...tell(counted.left_out, 'more paths were left out'),
    ];
    return rest.length === 0 ? sorted : [...sorted, { kind: 'left_out', path: restPath, reason: rest.join('; ') }];
  }

  return { mayRead, add, findings };
}

function tell(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}`];
}
