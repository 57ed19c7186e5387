// Owns the form of a decision to start nothing; whether that is so is decided elsewhere.
import type { Skip } from '../../schema/gate.ts';

/** A decision to start nothing, with its reason. */
export interface SkipDecision {
  readonly kind: 'skip';
  readonly skip: Skip;
}

/** A skip with nothing said on the thread; `notice` is for those few that the requester hears of. */
export function skip(
  reason: Skip['reason'],
  detail: string,
  conclusion: Skip['conclusion'] = 'skipped',
  notice: Skip['notice'] = null,
): SkipDecision {
  return { kind: 'skip', skip: { version: 1, reason, detail, conclusion, notice } };
}
