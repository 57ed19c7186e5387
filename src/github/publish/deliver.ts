// Brings the changes to where the plan says, or as near as GitHub lets: the pull request's branch, a new one, or the reply. Nothing is lost on the way.
import type { Bundle, Change } from '../../schema/bundle.ts';
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { type GitHubApiError, isRefusal } from '../api.ts';
import { createCommit } from './commit.ts';
import { type Delivery, nothingDelivered } from './delivery.ts';
import { inlineCode } from './inline-code.ts';
import { compareUrlOf, type Opened, openPullRequest, type PullRequestDraft } from './open-pull-request.ts';
import { createBranch, type Placed, pushToBranch } from './place-branch.ts';
import type { PublishPorts } from './ports.ts';
import { renderCiNote, renderPullRequestBody, renderTitle } from './render-pull-request.ts';

interface Work {
  readonly plan: RunPlan;
  readonly bundle: Bundle;
  readonly ports: PublishPorts;
  readonly signal: AbortSignal;
}

/** Never rejects but on abort: what cannot be pushed is delivered in the reply, with the reason. */
export async function deliver(plan: RunPlan, bundle: Bundle, ports: PublishPorts, signal: AbortSignal): Promise<Delivery> {
  if (bundle.changes.length === 0) return nothingDelivered(bundle);
  if (plan.delivery === 'reply') return inReply(bundle, []);
  const work = { plan, bundle, ports, signal };
  try {
    return plan.delivery === 'push_to_head' && plan.head !== null
      ? await deliverToHead(work, plan.head.branch)
      : await deliverOnNewBranch(work, plan.base.branch, []);
  } catch (error) {
    signal.throwIfAborted();
    ports.log(`[publish] the changes could not be pushed: ${messageOf(error)}`);
    return inReply(bundle, [
      isRefusal(error) ? explainRefusal(error) : 'GitHub could not be reached to push the changes, so the diff is here.',
    ]);
  }
}

function inReply(bundle: Bundle, notes: readonly string[]): Delivery {
  return { ...nothingDelivered(bundle), isInReply: true, notes };
}

async function deliverToHead(work: Work, branch: string): Promise<Delivery> {
  const { plan, bundle, ports, signal } = work;
  const commit = await createCommit(plan, bundle, bundle.changes, { ports, signal });
  if (commit === null) return nothingDelivered(bundle);
  const pushed = await pushToBranch(plan, { branch, expected: plan.checkoutSha, commit }, { ports, signal });
  if (pushed.kind === 'pushed') return toHead(work, { branch, sha: pushed.sha });
  const name = inlineCode(branch, 250);
  if (pushed.kind === 'refused') {
    return deliverOnNewBranch(work, branch, [
      `GitHub refused the push to ${name} (${pushed.answer}), so the changes are on a branch of their own.`,
    ]);
  }
  if (pushed.to === null)
    return deliverOnNewBranch(work, plan.base.branch, [`The branch ${name} is gone, so the changes are on a new one.`]);
  const moved = `${name} moved from ${plan.checkoutSha.slice(0, 7)} to ${pushed.to.slice(0, 7)} meanwhile`;
  return deliverOnNewBranch(work, branch, [`${moved}, so the changes are on a branch of their own.`]);
}

function toHead({ plan, bundle }: Work, placed: Placed): Delivery {
  const { origin } = new URL(plan.run.url);
  const number = plan.thread?.number ?? 0;
  const url = `${origin}/${plan.repository.owner}/${plan.repository.name}/pull/${number}`;
  const ciNote = renderCiNote(plan).replace(/^> /, '');
  return {
    ...nothingDelivered(bundle),
    branch: placed.branch,
    commitSha: placed.sha,
    pullRequest: { number, url, operation: 'updated' },
    published: bundle.changes,
    notes: ciNote === '' ? [] : [ciNote],
  };
}

async function deliverOnNewBranch(work: Work, base: string, notes: readonly string[]): Promise<Delivery> {
  const { plan, bundle } = work;
  const placed = await placeOnNewBranch(work);
  if (placed === null) return nothingDelivered(bundle);
  const { branch, sha, published, leftOut } = placed;
  const body = renderPullRequestBody(plan, bundle, { leftOut, notes });
  const draft = { branch, base, title: renderTitle(plan, bundle), body };
  const { pullRequest, note } = await openOrLink(work, draft);
  return {
    branch,
    commitSha: sha,
    pullRequest,
    compareUrl: pullRequest === null && plan.pullRequest.mode !== 'none' ? compareUrlOf(plan, draft) : null,
    published,
    leftOut,
    isInReply: false,
    notes: [...notes, ...(note === null ? [] : [note])],
  };
}

/** The branch is there: a pull request that cannot be made is a note and no failure. */
async function openOrLink({ plan, ports, signal }: Work, draft: PullRequestDraft): Promise<Opened> {
  try {
    return await openPullRequest(plan, draft, { ports, signal });
  } catch (error) {
    signal.throwIfAborted();
    return { pullRequest: null, note: `No pull request was made: ${messageOf(error)}.` };
  }
}

interface PlacedChanges extends Placed {
  readonly published: readonly Change[];
  readonly leftOut: Bundle['leftOut'];
}

/** The default token may not push workflow files, and then refuses all: the rest goes without them (G1-15). */
async function placeOnNewBranch(work: Work): Promise<PlacedChanges | null> {
  const { bundle } = work;
  const workflows = bundle.changes.filter((change) => /^\.github\/workflows\//i.test(change.path));
  try {
    return await place(work, bundle.changes, bundle.leftOut);
  } catch (error) {
    if (workflows.length === 0 || workflows.length === bundle.changes.length || !isRefusal(error)) throw error;
    const reason = `GitHub refused it (${error.answer}): pushing workflow files needs a token with the permission "workflows"`;
    const leftOut = [...bundle.leftOut, ...workflows.map(({ path, patch }) => ({ path, reason, patch }))];
    return place(
      work,
      bundle.changes.filter((change) => !workflows.includes(change)),
      leftOut,
    );
  }
}

async function place(work: Work, published: readonly Change[], leftOut: Bundle['leftOut']): Promise<PlacedChanges | null> {
  const { plan, bundle, ports, signal } = work;
  const commit = await createCommit(plan, bundle, published, { ports, signal });
  if (commit === null) return null;
  return { ...(await createBranch(plan, commit, { ports, signal })), published, leftOut };
}

function explainRefusal(error: GitHubApiError): string {
  const need = error.isMissingPermission || error.status === 403 ? ' The workflow’s job needs `contents: write`.' : '';
  return `GitHub refused the push (${error.answer}), so the diff is here.${need}`;
}
