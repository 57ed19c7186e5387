// What is particular about the reply to a request for a plan: whether there is a plan, and how it is gone on with; pure.
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { inlineCode } from './inline-code.ts';
import { ownWordsOf } from './render-ending.ts';

/** Whether the run came to its end with a plan. What it said when a limit or a fault cut it is none. */
export function isPlanMade({ mode }: Pick<RunPlan, 'mode'>, bundle: Bundle): boolean {
  const { stopReason, error } = bundle.result;
  return mode === 'plan' && stopReason === 'completed' && error === undefined && ownWordsOf(bundle) !== '';
}

/** The line under a plan; empty for every other reply. */
export function renderPlanStep(plan: RunPlan, bundle: Bundle): string {
  if (!isPlanMade(plan, bundle)) return '';
  const order = isKept(plan, bundle) ? 'approve' : 'do what the plan says';
  const reply = (words: string) => inlineCode(`${plan.handle} ${words}`);
  return `Reply ${reply(order)} to have it carried out, or ${reply('plan …')} with what should be different.`;
}

/**
 * `approve` takes the plan from the thread's conversation: where that is not kept, or a later run may only quote it, the plan is to be
 * found on the thread alone. A fork's code keeps every run on it at the same trust.
 */
function isKept({ session, trust, head }: RunPlan, bundle: Bundle): boolean {
  const isContinued = trust !== 'untrusted' || head?.isFork === true;
  return session === 'auto' && bundle.session.artifactId !== null && isContinued;
}
