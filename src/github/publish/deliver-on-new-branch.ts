// Changes on a branch of their own with a pull request, or on top of the one that the same trigger or schedule made before.
import { messageOf } from '../../schema/error.ts';
import type { Outcome } from '../../schema/outcome.ts';
import { isFinished } from '../../schema/run.ts';
import { createCommit } from './commit.ts';
import { type Delivery, nothingDelivered } from './delivery.ts';
import { dressPullRequest } from './dress-pull-request.ts';
import { loadTemplate } from './load-template.ts';
import { type BodyOver, compareUrlOf, openPullRequest, type PullRequestDraft, renewDescription } from './open-pull-request.ts';
import { createBranch, type Placed } from './place-branch.ts';
import { renderPullRequestBody, renderTitle } from './render-pull-request.ts';
import { findStandingBase } from './standing-base.ts';
import { type Part, type Work, withoutRefused } from './without-refused.ts';

/** Rejects where GitHub takes no branch; a pull request that it does not make is a note. `notes`: why it came to this. */
export async function deliverOnNewBranch(work: Work, base: string, notes: readonly string[]): Promise<Delivery> {
  const { plan, bundle } = work;
  const placed = await withoutRefused(work, (part) => place(work, part));
  if (placed === null) return nothingDelivered(bundle);
  const { branch, sha, part } = placed;
  const target = placed.pull === null ? await findStandingBase(plan, base, work.io) : { base, notes: [] };
  const about = { leftOut: part.leftOut, notes: [...notes, ...target.notes] };
  const draft = { branch, base: target.base, title: renderTitle(plan, bundle), isFinished: isFinished(bundle.result) };
  const bodyOver = (template: string) => renderPullRequestBody(plan, bundle, { ...about, template });
  const { pullRequest, notes: opening } =
    placed.pull === null ? await openOrLink(work, draft, bodyOver) : await renew(work, placed.pull, bodyOver);
  return {
    branch,
    commitSha: sha,
    pullRequest,
    compareUrl: pullRequest === null && plan.pullRequest.mode !== 'none' ? compareUrlOf(plan, draft) : null,
    published: part.changes,
    leftOut: part.leftOut,
    isInReply: false,
    proposal: null,
    notes: [...about.notes, ...opening, ...renderStanding(plan, pullRequest, target.base)],
  };
}

/** How a new pull request stands to the one that there was: on top of it, or beside it, and then which is wanted is for people to say. */
function renderStanding(
  { head, thread, pullRequest: { continues, leaves } }: Work['plan'],
  made: Made['pullRequest'],
  base: string,
) {
  if (made === null || made.number === leaves) return [];
  const below = base === head?.branch ? (continues ?? thread?.number) : undefined;
  return [
    ...(below === undefined ? [] : [`#${made.number} is stacked on #${below}: it goes to that one’s branch.`]),
    ...(leaves === undefined ? [] : [`#${leaves}, from before, is left as it is: close the one that you do not want.`]),
  ];
}

type Made = { readonly pullRequest: Outcome['pullRequest']; readonly notes: readonly string[] };

type PlacedPart = Placed & { readonly part: Part };

async function place({ plan, bundle, io }: Work, part: Part): Promise<PlacedPart | null> {
  const commit = await createCommit(plan, bundle, part.changes, io);
  return commit === null ? null : { ...(await createBranch(plan, bundle, commit, io)), part };
}

/** The branch is there: a pull request that cannot be made is a note and no failure. */
async function openOrLink({ plan, io }: Work, draft: Omit<PullRequestDraft, 'body'>, bodyOver: BodyOver): Promise<Made> {
  const { mode } = plan.pullRequest;
  if (mode === 'none' || mode === 'link') return { pullRequest: null, notes: [] };
  try {
    const body = bodyOver(await loadTemplate(plan, io));
    const { pullRequest, note } = await openPullRequest(plan, { ...draft, body }, io);
    const isNew = pullRequest?.operation === 'created';
    const dressing = isNew ? await dressPullRequest(plan, pullRequest.number, io) : [];
    return { pullRequest, notes: [...(note === null ? [] : [note]), ...dressing] };
  } catch (error) {
    io.signal.throwIfAborted();
    return { pullRequest: null, notes: [`No pull request was made: ${messageOf(error)}.`] };
  }
}

async function renew({ plan, io }: Work, pull: NonNullable<Placed['pull']>, bodyOver: BodyOver): Promise<Made> {
  const pullRequest: Outcome['pullRequest'] = { ...pull, operation: 'updated' };
  const note = await renewDescription(plan, pull.number, bodyOver, io);
  return { pullRequest, notes: note === null ? [] : [note] };
}
