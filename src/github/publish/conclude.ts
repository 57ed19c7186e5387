// Owns what a run came to by what became of its bundle, for a run that published and for one that only shows what it would have; pure.
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Conclusion } from '../../schema/outcome.ts';
import { decideConclusion } from './decide-conclusion.ts';
import type { Delivery } from './delivery.ts';
import { renderPlan } from './plan-reply.ts';

/** Where a bundle went. */
export interface Went {
  readonly delivery: Pick<Delivery, 'proposal' | 'isInReply' | 'leftOut'>;
  /** Changes, or a merge of the base, on a branch. */
  readonly isPushed: boolean;
  /** What came of the run is a review, or jobs that run again. */
  readonly isElsewhere: boolean;
}

/** The conclusion of a run whose bundle went there, or would have. */
export function conclude(plan: RunPlan, bundle: Bundle, { delivery, isPushed, isElsewhere }: Went): Conclusion {
  const { proposal, isInReply, leftOut } = delivery;
  const isShown = proposal !== null || (isInReply && bundle.changes.length > 0);
  const isDelivered = isElsewhere || isPushed || isShown || renderPlan(plan, bundle) !== null;
  return decideConclusion(bundle.result, { isDelivered, isLeftOut: leftOut.length > 0 });
}
