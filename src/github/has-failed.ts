// Which end of a check is a failure: the gate starts a run for it, and the task shows its log. Pure.

/** Whether a check ended as one that is to be mended. */
export function hasFailed(conclusion: string | null | undefined): boolean {
  return conclusion === 'failure' || conclusion === 'timed_out';
}
