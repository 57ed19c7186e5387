// How a run ended, as the one word of the output `conclusion`; pure.
import type { Conclusion } from '../../schema/outcome.ts';
import type { RunResult } from '../../schema/run.ts';

/** What the engine calls an answer that the model did not want to give; the run itself completed. */
const refusalCodes: readonly string[] = ['MODEL_REFUSED', 'MODEL_CONTENT_FILTER'];

/**
 * A run that completed succeeded when it changed something, and says `no_changes` when it only answered; without an answer it was
 * refused by the model or is an error. Every other end is its own word.
 */
export function decideConclusion(result: Pick<RunResult, 'stopReason' | 'error'>, hasChanges: boolean): Conclusion {
  if (result.stopReason !== 'completed') return result.stopReason;
  if (result.error !== undefined) return refusalCodes.includes(result.error.code) ? 'refused' : 'error';
  return hasChanges ? 'success' : 'no_changes';
}
