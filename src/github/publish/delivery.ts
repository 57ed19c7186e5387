// How changes came back: what deliver found out, for the reply, the outputs and the summary.
import type { Bundle, Change } from '../../schema/bundle.ts';
import type { Outcome } from '../../schema/outcome.ts';

/** The changes as suggestions on the pull request's diff. */
export interface Proposal {
  readonly url: string;
}

export interface Delivery {
  readonly branch: string | null;
  readonly commitSha: string | null;
  readonly pullRequest: Outcome['pullRequest'];
  /** Where a person can open a pull request, when there is a branch and none was opened. */
  readonly compareUrl: string | null;
  /** What is on GitHub now. */
  readonly published: readonly Change[];
  readonly leftOut: Bundle['leftOut'];
  /** The diff is to be in the reply, because it is nowhere else. */
  readonly isInReply: boolean;
  /** Where all of them can be taken at a click; null: they cannot. */
  readonly proposal: Proposal | null;
  /** What did not go as asked, one sentence each. */
  readonly notes: readonly string[];
}

/** Nothing was changed, so nothing was done: no branch, no pull request (G1-42). */
export function nothingDelivered(bundle: Pick<Bundle, 'leftOut'>): Delivery {
  return {
    branch: null,
    commitSha: null,
    pullRequest: null,
    compareUrl: null,
    published: [],
    leftOut: bundle.leftOut,
    isInReply: false,
    proposal: null,
    notes: [],
  };
}
