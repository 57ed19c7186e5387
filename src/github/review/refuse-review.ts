// Owns whether what a bundle says of a review, or of running a check again, may be published: only what the gate's plan lets it say. Pure.
import { type Bundle, maxReviewComments, type Refusal, type ReviewComment } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { refusePath } from '../change/change-path.ts';

/** Of one finding with its suggestion; GitHub takes 65,536 characters. */
const maxCommentChars = 40_000;

/** `scan`: whether a text holds a registered secret. Remarks are redacted on their way out; code that would be committed at a click is refused. */
export function refuseReview(
  { mode, mayApprove }: RunPlan,
  { review, rerun }: Bundle,
  scan: (text: string) => { readonly exact: boolean },
): Refusal | undefined {
  if (rerun !== null && mode !== 'fix') return refuse('plan_mismatch', 'jobs are to run again, which this run was not asked for');
  if (review === null) return undefined;
  if (mode !== 'review') return refuse('plan_mismatch', 'there is a review, which this run was not asked for');
  if (review.verdict !== 'comment' && !mayApprove)
    return refuse('plan_mismatch', 'the review has a verdict, and allow_approve is off');
  const { comments } = review;
  if (comments.length > maxReviewComments) return refuse('size', `the review has ${comments.length} comments`);
  for (const comment of comments) {
    const refusal = refuseComment(comment);
    if (refusal !== undefined) return refusal;
    if (scan(comment.suggestion ?? '').exact) return refuse('secret', 'a suggestion holds a secret of this workflow');
  }
  return undefined;
}

function refuseComment({ path, startLine, line, side, suggestion, body, code }: ReviewComment): Refusal | undefined {
  const name = JSON.stringify(path.slice(0, 200));
  const reason = refusePath(path);
  if (reason !== null) return refuse('path', `${name}: ${reason}`);
  if (startLine !== null && startLine >= line)
    return refuse('schema', `${name}: a comment begins at line ${startLine} and ends at ${line}`);
  if (suggestion !== null && side === 'LEFT') return refuse('schema', `${name}: a suggestion is for removed lines`);
  if (body.trim() === '') return refuse('schema', `${name}: a comment is empty`);
  const size = body.length + (suggestion?.length ?? 0) + code.length;
  return size > maxCommentChars ? refuse('size', `${name}: a comment has ${size} characters`) : undefined;
}

function refuse(code: Refusal['code'], message: string): Refusal {
  return { kind: 'refusal', code, message };
}
