// Why a run stopped before its end, what of it is kept and what to do: the words of the reply; pure.
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import type { Delivery } from './delivery.ts';
import { count, renderDuration } from './figures.ts';
import { inlineCode } from './inline-code.ts';

/** Empty for a run that completed. */
export function renderEnding(plan: RunPlan, bundle: Bundle, delivery: Delivery): string {
  const cause = causeOf(plan, bundle);
  if (cause === null) return '';
  const hint = bundle.result.error?.hint;
  const next = plan.thread === null ? '' : nextStep(plan, bundle);
  return [`**${cause}**`, ...(hint === undefined ? [] : [hint]), keptOf(bundle, delivery), next]
    .filter((part) => part !== '')
    .join(' ');
}

function causeOf(plan: RunPlan, { result }: Bundle): string | null {
  switch (result.stopReason) {
    case 'completed':
      return result.error === undefined ? null : quoteCause(result.error.message);
    case 'max_turns':
      return `Stopped at the limit of ${count(plan.limits.maxTurns, 'turn')} (max_turns).`;
    case 'timeout':
      return `Stopped at the time limit of ${renderDuration(plan.limits.timeoutMs)} (timeout_minutes).`;
    case 'budget':
      return plan.limits.maxTokensTotal === null
        ? 'Stopped at the budget.'
        : `Stopped at the budget of ${plan.limits.maxTokensTotal} tokens (max_tokens_total).`;
    case 'repetition':
      return 'Stopped because the same step was repeated without getting further.';
    case 'cancelled':
      return 'Cancelled.';
    case 'error':
      return `Failed: ${quoteCause(result.error?.message ?? 'the cause is not known')}`;
  }
}

/** Words from outside, as plain text on one line. */
function quoteCause(message: string): string {
  return message.replace(/\s+/g, ' ').replace(/[*_`<>@#]/g, '\\$&');
}

function keptOf(bundle: Bundle, delivery: Delivery): string {
  const session = bundle.session.id === null ? '' : ' The conversation is kept.';
  if (delivery.pullRequest !== null) return `What is done so far is in #${delivery.pullRequest.number}.${session}`;
  if (delivery.branch !== null) return `What is done so far is on the branch ${inlineCode(delivery.branch)}.${session}`;
  if (delivery.isInReply) return `What is done so far is in the diff below.${session}`;
  return `No file was changed.${session}`;
}

function nextStep({ handle }: RunPlan, { result }: Bundle): string {
  return `${result.stopReason === 'error' ? 'To try again' : 'To go on'}, reply ${inlineCode(`${handle} continue`)}.`;
}
