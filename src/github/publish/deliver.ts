// Brings the changes to where the plan says, or as near as GitHub lets: the pull request's branch, a new one, or the reply. Nothing is lost on the way.
import type { Bundle } from '../../schema/bundle.ts';
import { messageOf } from '../../schema/error.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { type GitHubApiError, isRefusal } from '../api.ts';
import { deliverOnNewBranch } from './deliver-on-new-branch.ts';
import { deliverToHead, finishOwnPull } from './deliver-to-head.ts';
import { type Delivery, nothingDelivered } from './delivery.ts';
import type { PublishPorts } from './ports.ts';

/** Never rejects but on abort: what cannot be pushed is delivered in the reply, with the reason. */
export async function deliver(plan: RunPlan, bundle: Bundle, ports: PublishPorts, signal: AbortSignal): Promise<Delivery> {
  const work = { plan, bundle, io: { ports, signal } };
  if (bundle.changes.length === 0) return finishOwnPull(work);
  if (plan.delivery === 'reply') return inReply(bundle, []);
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

function explainRefusal(error: GitHubApiError): string {
  const need = error.isMissingPermission || error.status === 403 ? ' The workflow’s job needs `contents: write`.' : '';
  return `GitHub refused the push (${error.answer}), so the diff is here.${need}`;
}
