// How often the progress comment may be edited: soon at first, seldom later, and hardly at all while GitHub asks for less. Pure.

/** GitHub limits edits (G1-31), and a reader needs no more. */
const minEditMs = 3_000;
/** Who still looks after an hour looks now and then: a run of 30 minutes edits about a hundred times, of 500 that GitHub allows an hour. */
const maxEditMs = 30_000;
const shareOfElapsed = 20;
/** So often the time goes on although nothing happens: a comment that stands still looks like a run that died. */
const minRefreshMs = 15_000;
/** GitHub asks for at least a minute after a refusal by a secondary limit. */
const minBackoffMs = 60_000;
const maxBackoffMs = 10 * 60_000;
/** Of the calls that the job has an hour: what is left belongs to the work. */
const lowQuota = 0.2;

export interface Pace {
  /** Between two edits with news. */
  readonly editMs: number;
  /** Between two edits without. */
  readonly refreshMs: number;
}

/** `backoffMs`: what the limits ask for, see below. */
export function paceOf(elapsedMs: number, backoffMs: number): Pace {
  const editMs = Math.max(minEditMs, backoffMs, Math.min(maxEditMs, elapsedMs / shareOfElapsed));
  return { editMs, refreshMs: Math.max(minRefreshMs, 2 * editMs) };
}

/** After a refusal by a limit: each time twice as long. */
export function backoffAfterRefusal(before: number): number {
  return Math.min(maxBackoffMs, Math.max(minBackoffMs, 2 * before));
}

/** After an edit that was made. `quotaLeft`: the part that is left, where GitHub says it. */
export function backoffAfterEdit(quotaLeft: number | undefined): number {
  return quotaLeft !== undefined && quotaLeft < lowQuota ? minBackoffMs : 0;
}
