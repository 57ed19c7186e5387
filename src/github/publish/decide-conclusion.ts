// How a run ended, as the one word of the output `conclusion`; pure.
import type { Conclusion } from '../../schema/outcome.ts';
import type { RunResult } from '../../schema/run.ts';

/** What the engine calls an answer that the model did not want to give; the run itself completed. */
const refusalCodes: readonly string[] = ['MODEL_REFUSED', 'MODEL_CONTENT_FILTER'];

/** What became of a run's changes. */
export interface Changed {
  readonly isPublished: boolean;
  /** Something was changed that only a person may publish. */
  readonly isLeftOut: boolean;
}

/**
 * A run that completed succeeded when it changed something, and says `no_changes` when it only answered; when all that it changed was left
 * out, it was refused. Without an answer it was refused by the model or is an error. Every other end is its own word.
 */
export function decideConclusion(result: Pick<RunResult, 'stopReason' | 'error'>, changed: Changed): Conclusion {
  if (result.stopReason !== 'completed') return result.stopReason;
  if (result.error !== undefined) return refusalCodes.includes(result.error.code) ? 'refused' : 'error';
  if (changed.isPublished) return 'success';
  return changed.isLeftOut ? 'refused' : 'no_changes';
}
