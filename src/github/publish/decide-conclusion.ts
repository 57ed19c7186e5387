// How a run ended, as the one word of the output `conclusion`; pure.
import type { Conclusion } from '../../schema/outcome.ts';
import type { RunError, RunResult } from '../../schema/run.ts';

/** What the engine calls an answer that the model did not want to give; the run itself completed. */
const refusalCodes: readonly string[] = ['MODEL_REFUSED', 'MODEL_CONTENT_FILTER'];

/** The model was done, and `verify_command` says that it is not. */
export const verifyFailed = 'VERIFY_FAILED';

/** The model was done, and its answer has not the form that `output_schema` asks for. */
const outputMismatch = 'OUTPUT_SCHEMA_MISMATCH';

/** Whether the model had its say, whatever is wrong with it or with its work. */
export function isAnswered(error: Pick<RunError, 'code'> | undefined): boolean {
  return error?.code === verifyFailed || error?.code === outputMismatch;
}

/** Whether the last message was to have a form, and is to be read by a program. */
export function hasForm({ structuredOutput, error }: Pick<RunResult, 'structuredOutput' | 'error'>): boolean {
  return structuredOutput !== undefined || error?.code === outputMismatch;
}

/** What a run yielded. */
export interface Yield {
  /** Changes, or the plan that was asked for. */
  readonly isDelivered: boolean;
  /** Something was changed that only a person may publish. */
  readonly isLeftOut: boolean;
}

/**
 * A run that completed succeeded when it changed something or made its plan, and says `no_changes` when it only answered; when all that it changed was left
 * out, it was refused. One that `verify_command` does not pass says so, whatever it changed. Without an answer it was refused by the model or is
 * an error. Every other end is its own word.
 */
export function decideConclusion(result: Pick<RunResult, 'stopReason' | 'error'>, { isDelivered, isLeftOut }: Yield): Conclusion {
  if (result.stopReason !== 'completed') return result.stopReason;
  if (result.error?.code === verifyFailed) return 'verify_failed';
  if (result.error !== undefined) return refusalCodes.includes(result.error.code) ? 'refused' : 'error';
  if (isDelivered) return 'success';
  return isLeftOut ? 'refused' : 'no_changes';
}

/** What was asked for cannot be done here, and nothing is broken. */
const idleCodes: readonly string[] = ['NO_PLAN', 'PLAN_UNSEEN'];

/** How a run ended that has no bundle: its code may say that there was nothing to do, which is no failure. */
export function decideFaultConclusion({
  conclusion,
  code,
}: {
  readonly conclusion: Conclusion;
  readonly code?: string | undefined;
}): Conclusion {
  return code !== undefined && idleCodes.includes(code) ? 'skipped' : conclusion;
}
