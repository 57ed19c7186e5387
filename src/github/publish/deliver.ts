// Brings the changes to where the plan says, or as near as GitHub lets: the pull request's branch, a new one, suggestions, or the reply. Nothing is lost on the way.
import type { Bundle } from '../../schema/bundle.ts';
import { Harness9Error, messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { isFinished } from '../../schema/run.ts';
import { type GitHubApiError, isRefusal } from '../api.ts';
import { closeFinishedPull } from './close-finished-pull.ts';
import { deliverOnNewBranch } from './deliver-on-new-branch.ts';
import { deliverToHead, finishOwnPull } from './deliver-to-head.ts';
import { type Delivery, nothingDelivered } from './delivery.ts';
import type { PublishPorts } from './ports.ts';
import { noteMerged, noteNotMerged } from './render-merge.ts';
import { propose } from './review/propose.ts';
import { whyNoWorkflows } from './without-refused.ts';

/** Never rejects but on abort: what cannot be pushed is delivered in the reply, with the reason. */
export async function deliver(plan: RunPlan, bundle: Bundle, ports: PublishPorts, signal: AbortSignal): Promise<Delivery> {
  const work = { plan, bundle, io: { ports, signal } };
  if (bundle.changes.length === 0 && bundle.merge === undefined)
    return plan.thread === null ? closeFinishedPull(work) : finishOwnPull(work);
  if (isUnproven(plan, bundle)) return inReply(bundle, []);
  if (plan.delivery === 'reply') {
    const proposal = await propose(work);
    return proposal === null ? inReply(bundle, []) : { ...nothingDelivered(bundle), proposal };
  }
  try {
    const delivery =
      plan.delivery === 'push_to_head' && plan.head !== null
        ? await deliverToHead(work, plan.head.branch)
        : await deliverOnNewBranch(work, plan.base.branch, []);
    return delivery.commitSha === null ? delivery : { ...delivery, notes: [...noteMerged(plan, bundle), ...delivery.notes] };
  } catch (error) {
    signal.throwIfAborted();
    ports.log(`[publish] the changes could not be pushed: ${messageOf(error)}`);
    return inReply(bundle, [explainFault(error, bundle), ...noteNotMerged(plan, bundle)]);
  }
}

/** Nothing is pushed to mend a check that is not shown to mend it. */
export function isUnproven({ mode }: RunPlan, { result }: Bundle): boolean {
  return mode === 'fix' && !isFinished(result);
}

function inReply(bundle: Bundle, notes: readonly string[]): Delivery {
  return { ...nothingDelivered(bundle), isInReply: true, notes };
}

function explainFault(error: unknown, bundle: Bundle): string {
  if (isRefusal(error)) return explainRefusal(error, bundle);
  if (error instanceof Harness9Error) return `Nothing was pushed: ${error.message}.`;
  return 'GitHub could not be reached to push the changes, so the diff is here.';
}

function explainRefusal(error: GitHubApiError, { changes }: Bundle): string {
  const said = `GitHub refused the push (${error.answer}), so the diff is here.`;
  // A token that may not push these is answered 403, 404 or 422, whichever part of GitHub it asked.
  if (changes.every(({ path }) => path.startsWith('.github/workflows/'))) return `${said} ${upper(whyNoWorkflows)}.`;
  return error.status === 403 ? `${said} The workflow’s job needs \`contents: write\`.` : said;
}

function upper(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
