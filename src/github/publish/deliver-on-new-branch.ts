// Changes on a branch of their own with a pull request, or on top of the one that the same trigger or schedule made before.
import { messageOf } from '../../schema/error.ts';
import type { Outcome } from '../../schema/outcome.ts';
import { createCommit } from './commit.ts';
import { type Delivery, nothingDelivered } from './delivery.ts';
import { compareUrlOf, type Opened, openPullRequest, type PullRequestDraft, renewDescription } from './open-pull-request.ts';
import { createBranch, type Placed } from './place-branch.ts';
import { isFinished, renderPullRequestBody, renderTitle } from './render-pull-request.ts';
import { type Part, type Work, withoutRefused } from './without-refused.ts';

/** Rejects where GitHub takes no branch; a pull request that it does not make is a note. `notes`: why it came to this. */
export async function deliverOnNewBranch(work: Work, base: string, notes: readonly string[]): Promise<Delivery> {
  const { plan, bundle } = work;
  const placed = await withoutRefused(work, (part) => place(work, part));
  if (placed === null) return nothingDelivered(bundle);
  const { branch, sha, part } = placed;
  const body = renderPullRequestBody(plan, bundle, { leftOut: part.leftOut, notes });
  const draft = { branch, base, title: renderTitle(plan, bundle), body, isFinished: isFinished(bundle) };
  const { pullRequest, note } = placed.pull === null ? await openOrLink(work, draft) : await renew(work, placed.pull, body);
  return {
    branch,
    commitSha: sha,
    pullRequest,
    compareUrl: pullRequest === null && plan.pullRequest.mode !== 'none' ? compareUrlOf(plan, draft) : null,
    published: part.changes,
    leftOut: part.leftOut,
    isInReply: false,
    notes: [...notes, ...(note === null ? [] : [note])],
  };
}

type PlacedPart = Placed & { readonly part: Part };

async function place({ plan, bundle, io }: Work, part: Part): Promise<PlacedPart | null> {
  const commit = await createCommit(plan, bundle, part.changes, io);
  return commit === null ? null : { ...(await createBranch(plan, bundle, commit, io)), part };
}

/** The branch is there: a pull request that cannot be made is a note and no failure. */
async function openOrLink({ plan, io }: Work, draft: PullRequestDraft): Promise<Opened> {
  try {
    return await openPullRequest(plan, draft, io);
  } catch (error) {
    io.signal.throwIfAborted();
    return { pullRequest: null, note: `No pull request was made: ${messageOf(error)}.` };
  }
}

async function renew({ plan, io }: Work, pull: NonNullable<Placed['pull']>, body: string): Promise<Opened> {
  const pullRequest: Outcome['pullRequest'] = { ...pull, operation: 'updated' };
  return { pullRequest, note: await renewDescription(plan, { number: pull.number, body }, io) };
}
