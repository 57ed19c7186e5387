// Which marker our comments of a run carry; pure.
import type { RunPlan } from '../../../schema/gate.ts';
import type { Marker } from '../../marker.ts';

/** Of what shows that a run is at work on it. */
export function progressMarkerOf({ trigger, alsoAnswers }: RunPlan): Marker {
  return { trigger: trigger.id, kind: 'progress', also: alsoAnswers };
}

/** What the marker of a final reply says of the run. `isMerged`: the base was merged and pushed. `says`: see `Marker`. */
export interface FinalFacts {
  readonly kind: 'reply' | 'report';
  readonly isOpen: boolean;
  readonly isMerged: boolean;
  readonly says: string;
}

/** Of the final reply. */
export function replyMarkerOf(plan: RunPlan, { kind, isOpen, isMerged, says }: FinalFacts): Marker {
  const { trigger, alsoAnswers, threadKey, trust } = plan;
  const marker = { trigger: trigger.id, kind, also: alsoAnswers, isOpen, ...mergeOf(plan, { isOpen, isMerged }) };
  return kind === 'report' ? { ...marker, origin: { thread: threadKey, trust }, says } : marker;
}

function mergeOf(
  { mergesBase, noMerge }: RunPlan,
  { isOpen, isMerged }: Pick<FinalFacts, 'isOpen' | 'isMerged'>,
): Pick<Marker, 'merge'> {
  if (isMerged) return { merge: 'done' };
  return isOpen && (mergesBase || noMerge !== undefined) ? { merge: 'open' } : {};
}
