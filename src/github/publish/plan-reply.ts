// What is particular about the reply to a request for a plan: the plan, if there is one, and how it is gone on with; pure.
import type { Bundle } from '../../schema/bundle.ts';
import type { RunPlan } from '../../schema/gate.ts';
import { isFinished } from '../../schema/run.ts';
import { inlineCode } from './inline-code.ts';
import { renderAnswer, rulesOf } from './render-blocks.ts';
import { ownWordsOf } from './render-ending.ts';

/** Longer ones are approved by nobody who has read them; and whatever else a reply has to say, a plan of this length is whole in it. */
const maxPlanChars = 40_000;

/**
 * The plan that a run made: the very text that people see, which is what they approve. null when it made none: what it said when a limit or
 * a fault cut it is no plan, and neither is what nobody can see.
 */
export function renderPlan(plan: RunPlan, { reply, result }: Pick<Bundle, 'reply' | 'result'>): string | null {
  if (plan.mode !== 'plan' || !isFinished(result)) return null;
  const note = `_The plan is cut here, and what is not above is not part of it. The whole answer is in the [job summary](${plan.run.url})._`;
  return renderAnswer(ownWordsOf({ reply, result }), rulesOf(plan), { maxChars: maxPlanChars, note }) || null;
}

/** The line under a plan; empty for every other reply. */
export function renderPlanStep(plan: RunPlan, bundle: Bundle): string {
  if (renderPlan(plan, bundle) === null) return '';
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
