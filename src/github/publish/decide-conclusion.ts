// How a run ended, as the one word of the output `conclusion`; pure.
import type { Conclusion } from '../../schema/outcome.ts';
import type { RunResult } from '../../schema/run.ts';

/** A run that completed succeeded when it changed something, and says `no_changes` when it only answered. Every other end is its own word. */
export function decideConclusion(result: Pick<RunResult, 'stopReason'>, hasChanges: boolean): Conclusion {
  if (result.stopReason !== 'completed') return result.stopReason;
  return hasChanges ? 'success' : 'no_changes';
}
