// Changes on the branch of the pull request that the run works on; where that has ended, moved or is refused meanwhile, on a new branch.
import type { Outcome } from '../../schema/outcome.ts';
import { isFinished } from '../../schema/run.ts';
import { isRefusal, repositoryOf } from '../api.ts';
import { type Commit, createCommit, readBranch } from './commit.ts';
import { deliverOnNewBranch } from './deliver-on-new-branch.ts';
import { type Delivery, nothingDelivered } from './delivery.ts';
import { inlineCode } from './inline-code.ts';
import { renewDescription } from './open-pull-request.ts';
import { judgeStanding, pushToBranch } from './place-branch.ts';
import { renderCiNote, renderPullRequestBody } from './render-pull-request.ts';
import { type Part, type Work, withoutRefused } from './without-refused.ts';

/** Pushes to `branch` by compare-and-swap. Rejects where GitHub takes no branch at all. */
export async function deliverToHead(work: Work, branch: string): Promise<Delivery> {
  const sent = await send(work, branch);
  if (sent.kind === 'unchanged') return finishOwnPull(work);
  if (sent.kind === 'elsewhere')
    return deliverOnNewBranch(work, sent.base, [`${sent.why}, so the changes are on a branch of their own.`]);
  const { plan, bundle } = work;
  const { part, sha } = sent;
  const ciNote = renderCiNote(plan).replace(/^> /, '');
  const note = await renewOwn(work, part.leftOut);
  return {
    ...nothingDelivered(bundle),
    branch,
    commitSha: sha,
    pullRequest: linkOf(work),
    published: part.changes,
    leftOut: part.leftOut,
    notes: [ciNote, note ?? ''].filter((text) => text !== ''),
  };
}

/**
 * A run that changed nothing delivers nothing. But when it was asked to go on and came to its end, there was nothing left to do: the
 * description of our pull request says so.
 */
export async function finishOwnPull(work: Work): Promise<Delivery> {
  const { plan, bundle } = work;
  const isDone = plan.instruction.command === 'continue' && isFinished(bundle.result);
  if (!isDone || plan.delivery !== 'push_to_head' || plan.pullRequest.continues === undefined) return nothingDelivered(bundle);
  const note = await renewOwn(work, bundle.leftOut);
  return { ...nothingDelivered(bundle), pullRequest: linkOf(work), notes: note === null ? [] : [note] };
}

/** The pull request that the run works on: the thread, or ours for the issue. */
function numberOf({ plan }: Work): number {
  return plan.pullRequest.continues ?? plan.thread?.number ?? 0;
}

function linkOf(work: Work): Outcome['pullRequest'] {
  const { run, repository } = work.plan;
  const number = numberOf(work);
  const url = `${new URL(run.url).origin}/${repository.owner}/${repository.name}/pull/${number}`;
  return { number, url, operation: 'updated' };
}

/** A person's description is a person's; ours is written anew with each result. */
async function renewOwn({ plan, bundle, io }: Work, leftOut: Part['leftOut']): Promise<string | null> {
  const number = plan.pullRequest.continues;
  // What is left of the work after an undo is described as it was.
  if (number === undefined || plan.mode === 'undo') return null;
  return renewDescription(plan, number, (template) => renderPullRequestBody(plan, bundle, { leftOut, notes: [], template }), io);
}

type Sent =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'pushed'; readonly sha: string; readonly part: Part }
  /** `base`: what the pull request goes to instead. `why`: half a sentence. */
  | { readonly kind: 'elsewhere'; readonly base: string; readonly why: string };

async function send(work: Work, branch: string): Promise<Sent> {
  try {
    return await withoutRefused(work, (part) => sendPart(work, branch, part));
  } catch (error) {
    work.io.signal.throwIfAborted();
    if (!isRefusal(error)) throw error;
    return { kind: 'elsewhere', base: branch, why: `GitHub refused the push to ${inlineCode(branch, 250)} (${error.answer})` };
  }
}

async function sendPart(work: Work, branch: string, part: Part): Promise<Sent> {
  const { plan, bundle, io } = work;
  const commit = await createCommit(plan, bundle, part.changes, io);
  if (commit === null) return { kind: 'unchanged' };
  const ended = await whyNotPushed(work, branch, commit);
  if (ended !== null) return ended;
  const pushed = await pushToBranch(plan, { branch, expected: plan.checkoutSha, commit }, io);
  if (pushed.kind === 'pushed') return { ...pushed, part };
  const name = inlineCode(branch, 250);
  if (pushed.to === null) return { kind: 'elsewhere', base: plan.base.branch, why: `The branch ${name} is gone` };
  const why = `${name} moved from ${plan.checkoutSha.slice(0, 7)} to ${pushed.to.slice(0, 7)} meanwhile`;
  return { kind: 'elsewhere', base: branch, why };
}

/** Nobody sees what is pushed to a pull request that has ended, and a mixed run pushes to nothing that a person takes for ready. */
async function whyNotPushed(work: Work, branch: string, commit: Commit): Promise<Sent | null> {
  const { plan, io } = work;
  const number = numberOf(work);
  const pull = await readPull(work, number);
  if (pull === null) return null;
  if (pull.state === 'open' && (plan.trust === 'trusted' || pull.isDraft)) return null;
  const standing = await readBranch(plan, branch, io.ports, io.signal);
  // An earlier try pushed, and then the pull request changed.
  const isThere = standing !== plan.checkoutSha && (await judgeStanding(plan, standing, commit, io)).kind === 'pushed';
  if (isThere) return null;
  if (pull.state === 'open') return { kind: 'elsewhere', base: branch, why: `#${number} was marked as ready meanwhile` };
  return { kind: 'elsewhere', base: pull.base, why: `#${number} was ${pull.state} meanwhile` };
}

/** As it is right now; null where the job may not read it. */
async function readPull({ plan, io }: Work, number: number) {
  try {
    const parameters = { ...repositoryOf(plan), pull_number: number };
    const { data } = await io.ports.api.rest('GET /repos/{owner}/{repo}/pulls/{pull_number}', parameters, io.signal);
    const state = data.merged ? 'merged' : data.state;
    return { state, isDraft: data.draft === true, base: data.base.ref } as const;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}
