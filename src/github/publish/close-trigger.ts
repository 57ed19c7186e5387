// The last signs on the trigger: a thumb or a frown, and the label taken off. Nothing here is worth a failure.
import type { RunPlan } from '../../schema/gate.ts';
import type { Conclusion } from '../../schema/outcome.ts';
import type { PublishPorts } from './ports.ts';
import { react, reactionOf, removeTriggerLabel } from './react.ts';

const good: readonly Conclusion[] = ['success', 'no_changes'];

/** The warnings of what GitHub refused. */
export async function closeTrigger(
  plan: RunPlan,
  conclusion: Conclusion,
  ports: PublishPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (plan.dryRun) return [];
  const content = good.includes(conclusion) ? '+1' : 'confused';
  // Whoever wants no reaction at the start wants none at the end.
  const reaction = reactionOf(plan) === null ? null : await react(plan, content, ports, signal);
  const label = await removeTriggerLabel(plan, ports, signal);
  return [reaction, label].filter((warning) => warning !== null);
}
