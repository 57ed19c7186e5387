// Which marker our comments of a run carry; pure.
import type { RunPlan } from '../../../schema/gate.ts';
import type { Marker } from '../../marker.ts';

/** Of what shows that a run is at work on it. */
export function progressMarkerOf({ trigger, alsoAnswers }: RunPlan): Marker {
  return { trigger: trigger.id, kind: 'progress', also: alsoAnswers };
}

/** Of the final reply. `says`: see `Marker`. */
export function replyMarkerOf(
  { trigger, alsoAnswers, threadKey, trust }: RunPlan,
  { kind, isOpen, says }: { readonly kind: 'reply' | 'report'; readonly isOpen: boolean; readonly says: string },
): Marker {
  const marker = { trigger: trigger.id, kind, also: alsoAnswers, isOpen };
  return kind === 'report' ? { ...marker, origin: { thread: threadKey, trust }, says } : marker;
}
